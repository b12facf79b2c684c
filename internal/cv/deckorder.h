#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_deck_order(const uint8_t* data, size_t stride, const int* planes, int n, size_t from, size_t to,
                    int trim, uint16_t* mid, uint16_t* spread);
#ifdef __cplusplus
}
#endif

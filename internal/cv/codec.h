#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_decode_bgr(const uint8_t* data, size_t len, int* rows, int* cols, void** pixels);
void fd_decode_take(void* pixels, uint8_t* dst);
char* fd_encode(const char* ext, const uint8_t* src, int rows, int cols, int param, int value,
                uint8_t** out, size_t* out_len);
#ifdef __cplusplus
}
#endif

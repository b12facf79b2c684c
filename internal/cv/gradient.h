#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_structure(const uint8_t* bgr, int width, int height, float* energy, float* cos2, float* sin2);
#ifdef __cplusplus
}
#endif

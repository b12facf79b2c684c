#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_structure(const uint8_t* bgr, int width, int height, float* energy, float* cos2, float* sin2);
char* fd_ridge(const float* energy, const float* cos2, const float* sin2, int width, int height, float floor,
               uint8_t* ridge);
#ifdef __cplusplus
}
#endif

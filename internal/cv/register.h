#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_half_luma(const uint8_t* bgr, int w, int h, float* out);
char* fd_tile_steps(const float* view, const float* ref, const float* gx, const float* gy, int w, int h, int x0, int x1,
                    int y0, int y1, int tile, int tw, int th, const double* dx, const double* dy, float* work,
                    double* bx, double* by, double* middle);
#ifdef __cplusplus
}
#endif

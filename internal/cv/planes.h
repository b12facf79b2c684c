#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_box(const float* src, float* dst, int w, int h, int r);
char* fd_binomial(const float* src, float* dst, int w, int h);
char* fd_spots(const float* z, const float* mask, const float* inv_centre, const float* inv_surround, int w, int h,
               int r, float* resp, float* smooth);
char* fd_squares(const float* x, const float* y, const float* z, const float* white, size_t n, float* out);
char* fd_normalise(const uint8_t* pix, const uint16_t* mid, const float* mask, const uint8_t* skip, const float* inv_b,
                   const float* inv_g, const float* inv_r, float limit, size_t n, float* b, float* g, float* r);
#ifdef __cplusplus
}
#endif

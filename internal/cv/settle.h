#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_relight(uint8_t* pix, const uint16_t* mid, int w, int h, const float* grid, int step, int gw);
char* fd_light_sums(const float* rest, const float* s, const float* v, const float* use, int nx, int ny, int x0, int y0,
                    int stride, int tile, int tw, const float* gain, const float* offset, float limit, double* sd,
                    double* vd);
char* fd_match_sums(const uint8_t* pix, const uint16_t* mid, const uint8_t* skip, const float* dev, const float* root,
                    int w, int x0, int x1, int y0, int y1, int tile, int tw, double* right);
char* fd_match_apply(uint8_t* pix, const uint16_t* mid, const float* dev, int w, int x0, int x1, int y0, int y1,
                     int tile, int tw, int th, const float* coef);
char* fd_straighten(uint8_t* pix, const uint16_t* mid, size_t start, size_t step, int n, float limit, float most);
char* fd_side_parabola(const float* r, int n, double* coef);
#ifdef __cplusplus
}
#endif

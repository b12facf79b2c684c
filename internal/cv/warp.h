#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
    int width, height;
    int tile, tw, th;
    const float *tile_dx, *tile_dy;      // tw x th
    const float *left_dx, *right_dx;     // one for each row
    const float *top_dy, *bottom_dy;     // one for each column
    const float *across, *down;          // place between the sides, 0 to 1
    const float *blend_x, *blend_y;      // share of the tiles by column and by row
} fd_field;

char* fd_warp_plane(const uint8_t* src, int sw, int sh, uint8_t* dst, int dw, int dh, const double* h);
char* fd_warp_field(const uint8_t* src, uint8_t* dst, const fd_field* field);
#ifdef __cplusplus
}
#endif

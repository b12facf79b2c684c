#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
    int32_t x, y;
    float square;
    int32_t dark;
} fd_peak;

char* fd_peaks(const float* r0, const float* r1, const float* r2, int w, int h, const float* white, const float* luma,
               int tile, int tw, float clip, float floor, double* sums, fd_peak** peaks, size_t* count);
char* fd_line_plane(const float* r0, const float* r1, const float* r2, const float* mask, int w, int h,
                    const float* dir, const float* factor, int tile, int tw, float limit, float* out);
char* fd_shares(float* q, const float* mask, int w, int h, const float* inv, int tile, int tw);
char* fd_raise(const float* q, int w, int h, float inv, const float* mask, float* evidence, int dw, int dh);
char* fd_clipped_covariance(const float* x, const float* y, const float* z, const float* mask, size_t n, double* cov);
#ifdef __cplusplus
}
#endif

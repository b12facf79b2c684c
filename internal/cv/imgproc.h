#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_resize(void* src, void* dst, int width, int height, int interpolation);
char* fd_cvt_color(void* src, void* dst, int code);
char* fd_convert(void* src, void* dst, int type, double alpha, double beta);
char* fd_gaussian(void* src, void* dst, int ksize, double sigma);
char* fd_median(void* src, void* dst, int ksize);
char* fd_sobel(void* src, void* dst, int depth, int dx, int dy, int ksize, double scale);
char* fd_canny(void* src, void* dst, double low, double high, int aperture, int l2);
char* fd_morphology(void* src, void* dst, int op, int shape, int kw, int kh, int iterations);
char* fd_threshold(void* src, void* dst, double value, double maximum, int type, double* used);
char* fd_contours(void* src, int mode, int method, int32_t** points, int32_t** ends, int* n);
char* fd_components(void* src, void* labels, int connectivity, int32_t** stats, double** centroids, int* n);
char* fd_line_segments(void* src, float** segments, int* n);
char* fd_warp_perspective(void* src, void* dst, const double* h, int width, int height,
                          int interpolation, int border, double fill);
char* fd_remap(void* src, void* dst, void* mapx, void* mapy, int interpolation, int border, double fill);
char* fd_ecc(void* tmpl, void* src, double* warp, int motion, int iterations, double epsilon,
             void* mask, int gauss, double* correlation);
char* fd_phase_correlate(void* a, void* b, void* window, double* x, double* y, double* response);
#ifdef __cplusplus
}
#endif

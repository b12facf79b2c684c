#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
    int32_t x0, y0, x1, y1;
    float sum;
} fd_line;
size_t fd_line_work(int width, int height, int top);
char* fd_line_maxima(const float* plane, int width, int height, float limit, const int* levels, int nlevels,
                     float floor_sigmas, int most, int16_t* work, fd_line** lines, int64_t* ends, float* medians);
#ifdef __cplusplus
}
#endif

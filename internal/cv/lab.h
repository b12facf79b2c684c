#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
char* fd_lab_difference(const uint8_t* pix, const float* l, const float* a, const float* b, const float* mask,
                        const uint8_t* skip, const float* light, size_t n, float* dl, float* da, float* db);
char* fd_lengths(const float* x, const float* y, const float* z, size_t n, float* out);
char* fd_delta_e_map(const float* l, const float* a, const float* b, const float* dl, const float* da,
                     const float* db, size_t n, uint8_t* tenths);
#ifdef __cplusplus
}
#endif

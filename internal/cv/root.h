#pragma once
#include <stdint.h>
#include <string.h>

namespace fd {

// The square root of a number from 0 up, to the last digit or two, in single
// precision: by Newton's method for 1/sqrt(x) from a guess at minus half the
// exponent (Lomont 2003, "Fast inverse square root"). The library's sqrtf may
// set errno, which keeps GCC from vectorising a loop that calls it.
inline float root(float x) {
    int32_t bits;
    memcpy(&bits, &x, 4);
    bits = 0x5f375a86 - (bits >> 1);
    float y;
    memcpy(&y, &bits, 4);
    const float half = 0.5F * x;
    y *= 1.5F - half * y * y;
    y *= 1.5F - half * y * y;
    y *= 1.5F - half * y * y;
    return x * y;
}

}  // namespace fd

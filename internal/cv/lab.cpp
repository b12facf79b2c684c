#include "lab.h"

#include "clones.h"
#include "root.h"

#include <algorithm>
#include <cmath>

// Pictures of colour differences, in single precision and without calls or
// branches that would keep a loop out of the vector registers.
// vision/colour has the same formulas to the last digit.

namespace {

constexpr int kBlock = 512;

// CIE 15:2004, 8.2.1.1. The cube root by Newton's method from a guess at a
// third of the exponent.
inline float lab_f(float t) {
    int32_t bits;
    std::memcpy(&bits, &t, 4);
    bits = (int32_t)((float)bits * (1.0F / 3)) + 0x2a5137a0;
    float y;
    std::memcpy(&y, &bits, 4);
    y = (2 * y + t / (y * y)) * (1.0F / 3);
    y = (2 * y + t / (y * y)) * (1.0F / 3);
    y = (2 * y + t / (y * y)) * (1.0F / 3);
    constexpr float d = 6.0F / 29;
    return t > d * d * d ? y : t * (1 / (3 * d * d)) + 4.0F / 29;
}

FD_CLONES void difference(const float* __restrict blue, const float* __restrict green, const float* __restrict red,
                          const float* __restrict l, const float* __restrict a, const float* __restrict b,
                          const float* __restrict mask, const uint8_t* __restrict skip, float* __restrict dl,
                          float* __restrict da, float* __restrict db, int n) {
    for (int i = 0; i < n; i++) {
        // sRGB's primaries to XYZ over the white point D65 (IEC 61966-2-1).
        const float x = (0.4124564F * red[i] + 0.3575761F * green[i] + 0.1804375F * blue[i]) * (1 / 0.95047F);
        const float y = 0.2126729F * red[i] + 0.7151522F * green[i] + 0.0721750F * blue[i];
        const float z = (0.0193339F * red[i] + 0.1191920F * green[i] + 0.9503041F * blue[i]) * (1 / 1.08883F);
        const float fx = lab_f(x), fy = lab_f(y), fz = lab_f(z);
        const float use = (mask[i] != 0.0F) & (skip[i] == 0) ? 1.0F : 0.0F;
        dl[i] = use * (116 * fy - 16 - l[i]);
        da[i] = use * (500 * (fx - fy) - a[i]);
        db[i] = use * (200 * (fy - fz) - b[i]);
    }
}

FD_CLONES void lengths(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                       float* __restrict out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = fd::root(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
}

inline float ratio7(float c) {
    const float c2 = c * c, c7 = c2 * c2 * c2 * c;
    return fd::root(c7 / (c7 + 6103515625.0F));
}

// CIEDE2000 in the steps and equation numbers of Sharma, Wu & Dalal 2005.
FD_CLONES void ciede2000(const float* __restrict l, const float* __restrict a, const float* __restrict b,
                         const float* __restrict dl, const float* __restrict da, const float* __restrict db,
                         uint8_t* __restrict out, int n) {
    for (int i = 0; i < n; i++) {
        const float pa = a[i], pb = b[i], qa = a[i] + da[i], qb = b[i] + db[i];
        const float g = 1.5F - 0.5F * ratio7(0.5F * (fd::root(pa * pa + pb * pb) + fd::root(qa * qa + qb * qb)));  // (4)
        const float a1 = g * pa, a2 = g * qa;                                                                  // (5)
        const float c1 = fd::root(a1 * a1 + pb * pb) + 1e-6F, c2 = fd::root(a2 * a2 + qb * qb) + 1e-6F;
        const float dc = c2 - c1, dot = a1 * a2 + pb * qb, both = c1 * c2;
        // (11) squared: 4 c1 c2 sin^2(dh/2); its sign is the turn's.
        const float turn = a1 * qb - pb * a2, size = fd::root(2 * fabsf(both - dot));
        const float dh = turn < 0.0F ? -size : size;
        // The mean hue (14) as a direction, and its multiples.
        float u = a1 / c1 + a2 / c2, v = pb / c1 + qb / c2;
        const float inv = 1 / (fd::root(u * u + v * v) + 1e-6F);
        u *= inv;
        v *= inv;
        const float u2 = u * u - v * v, v2 = 2 * u * v, u3 = u * u2 - v * v2, v3 = u * v2 + v * u2;
        const float u4 = u2 * u2 - v2 * v2, v4 = 2 * u2 * v2;
        const float t = 1 - 0.17F * (u * 0.8660254F + v * 0.5F) + 0.24F * u2 +
                        0.32F * (u3 * 0.9945219F - v3 * 0.1045285F) -
                        0.20F * (u4 * 0.4539905F + v4 * 0.8910065F);  // (15), with sin(63) for its shift
        const float lm = l[i] + 0.5F * dl[i], c = 0.5F * (c1 + c2);
        // (16): the angle from 275 degrees, squared, as a series of 1 - cos;
        // exp(-x) as (1 - x/256)^256.
        float s = 1 - (u * 0.0871557F - v * 0.9961947F);
        s = s > 0.0F ? s : 0.0F;
        const float angle2 = s * (2 + s * (1.0F / 3 + s * (4.0F / 45 + s * (1.0F / 35))));
        float x = 1 - angle2 * (3282.80635F / 625 / 256);
        x = x > 0.0F ? x : 0.0F;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        x *= x;
        const float y = 1.04719755F * x, y2 = y * y;
        const float sine = y * (1 - y2 * (1.0F / 6 - y2 * (1.0F / 120 - y2 * (1.0F / 5040))));
        const float rt = -2 * ratio7(c) * sine;  // (17), (21)
        const float l50 = (lm - 50) * (lm - 50);
        const float sl = 1 + 0.015F * l50 / fd::root(20 + l50);        // (18)
        const float sc = 1 + 0.045F * c, sh = 1 + 0.015F * c * t;  // (19), (20)
        const float el = dl[i] / sl, ec = dc / sc, eh = dh / sh;
        const float e2 = el * el + ec * ec + eh * eh + rt * ec * eh;  // (22)
        float e = 10 * fd::root(fabsf(e2)) + 0.5F;
        e = e < 255.0F ? e : 255.0F;
        out[i] = (uint8_t)(int)e;
    }
}

}  // namespace

extern "C" {

char* fd_lab_difference(const uint8_t* pix, const float* l, const float* a, const float* b, const float* mask,
                        const uint8_t* skip, const float* light, size_t n, float* dl, float* da, float* db) {
    FD_GUARD({
        float c[3][kBlock];
        for (size_t at = 0; at < n; at += kBlock) {
            const int m = (int)std::min<size_t>(kBlock, n - at);
            const uint8_t* p = pix + 3 * at;
            for (int i = 0; i < m; i++) {
                c[0][i] = light[p[3 * i]];
                c[1][i] = light[p[3 * i + 1]];
                c[2][i] = light[p[3 * i + 2]];
            }
            difference(c[0], c[1], c[2], l + at, a + at, b + at, mask + at, skip + at, dl + at, da + at, db + at, m);
        }
    })
}

char* fd_lengths(const float* x, const float* y, const float* z, size_t n, float* out) {
    FD_GUARD({ lengths(x, y, z, out, n); })
}

char* fd_delta_e_map(const float* l, const float* a, const float* b, const float* dl, const float* da,
                     const float* db, size_t n, uint8_t* tenths) {
    FD_GUARD({ ciede2000(l, a, b, dl, da, db, tenths, (int)n); })
}

}  // extern "C"

#include "warp.h"

#include "clones.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core/hal/intrin.hpp>
#include <vector>

// Bicubic interpolation (Keys 1981) of interleaved pictures at places that
// are worked out a row at a time. A pixel is sixteen neighbours: the four rows
// are summed first, as whole numbers, twelve neighbouring codes at once; then
// the four columns.

namespace {

// Places are rounded to 1/128 px: at the steepest edge a camera draws, some
// 60 codes a pixel, that is a quarter of a code.
constexpr int kPhaseBits = 7;
constexpr int kPhases = 1 << kPhaseBits;
constexpr int kScaleBits = 14;

struct Taps {
    int16_t y[kPhases][4];  // times 2^kScaleBits, sum exact
    float x[kPhases][4];    // over 2^kScaleBits
};

Taps make_taps() {
    Taps t;
    for (int i = 0; i < kPhases; i++) {
        // A = -3/4, as OpenCV's: a step stays as steep as the camera drew it.
        constexpr double a = -0.75;
        const double f = (double)i / kPhases;
        double w[4];
        const auto inner = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
        const auto outer = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
        w[0] = outer(f + 1);
        w[1] = inner(f);
        w[2] = inner(1 - f);
        w[3] = 1 - w[0] - w[1] - w[2];
        int sum = 0;
        for (int k = 0; k < 4; k++) {
            t.y[i][k] = (int16_t)std::lround(w[k] * (1 << kScaleBits));
            sum += t.y[i][k];
            t.x[i][k] = (float)(w[k] / (1 << kScaleBits));
        }
        t.y[i][f < 0.5 ? 1 : 2] = (int16_t)(t.y[i][f < 0.5 ? 1 : 2] + (1 << kScaleBits) - sum);
    }
    return t;
}

const Taps& taps() {
    static const Taps t = make_taps();
    return t;
}

// One pixel of which a neighbour lies beyond the rim, which repeats.
void rim_pixel(const uint8_t* src, int w, int h, int ix, int iy, const int16_t* wy, const float* wx, uint8_t* out) {
    float sum[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const int x = std::min(std::max(ix - 1 + k, 0), w - 1);
        for (int c = 0; c < 3; c++) {
            int v = 0;
            for (int j = 0; j < 4; j++) {
                const int y = std::min(std::max(iy - 1 + j, 0), h - 1);
                v += wy[j] * src[((size_t)y * w + x) * 3 + c];
            }
            sum[c] += wx[k] * (float)v;
        }
    }
    for (int c = 0; c < 3; c++) out[c] = (uint8_t)std::min(std::max((int)std::lrint(sum[c]), 0), 255);
}

int32_t pair(int16_t a, int16_t b) { return (int32_t)((uint32_t)(uint16_t)a | ((uint32_t)(uint16_t)b << 16)); }

// A row of n pixels at (qx, qy), in 1/kPhases px; out has room for a byte more.
void cubic_row(const uint8_t* src, int w, int h, const int32_t* qx, const int32_t* qy, uint8_t* out, int n,
               const Taps& t) {
    const size_t stride = (size_t)w * 3;
    for (int x = 0; x < n; x++, out += 3) {
        const int ix = qx[x] >> kPhaseBits, iy = qy[x] >> kPhaseBits;
        const int16_t* wy = t.y[qy[x] & (kPhases - 1)];
        const float* wx = t.x[qx[x] & (kPhases - 1)];
        // Sixteen bytes are read of each row, of which twelve count.
        if (ix < 1 || iy < 1 || ix + 5 > w || iy + 3 > h) {
            rim_pixel(src, w, h, ix, iy, wy, wx, out);
            continue;
        }
        const uint8_t* p = src + (size_t)(iy - 1) * stride + (size_t)(ix - 1) * 3;
#if CV_SIMD128
        using namespace cv;
        const v_int16x8 w01 = v_reinterpret_as_s16(v_setall_s32(pair(wy[0], wy[1])));
        const v_int16x8 w23 = v_reinterpret_as_s16(v_setall_s32(pair(wy[2], wy[3])));
        v_uint8x16 lo, hi;
        v_uint16x8 a0, a1, a2, a3, b0, b1, b2, b3;
        v_zip(v_load(p), v_load(p + stride), lo, hi);
        v_expand(lo, a0, a1);
        v_expand(hi, a2, a3);
        v_zip(v_load(p + 2 * stride), v_load(p + 3 * stride), lo, hi);
        v_expand(lo, b0, b1);
        v_expand(hi, b2, b3);
        const auto sum = [&](const v_uint16x8& a, const v_uint16x8& b) {
            return v_cvt_f32(v_dotprod(v_reinterpret_as_s16(a), w01) + v_dotprod(v_reinterpret_as_s16(b), w23));
        };
        const v_float32x4 v0 = sum(a0, b0), v1 = sum(a1, b1), v2 = sum(a2, b2);
        // The pixels, one in the first three lanes of each.
        const v_float32x4 p1 = v_extract<3>(v0, v1), p2 = v_extract<2>(v1, v2), p3 = v_extract<1>(v2, v2);
        const v_float32x4 r = (v0 * v_setall_f32(wx[0]) + p1 * v_setall_f32(wx[1])) +
                              (p2 * v_setall_f32(wx[2]) + p3 * v_setall_f32(wx[3]));
        const v_int32x4 i = v_round(r);
        const v_int16x8 s = v_pack(i, i);
        const v_uint8x16 u = v_pack_u(s, s);
        const uint32_t four = v_reinterpret_as_u32(u).get0();
        std::memcpy(out, &four, 4);
#else
        float sum[12];
        for (int i = 0; i < 12; i++)
            sum[i] = (float)(wy[0] * p[i] + wy[1] * p[i + stride] + wy[2] * p[i + 2 * stride] + wy[3] * p[i + 3 * stride]);
        for (int c = 0; c < 3; c++) {
            const float v = wx[0] * sum[c] + wx[1] * sum[c + 3] + wx[2] * sum[c + 6] + wx[3] * sum[c + 9];
            out[c] = (uint8_t)std::min(std::max((int)std::lrint(v), 0), 255);
        }
#endif
    }
}

// Places beyond the picture by far are all the rim's.
FD_CLONES void plane_row(float x0, float y0, float z0, float dx, float dy, float dz, float mx, float my,
                         int32_t* __restrict qx, int32_t* __restrict qy, int n) {
    for (int i = 0; i < n; i++) {
        const float t = (float)i;
        const float inv = (float)kPhases / (z0 + t * dz);
        float u = (x0 + t * dx) * inv, v = (y0 + t * dy) * inv;
        u = u < mx ? u : mx;
        u = u > -1024.0F ? u : -1024.0F;
        v = v < my ? v : my;
        v = v > -1024.0F ? v : -1024.0F;
        // Upwards from a positive number: the cast cuts.
        qx[i] = (int32_t)(u + 1024.5F) - 1024;
        qy[i] = (int32_t)(v + 1024.5F) - 1024;
    }
}

FD_CLONES void field_row(const float* __restrict tile_x, const float* __restrict tile_y, const float* __restrict bx,
                         const float* __restrict us, const float* __restrict top, const float* __restrict bottom,
                         float left, float right, float by, float v, float y, float mx, float my,
                         int32_t* __restrict qx, int32_t* __restrict qy, int n) {
    for (int x = 0; x < n; x++) {
        float blend = bx[x] < by ? bx[x] : by;
        blend = blend < 1.0F ? blend : 1.0F;
        blend = blend > 0.0F ? blend : 0.0F;
        float dx = left + us[x] * (right - left);
        float dy = top[x] + v * (bottom[x] - top[x]);
        dx += blend * (tile_x[x] - dx);
        dy += blend * (tile_y[x] - dy);
        float px = ((float)x + dx) * (float)kPhases, py = (y + dy) * (float)kPhases;
        px = px < mx ? px : mx;
        px = px > -1024.0F ? px : -1024.0F;
        py = py < my ? py : my;
        py = py > -1024.0F ? py : -1024.0F;
        qx[x] = (int32_t)(px + 1024.5F) - 1024;
        qy[x] = (int32_t)(py + 1024.5F) - 1024;
    }
}

}  // namespace

extern "C" {

char* fd_warp_plane(const uint8_t* src, int sw, int sh, uint8_t* dst, int dw, int dh, const double* h) {
    FD_GUARD({
        const Taps& t = taps();
        std::vector<int32_t> qx(dw), qy(dw);
        std::vector<uint8_t> row((size_t)dw * 3 + 16);
        const float mx = (float)(sw + 8) * kPhases, my = (float)(sh + 8) * kPhases;
        for (int y = 0; y < dh; y++) {
            // Row by row in double precision, along it in single: 2^-24 of a
            // few thousand pixels.
            const double x0 = h[1] * y + h[2], y0 = h[4] * y + h[5], z0 = h[7] * y + h[8];
            if (!(std::min(z0, z0 + h[6] * (dw - 1)) > 0)) throw std::invalid_argument("the horizon crosses the view");
            plane_row((float)(x0 / z0), (float)(y0 / z0), 1.0F, (float)(h[0] / z0), (float)(h[3] / z0),
                      (float)(h[6] / z0), mx, my, qx.data(), qy.data(), dw);
            cubic_row(src, sw, sh, qx.data(), qy.data(), row.data(), dw, t);
            std::memcpy(dst + (size_t)y * dw * 3, row.data(), (size_t)dw * 3);
        }
    })
}

char* fd_warp_field(const uint8_t* src, uint8_t* dst, const fd_field* f) {
    FD_GUARD({
        const Taps& t = taps();
        const int w = f->width, h = f->height;
        std::vector<int32_t> qx(w), qy(w);
        std::vector<int> column(w);
        std::vector<float> part(w), tx(w), ty(w);
        std::vector<float> nodes((size_t)f->tw * 2 + 2);
        std::vector<uint8_t> row((size_t)w * 3 + 16);
        const float mx = (float)(w + 8) * kPhases, my = (float)(h + 8) * kPhases;
        const auto between = [&](int at, int count, int* first) {
            const float g = ((float)at + 0.5F) / (float)f->tile - 0.5F;
            const float c = std::max(0.0F, std::min((float)(count - 1), g));
            *first = std::min((int)c, std::max(0, count - 2));
            return c - (float)*first;
        };
        for (int x = 0; x < w; x++) part[x] = between(x, f->tw, &column[x]);
        for (int y = 0; y < h; y++) {
            int up = 0;
            const float share = between(y, f->th, &up);
            const size_t a = (size_t)up * f->tw, b = (size_t)std::min(up + 1, f->th - 1) * f->tw;
            float* nx = nodes.data();
            float* ny = nx + f->tw + 1;
            for (int k = 0; k < f->tw; k++) {
                nx[k] = f->tile_dx[a + k] + share * (f->tile_dx[b + k] - f->tile_dx[a + k]);
                ny[k] = f->tile_dy[a + k] + share * (f->tile_dy[b + k] - f->tile_dy[a + k]);
            }
            nx[f->tw] = nx[f->tw - 1];
            ny[f->tw] = ny[f->tw - 1];
            for (int x = 0; x < w; x++) {
                const int k = column[x];
                tx[x] = nx[k] + part[x] * (nx[k + 1] - nx[k]);
                ty[x] = ny[k] + part[x] * (ny[k + 1] - ny[k]);
            }
            field_row(tx.data(), ty.data(), f->blend_x, f->across, f->top_dy, f->bottom_dy, f->left_dx[y], f->right_dx[y],
                      f->blend_y[y], f->down[y], (float)y, mx, my, qx.data(), qy.data(), w);
            cubic_row(src, w, h, qx.data(), qy.data(), row.data(), w, t);
            std::memcpy(dst + (size_t)y * w * 3, row.data(), (size_t)w * 3);
        }
    })
}

}  // extern "C"

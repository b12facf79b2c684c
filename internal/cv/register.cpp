#include "register.h"

#include "clones.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

FD_CLONES void luma_rows(const uint8_t* __restrict a, const uint8_t* __restrict b, const uint8_t* __restrict c,
                         const uint8_t* __restrict d, const float* __restrict weight, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = weight[i] * (float)((a[i] + d[i]) + 3 * (b[i] + c[i]));
}

FD_CLONES void sum_pixels(const float* __restrict v, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) out[x] = v[3 * x] + v[3 * x + 1] + v[3 * x + 2];
}

FD_CLONES void halve_row(const float* __restrict v, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) out[x] = (v[2 * x] + v[2 * x + 3]) + 3.0F * (v[2 * x + 1] + v[2 * x + 2]);
}

FD_CLONES void difference(const float* __restrict a, const float* __restrict b, const float* __restrict ref, float fx,
                          float fy, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) {
        const float top = a[i] + fx * (a[i + 1] - a[i]);
        const float low = b[i] + fx * (b[i + 1] - b[i]);
        out[i] = top + fy * (low - top) - ref[i];
    }
}

FD_CLONES void pull(const float* __restrict diff, const float* __restrict gx, const float* __restrict gy, float limit,
                    float* __restrict ax, float* __restrict ay, int n) {
    for (int i = 0; i < n; i++) {
        float v = diff[i];
        v = v < limit ? v : limit;
        v = v > -limit ? v : -limit;
        ax[i] -= gx[i] * v;
        ay[i] -= gy[i] * v;
    }
}

// Within so many pixels the displacement is one number.
constexpr int kPiece = 8;

}  // namespace

extern "C" {

char* fd_half_luma(const uint8_t* bgr, int w, int h, float* out) {
    FD_GUARD({
        const int n = 3 * w, hw = w / 2, hh = h / 2;
        std::vector<float> weight(n), rows(n), luma(w + 3);
        for (int i = 0; i < n; i++) weight[i] = (i % 3 == 0 ? 0.114F : i % 3 == 1 ? 0.587F : 0.299F) / 64.0F;
        for (int y = 0; y < hh; y++) {
            const auto row = [&](int k) { return bgr + (size_t)std::min(std::max(2 * y + k, 0), h - 1) * n; };
            luma_rows(row(-1), row(0), row(1), row(2), weight.data(), rows.data(), n);
            sum_pixels(rows.data(), luma.data() + 1, w);
            luma[0] = luma[1];
            luma[w + 1] = luma[w + 2] = luma[w];
            halve_row(luma.data(), out + (size_t)y * hw, hw);
        }
    })
}

char* fd_tile_steps(const float* view, const float* ref, const float* gx, const float* gy, int w, int h, int x0, int x1,
                    int y0, int y1, int tile, int tw, int th, const double* dx, const double* dy, float* work,
                    double* bx, double* by, double* middle) {
    FD_GUARD({
        const int n = x1 - x0;
        // Of the displacement along a row: the pieces' middles between the tiles'.
        const int pieces = (n + kPiece - 1) / kPiece;
        std::vector<int> column(pieces);
        std::vector<float> part(pieces);
        for (int k = 0; k < pieces; k++) {
            const float at = (float)x0 + ((float)k + 0.5F) * kPiece;
            const float g = std::max(0.0F, std::min((float)(tw - 1), at / (float)tile - 0.5F));
            column[k] = std::min((int)g, std::max(0, tw - 2));
            part[k] = g - (float)column[k];
        }
        std::vector<float> nx(tw + 1), ny(tw + 1);
        constexpr int kBins = 512;
        int hist[kBins] = {0};
        int total = 0;
        for (int y = y0; y < y1; y++) {
            const float g = std::max(0.0F, std::min((float)(th - 1), ((float)y + 0.5F) / (float)tile - 0.5F));
            const int up = std::min((int)g, std::max(0, th - 2));
            const float share = g - (float)up;
            const size_t a = (size_t)up * tw, b = (size_t)std::min(up + 1, th - 1) * tw;
            for (int k = 0; k < tw; k++) {
                nx[k] = (float)(dx[a + k] + share * (dx[b + k] - dx[a + k]));
                ny[k] = (float)(dy[a + k] + share * (dy[b + k] - dy[a + k]));
            }
            nx[tw] = nx[tw - 1];
            ny[tw] = ny[tw - 1];
            float* out = work + (size_t)(y - y0) * n;
            for (int k = 0; k < pieces; k++) {
                const int x = x0 + k * kPiece, len = std::min(kPiece, x1 - x), c = column[k];
                // Moved no further than the plane goes.
                const float ux = nx[c] + part[k] * (nx[c + 1] - nx[c]);
                const float uy = ny[c] + part[k] * (ny[c + 1] - ny[c]);
                const float px = std::max(0.0F, std::min((float)(w - 1 - len) - 0.001F, (float)x + ux));
                const float py = std::max(0.0F, std::min((float)(h - 1) - 0.001F, (float)y + uy));
                const int ix = (int)px, iy = (int)py;
                const float* p = view + (size_t)iy * w + ix;
                difference(p, p + w, ref + (size_t)y * w + x, px - (float)ix, py - (float)iy, out + k * kPiece, len);
            }
            // Quarter codes are fine against the camera's noise, and every
            // third row is enough to read it from.
            if ((y - y0) % 3 != 0) continue;
            total += n;
            for (int i = 0; i < n; i++) hist[std::min(kBins - 1, (int)(std::fabs(out[i]) * 4.0F))]++;
        }
        *middle = 0;
        int sum = 0;
        for (int k = 0; k < kBins && total > 0; k++) {
            sum += hist[k];
            if (2 * sum >= total) {
                *middle = ((double)k + 0.5) / 4;
                break;
            }
        }
        const float limit = (float)(4 * 1.4826 * *middle);
        std::vector<float> ax(n), ay(n);
        for (int y = y0; y < y1;) {
            const int ty = y / tile;
            std::fill(ax.begin(), ax.end(), 0.0F);
            std::fill(ay.begin(), ay.end(), 0.0F);
            for (; y < y1 && y / tile == ty; y++) {
                const size_t at = (size_t)y * w + x0;
                pull(work + (size_t)(y - y0) * n, gx + at, gy + at, limit, ax.data(), ay.data(), n);
            }
            for (int i = 0; i < n; i++) {
                bx[ty * tw + (x0 + i) / tile] += ax[i];
                by[ty * tw + (x0 + i) / tile] += ay[i];
            }
        }
    })
}

}  // extern "C"

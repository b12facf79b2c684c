#include "peaks.h"

#include "clones.h"

#include <algorithm>
#include <cmath>
#include <vector>

// What is looked for in a level's responses, in one pass: what is made of a
// row is used up while it lies in the cache.

namespace {

FD_CLONES void square_row(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                          const float* __restrict w, float* __restrict out, int n) {
    const float w00 = w[0], w10 = w[1], w11 = w[2], w20 = w[3], w21 = w[4], w22 = w[5];
    for (int i = 0; i < n; i++) {
        const float a = w00 * x[i];
        const float b = w10 * x[i] + w11 * y[i];
        const float c = w20 * x[i] + w21 * y[i] + w22 * z[i];
        out[i] = a * a + b * b + c * c;
    }
}

FD_CLONES void project_row(const float* __restrict x, const float* __restrict y, const float* __restrict z, float a,
                           float b, float c, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = a * x[i] + b * y[i] + c * z[i];
}

FD_CLONES void clipped_row(const float* __restrict q, float clip, float* __restrict sum, int n) {
    for (int i = 0; i < n; i++) sum[i] += q[i] < clip ? q[i] : clip;
}

// Marks the places above floor that no neighbour exceeds; of equal ones the
// first in reading order counts. The rows have a number before and behind.
FD_CLONES void peak_row(const float* __restrict up, const float* __restrict q, const float* __restrict down,
                        float floor, uint8_t* __restrict out, int n) {
    for (int i = 0; i < n; i++) {
        const float v = q[i];
        float before = up[i - 1] > up[i] ? up[i - 1] : up[i];
        before = before > up[i + 1] ? before : up[i + 1];
        before = before > q[i - 1] ? before : q[i - 1];
        before = before > floor ? before : floor;
        float after = down[i - 1] > down[i] ? down[i - 1] : down[i];
        after = after > down[i + 1] ? after : down[i + 1];
        after = after > q[i + 1] ? after : q[i + 1];
        out[i] = (uint8_t)((v > before) & (v >= after));
    }
}

FD_CLONES void max_row(const float* __restrict v, const float* __restrict mask, float* __restrict e, int n) {
    for (int i = 0; i < n; i++) {
        const float x = mask[i] != 0.0F ? v[i] : 0.0F;
        e[i] = e[i] > x ? e[i] : x;
    }
}

FD_CLONES void mix_row(const float* __restrict a, const float* __restrict b, float f, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = a[i] + f * (b[i] - a[i]);
}

constexpr int kLanes = 8;

// Sums of products in kLanes parts, so that the order of addition is the same
// whatever the vectors' width.
FD_CLONES void products(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                        const float* __restrict m, float lx, float ly, float lz, float* __restrict s) {
    for (int k = 0; k < kLanes; k++) {
        const float ax = x[k] < 0 ? -x[k] : x[k], ay = y[k] < 0 ? -y[k] : y[k], az = z[k] < 0 ? -z[k] : z[k];
        const float use = (m[k] > 0.5F) & (ax <= lx) & (ay <= ly) & (az <= lz) ? 1.0F : 0.0F;
        const float ux = use * x[k], uy = use * y[k], uz = use * z[k];
        s[k] += ux * x[k];
        s[kLanes + k] += ux * y[k];
        s[2 * kLanes + k] += uy * y[k];
        s[3 * kLanes + k] += ux * z[k];
        s[4 * kLanes + k] += uy * z[k];
        s[5 * kLanes + k] += uz * z[k];
        s[6 * kLanes + k] += use;
    }
}

FD_CLONES void line_row(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                        const float* __restrict mask, const float* __restrict factor, float a, float b, float c,
                        float limit, float* __restrict out, int n) {
    for (int i = 0; i < n; i++) {
        float v = (a * x[i] + b * y[i] + c * z[i]) * factor[i];
        v = v < limit ? v : limit;
        v = v > -limit ? v : -limit;
        out[i] = mask[i] > 0.5F ? v : 0.0F;
    }
}

FD_CLONES void share_row(const float* __restrict q, const float* __restrict mask, const float* __restrict inv,
                         float* __restrict out, int n) {
    for (int i = 0; i < n; i++) out[i] = mask[i] > 0.5F ? q[i] * inv[i] : 0.0F;
}

}  // namespace

extern "C" {

char* fd_peaks(const float* r0, const float* r1, const float* r2, int w, int h, const float* white, const float* luma,
               int tile, int tw, float clip, float floor, double* sums, fd_peak** peaks, size_t* count) {
    FD_GUARD({
        // Three rows each of squares and lightness, with a pixel beyond the rim.
        const int room = w + 2;
        std::vector<float> q((size_t)3 * room, -1.0F);
        std::vector<float> light((size_t)3 * room);
        const auto row = [&](std::vector<float>& v, int y) { return v.data() + (size_t)((y + 3) % 3) * room + 1; };
        std::vector<float> acc(w, 0.0F);
        std::vector<uint8_t> top((size_t)w + 8, 0);
        std::vector<fd_peak> found;
        const auto take = [&](int y) {
            peak_row(row(q, y - 1), row(q, y), row(q, y + 1), floor, top.data(), w);
            const float* v = row(q, y);
            const float* l = row(light, y);
            for (int x = 0; x < w; x += 8) {
                uint64_t any;
                std::memcpy(&any, top.data() + x, 8);
                if (any == 0) continue;
                for (int k = x; k < std::min(w, x + 8); k++)
                    if (top[k] != 0) found.push_back({k, y, v[k], l[k] < 0 ? 1 : 0});
            }
        };
        for (int y = 0; y < h; y++) {
            const size_t at = (size_t)y * w;
            square_row(r0 + at, r1 + at, r2 + at, white, row(q, y), w);
            project_row(r0 + at, r1 + at, r2 + at, luma[0], luma[1], luma[2], row(light, y), w);
            clipped_row(row(q, y), clip, acc.data(), w);
            if (y + 1 == h || (y + 1) % tile == 0) {
                double* sum = sums + (size_t)(y / tile) * tw;
                for (int x = 0; x < w; x++) {
                    sum[x / tile] += acc[x];
                    acc[x] = 0;
                }
            }
            if (y > 0) take(y - 1);
        }
        float* beyond = row(q, h);
        std::fill(beyond - 1, beyond + w + 1, -1.0F);
        take(h - 1);
        *count = found.size();
        *peaks = static_cast<fd_peak*>(std::malloc(std::max<size_t>(1, found.size()) * sizeof(fd_peak)));
        if (*peaks == nullptr) throw std::bad_alloc();
        if (!found.empty()) std::memcpy(*peaks, found.data(), found.size() * sizeof(fd_peak));
    })
}

char* fd_line_plane(const float* r0, const float* r1, const float* r2, const float* mask, int w, int h,
                    const float* dir, const float* factor, int tile, int tw, float limit, float* out) {
    FD_GUARD({
        std::vector<float> f(w);
        for (int y = 0; y < h; y++) {
            if (y % tile == 0)
                for (int x = 0; x < w; x++) f[x] = factor[(size_t)(y / tile) * tw + x / tile];
            const size_t at = (size_t)y * w;
            line_row(r0 + at, r1 + at, r2 + at, mask + at, f.data(), dir[0], dir[1], dir[2], limit, out + at, w);
        }
    })
}

char* fd_shares(float* q, const float* mask, int w, int h, const float* inv, int tile, int tw) {
    FD_GUARD({
        std::vector<float> f(w);
        std::vector<float> line(w);
        for (int y = 0; y < h; y++) {
            if (y % tile == 0)
                for (int x = 0; x < w; x++) f[x] = inv[(size_t)(y / tile) * tw + x / tile];
            float* at = q + (size_t)y * w;
            share_row(at, mask + (size_t)y * w, f.data(), line.data(), w);
            std::copy(line.begin(), line.end(), at);
        }
    })
}

char* fd_raise(const float* q, int w, int h, float inv, const float* mask, float* evidence, int dw, int dh) {
    FD_GUARD({
        std::vector<int> column(dw);
        std::vector<float> part(dw);
        std::vector<float> rows(w);
        std::vector<float> wide(dw);
        for (int x = 0; x < dw; x++) {
            const float at = std::min((float)(w - 1), (float)x * inv);
            column[x] = std::max(0, std::min((int)at, w - 2));
            part[x] = at - (float)column[x];
        }
        for (int y = 0; y < dh; y++) {
            const float at = std::min((float)(h - 1), (float)y * inv);
            const int k = std::max(0, std::min((int)at, h - 2));
            mix_row(q + (size_t)k * w, q + (size_t)std::min(k + 1, h - 1) * w, at - (float)k, rows.data(), w);
            const int last = w - 1;
            for (int x = 0; x < dw; x++) {
                const float* p = rows.data() + column[x];
                wide[x] = p[0] + part[x] * (p[column[x] < last ? 1 : 0] - p[0]);
            }
            max_row(wide.data(), mask + (size_t)y * dw, evidence + (size_t)y * dw, dw);
        }
    })
}

char* fd_clipped_covariance(const float* x, const float* y, const float* z, const float* mask, size_t n, double* cov) {
    FD_GUARD({
        const float* planes[3] = {x, y, z};
        float limit[3];
        const size_t step = std::max<size_t>(1, n / 20000);
        std::vector<float> some;
        for (int c = 0; c < 3; c++) {
            some.clear();
            for (size_t i = 0; i < n; i += step)
                if (mask[i] > 0.5F) some.push_back(std::fabs(planes[c][i]));
            limit[c] = 1e-6F;
            if (some.empty()) continue;
            const auto mid = some.begin() + (std::ptrdiff_t)(some.size() / 2);
            std::nth_element(some.begin(), mid, some.end());
            limit[c] += 4 * 1.4826F * *mid;
        }
        double sum[7] = {0};
        constexpr size_t kBlock = 4096;
        for (size_t from = 0; from < n; from += kBlock) {
            float s[7 * kLanes] = {0};
            const size_t to = std::min(n, from + kBlock);
            size_t i = from;
            for (; i + kLanes <= to; i += kLanes) products(x + i, y + i, z + i, mask + i, limit[0], limit[1], limit[2], s);
            if (i < to) {
                float rest[4][kLanes] = {{0}};
                for (size_t k = i; k < to; k++) {
                    rest[0][k - i] = x[k];
                    rest[1][k - i] = y[k];
                    rest[2][k - i] = z[k];
                    rest[3][k - i] = mask[k];
                }
                products(rest[0], rest[1], rest[2], rest[3], limit[0], limit[1], limit[2], s);
            }
            for (int j = 0; j < 7; j++)
                for (int k = 0; k < kLanes; k++) sum[j] += s[j * kLanes + k];
        }
        for (int j = 0; j < 6; j++) cov[j] = sum[j] / std::max(sum[6], 1.0);
    })
}

}  // extern "C"

#include "lines.h"

#include "clones.h"

#include <algorithm>
#include <vector>

namespace {

// The sums are kept in 16 bits: twice as many fit into a register and into
// the cache as of float32, and the rounding of a pixel, a hundredth of the
// limit or less, is nothing against its noise.
constexpr float kMost = 32000.0F;

FD_CLONES void add(const int16_t* __restrict a, const int16_t* __restrict b, int16_t* __restrict out, int n) {
    for (int y = 0; y < n; y++) out[y] = (int16_t)(a[y] + b[y]);
}

constexpr int kBlock = 32;

// The largest magnitude of each block of kBlock numbers.
FD_CLONES void block_peaks(const int16_t* __restrict v, int16_t* __restrict peak, int blocks) {
    for (int i = 0; i < blocks; i++) {
        int16_t m = 0;
        for (int k = 0; k < kBlock; k++) {
            const int16_t x = v[i * kBlock + k];
            const int16_t a = (int16_t)(x < 0 ? -x : x);
            m = m < a ? a : m;
        }
        peak[i] = m;
    }
}

int size(int16_t v) { return v < 0 ? -v : v; }

// The middle of v, as the mean of the middle two.
float middle(std::vector<int16_t>& v) {
    if (v.empty()) return 0;
    const auto mid = v.begin() + (std::ptrdiff_t)(v.size() / 2);
    std::nth_element(v.begin(), mid, v.end());
    if (v.size() % 2 != 0) return *mid;
    return 0.5F * ((float)*mid + (float)*std::max_element(v.begin(), mid));
}

struct Quadrant {
    int tw, th, room, stride;
    bool transposed, flipped;
};

// Every stage of the doubling is a table of columns: stride numbers for each
// strip and slope.
void load(const float* plane, int w, int h, const Quadrant& q, float limit, float unit, int16_t* cur) {
    std::vector<int16_t> fixed((size_t)w * h);
    for (size_t i = 0; i < fixed.size(); i++) {
        const float v = std::max(-limit, std::min(limit, plane[i])) * unit;
        fixed[i] = (int16_t)(v < 0 ? v - 0.5F : v + 0.5F);
    }
    for (int x = 0; x < q.tw; x++) {
        int16_t* col = cur + (size_t)x * q.stride;
        std::fill(col + q.th, col + q.stride, (int16_t)0);
        for (int y = 0; y < q.th; y++) {
            const int sy = q.flipped ? q.th - 1 - y : y;
            col[y] = q.transposed ? fixed[(size_t)x * w + sy] : fixed[(size_t)sy * w + x];
        }
    }
}

void find(const int16_t* sums, const Quadrant& q, int w, int h, int level, int strips, int least, float unit,
          std::vector<fd_line>& out) {
    const int slopes = 1 << level, blocks = q.stride / kBlock;
    std::vector<int16_t> peak(blocks);
    for (int j = 0; j < strips; j++) {
        for (int s = 0; s < slopes; s++) {
            const int16_t* col = sums + (size_t)(j * slopes + s) * q.stride;
            block_peaks(col, peak.data(), blocks);
            for (int b = 0; b < blocks; b++) {
                if (peak[b] < least) continue;
                for (int y = std::max(1, b * kBlock); y < std::min(q.room - 1, (b + 1) * kBlock); y++) {
                    const int v = size(col[y]);
                    if (v < least || size(col[y - 1]) > v || size(col[y + 1]) >= v) continue;
                    if (s > 0 && size(col[y - q.stride]) >= v) continue;
                    if (s + 1 < slopes && size(col[y + q.stride]) > v) continue;
                    int x0 = j << level, x1 = x0 + slopes - 1, y0 = y, y1 = y + s;
                    if (q.flipped) y0 = q.th - 1 - y0, y1 = q.th - 1 - y1;
                    if (q.transposed) std::swap(x0, y0), std::swap(x1, y1);
                    if (std::min(std::min(x0, y0), std::min(x1, y1)) < 0) continue;
                    if (std::max(x0, x1) >= w || std::max(y0, y1) >= h) continue;
                    out.push_back({x0, y0, x1, y1, (float)col[y] / unit});
                }
            }
        }
    }
}

}  // namespace

extern "C" {

char* fd_line_maxima(const float* plane, int width, int height, float limit, const int* levels, int nlevels,
                     float floor_sigmas, fd_line** lines, int64_t* ends, float* medians) {
    FD_GUARD({
        const int top = levels[nlevels - 1];
        const float unit = kMost / (limit * (float)(1 << top));
        std::vector<std::vector<fd_line>> found(nlevels);
        std::vector<std::vector<int16_t>> samples(nlevels);
        std::vector<int16_t> cur;
        std::vector<int16_t> next;
        for (int quadrant = 0; quadrant < 4; quadrant++) {
            Quadrant q;
            q.transposed = (quadrant & 1) != 0;
            q.flipped = (quadrant & 2) != 0;
            q.tw = q.transposed ? height : width;
            q.th = q.transposed ? width : height;
            // Room below, so that a half may start beyond the rim and count
            // nothing.
            q.room = q.th + (1 << top);
            q.stride = (q.room + kBlock - 1) / kBlock * kBlock;
            cur.resize((size_t)q.tw * q.stride);
            next.resize((size_t)q.tw * q.stride);
            load(plane, width, height, q, limit, unit, cur.data());
            int strips = q.tw;
            int l = 0;
            for (int k = 1; k <= top; k++) {
                strips /= 2;
                const int slopes = 1 << k;
                for (int j = 0; j < strips; j++) {
                    for (int s = 0; s < slopes; s++) {
                        const int shift = (s + 1) / 2;
                        const int16_t* a = cur.data() + (size_t)(2 * j * (slopes / 2) + s / 2) * q.stride;
                        const int16_t* b = cur.data() + (size_t)((2 * j + 1) * (slopes / 2) + s / 2) * q.stride + shift;
                        int16_t* out = next.data() + (size_t)(j * slopes + s) * q.stride;
                        add(a, b, out, q.stride - shift);
                        std::fill(out + q.stride - shift, out + q.stride, (int16_t)0);
                    }
                }
                std::swap(cur, next);
                if (k != levels[l]) continue;
                // A first look at the scatter.
                std::vector<int16_t> abs;
                const size_t all = (size_t)strips * slopes * q.stride;
                for (size_t i = 0; i < all; i += 97)
                    if (cur[i] != 0) abs.push_back((int16_t)size(cur[i]));
                samples[l].insert(samples[l].end(), abs.begin(), abs.end());
                const float floor = floor_sigmas * middle(abs);
                if (floor > 0) {
                    const int least = (int)std::ceil(std::min(floor, kMost));
                    find(cur.data(), q, width, height, k, strips, least, unit, found[l]);
                }
                l++;
            }
        }
        size_t total = 0;
        for (const auto& f : found) total += f.size();
        *lines = static_cast<fd_line*>(std::malloc(std::max<size_t>(1, total) * sizeof(fd_line)));
        if (*lines == nullptr) throw std::bad_alloc();
        size_t at = 0;
        for (int l = 0; l < nlevels; l++) {
            medians[l] = middle(samples[l]) / unit;
            std::copy(found[l].begin(), found[l].end(), *lines + at);
            at += found[l].size();
            ends[l] = (int64_t)at;
        }
    })
}

}  // extern "C"

#include "lines.h"

#include "clones.h"

#include <algorithm>
#include <cmath>
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

// Columns have room below, so that a half may start beyond the rim and count
// nothing, and are whole blocks long.
int padded(int room) { return (room + kBlock - 1) / kBlock * kBlock; }

// The numbers of a table: as many columns as the longest segments are wide, for
// nothing is summed across that. Two tables lie in the second-level cache.
size_t table(int w, int h, int top) { return (size_t)padded(std::max(w, h) + (1 << top)) << top; }

struct Quadrant {
    int tw, th, room, stride;
    bool transposed, flipped;
};

// Every stage of the doubling is a table of columns: stride numbers for each
// strip and slope. The first has a column for each of the plane's from first
// to last.
void load(const int16_t* fixed, int w, const Quadrant& q, int first, int last, int16_t* cur) {
    for (int x = first; x < last; x++) {
        int16_t* col = cur + (size_t)(x - first) * q.stride;
        std::fill(col + q.th, col + q.stride, (int16_t)0);
        if (q.transposed) {
            const int16_t* row = fixed + (size_t)x * w;
            if (q.flipped)
                std::reverse_copy(row, row + q.th, col);
            else
                std::copy(row, row + q.th, col);
        }
    }
    if (q.transposed) return;
    // In squares of the plane, so that neither side leaves the cache.
    constexpr int kSquare = 32;
    for (int y0 = 0; y0 < q.th; y0 += kSquare) {
        for (int x0 = first; x0 < last; x0 += kSquare) {
            for (int x = x0; x < std::min(x0 + kSquare, last); x++) {
                int16_t* col = cur + (size_t)(x - first) * q.stride;
                for (int y = y0; y < std::min(y0 + kSquare, q.th); y++)
                    col[y] = fixed[(size_t)(q.flipped ? q.th - 1 - y : y) * w + x];
            }
        }
    }
}

FD_CLONES void round_all(const float* __restrict plane, float limit, float unit, int16_t* __restrict out, int n) {
    for (int i = 0; i < n; i++) {
        float v = plane[i];
        v = v < limit ? v : limit;
        v = v > -limit ? v : -limit;
        v *= unit;
        out[i] = (int16_t)(int)(v + (v < 0.0F ? -0.5F : 0.5F));
    }
}

void find(const int16_t* sums, const Quadrant& q, int w, int h, int level, int first, int strips, int least,
          float unit, std::vector<fd_line>& out) {
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
                    int x0 = first + (j << level), x1 = x0 + slopes - 1, y0 = y, y1 = y + s;
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

// Keeps the strongest of either sign.
void keep(std::vector<fd_line>& lines, int most) {
    const auto stronger = [](const fd_line& a, const fd_line& b) {
        const float x = std::fabs(a.sum), y = std::fabs(b.sum);
        if (x != y) return x > y;
        if (a.y0 != b.y0) return a.y0 < b.y0;
        if (a.x0 != b.x0) return a.x0 < b.x0;
        return a.y1 != b.y1 ? a.y1 < b.y1 : a.x1 < b.x1;
    };
    auto from = lines.begin();
    const auto dark = std::partition(from, lines.end(), [](const fd_line& a) { return a.sum > 0; });
    std::vector<fd_line> out;
    for (const auto to : {dark, lines.end()}) {
        auto last = to;
        if (to - from > most) {
            last = from + most;
            std::nth_element(from, last, to, stronger);
        }
        out.insert(out.end(), from, last);
        from = to;
    }
    lines.swap(out);
}

}  // namespace

extern "C" {

size_t fd_line_work(int width, int height, int top) {
    return (size_t)width * height + 2 * table(width, height, top);
}

char* fd_line_maxima(const float* plane, int width, int height, float limit, const int* levels, int nlevels,
                     float floor_sigmas, int most, int16_t* work, fd_line** lines, int64_t* ends, float* medians) {
    FD_GUARD({
        const int top = levels[nlevels - 1];
        const float unit = kMost / (limit * (float)(1 << top));
        std::vector<std::vector<fd_line>> found(nlevels);
        std::vector<std::vector<int16_t>> samples(nlevels);
        int16_t* fixed = work;
        int16_t* cur = fixed + (size_t)width * height;
        int16_t* next = cur + table(width, height, top);
        round_all(plane, limit, unit, fixed, width * height);
        std::vector<float> quiet(nlevels, 0.0F);
        for (int quadrant = 0; quadrant < 4; quadrant++) {
            Quadrant q;
            q.transposed = (quadrant & 1) != 0;
            q.flipped = (quadrant & 2) != 0;
            q.tw = q.transposed ? height : width;
            q.th = q.transposed ? width : height;
            q.room = q.th + (1 << top);
            q.stride = padded(q.room);
            for (int first = 0; first < q.tw; first += 1 << top) {
                int strips = std::min(1 << top, q.tw - first);
                load(fixed, width, q, first, first + strips, cur);
                int l = 0;
                for (int k = 1; k <= top; k++) {
                    strips /= 2;
                    const int slopes = 1 << k;
                    for (int j = 0; j < strips; j++) {
                        for (int s = 0; s < slopes; s++) {
                            const int shift = (s + 1) / 2;
                            const int16_t* a = cur + (size_t)(2 * j * (slopes / 2) + s / 2) * q.stride;
                            const int16_t* b = cur + (size_t)((2 * j + 1) * (slopes / 2) + s / 2) * q.stride + shift;
                            int16_t* out = next + (size_t)(j * slopes + s) * q.stride;
                            add(a, b, out, q.stride - shift);
                            std::fill(out + q.stride - shift, out + q.stride, (int16_t)0);
                        }
                    }
                    std::swap(cur, next);
                    if (k != levels[l]) continue;
                    // A first look at the scatter: the quietest part's so far.
                    std::vector<int16_t> abs;
                    const size_t all = (size_t)strips * slopes * q.room;
                    for (size_t i = 0; i < all; i += 97) {
                        const int16_t v = cur[i / q.room * q.stride + i % q.room];
                        if (v != 0) abs.push_back((int16_t)size(v));
                    }
                    samples[l].insert(samples[l].end(), abs.begin(), abs.end());
                    const float own = middle(abs);
                    if (own > 0 && (quiet[l] == 0 || own < quiet[l])) quiet[l] = own;
                    if (own > 0) {
                        const int least = (int)std::ceil(std::min(floor_sigmas * quiet[l], kMost));
                        find(cur, q, width, height, k, first, strips, least, unit, found[l]);
                    }
                    l++;
                }
            }
        }
        for (auto& f : found) keep(f, most);
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

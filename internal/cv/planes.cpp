#include "planes.h"

#include "clones.h"

#include <algorithm>
#include <vector>

// Each loop runs over neighbouring numbers of a row that lies in the
// first-level cache; sums across rows are kept as a row.

namespace {

FD_CLONES void add_row(const float* __restrict a, float* __restrict sum, int n) {
    for (int x = 0; x < n; x++) sum[x] += a[x];
}

FD_CLONES void slide_row(const float* in, const float* off, float* __restrict sum, int n) {
    for (int x = 0; x < n; x++) sum[x] += in[x] - off[x];
}

FD_CLONES void pair_rows(const float* a, const float* b, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) out[x] = a[x] + b[x];
}

FD_CLONES void scale_row(const float* __restrict a, float f, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) out[x] = a[x] * f;
}

FD_CLONES void binomial_row(const float* a, const float* b, const float* c, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) out[x] = 0.25F * (a[x] + c[x]) + 0.5F * b[x];
}

FD_CLONES void respond_row(const float* __restrict smooth, const float* __restrict sur, const float* __restrict m,
                           const float* __restrict ic, const float* __restrict is, float* __restrict out, int n) {
    for (int x = 0; x < n; x++) {
        const float v = smooth[x] * ic[x] - sur[x] * is[x];
        // Half a centre on the sleeve is the least that says anything.
        out[x] = m[x] > 0.5F ? v : 0.0F;
    }
}

FD_CLONES void squares(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                       const float* __restrict w, size_t n, float* __restrict out) {
    const float w00 = w[0], w10 = w[1], w11 = w[2], w20 = w[3], w21 = w[4], w22 = w[5];
    for (size_t i = 0; i < n; i++) {
        const float a = w00 * x[i];
        const float b = w10 * x[i] + w11 * y[i];
        const float c = w20 * x[i] + w21 * y[i] + w22 * z[i];
        out[i] = a * a + b * b + c * c;
    }
}

FD_CLONES void normalise(const uint8_t* __restrict pix, const uint16_t* __restrict mid, const float* __restrict mask,
                         const uint8_t* __restrict skip, const float* __restrict inv, float limit, size_t n,
                         float* __restrict out) {
    for (size_t i = 0; i < n; i++) {
        float v = ((float)pix[3 * i] - (float)mid[3 * i] * (1.0F / 256)) * inv[i];
        v = v < limit ? v : limit;
        v = v > -limit ? v : -limit;
        out[i] = (mask[i] != 0.0F) & (skip[i] == 0) ? v : 0.0F;
    }
}

// Sums over windows of 2r+1 rows; next() moves one row down. Rows beyond the
// rim repeat it.
class Columns {
  public:
    Columns(const float* src, int w, int h, int r) : src_(src), sum_(w, 0.0F), w_(w), h_(h), r_(r) {
        for (int k = -r; k <= r; k++) add_row(row(k), sum_.data(), w);
    }
    const float* sum() const { return sum_.data(); }
    void next(int y) { slide_row(row(y + r_ + 1), row(y - r_), sum_.data(), w_); }

  private:
    const float* row(int y) const { return src_ + (size_t)std::min(std::max(y, 0), h_ - 1) * w_; }
    const float* src_;
    std::vector<float> sum_;
    int w_, h_, r_;
};

// Sums over windows of 2r+1 numbers of a row, by doubling: windows of one,
// two, four numbers are joined as the bits of 2r+1 say. No sum runs along the
// row, so that all places are worked out at once.
class Windows {
  public:
    Windows(int w, int r) : now_(w + 2 * r), next_(w + 2 * r), out_(w), w_(w), r_(r) {}
    const float* of(const float* row) {
        std::copy(row, row + w_, now_.data() + r_);
        std::fill(now_.data(), now_.data() + r_, row[0]);
        std::fill(now_.data() + r_ + w_, now_.data() + w_ + 2 * r_, row[w_ - 1]);
        const int n = 2 * r_ + 1;
        std::copy(now_.data(), now_.data() + w_, out_.data());
        int have = 1;             // numbers that out's windows hold so far
        int valid = w_ + 2 * r_;  // windows of the present power
        for (int k = 1; 2 * k <= n; k *= 2) {
            valid -= k;
            pair_rows(now_.data(), now_.data() + k, next_.data(), valid);
            std::swap(now_, next_);
            if (n & (2 * k)) {
                add_row(now_.data() + have, out_.data(), w_);
                have += 2 * k;
            }
        }
        return out_.data();
    }

  private:
    std::vector<float> now_, next_, out_;
    int w_, r_;
};

// Smooths a row with [1 2 1]/4, the rim repeating.
void binomial_along(const float* v, float* out, int w) {
    if (w > 2) binomial_row(v, v + 1, v + 2, out + 1, w - 2);
    out[0] = 0.75F * v[0] + 0.25F * v[std::min(1, w - 1)];
    out[w - 1] = 0.75F * v[w - 1] + 0.25F * v[std::max(0, w - 2)];
}

void binomial_at(const float* src, int w, int h, int y, float* tmp, float* out) {
    const float* up = src + (size_t)std::max(0, y - 1) * w;
    const float* down = src + (size_t)std::min(h - 1, y + 1) * w;
    binomial_row(up, src + (size_t)y * w, down, tmp, w);
    binomial_along(tmp, out, w);
}

}  // namespace

extern "C" {

char* fd_box(const float* src, float* dst, int w, int h, int r) {
    FD_GUARD({
        const float inv = 1.0F / (float)(2 * r + 1);
        Columns columns(src, w, h, r);
        Windows windows(w, r);
        for (int y = 0; y < h; y++) {
            scale_row(windows.of(columns.sum()), inv * inv, dst + (size_t)y * w, w);
            columns.next(y);
        }
    })
}

char* fd_binomial(const float* src, float* dst, int w, int h) {
    FD_GUARD({
        std::vector<float> tmp(w);
        for (int y = 0; y < h; y++) binomial_at(src, w, h, y, tmp.data(), dst + (size_t)y * w);
    })
}

char* fd_spots(const float* z, const float* mask, const float* inv_centre, const float* inv_surround, int w, int h,
               int r, float* resp, float* smooth) {
    FD_GUARD({
        std::vector<float> tmp(w);
        Columns columns(z, w, h, r);
        Windows windows(w, r);
        for (int y = 0; y < h; y++) {
            const size_t at = (size_t)y * w;
            binomial_at(z, w, h, y, tmp.data(), smooth + at);
            respond_row(smooth + at, windows.of(columns.sum()), mask + at, inv_centre + at, inv_surround + at,
                        resp + at, w);
            columns.next(y);
        }
    })
}

char* fd_squares(const float* x, const float* y, const float* z, const float* white, size_t n, float* out) {
    FD_GUARD({ squares(x, y, z, white, n, out); })
}

char* fd_normalise(const uint8_t* pix, const uint16_t* mid, const float* mask, const uint8_t* skip, const float* inv_b,
                   const float* inv_g, const float* inv_r, float limit, size_t n, float* b, float* g, float* r) {
    FD_GUARD({
        normalise(pix, mid, mask, skip, inv_b, limit, n, b);
        normalise(pix + 1, mid + 1, mask, skip, inv_g, limit, n, g);
        normalise(pix + 2, mid + 2, mask, skip, inv_r, limit, n, r);
    })
}

}  // extern "C"

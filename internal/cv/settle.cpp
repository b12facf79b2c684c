#include "settle.h"

#include "clones.h"
#include "root.h"

#include <algorithm>
#include <cmath>
#include <vector>

// Pictures and typical codes stay interleaved, B G R, so that a row is one run
// of 3 x width numbers for the loops in which the channels do not mix.

namespace {

// The sRGB curve (IEC 61966-2-1) both ways without tables, which vectors read
// one number at a time: beyond its straight foot, the light of a code c/255 is
// a polynomial of it, and the code of light v one of the fourth root of v, by
// Chebyshev's expansion, true to 0.03 codes.
constexpr int kLightTerms = 7;
constexpr int kCodeTerms = 6;
struct Curve {
    float light[kLightTerms];
    float code[kCodeTerms];
};

// Coefficients, constant first, of the polynomial that interpolates f at
// Chebyshev's nodes of a..b.
template <int N, typename F>
void expand(F f, double a, double b, float* out) {
    constexpr int kNodes = 64;
    const double pi = std::acos(-1.0);
    double cheb[N];
    for (int j = 0; j < N; j++) {
        double s = 0;
        for (int k = 0; k < kNodes; k++) {
            const double t = pi * (k + 0.5) / kNodes;
            s += f((a + b) / 2 + (b - a) / 2 * std::cos(t)) * std::cos(j * t);
        }
        cheb[j] = (j == 0 ? 1 : 2) * s / kNodes;
    }
    // T[j+1] = 2 u T[j] - T[j-1] with u = p x + q.
    const double p = 2 / (b - a), q = -(a + b) / (b - a);
    double before[N] = {0}, now[N] = {0}, sum[N] = {0};
    now[0] = 1;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) sum[i] += cheb[j] * now[i];
        double next[N];
        const double f2 = j == 0 ? 1 : 2;
        for (int i = 0; i < N; i++) next[i] = f2 * (q * now[i] + (i > 0 ? p * now[i - 1] : 0)) - (j == 0 ? 0 : before[i]);
        std::copy(now, now + N, before);
        std::copy(next, next + N, now);
    }
    for (int i = 0; i < N; i++) out[i] = (float)sum[i];
}

constexpr float kFootCode = 0.04045F, kFootLight = 0.0031308F;

const Curve& curve() {
    static const Curve c = [] {
        Curve k;
        expand<kLightTerms>([](double t) { return std::pow((t + 0.055) / 1.055, 2.4); }, kFootCode, 1, k.light);
        expand<kCodeTerms>([](double s) { return 255 * (1.055 * std::pow(s, 4 / 2.4) - 0.055); },
                           std::pow(kFootLight, 0.25), 1, k.code);
        return k;
    }();
    return c;
}

FD_CLONES void relight_row(uint8_t* __restrict pix, const uint16_t* __restrict mid, const float* __restrict gain,
                           const float* __restrict offset, const float* __restrict light, const float* __restrict code,
                           int n) {
    for (int i = 0; i < n; i++) {
        const float cc = (float)mid[i] * (1.0F / 256);
        const float t = cc * (1.0F / 255);
        float l = light[0] + t * (light[1] + t * (light[2] + t * (light[3] + t * (light[4] + t * (light[5] + t * light[6])))));
        l = t > kFootCode ? l : t * (1.0F / 12.92F);
        // The limits come after the roots: a choice before them would become
        // a branch, and the loop would not be vectorised.
        const float v = gain[i] * l + offset[i];
        float s = fd::root(fd::root(fabsf(v)));
        s = s < 1.0F ? s : 1.0F;
        const float round = code[0] + s * (code[1] + s * (code[2] + s * (code[3] + s * (code[4] + s * code[5]))));
        float seen = v > kFootLight ? round : v * (255 * 12.92F);
        seen = seen > 0.0F ? seen : 0.0F;
        float out = (float)pix[i] - seen + cc + 0.5F;
        out = out < 255.0F ? out : 255.0F;
        out = out > 0.0F ? out : 0.0F;
        pix[i] = (uint8_t)(int)out;
    }
}

FD_CLONES void light_row(const float* __restrict rest, const float* __restrict s, const float* __restrict v,
                         const float* __restrict use, const float* __restrict gain, const float* __restrict offset,
                         float limit, float* __restrict sd, float* __restrict vd, int n) {
    for (int x = 0; x < n; x++) {
        const float fit = gain[x] * s[x] + offset[x] * v[x];
        float r = rest[x] - fit;
        r = r < limit ? r : limit;
        r = r > -limit ? r : -limit;
        const float diff = (fit + r) * use[x];
        sd[x] += s[x] * diff;
        vd[x] += v[x] * diff;
    }
}

// One row's share of the right-hand side; the pointers stand at the row's
// first number, and the rows above and below are stride numbers away.
FD_CLONES void match_row(const uint8_t* __restrict pix, const uint16_t* __restrict mid, int stride,
                         const float* __restrict dev, const float* __restrict root, float* __restrict ax,
                         float* __restrict ay, float* __restrict al, float* __restrict ad, int n) {
    const uint16_t* up = mid - stride;
    const uint16_t* down = mid + stride;
    for (int i = 0; i < n; i++) {
        const float c = (float)mid[i] * (1.0F / 256);
        const float left = (float)mid[i - 3] * (1.0F / 256), right = (float)mid[i + 3] * (1.0F / 256);
        const float above = (float)up[i] * (1.0F / 256), below = (float)down[i] * (1.0F / 256);
        // Three sigma: the weight is a third of 1/variance, r^2 w = 3.
        constexpr float most = 1.7320508F;
        float r = ((float)pix[i] - c) * root[i];
        r = r < most ? r : most;
        r = r > -most ? r : -most;
        r *= root[i];
        ax[i] += r * (0.5F * (right - left));
        ay[i] += r * (0.5F * (below - above));
        al[i] += r * (0.5F * (right + left + above + below - 4 * c));
        ad[i] += r * dev[i];
    }
}

FD_CLONES void apply_row(uint8_t* __restrict pix, const uint16_t* __restrict mid, int stride,
                         const float* __restrict dev, const float* __restrict kx, const float* __restrict ky,
                         const float* __restrict kl, const float* __restrict kd, int n) {
    const uint16_t* up = mid - stride;
    const uint16_t* down = mid + stride;
    for (int i = 0; i < n; i++) {
        const float c = (float)mid[i] * (1.0F / 256);
        const float left = (float)mid[i - 3] * (1.0F / 256), right = (float)mid[i + 3] * (1.0F / 256);
        const float above = (float)up[i] * (1.0F / 256), below = (float)down[i] * (1.0F / 256);
        float v = (float)pix[i] - kx[i] * (0.5F * (right - left)) - ky[i] * (0.5F * (below - above)) -
                  kl[i] * (0.5F * (right + left + above + below - 4 * c)) - kd[i] * dev[i] + 0.5F;
        v = v < 255.0F ? v : 255.0F;
        v = v > 0.0F ? v : 0.0F;
        pix[i] = (uint8_t)(int)v;
    }
}

constexpr int kLanes = 8;
constexpr int kSums = 8;

// Sums w x^0 to w x^4 and w r x^0 to w r x^2, in kLanes parts so that the order
// of addition is the same whatever the vectors' width. With scale 0
// the weight is 1 and r is limited to clip.
FD_CLONES void parabola_sums(const float* __restrict x, const float* __restrict r, int n, const float* __restrict c,
                             float scale, float clip, float* __restrict sums) {
    const float c0 = c[0], c1 = c[1], c2 = c[2];
    for (int i = 0; i < n; i += kLanes) {
        for (int k = 0; k < kLanes; k++) {
            const float t = x[i + k];
            float v = r[i + k];
            const float z = (v - (c0 + t * (c1 + t * c2))) * scale;
            float w = 1.0F - z * z;
            w = w > 0.0F ? w * w : 0.0F;
            v = v < clip ? v : clip;
            v = v > -clip ? v : -clip;
            const float wt = w * t, wtt = wt * t, wv = w * v;
            sums[k] += w;
            sums[kLanes + k] += wt;
            sums[2 * kLanes + k] += wtt;
            sums[3 * kLanes + k] += wtt * t;
            sums[4 * kLanes + k] += wtt * t * t;
            sums[5 * kLanes + k] += wv;
            sums[6 * kLanes + k] += wv * t;
            sums[7 * kLanes + k] += wv * t * t;
        }
    }
}

FD_CLONES void parabola_misfit(const float* __restrict x, const float* __restrict r, int n, const float* __restrict c,
                               float most, float* __restrict sums) {
    const float c0 = c[0], c1 = c[1], c2 = c[2];
    for (int i = 0; i < n; i += kLanes) {
        for (int k = 0; k < kLanes; k++) {
            const float t = x[i + k];
            const float d = r[i + k] - (c0 + t * (c1 + t * c2));
            const float a = d < 0.0F ? -d : d;
            sums[k] += a < most ? a : most;
        }
    }
}

double total(const float* part) {
    double s = 0;
    for (int k = 0; k < kLanes; k++) s += part[k];
    return s;
}

// Solves a symmetric 3 x 3 system by elimination; false when it is singular.
bool solve3(double a[3][3], double b[3]) {
    for (int j = 0; j < 3; j++) {
        if (!(a[j][j] > 0)) return false;
        for (int i = j + 1; i < 3; i++) {
            const double f = a[i][j] / a[j][j];
            for (int k = j; k < 3; k++) a[i][k] -= f * a[j][k];
            b[i] -= f * b[j];
        }
    }
    for (int j = 2; j >= 0; j--) {
        for (int k = j + 1; k < 3; k++) b[j] -= a[j][k] * b[k];
        b[j] /= a[j][j];
    }
    return true;
}

// Fits a parabola to n numbers at x, which run from -1 to 1, by Tukey's
// biweight; zeros where it is not fixed.
void side_parabola(const float* x, const float* r, int n, double* coef) {
    const int whole = n / kLanes * kLanes;
    float tail_x[kLanes];
    float tail_r[kLanes];
    float c[3] = {0, 0, 0};
    double scale = 0;
    for (int iteration = 0; iteration < 4; iteration++) {
        const float f = iteration == 0 ? 0.0F : (float)(1 / (4.7 * scale));
        // The first look: limited, since there is no scale yet.
        const float clip = iteration == 0 ? 30.0F : 1e9F;
        float sums[kSums * kLanes] = {0};
        float last[kSums * kLanes] = {0};
        parabola_sums(x, r, whole, c, f, clip, sums);
        double s[8];
        for (int k = 0; k < 8; k++) s[k] = total(sums + k * kLanes);
        for (int i = whole; i < n; i++) {
            std::fill(last, last + kSums * kLanes, 0.0F);
            std::fill(tail_x, tail_x + kLanes, x[i]);
            std::fill(tail_r, tail_r + kLanes, r[i]);
            parabola_sums(tail_x, tail_r, kLanes, c, f, clip, last);
            for (int k = 0; k < 8; k++) s[k] += last[k * kLanes];
        }
        // A weak prior: a tenth of a code per term.
        double a[3][3] = {{s[0] + 0.01, s[1], s[2]}, {s[1], s[2] + 0.01, s[3]}, {s[2], s[3], s[4] + 0.01}};
        double b[3] = {s[5], s[6], s[7]};
        if (!solve3(a, b)) {
            coef[0] = coef[1] = coef[2] = 0;
            return;
        }
        for (int k = 0; k < 3; k++) {
            coef[k] = b[k];
            c[k] = (float)b[k];
        }
        float misfit[kLanes] = {0};
        parabola_misfit(x, r, whole, c, 20.0F, misfit);
        double sum = total(misfit);
        for (int i = whole; i < n; i++)
            sum += std::min(20.0F, std::fabs(r[i] - (c[0] + x[i] * (c[1] + x[i] * c[2]))));
        // Mean absolute deviation to sigma of a normal: sqrt(pi/2).
        scale = std::max(1.25 * sum / n, 0.7);
    }
}

std::vector<float> places(int n) {
    std::vector<float> x(n);
    for (int i = 0; i < n; i++) x[i] = 2 * (float)i / (float)(n - 1) - 1;
    return x;
}

// Whether taking the parabola off leaves less than there was, each number
// counted up to limit.
bool lessens(const float* x, const float* r, int n, const double* coef, float limit, float most) {
    const float c0 = (float)coef[0], c1 = (float)coef[1], c2 = (float)coef[2];
    float before = 0, after = 0;
    for (int i = 0; i < n; i++) {
        const float f = c0 + x[i] * (c1 + x[i] * c2);
        if (std::fabs(f) > most) return false;
        before += std::min(std::fabs(r[i]), limit);
        after += std::min(std::fabs(r[i] - f), limit);
    }
    return after < before;
}

}  // namespace

extern "C" {

char* fd_relight(uint8_t* pix, const uint16_t* mid, int w, int h, const float* grid, int step, int gw) {
    FD_GUARD({
        const Curve& k = curve();
        std::vector<float> nodes((size_t)gw * 6);
        std::vector<float> gain((size_t)(w + step) * 3);
        std::vector<float> offset((size_t)(w + step) * 3);
        for (int y = 0; y < h; y++) {
            const float fy = (float)(y % step) / (float)step;
            const float* p = grid + (size_t)(y / step) * gw * 6;
            const float* q = p + (size_t)gw * 6;
            for (int i = 0; i < gw * 6; i++) nodes[i] = p[i] + fy * (q[i] - p[i]);
            for (int x = 0; x < w; x++) {
                const float* a = nodes.data() + (size_t)(x / step) * 6;
                const float fx = (float)(x % step) / (float)step;
                for (int c = 0; c < 3; c++) {
                    gain[3 * x + c] = 1.0F + (a[c] + fx * (a[c + 6] - a[c]));
                    offset[3 * x + c] = a[c + 3] + fx * (a[c + 9] - a[c + 3]);
                }
            }
            const size_t at = (size_t)y * w * 3;
            relight_row(pix + at, mid + at, gain.data(), offset.data(), k.light, k.code, 3 * w);
        }
    })
}

char* fd_light_sums(const float* rest, const float* s, const float* v, const float* use, int nx, int ny, int x0, int y0,
                    int stride, int tile, int tw, const float* gain, const float* offset, float limit, double* sd,
                    double* vd) {
    FD_GUARD({
        std::vector<float> g(nx);
        std::vector<float> o(nx);
        std::vector<float> as(nx);
        std::vector<float> av(nx);
        for (int j = 0; j < ny;) {
            const int ty = (y0 + j * stride) / tile;
            for (int i = 0; i < nx; i++) {
                const int t = ty * tw + (x0 + i * stride) / tile;
                g[i] = gain[t];
                o[i] = offset[t];
                as[i] = av[i] = 0;
            }
            for (; j < ny && (y0 + j * stride) / tile == ty; j++) {
                const size_t at = (size_t)j * nx;
                light_row(rest + at, s + at, v + at, use + at, g.data(), o.data(), limit, as.data(), av.data(), nx);
            }
            for (int i = 0; i < nx; i++) {
                const int t = ty * tw + (x0 + i * stride) / tile;
                sd[t] += as[i];
                vd[t] += av[i];
            }
        }
    })
}

char* fd_match_sums(const uint8_t* pix, const uint16_t* mid, const uint8_t* skip, const float* dev, const float* root,
                    int w, int x0, int x1, int y0, int y1, int tile, int tw, double* right) {
    FD_GUARD({
        const int n = 3 * (x1 - x0);
        std::vector<float> acc((size_t)n * 4);
        std::vector<float> some(n);
        for (int y = y0; y < y1;) {
            const int ty = y / tile;
            std::fill(acc.begin(), acc.end(), 0.0F);
            for (; y < y1 && y / tile == ty; y++) {
                const size_t at = ((size_t)y * w + x0) * 3;
                const float* wt = root + at;
                const uint8_t* sk = skip + (size_t)y * w + x0;
                if (std::any_of(sk, sk + n / 3, [](uint8_t b) { return b != 0; })) {
                    for (int i = 0; i < n; i++) some[i] = sk[i / 3] != 0 ? 0.0F : wt[i];
                    wt = some.data();
                }
                match_row(pix + at, mid + at, 3 * w, dev + at, wt, acc.data(), acc.data() + n, acc.data() + 2 * n,
                          acc.data() + 3 * n, n);
            }
            for (int i = 0; i < n; i++) {
                double* q = right + (size_t)(ty * tw + (x0 + i / 3) / tile) * 6;
                q[0] += acc[i];
                q[1] += acc[n + i];
                q[2] += acc[2 * n + i];
                q[3 + i % 3] += acc[3 * n + i];
            }
        }
    })
}

char* fd_match_apply(uint8_t* pix, const uint16_t* mid, const float* dev, int w, int x0, int x1, int y0, int y1,
                     int tile, int tw, int th, const float* coef) {
    FD_GUARD({
        const int n = 3 * (x1 - x0);
        std::vector<float> k((size_t)n * 4);
        std::vector<float> nodes((size_t)(tw + 1) * 6);
        std::vector<int> node(x1 - x0);
        std::vector<float> part(x1 - x0);
        const float inv = 1.0F / (float)tile;
        for (int x = x0; x < x1; x++) {
            const float f = std::max(0.0F, std::min((float)(tw - 1), ((float)x + 0.5F) * inv - 0.5F));
            node[x - x0] = std::min((int)f, std::max(0, tw - 2));
            part[x - x0] = f - (float)node[x - x0];
        }
        for (int y = y0; y < y1; y++) {
            float f = std::max(0.0F, std::min((float)(th - 1), ((float)y + 0.5F) * inv - 0.5F));
            const int row = std::min((int)f, std::max(0, th - 2));
            f -= (float)row;
            const float* p = coef + (size_t)row * tw * 6;
            const float* q = coef + (size_t)std::min(row + 1, th - 1) * tw * 6;
            for (int i = 0; i < tw * 6; i++) nodes[i] = p[i] + f * (q[i] - p[i]);
            for (int i = 0; i < 6; i++) nodes[tw * 6 + i] = nodes[(tw - 1) * 6 + i];
            for (int x = 0; x < x1 - x0; x++) {
                const float* a = nodes.data() + (size_t)node[x] * 6;
                const float g = part[x];
                for (int e = 0; e < 3; e++) {
                    const float v = a[e] + g * (a[e + 6] - a[e]);
                    float* to = k.data() + (size_t)e * n + 3 * x;
                    to[0] = to[1] = to[2] = v;
                    k[(size_t)3 * n + 3 * x + e] = a[e + 3] + g * (a[e + 9] - a[e + 3]);
                }
            }
            const size_t at = ((size_t)y * w + x0) * 3;
            apply_row(pix + at, mid + at, 3 * w, dev + at, k.data(), k.data() + n, k.data() + 2 * n, k.data() + 3 * n,
                      n);
        }
    })
}

char* fd_side_parabola(const float* r, int n, double* coef) {
    FD_GUARD({ side_parabola(places(n).data(), r, n, coef); })
}

char* fd_straighten(uint8_t* pix, const uint16_t* mid, size_t start, size_t step, int n, float limit, float most) {
    FD_GUARD({
        const std::vector<float> x = places(n);
        std::vector<float> r(n);
        for (int c = 0; c < 3; c++) {
            size_t at = 3 * start + (size_t)c;
            for (int i = 0; i < n; i++, at += 3 * step) r[i] = (float)pix[at] - (float)mid[at] * (1.0F / 256);
            double f[3];
            side_parabola(x.data(), r.data(), n, f);
            if (!lessens(x.data(), r.data(), n, f, limit, most)) continue;
            at = 3 * start + (size_t)c;
            for (int i = 0; i < n; i++, at += 3 * step) {
                const float v = (float)pix[at] - (float)(f[0] + x[i] * (f[1] + x[i] * f[2])) + 0.5F;
                pix[at] = (uint8_t)(int)std::min(std::max(v, 0.0F), 255.0F);
            }
        }
    })
}

}  // extern "C"

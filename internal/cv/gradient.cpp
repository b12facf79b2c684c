#include "gradient.h"

#include <algorithm>
#include <vector>

extern "C" {

// The channels stay interleaved, so that each of the first two loops runs over
// 3*width neighbouring numbers and the compiler can vectorise it.
char* fd_structure(const uint8_t* bgr, int width, int height, float* energy, float* cos2, float* sin2) {
    FD_GUARD({
        if (bgr == nullptr || width < 1 || height < 1) throw std::invalid_argument("the picture is empty");
        const int n = 3 * width;
        // Three numbers of rim on both sides repeat the rim's pixels.
        std::vector<int16_t> sum(n + 6);
        std::vector<int16_t> dif(n + 6);
        std::vector<float> gx(n);
        std::vector<float> gy(n);
        for (int y = 0; y < height; y++) {
            const uint8_t* a = bgr + (size_t)std::max(y - 1, 0) * n;
            const uint8_t* b = bgr + (size_t)y * n;
            const uint8_t* c = bgr + (size_t)std::min(y + 1, height - 1) * n;
            int16_t* s = sum.data() + 3;
            int16_t* d = dif.data() + 3;
            for (int i = 0; i < n; i++) {
                s[i] = (int16_t)(a[i] + 2 * b[i] + c[i]);
                d[i] = (int16_t)(c[i] - a[i]);
            }
            for (int k = 0; k < 3; k++) {
                s[k - 3] = s[k];
                d[k - 3] = d[k];
                s[n + k] = s[n + k - 3];
                d[n + k] = d[n + k - 3];
            }
            float* px = gx.data();
            float* py = gy.data();
            for (int i = 0; i < n; i++) {
                px[i] = 0.125F * (float)(s[i + 3] - s[i - 3]);
                py[i] = 0.125F * (float)(d[i - 3] + 2 * d[i] + d[i + 3]);
            }
            float* e = energy + (size_t)y * width;
            float* c2 = cos2 + (size_t)y * width;
            float* s2 = sin2 + (size_t)y * width;
            for (int x = 0; x < width; x++) {
                const float* p = px + 3 * x;
                const float* q = py + 3 * x;
                const float xx = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
                const float yy = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
                const float xy = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
                e[x] = xx + yy;
                c2[x] = xx - yy;
                s2[x] = 2 * xy;
            }
        }
    })
}

char* fd_ridge(const float* energy, const float* cos2, const float* sin2, int width, int height, float floor,
               uint8_t* ridge) {
    FD_GUARD({
        if (energy == nullptr || width < 3 || height < 3) throw std::invalid_argument("the picture is too small");
        for (int y = 1; y < height - 1; y++) {
            const size_t row = (size_t)y * width;
            for (int x = 1; x < width - 1; x++) {
                const size_t i = row + x;
                const float v = energy[i];
                if (v <= floor) continue;
                const float c = cos2[i];
                const float s = sin2[i];
                const float a = s < 0 ? -s : s;
                const int d = c >= a ? 1 : -c >= a ? width : s > 0 ? width + 1 : width - 1;
                ridge[i] = v > energy[i - d] && v >= energy[i + d];
            }
        }
    })
}

}  // extern "C"

#include "deckorder.h"

#include <algorithm>
#include <cstring>
#include <opencv2/core/hal/intrin.hpp>
#include <utility>
#include <vector>

namespace {

// Batcher's odd-even merge sort (Knuth, TAOCP 3, 5.2.2, algorithm M): the
// comparators that sort any n values, found once and applied to many columns.
std::vector<std::pair<int, int>> network(int n) {
    std::vector<std::pair<int, int>> c;
    int top = 1;
    while (top < n) top *= 2;
    for (int p = top / 2; p > 0; p /= 2) {
        int q = top / 2, r = 0, d = p;
        for (;;) {
            for (int i = 0; i + d < n; i++)
                if ((i & p) == r) c.emplace_back(i, i + d);
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
    return c;
}

}  // namespace

extern "C" {

// Sorts, at every byte position of [from, to), the n bytes that the planes
// have there, thirty-two positions at a time in vector registers: no
// branches, and the columns of one step stay in the first-level cache.
char* fd_deck_order(const uint8_t* data, size_t stride, const int* planes, int n, size_t from, size_t to,
                    int trim, uint16_t* mid, uint16_t* spread) {
    FD_GUARD({
        const auto net = network(n);
        constexpr size_t kLanes = 32;  // positions at a time
        std::vector<uint8_t> column(static_cast<size_t>(n) * kLanes);
        uint8_t* v = column.data();
        // The shortest half: the narrowest interval that holds half + 1 values.
        const int half = n / 2;
        const int lo = std::max(0, (n - 1) / 2 - trim), hi = std::min(n - 1, n / 2 + trim);
        for (size_t at = from; at < to; at += kLanes) {
            const size_t len = std::min(kLanes, to - at);
            for (int i = 0; i < n; i++) {
                const uint8_t* p = data + static_cast<size_t>(planes[i]) * stride + at;
                std::memcpy(v + static_cast<size_t>(i) * kLanes, p, len);
            }
            for (const auto& ij : net) {
                uint8_t* a = v + static_cast<size_t>(ij.first) * kLanes;
                uint8_t* b = v + static_cast<size_t>(ij.second) * kLanes;
#if CV_SIMD128
                for (size_t k = 0; k < kLanes; k += 16) {
                    const cv::v_uint8x16 x = cv::v_load(a + k), y = cv::v_load(b + k);
                    cv::v_store(a + k, cv::v_min(x, y));
                    cv::v_store(b + k, cv::v_max(x, y));
                }
#else
                for (size_t k = 0; k < kLanes; k++) {
                    const uint8_t x = a[k], y = b[k];
                    a[k] = std::min(x, y);
                    b[k] = std::max(x, y);
                }
#endif
            }
            uint8_t shortest[kLanes];
            std::memset(shortest, 255, kLanes);
            for (int j = 0; j + half < n; j++) {
                const uint8_t* a = v + static_cast<size_t>(j) * kLanes;
                const uint8_t* b = v + static_cast<size_t>(j + half) * kLanes;
                for (size_t k = 0; k < kLanes; k++)
                    shortest[k] = std::min(shortest[k], static_cast<uint8_t>(b[k] - a[k]));
            }
            const int q1 = n / 4, q3 = q1 + half;
            for (size_t k = 0; k < len; k++) {
                const auto value = [&](int r) { return static_cast<unsigned>(v[static_cast<size_t>(r) * kLanes + k]); };
                int from_rank = lo, to_rank = hi;
                // The middle half far wider than the shortest half: two
                // populations. The denser one is the typical sleeve.
                if (n >= 5 && value(q3) - value(q1) > 2u * shortest[k] + 4u) {
                    int first = 0, last = 0;
                    bool any = false;
                    for (int j = 0; j + half < n; j++)
                        if (value(j + half) - value(j) == shortest[k]) {
                            if (!any) first = j;
                            any = true;
                            last = j;
                        }
                    from_rank = (first + last) / 2;
                    to_rank = from_rank + half;
                }
                unsigned sum = 0;
                for (int r = from_rank; r <= to_rank; r++) sum += value(r);
                const unsigned count = static_cast<unsigned>(to_rank - from_rank + 1);
                mid[at + k] = static_cast<uint16_t>((sum * 256 + count / 2) / count);
                spread[at + k] = shortest[k];
            }
        }
    })
}

}  // extern "C"

#include "imgproc.h"

#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <vector>

using fd::mat;

namespace {

// Copies a vector into malloc'ed memory that Go frees; never NULL.
template <typename T>
T* give(const std::vector<T>& v) {
    T* p = static_cast<T*>(std::malloc(v.empty() ? 1 : v.size() * sizeof(T)));
    if (p == nullptr) throw std::bad_alloc();
    if (!v.empty()) std::memcpy(p, v.data(), v.size() * sizeof(T));
    return p;
}

void need(const cv::Mat& m) {
    if (m.empty()) throw std::invalid_argument("the Mat is empty");
}

}  // namespace

extern "C" {

char* fd_resize(void* src, void* dst, int width, int height, int interpolation) {
    FD_GUARD(need(mat(src)); cv::resize(mat(src), mat(dst), cv::Size(width, height), 0, 0, interpolation))
}

char* fd_cvt_color(void* src, void* dst, int code) {
    FD_GUARD(need(mat(src)); cv::cvtColor(mat(src), mat(dst), code))
}

char* fd_convert(void* src, void* dst, int type, double alpha, double beta) {
    FD_GUARD(need(mat(src)); mat(src).convertTo(mat(dst), type, alpha, beta))
}

char* fd_gaussian(void* src, void* dst, int ksize, double sigma) {
    FD_GUARD(need(mat(src)); cv::GaussianBlur(mat(src), mat(dst), cv::Size(ksize, ksize), sigma, sigma,
                                              cv::BORDER_REPLICATE))
}

char* fd_median(void* src, void* dst, int ksize) {
    FD_GUARD(need(mat(src)); cv::medianBlur(mat(src), mat(dst), ksize))
}

char* fd_sobel(void* src, void* dst, int depth, int dx, int dy, int ksize, double scale) {
    FD_GUARD(need(mat(src)); cv::Sobel(mat(src), mat(dst), depth, dx, dy, ksize, scale, 0, cv::BORDER_REPLICATE))
}

char* fd_canny(void* src, void* dst, double low, double high, int aperture, int l2) {
    FD_GUARD(need(mat(src)); cv::Canny(mat(src), mat(dst), low, high, aperture, l2 != 0))
}

char* fd_morphology(void* src, void* dst, int op, int shape, int kw, int kh, int iterations) {
    FD_GUARD(need(mat(src)); if (kw < 1 || kh < 1) throw std::invalid_argument("the kernel has no size");
             cv::morphologyEx(mat(src), mat(dst), op, cv::getStructuringElement(shape, cv::Size(kw, kh)),
                              cv::Point(-1, -1), iterations))
}

char* fd_threshold(void* src, void* dst, double value, double maximum, int type, double* used) {
    FD_GUARD(need(mat(src)); *used = cv::threshold(mat(src), mat(dst), value, maximum, type))
}

char* fd_contours(void* src, int mode, int method, int32_t** points, int32_t** ends, int* n) {
    FD_GUARD({
        need(mat(src));
        std::vector<std::vector<cv::Point>> found;
        cv::findContours(mat(src), found, mode, method);
        std::vector<int32_t> xy, stop;
        for (const auto& c : found) {
            for (const auto& p : c) {
                xy.push_back(p.x);
                xy.push_back(p.y);
            }
            stop.push_back((int32_t)xy.size() / 2);
        }
        *points = give(xy);
        *ends = give(stop);
        *n = (int)stop.size();
    })
}

char* fd_components(void* src, void* labels, int connectivity, int32_t** stats, double** centroids, int* n) {
    FD_GUARD({
        need(mat(src));
        cv::Mat st;
        cv::Mat ce;
        const int count = cv::connectedComponentsWithStats(mat(src), mat(labels), st, ce, connectivity, CV_32S);
        std::vector<int32_t> s;
        std::vector<double> c;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 5; k++) s.push_back(st.at<int32_t>(i, k));
            c.push_back(ce.at<double>(i, 0));
            c.push_back(ce.at<double>(i, 1));
        }
        *stats = give(s);
        *centroids = give(c);
        *n = count;
    })
}

char* fd_line_segments(void* src, float** segments, int* n) {
    FD_GUARD({
        need(mat(src));
        std::vector<cv::Vec4f> lines;
        cv::createLineSegmentDetector(cv::LSD_REFINE_STD)->detect(mat(src), lines);
        std::vector<float> flat;
        for (const auto& l : lines) {
            for (int k = 0; k < 4; k++) flat.push_back(l[k]);
        }
        *segments = give(flat);
        *n = (int)lines.size();
    })
}

char* fd_warp_perspective(void* src, void* dst, const double* h, int width, int height,
                          int interpolation, int border, double fill) {
    FD_GUARD({
        need(mat(src));
        const cv::Mat map(3, 3, CV_64F, const_cast<double*>(h));
        cv::warpPerspective(mat(src), mat(dst), map, cv::Size(width, height),
                            interpolation | cv::WARP_INVERSE_MAP, border, cv::Scalar::all(fill));
    })
}

char* fd_remap(void* src, void* dst, void* mapx, void* mapy, int interpolation, int border, double fill) {
    FD_GUARD({
        need(mat(src));
        need(mat(mapx));
        cv::remap(mat(src), mat(dst), mat(mapx), mat(mapy), interpolation, border, cv::Scalar::all(fill));
    })
}

char* fd_ecc(void* tmpl, void* src, double* warp, int motion, int iterations, double epsilon,
             void* mask, int gauss, double* correlation) {
    FD_GUARD({
        need(mat(tmpl));
        need(mat(src));
        const bool full = motion == cv::MOTION_HOMOGRAPHY;
        cv::Mat w(full ? 3 : 2, 3, CV_32F);
        for (int i = 0; i < w.rows * 3; i++) w.at<float>(i / 3, i % 3) = (float)warp[i];
        const cv::TermCriteria stop(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, iterations, epsilon);
        *correlation = cv::findTransformECC(mat(tmpl), mat(src), w, motion, stop,
                                            mask == nullptr ? cv::_InputArray() : cv::_InputArray(mat(mask)), gauss);
        for (int i = 0; i < w.rows * 3; i++) warp[i] = w.at<float>(i / 3, i % 3);
    })
}

char* fd_phase_correlate(void* a, void* b, void* window, double* x, double* y, double* response) {
    FD_GUARD({
        need(mat(a));
        need(mat(b));
        const cv::Point2d p = cv::phaseCorrelate(
            mat(a), mat(b), window == nullptr ? cv::_InputArray() : cv::_InputArray(mat(window)), response);
        *x = p.x;
        *y = p.y;
    })
}

}  // extern "C"

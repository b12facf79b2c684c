#include "calib.h"

#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

using fd::mat;

namespace {

const cv::Mat& grey8(void* p) {
    const cv::Mat& m = mat(p);
    if (m.empty()) throw std::invalid_argument("the Mat is empty");
    if (m.type() != CV_8UC1) throw std::invalid_argument("a board is sought in an 8-bit grey picture");
    return m;
}

void give(const std::vector<cv::Point2f>& from, int n, double* to) {
    if ((int)from.size() != n) throw std::runtime_error("the number of corners is not the board's");
    for (int i = 0; i < n; i++) {
        to[2 * i] = from[i].x;
        to[2 * i + 1] = from[i].y;
    }
}

std::vector<cv::Point3f> points3(const double* p, int n) {
    std::vector<cv::Point3f> out(n);
    for (int i = 0; i < n; i++) out[i] = cv::Point3f((float)p[3 * i], (float)p[3 * i + 1], (float)p[3 * i + 2]);
    return out;
}

cv::Mat matrix(const fd_lens& l) {
    return (cv::Mat_<double>(3, 3) << l.k[0], 0, l.k[2], 0, l.k[1], l.k[3], 0, 0, 1);
}

cv::Mat distortion(const fd_lens& l) { return cv::Mat(1, 5, CV_64F, const_cast<double*>(l.d)).clone(); }

}  // namespace

extern "C" {

char* fd_chessboard_sb(void* grey, int columns, int rows, int thorough, double* corners, int* found) {
    FD_GUARD({
        *found = 0;
        std::vector<cv::Point2f> c;
        int flags = cv::CALIB_CB_NORMALIZE_IMAGE;
        if (thorough != 0) flags |= cv::CALIB_CB_EXHAUSTIVE;
        if (cv::findChessboardCornersSB(grey8(grey), cv::Size(columns, rows), c, flags)) {
            give(c, columns * rows, corners);
            *found = 1;
        }
    })
}

char* fd_chessboard_classic(void* grey, int columns, int rows, double* corners, int* found) {
    FD_GUARD({
        *found = 0;
        std::vector<cv::Point2f> c;
        if (cv::findChessboardCorners(grey8(grey), cv::Size(columns, rows), c,
                                      cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE |
                                          // Without it a noisy picture that shows no board takes minutes.
                                          cv::CALIB_CB_FAST_CHECK)) {
            give(c, columns * rows, corners);
            *found = 1;
        }
    })
}

char* fd_chessboard_part(void* grey, int* columns, int* rows, double** corners) {
    FD_GUARD({
        *columns = *rows = 0;
        *corners = nullptr;
        std::vector<cv::Point2f> c;
        cv::Mat meta;
        // 3 x 3 is the least that the detector seeks; LARGER lets it grow to
        // what it sees.
        if (!cv::findChessboardCornersSB(grey8(grey), cv::Size(3, 3), c,
                                         cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_EXHAUSTIVE | cv::CALIB_CB_LARGER,
                                         meta)) {
            return nullptr;
        }
        if (meta.empty() || meta.total() != c.size()) return nullptr;
        auto* p = static_cast<double*>(std::malloc(2 * c.size() * sizeof(double)));
        if (p == nullptr) throw std::bad_alloc();
        *corners = p;
        give(c, (int)c.size(), p);
        *columns = meta.cols;
        *rows = meta.rows;
    })
}

char* fd_corner_subpix(void* grey, double* corners, int n, int half, int iterations, double epsilon) {
    FD_GUARD({
        const cv::Mat& m = grey8(grey);
        std::vector<cv::Point2f> c(n);
        for (int i = 0; i < n; i++) {
            c[i] = cv::Point2f((float)corners[2 * i], (float)corners[2 * i + 1]);
            // Also refuses what is not a number.
            if (!(c[i].x >= 0 && c[i].y >= 0 && c[i].x < (float)m.cols && c[i].y < (float)m.rows)) {
                throw std::invalid_argument("a corner lies outside the picture");
            }
        }
        cv::cornerSubPix(m, c, cv::Size(half, half), cv::Size(-1, -1),
                         cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, iterations, epsilon));
        give(c, n, corners);
    })
}

char* fd_calibrate(const double* object, const double* image, int n, int views, int width, int height, int flags,
                   fd_lens* lens, double* poses, double* errors) {
    FD_GUARD({
        const std::vector<std::vector<cv::Point3f>> obj(views, points3(object, n));
        std::vector<std::vector<cv::Point2f>> img(views);
        for (int v = 0; v < views; v++) {
            img[v].resize(n);
            for (int i = 0; i < n; i++) {
                const double* p = image + 2 * ((size_t)v * n + i);
                img[v][i] = cv::Point2f((float)p[0], (float)p[1]);
            }
        }
        cv::Mat k;
        cv::Mat d;
        if ((flags & cv::CALIB_USE_INTRINSIC_GUESS) != 0) {
            k = matrix(*lens);
            d = distortion(*lens);
        }
        std::vector<cv::Mat> r;
        std::vector<cv::Mat> t;
        cv::Mat si;
        cv::Mat se;
        cv::Mat pv;
        lens->rms = cv::calibrateCamera(
            obj, img, cv::Size(width, height), k, d, r, t, si, se, pv, flags,
            cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-10));
        if (d.total() < 5 || si.total() < 9 || (int)pv.total() != views || (int)r.size() != views) {
            throw std::runtime_error("calibrateCamera returned fewer numbers than it should");
        }
        lens->k[0] = k.at<double>(0, 0);
        lens->k[1] = k.at<double>(1, 1);
        lens->k[2] = k.at<double>(0, 2);
        lens->k[3] = k.at<double>(1, 2);
        for (int i = 0; i < 5; i++) lens->d[i] = d.at<double>(i);
        for (int i = 0; i < 9; i++) lens->sigma[i] = si.at<double>(i);
        for (int v = 0; v < views; v++) {
            errors[v] = pv.at<double>(v);
            for (int i = 0; i < 3; i++) {
                poses[6 * v + i] = r[v].at<double>(i);
                poses[6 * v + 3 + i] = t[v].at<double>(i);
            }
        }
    })
}

char* fd_solve_pose(const double* object, const double* image, int n, const fd_lens* lens, double* pose) {
    FD_GUARD({
        std::vector<cv::Point2f> img(n);
        for (int i = 0; i < n; i++) img[i] = cv::Point2f((float)image[2 * i], (float)image[2 * i + 1]);
        cv::Mat r;
        cv::Mat t;
        if (!cv::solvePnP(points3(object, n), img, matrix(*lens), distortion(*lens), r, t)) {
            throw std::runtime_error("no pose fits");
        }
        for (int i = 0; i < 3; i++) {
            pose[i] = r.at<double>(i);
            pose[3 + i] = t.at<double>(i);
        }
    })
}

char* fd_project(const double* object, int n, const fd_lens* lens, const double* pose, double* image) {
    FD_GUARD({
        std::vector<cv::Point2f> out;
        const cv::Mat r(3, 1, CV_64F, const_cast<double*>(pose));
        const cv::Mat t(3, 1, CV_64F, const_cast<double*>(pose + 3));
        cv::projectPoints(points3(object, n), r, t, matrix(*lens), distortion(*lens), out);
        give(out, n, image);
    })
}

}  // extern "C"

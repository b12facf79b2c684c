#include "codec.h"

#include <opencv2/imgcodecs.hpp>
#include <vector>

extern "C" {

// The pixels stay in *pixels until fd_decode_take. (imdecode can also fill a
// given Mat, but in OpenCV 4.6 that variant does not say whether it failed.)
char* fd_decode_bgr(const uint8_t* data, size_t len, int* rows, int* cols, void** pixels) {
    FD_GUARD({
        if (len > (size_t)INT_MAX) throw std::invalid_argument("the file is larger than 2 GiB");
        const cv::Mat buf(1, (int)len, CV_8UC1, const_cast<uint8_t*>(data));
        // IMREAD_COLOR converts grey, palette, CMYK, 16 bit and alpha to
        // 8-bit BGR and honours the EXIF orientation.
        const cv::Mat img = cv::imdecode(buf, cv::IMREAD_COLOR);
        if (img.empty() || img.type() != CV_8UC3) throw std::invalid_argument("the data cannot be decoded");
        *rows = img.rows;
        *cols = img.cols;
        *pixels = new cv::Mat(img);
    })
}

// Copies the pixels to dst (3 * rows * cols bytes, or NULL to drop them) and
// frees them.
void fd_decode_take(void* pixels, uint8_t* dst) {
    cv::Mat* m = static_cast<cv::Mat*>(pixels);
    if (dst != nullptr) {
        for (int y = 0; y < m->rows; y++)
            std::memcpy(dst + (size_t)y * m->cols * 3, m->ptr(y), (size_t)m->cols * 3);
    }
    delete m;
}

char* fd_encode(const char* ext, const uint8_t* src, int rows, int cols, int param, int value,
                uint8_t** out, size_t* out_len) {
    FD_GUARD({
        const cv::Mat img(rows, cols, CV_8UC3, const_cast<uint8_t*>(src));
        std::vector<uint8_t> buf;
        std::vector<int> params;
        if (param >= 0) params = {param, value};
        if (!cv::imencode(ext, img, buf, params)) throw std::invalid_argument("cannot encode");
        *out = static_cast<uint8_t*>(std::malloc(buf.size()));
        if (*out == nullptr) throw std::bad_alloc();
        std::memcpy(*out, buf.data(), buf.size());
        *out_len = buf.size();
    })
}

}  // extern "C"

// Shared by the shim's files: Mats cross as void* (gocv.Mat.Ptr()), errors as
// malloc'ed C strings that the Go side frees; NULL means success.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <opencv2/core.hpp>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace fd {

inline char* fail(const char* text) noexcept {
    char* copy = ::strdup(text);
    // No memory left even for the message: there is nothing to go on with.
    if (copy == nullptr) std::abort();
    return copy;
}

inline cv::Mat& mat(void* p) {
    if (p == nullptr) throw std::invalid_argument("the Mat is nil or was closed");
    return *static_cast<cv::Mat*>(p);
}

}  // namespace fd

#define FD_GUARD(...)                                             \
    try {                                                         \
        __VA_ARGS__;                                              \
        return nullptr;                                           \
    } catch (const cv::Exception& e) {                            \
        return fd::fail(e.err.empty() ? e.what() : e.err.c_str()); \
    } catch (const std::bad_alloc&) {                             \
        return fd::fail("out of memory");                         \
    } catch (const std::exception& e) {                           \
        return fd::fail(e.what());                                \
    } catch (...) {                                               \
        return fd::fail("unknown C++ exception");                 \
    }

extern "C" {
#endif

typedef struct { double x, y; } fd_point;

#ifdef __cplusplus
}
#endif

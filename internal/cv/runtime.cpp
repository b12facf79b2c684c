#include "runtime.h"

#include <opencv2/core/utility.hpp>

namespace {
// OpenCV prints every exception to stderr before it throws. The caller gets
// the text as a Go error, and stdout/stderr belong to the user.
int quiet(int, const char*, const char*, const char*, int, void*) { return 0; }
}  // namespace

extern "C" {

const char* fd_opencv_version(void) { return CV_VERSION; }

char* fd_setup(void) { FD_GUARD(cv::redirectError(quiet)) }

char* fd_set_threads(int n) { FD_GUARD(cv::setNumThreads(n)) }

int fd_threads(void) { return cv::getNumThreads(); }

char* fd_build_information(char** out) {
    FD_GUARD(*out = ::strdup(cv::getBuildInformation().c_str()))
}

}  // extern "C"

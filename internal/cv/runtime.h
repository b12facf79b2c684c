#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
const char* fd_opencv_version(void);
char* fd_setup(void);
char* fd_set_threads(int n);
int fd_threads(void);
char* fd_build_information(char** out);
#ifdef __cplusplus
}
#endif

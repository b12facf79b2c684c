#pragma once
#include "guard.h"
#ifdef __cplusplus
extern "C" {
#endif
// Corners are columns*rows pairs x, y, row by row; *found is 0 or 1.
char* fd_chessboard_sb(void* grey, int columns, int rows, int thorough, double* corners, int* found);
char* fd_chessboard_classic(void* grey, int columns, int rows, double* corners, int* found);
// The largest part of a board that is seen: its inner corners; 0 x 0 when none.
char* fd_chessboard_part(void* grey, int* columns, int* rows, double** corners);
char* fd_corner_subpix(void* grey, double* corners, int n, int half, int iterations, double epsilon);

typedef struct {
    double k[4];         // fx, fy, cx, cy
    double d[5];         // k1, k2, p1, p2, k3
    double sigma[9];     // of k, then of d
    double rms;
} fd_lens;

// object: 3*n numbers (mm) the same for every view; image: 2*n*views numbers (px).
// poses: 6 per view (rotation vector, shift); errors: rms of each view, px.
char* fd_calibrate(const double* object, const double* image, int n, int views, int width, int height, int flags,
                   fd_lens* lens, double* poses, double* errors);
char* fd_solve_pose(const double* object, const double* image, int n, const fd_lens* lens, double* pose);
char* fd_project(const double* object, int n, const fd_lens* lens, const double* pose, double* image);
#ifdef __cplusplus
}
#endif

package cv

/*
#include <stdlib.h>
#include "calib.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// maxBoardSide bounds the corners along a side of a board: four times the
// finest board that is printed on A3.
const maxBoardSide = 100

func boardSides(columns, rows int) error {
	if columns < 3 || rows < 3 || columns > maxBoardSide || rows > maxBoardSide {
		return fmt.Errorf("a board of %d x %d inner corners: want 3 x 3 to %d x %d", columns, rows, maxBoardSide, maxBoardSide)
	}
	return nil
}

func pointsOf(flat []float64) []plane.Point {
	out := make([]plane.Point, len(flat)/2)
	for i := range out {
		out[i] = plane.Point{X: flat[2*i], Y: flat[2*i+1]}
	}
	return out
}

func flatten(points []plane.Point) []float64 {
	out := make([]float64, 0, 2*len(points))
	for _, p := range points {
		out = append(out, p.X, p.Y)
	}
	return out
}

// ChessboardSB finds the inner corners of a chessboard, row by row, in an
// 8-bit grey picture; nil when there is no such board (Duda & Frese 2018,
// "Accurate detection and localization of checkerboard corners for
// calibration"). The corners are sub-pixel already. thorough takes about
// twice the time and finds more of the hard ones.
func ChessboardSB(grey *gocv.Mat, columns, rows int, thorough bool) ([]plane.Point, error) {
	if err := boardSides(columns, rows); err != nil {
		return nil, err
	}
	t := C.int(0)
	if thorough {
		t = 1
	}
	flat := make([]float64, 2*columns*rows)
	var found C.int
	err := toError("findChessboardCornersSB", C.fd_chessboard_sb(ptr(grey), C.int(columns), C.int(rows), t, (*C.double)(&flat[0]), &found))
	if err != nil || found == 0 {
		return nil, err
	}
	return pointsOf(flat), nil
}

// ChessboardClassic finds the inner corners by quadrilaterals of a binarised
// picture, row by row, to about a pixel; nil when there is no such board.
// [CornerSubPix] comes next.
func ChessboardClassic(grey *gocv.Mat, columns, rows int) ([]plane.Point, error) {
	if err := boardSides(columns, rows); err != nil {
		return nil, err
	}
	flat := make([]float64, 2*columns*rows)
	var found C.int
	err := toError("findChessboardCorners", C.fd_chessboard_classic(ptr(grey), C.int(columns), C.int(rows), (*C.double)(&flat[0]), &found))
	if err != nil || found == 0 {
		return nil, err
	}
	return pointsOf(flat), nil
}

// ChessboardPart finds the largest whole grid of inner corners of any board
// in view, at least 3 x 3: its size and corners, row by row; 0 x 0 when none.
func ChessboardPart(grey *gocv.Mat) (columns, rows int, corners []plane.Point, err error) {
	var c, r C.int
	var p *C.double
	if err := toError("findChessboardCornersSB", C.fd_chessboard_part(ptr(grey), &c, &r, &p)); err != nil {
		return 0, 0, nil, err
	}
	if p == nil {
		return 0, 0, nil, nil
	}
	defer C.free(unsafe.Pointer(p))
	flat := make([]float64, 2*int(c)*int(r))
	for i, v := range unsafe.Slice(p, len(flat)) {
		flat[i] = float64(v)
	}
	return int(c), int(r), pointsOf(flat), nil
}

// CornerSubPix moves corners to where the grey gradients around them are
// square to the line to the corner, within half pixels to each side of the
// window (Förstner & Gülch 1987).
func CornerSubPix(grey *gocv.Mat, corners []plane.Point, half int) ([]plane.Point, error) {
	if len(corners) == 0 {
		return nil, nil
	}
	if half < 1 || half > 200 {
		return nil, fmt.Errorf("cornerSubPix: a window of %d pixels to each side", half)
	}
	flat := flatten(corners)
	if err := toError("cornerSubPix", C.fd_corner_subpix(ptr(grey), (*C.double)(&flat[0]), C.int(len(corners)), C.int(half), 40, 1e-4)); err != nil {
		return nil, err
	}
	return pointsOf(flat), nil
}

// LensFit is a lens with how well it is known.
type LensFit struct {
	Lens  plane.Lens
	Sigma plane.Lens // standard deviation of each number, from the Jacobian
	RMSPx float64    // root mean square reprojection error over all corners

	// Views are the boards in their order.
	Views []ViewFit
}

// ViewFit is a board's place before the camera: camera = R(Rotation) board +
// Shift, x right, y down, z away from the camera; Rotation is the axis times
// the angle in radians.
type ViewFit struct {
	Rotation, ShiftMM [3]float64
	RMSPx             float64
}

// Flags of [CalibrateLens], as OpenCV numbers them.
const (
	calibUseGuess = 1
	calibFixK3    = 128
)

// LensOptions of [CalibrateLens]; the zero value fits all nine numbers from
// nothing.
type LensOptions struct {
	Guess plane.Lens // where to begin; zero: from the boards' homographies
	FixK3 bool       // K3 stays 0 (or the guess's): for few or narrow views
}

// CalibrateLens fits a lens and a pose for every view of one board (Zhang
// 2000). object are the board's corners in its plane in mm; each view has the
// same corners in pixels, in the same order. Numbers that are not finite are
// an error.
func CalibrateLens(object []plane.Point, views [][]plane.Point, widthPx, heightPx int, o LensOptions) (*LensFit, error) {
	n := len(object)
	if n < 4 || len(views) == 0 {
		return nil, fmt.Errorf("calibrateCamera: %d corners in %d views", n, len(views))
	}
	obj := flatten3(object)
	var img []float64
	for _, v := range views {
		if len(v) != n {
			return nil, fmt.Errorf("calibrateCamera: a view has %d corners of %d", len(v), n)
		}
		img = append(img, flatten(v)...)
	}
	flags := 0
	var l C.fd_lens
	if !o.Guess.None() {
		flags |= calibUseGuess
		l = toC(o.Guess)
	}
	if o.FixK3 {
		flags |= calibFixK3
	}
	poses, errs := make([]float64, 6*len(views)), make([]float64, len(views))
	if err := toError("calibrateCamera", C.fd_calibrate((*C.double)(&obj[0]), (*C.double)(&img[0]), C.int(n), C.int(len(views)),
		C.int(widthPx), C.int(heightPx), C.int(flags), &l, (*C.double)(&poses[0]), (*C.double)(&errs[0]))); err != nil {
		return nil, err
	}
	fit := &LensFit{Lens: fromC(l.k, l.d), RMSPx: float64(l.rms)}
	var sk [4]C.double
	var sd [5]C.double
	copy(sk[:], l.sigma[:4])
	copy(sd[:], l.sigma[4:])
	fit.Sigma = fromC(sk, sd)
	for i := range views {
		fit.Views = append(fit.Views, viewFit(poses[6*i:], errs[i]))
	}
	for _, v := range []float64{fit.Lens.FocalXPx, fit.Lens.FocalYPx, fit.Lens.CentreXPx, fit.Lens.CentreYPx, fit.Lens.K1, fit.Lens.K2,
		fit.Lens.K3, fit.Lens.P1, fit.Lens.P2, fit.RMSPx} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &Error{Op: "calibrateCamera", Msg: "the boards do not fix the lens: a number is not finite"}
		}
	}
	return fit, nil
}

// BoardPose finds the pose of one view under a known lens, and how well it
// fits.
func BoardPose(object, view []plane.Point, lens plane.Lens) (ViewFit, error) {
	n := len(object)
	if n < 4 || len(view) != n {
		return ViewFit{}, fmt.Errorf("solvePnP: %d corners for %d of the board", len(view), n)
	}
	obj, img := flatten3(object), flatten(view)
	l := toC(lens)
	pose, back := make([]float64, 6), make([]float64, 2*n)
	if err := toError("solvePnP", C.fd_solve_pose((*C.double)(&obj[0]), (*C.double)(&img[0]), C.int(n), &l, (*C.double)(&pose[0]))); err != nil {
		return ViewFit{}, err
	}
	if err := toError("projectPoints", C.fd_project((*C.double)(&obj[0]), C.int(n), &l, (*C.double)(&pose[0]), (*C.double)(&back[0]))); err != nil {
		return ViewFit{}, err
	}
	sum := 0.0
	for i := range back {
		sum += (back[i] - img[i]) * (back[i] - img[i])
	}
	return viewFit(pose, math.Sqrt(sum/float64(n))), nil
}

func viewFit(pose []float64, rms float64) ViewFit {
	return ViewFit{Rotation: [3]float64(pose[:3]), ShiftMM: [3]float64(pose[3:6]), RMSPx: rms}
}

func flatten3(points []plane.Point) []float64 {
	out := make([]float64, 0, 3*len(points))
	for _, p := range points {
		out = append(out, p.X, p.Y, 0)
	}
	return out
}

func toC(l plane.Lens) C.fd_lens {
	var c C.fd_lens
	for i, v := range []float64{l.FocalXPx, l.FocalYPx, l.CentreXPx, l.CentreYPx} {
		c.k[i] = C.double(v)
	}
	for i, v := range []float64{l.K1, l.K2, l.P1, l.P2, l.K3} {
		c.d[i] = C.double(v)
	}
	return c
}

func fromC(k [4]C.double, d [5]C.double) plane.Lens {
	return plane.Lens{
		FocalXPx: float64(k[0]), FocalYPx: float64(k[1]), CentreXPx: float64(k[2]), CentreYPx: float64(k[3]),
		K1: float64(d[0]), K2: float64(d[1]), P1: float64(d[2]), P2: float64(d[3]), K3: float64(d[4]),
	}
}

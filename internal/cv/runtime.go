package cv

/*
#cgo pkg-config: opencv4
#cgo CXXFLAGS: -std=c++14 -O3
#include <stdlib.h>
#include "runtime.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"gocv.io/x/gocv"
)

// MinVersion is the oldest OpenCV that gocv v0.31.0 builds against here.
const MinVersion = "4.6.0"

// NewestTriedVersion is the newest OpenCV this release was tried with.
const NewestTriedVersion = "4.10.0"

// Error is an OpenCV call that failed.
type Error struct {
	Op  string // the call, as OpenCV names it
	Msg string // OpenCV's own words
}

func (e *Error) Error() string { return "opencv " + e.Op + ": " + strings.TrimSpace(e.Msg) }

// ErrEmpty is returned where a picture or Mat without pixels was passed.
var ErrEmpty = errors.New("the picture has no pixels")

var setup = sync.OnceValue(func() error { return toError("redirectError", C.fd_setup()) })

// Setup prepares OpenCV for this process: its messages come back as errors
// instead of being printed, and the library is checked against
// [MinVersion]. It is safe to call again. Guarded calls do the first part by
// themselves; programs call Setup once at the start to learn of a wrong
// library before a user waits for it.
func Setup() error {
	if err := setup(); err != nil {
		return err
	}
	return CheckVersion(Version())
}

// Version is the version of the OpenCV library in use, such as "4.6.0".
func Version() string { return C.GoString(C.fd_opencv_version()) }

// GoCVVersion is the version of the gocv binding.
func GoCVVersion() string { return gocv.Version() }

// CheckVersion says whether an OpenCV version can run fairdeck.
func CheckVersion(version string) error {
	have, err := parseVersion(version)
	if err != nil {
		return err
	}
	least, _ := parseVersion(MinVersion)
	for i := range least {
		if have[i] != least[i] {
			if have[i] < least[i] {
				return fmt.Errorf("OpenCV %s is too old: fairdeck needs %s or newer (Debian 12: apt install libopencv-dev)", version, MinVersion)
			}
			break
		}
	}
	if have[0] != least[0] {
		return fmt.Errorf("OpenCV %s: fairdeck is built for the 4.x series (%s or newer)", version, MinVersion)
	}
	return nil
}

func parseVersion(v string) (n [3]int, err error) {
	parts := strings.SplitN(v, ".", 3)
	for i := range n {
		if i >= len(parts) {
			return n, fmt.Errorf("OpenCV version %q is not of the form 4.6.0", v)
		}
		digits := strings.TrimRightFunc(parts[i], func(r rune) bool { return r < '0' || r > '9' })
		if cut := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); cut >= 0 {
			digits = digits[:cut]
		}
		if n[i], err = strconv.Atoi(digits); err != nil {
			return n, fmt.Errorf("OpenCV version %q is not of the form 4.6.0", v)
		}
	}
	return n, nil
}

// SetThreads sets how many threads OpenCV may use inside one call; 1 turns
// its own parallelism off, which is right where fairdeck already works on
// several pictures at once.
func SetThreads(n int) error {
	if n < 1 {
		return fmt.Errorf("opencv threads: %d, want at least 1", n)
	}
	return toError("setNumThreads", C.fd_set_threads(C.int(n)))
}

// Threads is the number of threads OpenCV uses inside one call.
func Threads() int { return int(C.fd_threads()) }

// BuildInformation is OpenCV's own account of its modules and codecs.
func BuildInformation() (string, error) {
	var out *C.char
	if err := toError("getBuildInformation", C.fd_build_information(&out)); err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(out))
	return C.GoString(out), nil
}

// toError takes ownership of a shim error string. It is also the place where
// every guarded call makes sure that OpenCV does not print.
func toError(op string, msg *C.char) error {
	if msg == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(msg))
	return &Error{Op: op, Msg: C.GoString(msg)}
}

// Package cvtest holds what the tests of every package that touches OpenCV
// share.
package cvtest

import (
	"fmt"
	"os"

	"fairdeck/internal/cv"
)

// Runner is what *testing.M offers.
type Runner interface{ Run() int }

// Main runs the package's tests and fails the run when a Mat was left open.
// The count is known only with -tags matprofile, which scripts/test.sh sets.
//
//	func TestMain(m *testing.M) { cvtest.Main(m) }
func Main(m Runner) {
	code := m.Run()
	if n, known := cv.OpenMats(); known && n != 0 {
		fmt.Fprintf(os.Stderr, "FAIL: %d Mats were left open\n", n)
		code = 1
	}
	os.Exit(code)
}

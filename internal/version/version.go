// Package version knows which fairdeck this is, for the command line and for
// the provenance of every stored check.
package version

import (
	"runtime"
	"runtime/debug"
)

// Number is the release, semantic versioning; "-dev" between releases.
const Number = "0.1.0-dev"

// Revision is the commit that the program was built from, or "" where the
// build did not record it.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// Go is the toolchain that the program was built with, such as "go1.26.0".
func Go() string { return runtime.Version() }

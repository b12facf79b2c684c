//go:build !matprofile

package cv

// OpenMats is the number of Mats that nobody has closed yet. It is known only
// in builds with -tags matprofile; known is false elsewhere.
func OpenMats() (n int, known bool) { return 0, false }

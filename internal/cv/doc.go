// Package cv is the only door between fairdeck and OpenCV.
//
// In gocv v0.31 a C++ exception aborts the process and recover never runs, so
// whatever sees outside data is called through this package: a C++ shim
// catches every exception and hands it back as an *[Error].
//
//	Go memory ── Scope.Wrap ──▶ gocv.Mat ── guarded call ──▶ gocv.Mat ── Scope.Image ──▶ Go memory
//	                 │                           │
//	                 └─ pinned until Close       └─ C++ try/catch, error text returned
//
// Three rules keep it safe:
//
//   - Every Mat has one owner, a [Scope], which closes all it owns in one
//     deferred call. Tests run with -tags matprofile and must end at zero
//     ([OpenMats]).
//   - Pictures leave as [frame.Image] values in Go memory; Mats stay inside
//     the function that opened the Scope.
//   - A guarded call never trusts its arguments: empty, wrong-typed and
//     wrongly sized Mats give an error with OpenCV's own words.
//
// A new OpenCV call is one function in the .cpp file of its topic, inside
// FD_GUARD, and a Go wrapper in the .go file of the same name.
package cv

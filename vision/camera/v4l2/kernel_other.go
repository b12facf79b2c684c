//go:build !linux || !(amd64 || arm64 || riscv64 || loong64)

package v4l2

// Open opens a video device, where there are such.
func Open(path string) (Device, error) { return nil, &Error{"open", path, ErrSystem} }

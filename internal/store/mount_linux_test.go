package store

import "syscall"

// mountSmall mounts a disk of 1 MB; it needs root.
func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m") }

func unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }

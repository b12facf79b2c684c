package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the program has used; other programs on
// the machine do not count.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

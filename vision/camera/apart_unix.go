//go:build unix

package camera

import (
	"os/exec"
	"syscall"
)

// apart puts a child into a group of its own: Ctrl-C is for fairdeck, which
// ends its children itself. A child that heard it too would end its stream as
// if it were whole.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

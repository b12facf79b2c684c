package recording

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"fairdeck/vision/camera"
)

// What can go wrong with a recording beside the problems of package camera.
const (
	Full     camera.Problem = "disk-full"
	ReadOnly camera.Problem = "read-only" // the folder does not take files
	Exists   camera.Problem = "exists"    // something is there already
	Newer    camera.Problem = "newer"     // made by a newer fairdeck
	NotOne   camera.Problem = "not-a-recording"
	Closed   camera.Problem = "closed" // the recording was ended already
)

// writeError words the failure to write.
func writeError(dir string, err error) error {
	var own *camera.Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) {
		return err
	}
	e := &camera.Error{Path: dir, Problem: camera.Unreadable, Text: "the recording cannot be written: " + cause(err), Remedy: "check the disk, or record to another folder; what was recorded before is kept", Err: err}
	switch {
	case errors.Is(err, fs.ErrExist):
		e.Problem, e.Text, e.Remedy = Exists, "there is something in this place already", "give another folder; a recording is never overwritten"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG), errors.Is(err, errReserve):
		e.Problem, e.Text, e.Remedy = Full, "the disk is full", "delete old recordings (fairdeck recordings prune) or record to another disk; what was recorded before is kept"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Problem, e.Text, e.Remedy = ReadOnly, "the folder cannot be written: "+cause(err), "check the folder's permissions, or record to another folder"
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem, e.Text, e.Remedy = ReadOnly, "a part of the path is a file", "give another folder"
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Problem, e.Text, e.Remedy = ReadOnly, "the name is too long for a folder", "give a shorter name"
	}
	return e
}

// readError words the failure to read.
func readError(path string, err error) error {
	var own *camera.Error
	var newer *newerError
	if errors.As(err, &own) || errors.Is(err, context.Canceled) {
		return err
	}
	e := &camera.Error{Path: path, Problem: camera.Unreadable, Text: "cannot be read: " + cause(err), Remedy: "check the disk", Err: err}
	switch {
	case errors.As(err, &newer):
		e.Problem, e.Text, e.Remedy = Newer, newer.Error(), "use the release that recorded it, or a newer one"
	case errors.Is(err, errNoRecording):
		e.Problem, e.Text, e.Remedy = NotOne, "this is not a recording", "give the folder that fairdeck record made"
	case errors.Is(err, fs.ErrNotExist):
		e.Problem, e.Text, e.Remedy = camera.Missing, "no recording here", "give the folder that fairdeck record made"
	case strings.Contains(err.Error(), "escapes from parent"), errors.Is(err, errNotRegular): // package os has no error to compare with
		e.Problem, e.Text, e.Remedy = camera.Denied, "a file of the recording is a link to elsewhere, or no file at all", "copy the folder that fairdeck made, with the files themselves"
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Text, e.Remedy = camera.Denied, "permission denied", "read it as the user who recorded it"
	}
	return e
}

// cause is the innermost message, without the path that the reader sees
// already.
func cause(err error) string {
	var pe *fs.PathError
	var le interface{ Unwrap() error }
	switch {
	case errors.As(err, &pe):
		return pe.Err.Error()
	case errors.As(err, &le) && le.Unwrap() != nil:
		return le.Unwrap().Error()
	}
	return err.Error()
}

func damagedf(path, format string, args ...any) error {
	return &camera.Error{Path: path, Problem: camera.Damaged, Text: fmt.Sprintf(format, args...), Remedy: "copy the recording again from where it was made"}
}

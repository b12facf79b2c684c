package v4l2

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// System is where video devices are found. The zero value is this machine.
type System struct {
	// Sys and Dev are the folders of the kernel's device tree and of the
	// device files; empty means /sys and /dev.
	Sys, Dev string

	// Open opens a device file; nil means [Open].
	Open func(path string) (Device, error)

	// Patience is how long a device may take to say what it is; 0 means 5 s.
	// A driver that hangs would otherwise hang the list.
	Patience time.Duration
}

// Node is a video device that was found.
type Node struct {
	Path       string // /dev/video0
	Index      int
	Name       string // as the kernel knows it, also where it cannot be opened
	Capability Capability
	Modes      []Mode
	Controls   []Control
	Err        error // why the rest is not known
}

// Mode is a pixel format with the sizes and rates that go with it.
type Mode struct {
	FormatDesc
	Sizes []ModeSize
}

// ModeSize is a size with its rates.
type ModeSize struct {
	SizeRange
	Rates []RateRange
}

// OpenDevice opens a device file of the system.
func (s System) OpenDevice(path string) (Device, error) {
	if s.Open != nil {
		return s.Open(path)
	}
	return Open(path)
}

// Path is the device file of a number.
func (s System) Path(index int) string { return s.File(fmt.Sprintf("video%d", index)) }

// File is a device file by its name below /dev, such as v4l/by-id/....
func (s System) File(name string) string { return filepath.Join(s.dev(), name) }

func (s System) dev() string {
	if s.Dev != "" {
		return s.Dev
	}
	return "/dev"
}

func (s System) sys() string {
	if s.Sys != "" {
		return s.Sys
	}
	return "/sys"
}

// List finds the devices that capture video and asks each what it can do,
// taking no frames. A device that cannot be asked is listed with the reason.
// Nodes of another purpose (metadata, output) are left out.
func (s System) List(ctx context.Context) ([]Node, error) {
	names, err := s.find()
	if err != nil {
		return nil, err
	}
	var out []Node
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		n := Node{Path: filepath.Join(s.dev(), name)}
		n.Index, _ = index(name)
		// Where sysfs is closed, the device itself has a name.
		label, err := os.ReadFile(filepath.Join(s.sys(), "class", "video4linux", name, "name"))
		if err == nil {
			n.Name = text(append(label[:min(len(label), 128)], 0), 0, min(len(label), 128)+1)
		}
		s.ask(ctx, &n)
		if errors.Is(n.Err, ErrNoCapture) {
			continue
		}
		if n.Name == "" {
			n.Name = n.Capability.Card
		}
		out = append(out, n)
	}
	return out, nil
}

// find lists the device names, video2 before video10: from sysfs, or where
// that is not to be seen, as in a container, from the device files.
func (s System) find() ([]string, error) {
	var names []string
	for _, dir := range []string{filepath.Join(s.sys(), "class", "video4linux"), s.dev()} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("the video devices cannot be listed: %w", err)
		}
		for _, e := range entries {
			if _, ok := index(e.Name()); ok && !slices.Contains(names, e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := index(a)
		y, _ := index(b)
		return x - y
	})
	return names, nil
}

// index is the number in "video12".
func index(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "video")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// ask fills in what the device says of itself, in a goroutine of its own,
// which is left behind when the driver hangs.
func (s System) ask(ctx context.Context, n *Node) {
	patience := s.Patience
	if patience <= 0 {
		patience = 5 * time.Second
	}
	done := make(chan Node, 1)
	go func(n Node) {
		n.Err = s.describe(&n)
		done <- n
	}(*n)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case *n = <-done:
	case <-timer.C:
		n.Err = &Error{"VIDIOC_QUERYCAP", n.Path, fmt.Errorf("the driver does not answer within %v", patience)}
	case <-ctx.Done():
		n.Err = ctx.Err()
	}
}

func (s System) describe(n *Node) (err error) {
	d, err := s.OpenDevice(n.Path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := d.Close(); err == nil {
			err = cerr
		}
	}()
	if n.Capability, err = d.Capability(); err != nil {
		if errors.Is(err, ErrUnsupported) {
			return fmt.Errorf("%w: %w", ErrNoCapture, err)
		}
		return err
	}
	switch {
	case n.Capability.Planar():
		return &Error{"VIDIOC_QUERYCAP", n.Path, ErrPlanar}
	case !n.Capability.Captures():
		return &Error{"VIDIOC_QUERYCAP", n.Path, ErrNoCapture}
	}
	if n.Modes, err = Modes(d); err != nil {
		return err
	}
	n.Controls, err = d.Controls()
	return err
}

// Modes lists all that a device offers.
func Modes(d Device) ([]Mode, error) {
	formats, err := d.Formats()
	if err != nil {
		return nil, err
	}
	var out []Mode
	for _, f := range formats {
		sizes, err := d.Sizes(f.FourCC)
		if err != nil {
			return out, err
		}
		m := Mode{FormatDesc: f}
		for _, z := range sizes {
			rates, err := d.Rates(f.FourCC, z.MaxWidth, z.MaxHeight)
			if err != nil {
				return out, err
			}
			m.Sizes = append(m.Sizes, ModeSize{z, rates})
		}
		out = append(out, m)
	}
	return out, nil
}

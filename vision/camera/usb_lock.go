package camera

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"fairdeck/vision/camera/v4l2"
)

// lockedControl is a control that must not move during a pass.
type lockedControl struct {
	name string
	id   v4l2.ControlID

	// fixed is the value of a switch; nil for a value that the automatics
	// find and that is then held.
	fixed *int32

	// means says what it does to an inspection when it moves.
	means string
}

func at(v int32) *int32 { return &v }

// lockOrder is the order in which controls are set: an automatic before the
// value it governs, since cameras refuse the value while it is on.
func lockOrder() []lockedControl {
	const (
		exposure = "brightness may change from sleeve to sleeve and pass for a difference between them; keep the light steady and lock the exposure in the camera's own program"
		colour   = "colours may change from sleeve to sleeve and pass for a difference between them; keep the light steady"
		focus    = "the picture may blur when a hand or card comes near, and small marks be missed; wait until each card is sharp, or use a camera with fixed focus"
	)
	return []lockedControl{
		{"exposure_auto", v4l2.ExposureAuto, at(v4l2.ExposureManual), exposure},
		{"exposure_priority", v4l2.ExposurePriority, at(0), "in dim light frames come more slowly; use more light"},
		{"exposure_time", v4l2.ExposureTime, nil, exposure},
		{"gain_auto", v4l2.GainAuto, at(0), exposure},
		{"gain", v4l2.Gain, nil, exposure},
		{"white_balance_auto", v4l2.WhiteBalanceAuto, at(0), colour},
		{"white_balance", v4l2.WhiteBalance, nil, colour},
		{"backlight_compensation", v4l2.Backlight, at(0), exposure},
		{"focus_auto", v4l2.FocusAuto, at(0), focus},
		{"focus", v4l2.Focus, nil, focus},
	}
}

// LockedControls are the names of the controls that are held during a pass, in
// the order in which they are set.
func LockedControls() []string {
	var names []string
	for _, c := range lockOrder() {
		names = append(names, c.name)
	}
	return names
}

// lock lets the automatics search, holds what they found, and reads every
// control back. What is not as it was asked for becomes a warning.
func (c *usbCamera) lock(ctx context.Context, f *usbFeed, path string) error {
	has, err := f.dev.Controls()
	if err != nil {
		return usbError(path, err)
	}
	known := map[v4l2.ControlID]v4l2.Control{}
	for _, k := range has {
		known[k.ID] = k
	}
	c.mu.Lock()
	found := c.found
	c.mu.Unlock()
	if found == nil {
		found = map[string]int32{}
		if err := f.search(ctx, c.o.Search); err != nil {
			return usbError(path, err)
		}
		for _, l := range lockOrder() {
			if _, ok := known[l.id]; !ok || l.fixed != nil {
				continue
			}
			v, err := f.dev.Get(l.id)
			switch {
			case err == nil:
				found[l.name] = v
			case errors.Is(err, v4l2.ErrGone):
				return usbError(path, err)
			}
		}
	}
	for name, v := range c.o.Settings {
		found[name] = v
	}
	moving := map[string]bool{} // warned of already: one sentence for one cause
	for _, l := range lockOrder() {
		k, ok := known[l.id]
		if !ok {
			if l.id == v4l2.ExposureAuto {
				f.warn("the camera's exposure cannot be set: %s", l.means)
			}
			continue
		}
		s, err := f.set(k, l, found)
		if errors.Is(err, v4l2.ErrGone) {
			return usbError(path, err)
		}
		f.info.Settings = append(f.info.Settings, s)
		if s.OK || moving[l.means] {
			continue
		}
		moving[l.means] = true
		if err != nil {
			f.warn("the camera refused to set %s to %s: %s", l.name, s.Asked, l.means)
		} else {
			f.warn("the camera was asked to set %s to %s and has %s: %s", l.name, s.Asked, s.Actual, l.means)
		}
	}
	c.mu.Lock()
	c.found = found
	c.mu.Unlock()
	// Frames taken before the last control was set are of other brightness.
	return f.fresh(ctx, path)
}

func (f *usbFeed) warn(format string, args ...any) {
	f.info.Warnings = append(f.info.Warnings, fmt.Sprintf(format, args...))
}

// set sets one control and reads it back. Cameras that have only some of the
// exposure modes take the manual one, whatever else they call it.
func (f *usbFeed) set(k v4l2.Control, l lockedControl, found map[string]int32) (Setting, error) {
	s := Setting{Name: l.name}
	want, ok := found[l.name]
	if l.fixed != nil && !ok {
		want, ok = *l.fixed, true
	}
	if ok {
		s.Asked = strconv.Itoa(int(want))
	}
	var err error
	now, getErr := f.dev.Get(k.ID)
	if ok && !(getErr == nil && now == want && l.fixed != nil) {
		err = f.dev.Set(k.ID, want)
	}
	now, getErr = f.dev.Get(k.ID)
	if getErr != nil {
		s.Actual = "not told"
		return s, errors.Join(err, getErr)
	}
	s.Actual = strconv.Itoa(int(now))
	s.OK = ok && now == want && err == nil
	// A value that the driver says has no effect, and that nobody may set, is
	// no fault: the camera has but the switch.
	if err != nil && l.fixed == nil && now == want {
		s.OK, err = true, nil
	}
	return s, err
}

// search lets n frames pass while the automatics look for their values.
func (f *usbFeed) search(ctx context.Context, n int) error {
	for range n {
		if _, err := f.take(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fresh replaces the held frame by one that was taken with the new settings:
// as many as the driver may have had in its buffers are let go, and two more,
// which a camera's sensor is behind.
func (f *usbFeed) fresh(ctx context.Context, path string) error {
	if err := f.search(ctx, usbBuffers+2); err != nil {
		return usbError(path, err)
	}
	raw, err := f.first(ctx, path)
	if err != nil {
		return err
	}
	raw.Lost = 0 // they were let go on purpose
	f.held = raw
	return nil
}

package capture

import (
	"fmt"

	"fairdeck/vision/camera"
	"fairdeck/vision/light"
	"fairdeck/vision/settle"
)

// The light is looked at in bursts of frames that follow each other, with
// pauses in between:
//
//	frames ····████████·········████████······  a burst: 8 to a light.Meter
//	                   └─ Report ─▶ the same trouble in burst after burst ─▶ told
//
// Frames of a burst have to follow each other because the bands of a flickering
// lamp are told by how they wander; and a burst is short enough to lie between
// two cards. The pauses keep the cost low. All is counted in frames, so that a
// replay looks at the same ones.
const (
	burstFrames = 8

	// firstBurst is a second of the usual camera, which finds its exposure
	// meanwhile.
	firstBurst = 30

	// What a single burst shows may be the hand that deals, or the card in it.
	// Only trouble that stays is the station's: in three bursts running, or
	// twice for the bands of a lamp, which hands do not make but hide.
	staysFor     = 3
	flickerFound = 2
)

// pauses are the frames between bursts. They differ, so that a dealer's own
// rhythm does not fall into step with them.
func pause(burst int) int { return [...]int{53, 61, 47, 67}[burst%4] }

// lamp watches the station's light and sharpness during a pass.
type lamp struct {
	options light.Options
	meter   *light.Meter // of the burst; nil: in a pause
	burst   int          // bursts so far
	left    int          // frames to the end of the burst, or of the pause
	seen    map[light.Kind]int
	told    map[light.Kind]bool // and whether as grave
}

func newLamp(focusPx float64) *lamp {
	return &lamp{
		options: light.Options{FocusPx: focusPx, Frames: burstFrames}, left: firstBurst,
		seen: map[light.Kind]int{}, told: map[light.Kind]bool{},
	}
}

// LightCode is the code of a notice about the light, for programs; a grave one
// has its own.
func LightCode(k light.Kind, grave bool) string {
	if grave {
		return "light-" + string(k) + "-grave"
	}
	return "light-" + string(k)
}

// look takes a frame of the pass and returns what there is to say.
func (l *lamp) look(f *camera.Frame) []settle.Notice {
	l.left--
	if l.meter == nil {
		if l.left <= 0 {
			l.meter, l.left = light.NewMeter(l.options), burstFrames
		}
		return nil
	}
	if _, err := l.meter.Add(f.Image, f.Time); err != nil {
		return nil // the settler says what is wrong with the frame
	}
	if l.left > 0 {
		return nil
	}
	r := l.meter.Report()
	l.meter, l.left = nil, pause(l.burst)
	l.burst++
	// A burst in which the picture changed its size is no whole one.
	if r.Frames < burstFrames {
		return nil
	}
	return l.judge(f, r.Problems)
}

// judge counts the troubles of a burst.
func (l *lamp) judge(f *camera.Frame, problems []light.Problem) (out []settle.Notice) {
	now := map[light.Kind]bool{}
	for _, p := range problems {
		need := staysFor
		switch p.Kind {
		case light.Unsteady:
			// A card that comes into view changes the light of the whole
			// picture as much as a cloud does.
			continue
		case light.Flicker:
			need = flickerFound
		}
		now[p.Kind] = true
		l.seen[p.Kind]++
		grave, told := l.told[p.Kind]
		if l.seen[p.Kind] < need || told && (grave || !p.Grave) {
			continue
		}
		l.told[p.Kind] = p.Grave
		out = append(out, settle.Notice{Time: f.Time, Code: LightCode(p.Kind, p.Grave), Text: fmt.Sprintf("%s; %s", p.Text, p.Remedy)})
	}
	for k := range l.seen {
		if !now[k] && k != light.Flicker {
			l.seen[k] = 0
		}
	}
	return out
}

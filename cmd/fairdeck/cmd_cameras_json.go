package main

import (
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/v4l2"
)

// cameraJSON is a camera of schema cameras/v1.
type cameraJSON struct {
	Device   string              `json:"device"`
	Index    int                 `json:"index"`
	Name     string              `json:"name"`
	Bus      string              `json:"bus,omitempty"`
	Driver   string              `json:"driver,omitempty"`
	Formats  []cameraFormatJSON  `json:"formats"`
	Controls []cameraControlJSON `json:"controls"`
	Use      *cameraUseJSON      `json:"use,omitempty"`
	Problem  *cameraProblemJSON  `json:"problem,omitempty"`
}

type cameraFormatJSON struct {
	Code        string           `json:"code"`
	Description string           `json:"description"`
	Emulated    bool             `json:"emulated,omitempty"`
	Sizes       []cameraSizeJSON `json:"sizes"`
}

// cameraSizeJSON is one size, or the largest of a range that begins at Min and
// goes on in steps.
type cameraSizeJSON struct {
	WidthPx     int              `json:"width_px"`
	HeightPx    int              `json:"height_px"`
	MinWidthPx  int              `json:"min_width_px,omitempty"`
	MinHeightPx int              `json:"min_height_px,omitempty"`
	RatesFPS    []cameraRateJSON `json:"rates_fps"`
}

type cameraRateJSON struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

type cameraControlJSON struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name"`
	Min     int32  `json:"min"`
	Max     int32  `json:"max"`
	Step    int32  `json:"step"`
	Default int32  `json:"default"`
}

type cameraUseJSON struct {
	Format   string  `json:"format"`
	WidthPx  int     `json:"width_px"`
	HeightPx int     `json:"height_px"`
	FPS      float64 `json:"fps,omitempty"`
}

type cameraProblemJSON struct {
	Problem camera.Problem `json:"problem"`
	Text    string         `json:"text"`
	Remedy  string         `json:"remedy"`
}

func camerasJSON(found []camera.Device) []cameraJSON {
	out := []cameraJSON{}
	for _, d := range found {
		c := cameraJSON{Device: d.Path, Index: d.Index, Name: d.Name, Bus: d.Capability.Bus, Driver: d.Capability.Driver, Formats: []cameraFormatJSON{}, Controls: []cameraControlJSON{}}
		for _, m := range d.Modes {
			c.Formats = append(c.Formats, cameraFormatJSON{m.FourCC.String(), m.Description, m.Emulated, cameraSizesJSON(m.Sizes)})
		}
		for _, k := range d.Controls {
			c.Controls = append(c.Controls, cameraControlJSON{uint32(k.ID), k.Name, k.Min, k.Max, k.Step, k.Default})
		}
		if u := d.Use; u != nil {
			c.Use = &cameraUseJSON{u.Format.String(), u.WidthPx, u.HeightPx, u.FPS}
		}
		if p := d.Problem; p != nil {
			c.Problem = &cameraProblemJSON{p.Problem, p.Text, p.Remedy}
		}
		out = append(out, c)
	}
	return out
}

func cameraSizesJSON(sizes []v4l2.ModeSize) []cameraSizeJSON {
	out := []cameraSizeJSON{}
	for _, s := range sizes {
		z := cameraSizeJSON{WidthPx: s.MaxWidth, HeightPx: s.MaxHeight, RatesFPS: []cameraRateJSON{}}
		if !s.Discrete() {
			z.MinWidthPx, z.MinHeightPx = s.MinWidth, s.MinHeight
		}
		for _, r := range s.Rates {
			z.RatesFPS = append(z.RatesFPS, cameraRateJSON(r))
		}
		out = append(out, z)
	}
	return out
}

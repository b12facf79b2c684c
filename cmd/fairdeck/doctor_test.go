package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// TestDoctor examines machines that are well and machines that are not.
func TestDoctor(t *testing.T) {
	fonts := func(context.Context, string, ...string) ([]byte, error) { return []byte("Noto Sans CJK\n"), nil }
	env := func(values map[string]string) func(string) string {
		return func(k string) string { return values[k] }
	}
	well := func() *machine {
		return &machine{
			root: fstest.MapFS{
				"proc/meminfo":                         text("MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n"),
				"sys/class/video4linux/video0/name":    text("HD Webcam\n"),
				"sys/class/video4linux/video0/dev":     text("81:0\n"),
				"sys/class/video4linux/video1/uevent":  text(""),
				"sys/class/video4linux/video10/uevent": text(""),
			},
			getenv: env(map[string]string{"LANG": "ja_JP.UTF-8"}), run: fonts, cores: 4,
		}
	}
	for _, c := range []struct {
		line   string
		change func(m *machine)
		status status
		text   string
	}{
		{"OpenCV", func(*machine) {}, statusOK, "gocv"},
		{"codec jpeg", func(*machine) {}, statusOK, ""},
		{"codec webp", func(*machine) {}, statusOK, ""},
		{"memory", func(*machine) {}, statusOK, "3906 MiB"},
		{"memory", func(m *machine) { m.root = fstest.MapFS{"proc/meminfo": text("MemAvailable: 300000 kB\n")} }, statusWarning, "292 MiB"},
		{"memory", func(m *machine) { m.root = fstest.MapFS{"proc/meminfo": text("MemAvailable: lots\n")} }, statusWarning, "does not say"},
		{"memory", func(m *machine) { m.root = fstest.MapFS{} }, statusWarning, "not known"},
		{"cameras", func(*machine) {}, statusOK, "/dev/video0 (HD Webcam)"},
		{"cameras", func(m *machine) { m.root = fstest.MapFS{} }, statusWarning, "none seen"},
		{"videos", func(m *machine) {
			m.run = func(context.Context, string, ...string) ([]byte, error) {
				return []byte("ffmpeg version 5.1.9-0+deb12u1 Copyright (c)\n"), nil
			}
		}, statusOK, "ffmpeg version 5.1.9-0+deb12u1 (5.1"},
		{"videos", func(m *machine) {
			m.run = func(_ context.Context, name string, _ ...string) ([]byte, error) {
				if name == "ffprobe" {
					return nil, errors.New("not there")
				}
				return []byte("x"), nil
			}
		}, statusWarning, "ffprobe is not here"},
		{"processors", func(*machine) {}, statusOK, "4"},
		{"processors", func(m *machine) { m.cores = 1 }, statusWarning, "1"},
		{"profile", func(*machine) {}, statusWarning, "none"},
		{"profile", func(m *machine) {
			m.getenv = env(map[string]string{"HOME": "/home/judge"})
			m.root = fstest.MapFS{"home/judge/.config/fairdeck/profile.json": text(`{"schema":"profile/v1","created":"2026-01-02T03:04:05Z","width_px":1280,"height_px":720,"lens":{}}`)}
		}, statusOK, "1280 x 720 pixels, last changed 2026-01-02"},
		{"profile", func(m *machine) {
			m.getenv = env(map[string]string{"XDG_CONFIG_HOME": "/c"})
			m.root = fstest.MapFS{"c/fairdeck/profile.json": text("nonsense")}
		}, statusWarning, "not JSON"},
		{"locale", func(*machine) {}, statusOK, "ja_JP.UTF-8"},
		{"locale", func(m *machine) { m.getenv = env(map[string]string{"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}) }, statusWarning, "not UTF-8"},
		{"locale", func(m *machine) { m.getenv = env(map[string]string{"LC_CTYPE": "zh_CN.utf8"}) }, statusOK, "zh_CN.utf8"},
		{"CJK fonts", func(*machine) {}, statusOK, "there"},
		{"CJK fonts", func(m *machine) {
			m.run = func(_ context.Context, _ string, args ...string) ([]byte, error) {
				if args[0] == ":lang=ja" {
					return nil, nil
				}
				return []byte("x"), nil
			}
		}, statusWarning, "none for ja"},
		{"CJK fonts", func(m *machine) {
			m.run = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("no fc-list") }
		}, statusWarning, "not known"},
	} {
		m := well()
		c.change(m)
		found := false
		for _, d := range m.examine(context.Background()) {
			if d.Name != c.line {
				continue
			}
			found = true
			if d.Status != c.status || !strings.Contains(d.Text, c.text) {
				t.Errorf("%s: %s %q, want %s with %q", c.line, d.Status, d.Text, c.status, c.text)
			}
			if (d.Status == statusOK) != (d.Remedy == "") {
				t.Errorf("%s: %s with remedy %q", c.line, d.Status, d.Remedy)
			}
		}
		if !found {
			t.Errorf("no line %q", c.line)
		}
	}
}

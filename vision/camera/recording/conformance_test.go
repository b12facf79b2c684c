package recording

import (
	"os"
	"path/filepath"
	"testing"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
)

// TestConformance: a recording is a source like every other.
func TestConformance(t *testing.T) {
	open := func(t *testing.T, dir string) camera.Source {
		s, err := NewSource(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const n = 12
	cameratest.Conformance(t, cameratest.Suite{
		Frames: n,
		Open:   func(t *testing.T) camera.Source { return open(t, record(t, n)) },
		Damaged: func(t *testing.T) camera.Source {
			dir := record(t, n)
			p := filepath.Join(dir, segmentName(1))
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			data[segmentHeadSize+2*headSize+len(picture(0))+100] ^= 1 // in the second picture
			if err := os.WriteFile(p, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return open(t, dir)
		},
	})
}

// TestOpenSource: the folder is known as a recording by its file.
func TestOpenSource(t *testing.T) {
	src, err := camera.OpenSource(t.Context(), record(t, 2), camera.SourceOptions{OpenRecording: OpenSource})
	if err != nil {
		t.Fatal(err)
	}
	if src.Info().Kind != camera.KindRecording {
		t.Errorf("%+v", src.Info())
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}

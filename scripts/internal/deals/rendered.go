package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
)

// Rendering a deal takes several times as long as watching it, so that its
// frames may be kept: one file of compressed frames and, once it is whole, one
// of the truth beside it. Their names hold a digest of the deal's settings; who
// changes the renderer deletes the folder.

// frames is where a deal's frames come from.
type frames interface {
	next() (visiontest.DealFrame, bool, error)
	// truth is complete after the last frame; its zones are known before.
	truth() *visiontest.DealTruth
	close() error
}

// openFrames opens the kept frames of a deal, or else renders them, and keeps
// them where a folder is given.
func openFrames(d visiontest.Deal, folder string) (frames, error) {
	if folder == "" || d.Deck.Sensor.JPEGQuality < 0 {
		return render(d)
	}
	key, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("settings of the deal: %w", err)
	}
	path := filepath.Join(folder, fmt.Sprintf("%s-%x", d.Deck.Name, sha256.Sum256(key)))[:len(folder)+len(d.Deck.Name)+18]
	if data, err := os.ReadFile(path + ".json"); err == nil {
		k := &kept{of: &visiontest.DealTruth{}}
		if err := json.Unmarshal(data, k.of); err != nil {
			return nil, fmt.Errorf("%s.json: %w; delete it", path, err)
		}
		if k.file, err = os.Open(path + ".frames"); err != nil {
			return nil, err
		}
		k.data = gob.NewDecoder(bufio.NewReaderSize(k.file, 1<<20))
		return k, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	r, err := render(d)
	if err != nil {
		return nil, err
	}
	k := &keeper{rendered: r, path: path}
	if k.file, err = os.Create(path + ".frames"); err != nil {
		return nil, err
	}
	k.to = bufio.NewWriterSize(k.file, 1<<20)
	k.data = gob.NewEncoder(k.to)
	return k, nil
}

// rendered are frames made now, compressed by the station's own OpenCV.
type rendered struct{ *visiontest.DealStream }

func render(d visiontest.Deal) (rendered, error) {
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		return rendered{}, err
	}
	s.Codec = func(m *frame.Image, quality int) ([]byte, *frame.Image, error) {
		data, err := cv.EncodeJPEG(m, quality)
		if err != nil {
			return nil, nil, err
		}
		seen, err := cv.Decode(data, m.Width, m.Height)
		return data, seen, err
	}
	return rendered{s}, nil
}

func (r rendered) next() (visiontest.DealFrame, bool, error) { return r.Next() }
func (r rendered) truth() *visiontest.DealTruth              { return r.Truth() }
func (r rendered) close() error                              { return nil }

// keeper writes down what is rendered.
type keeper struct {
	rendered
	path string
	file *os.File
	to   *bufio.Writer
	data *gob.Encoder
	all  bool
}

func (k *keeper) next() (visiontest.DealFrame, bool, error) {
	f, ok, err := k.Next()
	if err != nil {
		return f, false, err
	}
	if !ok {
		k.all = true
		return f, false, nil
	}
	packed := f
	packed.Image = nil
	return f, true, k.data.Encode(packed)
}

func (k *keeper) close() error {
	err := errors.Join(k.to.Flush(), k.file.Close())
	if !k.all || err != nil {
		return errors.Join(err, os.Remove(k.path+".frames"))
	}
	data, err := json.Marshal(k.Truth())
	if err != nil {
		return err
	}
	return os.WriteFile(k.path+".json", data, 0o666)
}

// kept reads what a keeper wrote.
type kept struct {
	of   *visiontest.DealTruth
	file *os.File
	data *gob.Decoder
}

func (k *kept) next() (f visiontest.DealFrame, ok bool, err error) {
	if err := k.data.Decode(&f); errors.Is(err, io.EOF) {
		return f, false, nil
	} else if err != nil {
		return f, false, fmt.Errorf("%s: %w; delete it", k.file.Name(), err)
	}
	f.Image, err = cv.Decode(f.JPEG, k.of.WidthPx, k.of.HeightPx)
	return f, err == nil, err
}

func (k *kept) truth() *visiontest.DealTruth { return k.of }
func (k *kept) close() error                 { return k.file.Close() }

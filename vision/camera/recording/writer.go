package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"sync"
	"time"

	"fairdeck/vision/camera"
)

// reserveBytes stay free: a disk that is full to the brim takes no report
// either, and stops other programs.
const reserveBytes = 256 << 20

var errReserve = errors.New("less than 256 MB are free")

// Writer writes one recording. Its methods may be called from several
// goroutines; records lie in the order of the calls.
//
// The first error of the disk is the last: it is returned by every later
// call, and the recording keeps what it has up to there.
type Writer struct {
	dir    string
	disk   disk
	id     [idBytes]byte
	header Header
	limit  int64 // bytes of a segment

	mu      sync.Mutex
	err     error
	closed  bool
	end     End
	seg     file
	segNo   int
	segSize int64
	retired []file // full segments, not known to be on the disk
	number  uint64
	last    time.Duration
	digest  hash.Hash
	stats   Stats
	buf     []byte

	syncing sync.Mutex // one Sync at a time; taken before mu
	synced  int64      // Stats.Bytes that a finished Sync covers
}

// Stats is what a recording holds so far.
type Stats struct {
	Frames, Events, Dropped int
	Bytes                   int64         // of all records
	Span                    time.Duration // from the first frame to the last
	first                   time.Duration
}

// Create begins a recording in a new folder, for its owner alone. The header
// is on the disk when it returns. Schema, and where they are empty ID and
// Created, are filled in. Errors are *camera.Error with the remedy.
func Create(dir string, h Header) (*Writer, error) {
	return create(dir, folder(dir), h, SegmentBytes)
}

func create(dir string, d disk, h Header, limit int64) (*Writer, error) {
	h.Schema = Schema
	if h.ID == "" {
		h.ID = NewID()
	}
	if h.Created.IsZero() {
		h.Created = time.Now()
	}
	h.Created = h.Created.UTC().Truncate(time.Second)
	id, err := h.id()
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	text, err := h.encode()
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	w := &Writer{dir: dir, disk: d, id: id, header: h, limit: limit, digest: sha256.New()}
	if err := w.begin(text); err != nil {
		return nil, writeError(dir, err)
	}
	return w, nil
}

// begin makes the folder, the header and the first segment.
func (w *Writer) begin(header []byte) error {
	if free, ok := w.disk.free(); ok && free < reserveBytes {
		return errReserve
	}
	if err := w.disk.make(); err != nil {
		return err
	}
	// The first segment is nobody's but ours, or there already: of two that
	// begin in one folder at the same moment, the second stops here, before it
	// could put its header in the place of the other's.
	if err := w.roll(); err != nil {
		return err
	}
	// The header appears whole or not at all.
	const temp = "." + headerName
	f, err := w.disk.create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(header)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = w.disk.rename(temp, headerName)
	}
	if err == nil {
		err = w.disk.sync()
	}
	return err
}

// Dir is the recording's folder.
func (w *Writer) Dir() string { return w.dir }

// Header is the header as it was written.
func (w *Writer) Header() Header { return w.header }

// Stats says what the recording holds so far.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// Free is how many bytes the disk has left for recordings; ok is false where
// that is not known.
func (w *Writer) Free() (bytes int64, ok bool) {
	n, ok := w.disk.free()
	return max(0, n-reserveBytes), ok
}

// Unsynced is how many bytes would be lost in a power cut, at most.
func (w *Writer) Unsynced() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats.Bytes - w.synced
}

// Frame writes a frame, which must have its Encoded picture (see [Encode]).
func (w *Writer) Frame(f *camera.Frame) error {
	c, ok := contentOf(f.Format)
	switch {
	case !ok || len(f.Encoded) == 0:
		return fmt.Errorf("recording: frame %d is delivered as %q and has no picture to keep", f.Index, f.Format)
	case len(f.Encoded) > MaxFrameBytes:
		return fmt.Errorf("recording: frame %d has %d MB; at most %d are kept", f.Index, len(f.Encoded)>>20, MaxFrameBytes>>20)
	case f.Index < 0 || f.Dropped < 0:
		return fmt.Errorf("recording: frame %d with %d dropped before it", f.Index, f.Dropped)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := head{kind: kindFrame, content: c, time: f.Time, index: uint64(f.Index), dropped: uint32(f.Dropped)}
	if err := w.put(h, f.Encoded); err != nil {
		return err
	}
	if w.stats.Frames == 0 {
		w.stats.first = f.Time
	}
	w.stats.Frames++
	w.stats.Dropped += f.Dropped
	w.stats.Span = f.Time - w.stats.first
	w.last = f.Time
	return nil
}

// Event writes an event that happened after the last frame.
func (w *Writer) Event(e Event) error {
	b, err := encodeEvent(&e)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	if len(b) > MaxEventBytes {
		return fmt.Errorf("recording: an event of %d bytes; at most %d are kept", len(b), MaxEventBytes)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.put(head{kind: kindEvent, content: contentJSON, time: w.last}, b); err != nil {
		return err
	}
	w.stats.Events++
	return nil
}

// put appends a record; w.mu is held.
func (w *Writer) put(h head, body []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return &camera.Error{Path: w.dir, Problem: Closed, Text: "the recording was ended already", Remedy: "begin another one"}
	}
	n := int64(headSize + len(body))
	if w.segSize > int64(segmentHeadSize) && w.segSize+n > w.limit {
		if err := w.roll(); err != nil {
			return w.fail(err)
		}
	}
	h.number, h.length, h.body = w.number, uint32(len(body)), crc32.Checksum(body, castagnoli)
	// One write for the whole record: the fewer the ways it can be half there.
	w.buf = append(h.append(w.buf[:0]), body...)
	if _, err := w.seg.Write(w.buf); err != nil {
		// A reader would skip the half record; without it there is room for
		// the end.
		return w.fail(errors.Join(err, w.seg.Truncate(w.segSize)))
	}
	// The digest cannot fail (hash.Hash).
	_, _ = w.digest.Write(w.buf)
	w.number++
	w.segSize += n
	w.stats.Bytes += n
	return nil
}

// fail makes an error the last; w.mu is held.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = writeError(w.dir, err)
	}
	return w.err
}

// roll begins the next segment; w.mu is held, or nobody else has w yet.
func (w *Writer) roll() error {
	if w.segNo > 0 {
		if free, ok := w.disk.free(); ok && free < reserveBytes {
			return errReserve
		}
	}
	f, err := w.disk.create(segmentName(w.segNo + 1))
	if err != nil {
		return err
	}
	text := segmentHead(w.id, w.segNo+1)
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close())
	}
	if w.seg != nil {
		w.retired = append(w.retired, w.seg)
	}
	w.seg, w.segSize = f, int64(len(text))
	w.segNo++
	return nil
}

// Sync returns when everything that was written before the call is on the
// disk. Frames may be written meanwhile.
func (w *Writer) Sync() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	if w.err != nil || w.closed {
		defer w.mu.Unlock()
		return w.err
	}
	seg, retired, bytes := w.seg, w.retired, w.stats.Bytes
	w.retired = nil
	w.mu.Unlock()

	var err error
	for _, f := range retired {
		err = errors.Join(err, f.Sync(), f.Close())
	}
	err = errors.Join(err, seg.Sync())
	if len(retired) > 0 {
		err = errors.Join(err, w.disk.sync())
	}
	if free, ok := w.disk.free(); ok && free < reserveBytes && err == nil {
		// This Sync did its work; what comes after it would not.
		w.mu.Lock()
		w.synced = bytes
		_ = w.fail(errReserve) // the next call tells
		w.mu.Unlock()
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		// After a failed fsync nobody knows what is on the disk (Rebello et
		// al. 2020, Can Applications Recover from fsync Failures?): no later
		// success may hide it.
		return w.fail(err)
	}
	w.synced = bytes
	return nil
}

// Close ends the recording: the end record is written, everything is on the
// disk. It may be called twice. The end is returned even where the disk
// failed; the error then says so.
func (w *Writer) Close(reason Reason) (End, error) {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.end, w.err
	}
	end := End{
		Reason: reason, Frames: w.stats.Frames, Events: w.stats.Events, Dropped: w.stats.Dropped,
		Bytes: w.stats.Bytes, SHA256: hex.EncodeToString(w.digest.Sum(nil)),
	}
	w.end = end
	failed := w.err
	if failed == nil || isFull(failed) {
		// Where only the reserve is left, the end of the recording is what it
		// is there for.
		w.err = nil
		b, err := json.Marshal(end)
		if err == nil {
			w.limit = int64(1) << 62 // the end needs no segment of its own
			sum := w.stats
			err = w.put(head{kind: kindEnd, content: contentJSON, time: w.last}, b)
			w.stats = sum
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	var err error
	for _, f := range append(w.retired, w.seg) {
		err = errors.Join(err, f.Sync(), f.Close())
	}
	err = errors.Join(err, w.disk.sync())
	w.closed, w.retired = true, nil
	if failed == nil && err != nil {
		failed = writeError(w.dir, err)
	}
	w.err = failed
	if failed == nil {
		w.synced = w.stats.Bytes
	}
	return end, failed
}

func isFull(err error) bool {
	var e *camera.Error
	return errors.As(err, &e) && e.Problem == Full
}

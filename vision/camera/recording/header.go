package recording

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fairdeck/vision/camera"
)

// Header says what a recording is and holds all that a replay needs beside
// the frames. It never holds a player's name: who played is the store's
// business.
type Header struct {
	Schema  string    `json:"schema"` // Schema
	ID      string    `json:"id"`     // 32 hexadecimal digits, random
	Created time.Time `json:"created"`
	Tool    Tool      `json:"tool"`

	// Source is the camera as it was opened, with what it was asked for and
	// what it does.
	Source camera.Info `json:"source"`

	// Settings are those of the command that recorded, by name. Their meaning
	// belongs to the command.
	Settings json.RawMessage `json:"settings,omitempty"`

	// Profile is the station's profile, whole.
	Profile json.RawMessage `json:"profile,omitempty"`

	// Encoded says how pixels became pictures, where the source delivered
	// pixels; empty where the pictures are the source's own.
	Encoded string `json:"encoded,omitempty"`
}

// Tool is the program that recorded.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
}

// NewID returns a new recording's ID.
func NewID() string {
	var id [idBytes]byte
	// Never fails on the systems that Go runs on (crypto/rand).
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

func (h *Header) id() (id [idBytes]byte, err error) {
	b, err := hex.DecodeString(h.ID)
	if err != nil || len(b) != idBytes || h.ID != strings.ToLower(h.ID) {
		return id, fmt.Errorf("the id is %.40q, want %d hexadecimal digits", h.ID, 2*idBytes)
	}
	return [idBytes]byte(b), nil
}

// newerError is a header of a format that this program does not know.
type newerError struct{ schema string }

func (e *newerError) Error() string {
	return fmt.Sprintf("the recording has format %.40q and this fairdeck reads %q", e.schema, Schema)
}

// errNoRecording is a header of something else.
var errNoRecording = errors.New("this is not a recording")

func (h *Header) encode() ([]byte, error) {
	b, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return nil, err
	}
	if b = append(b, '\n'); len(b) > MaxHeaderBytes {
		return nil, fmt.Errorf("the header has %d MB; at most %d are written", len(b)>>20, MaxHeaderBytes>>20)
	}
	return b, nil
}

// decodeHeader reads a header strictly: another schema, a key that is not
// known, or anything after it is an error.
func decodeHeader(data []byte) (*Header, error) {
	var only struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &only); err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(only.Schema, "recording/") && only.Schema != Schema:
		return nil, &newerError{only.Schema}
	case only.Schema != Schema:
		return nil, errNoRecording
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	h := new(Header)
	if err := dec.Decode(h); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the header")
	}
	if _, err := h.id(); err != nil {
		return nil, err
	}
	return h, nil
}

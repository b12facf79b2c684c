package camera

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Decode reads one picture from memory, as [Read] does from a file: the same
// checks, the same pixels. name stands for it in messages.
func Decode(ctx context.Context, name string, data []byte) (*Frame, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(data) > MaxFileBytes {
		return nil, &Error{Path: name, Problem: TooLarge, Text: fmt.Sprintf("the file has %d MB; up to %d MB are read", len(data)>>20, MaxFileBytes>>20), Remedy: remedySaveAs}
	}
	k := sniff(data[:min(len(data), sniffLen)])
	if k.format == "" {
		return nil, &Error{Path: name, Problem: k.problem, Text: k.text, Remedy: k.remedy}
	}
	h, err := walk(k.format, data)
	if err != nil {
		return nil, structureProblem(name, err)
	}
	e := &encoded{format: k.format, head: h, data: data}
	img, err := e.decode(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	f := &Frame{Path: name, Image: img, Format: k.format, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), Encoded: data}
	for _, n := range h.notes {
		f.Notes = append(f.Notes, Note{Path: name, Text: n})
	}
	return f, nil
}

package card_test

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"testing"
)

// pictureSize reads a file's header.
func pictureSize(t testing.TB, data []byte) (width, height int) {
	t.Helper()
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return c.Width, c.Height
}

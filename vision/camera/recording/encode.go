package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"fairdeck/internal/cv"
	"fairdeck/vision/camera"
)

// EncodedAs says in a header how [Encode] makes pictures of pixels.
const EncodedAs = "JPEG 95, by the recorder; seen after encoding"

// jpegQuality is that of cameras' own best setting.
//
// The sources without pictures of their own are video decoders (RTSP, files),
// whose pixels went through a coarser loss already. PNG without loss costs
// several times the time and the space (docs/formats/recording.md has
// figures), more than a small computer has at 30 frames a second.
const jpegQuality = 95

// Encode makes sure that a frame can be recorded: one that has a JPEG or PNG
// already stays as it is. Otherwise its pixels are encoded, and its Image
// becomes what that picture decodes to; a reader of the recording sees the
// same, bit for bit. lossless makes PNG: for still pictures, of which there
// are few and all of them matter.
func Encode(f *camera.Frame, lossless bool) error {
	if _, ok := contentOf(f.Format); ok && len(f.Encoded) > 0 {
		return nil
	}
	if lossless {
		data, err := cv.EncodePNG(f.Image, 1)
		if err != nil {
			return err
		}
		keep(f, camera.PNG, data)
		return nil
	}
	data, err := cv.EncodeJPEG(f.Image, jpegQuality)
	if err != nil {
		return err
	}
	img, err := cv.Decode(data, f.Image.Width, f.Image.Height)
	if err != nil {
		return err
	}
	f.Image = img
	keep(f, camera.JPEG, data)
	return nil
}

func keep(f *camera.Frame, format camera.Format, data []byte) {
	sum := sha256.Sum256(data)
	f.Encoded, f.Format, f.Bytes, f.SHA256 = data, format, int64(len(data)), hex.EncodeToString(sum[:])
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

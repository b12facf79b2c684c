package camera

import (
	"bytes"
	"unicode/utf8"
)

// Format is a kind of picture file that is read.
type Format string

// The formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	TIFF Format = "tiff"
	WebP Format = "webp"
	BMP  Format = "bmp"
)

// sniffLen is how much of a file tells what it is.
const sniffLen = 512

// kind is what a file's first bytes say it is.
type kind struct {
	format  Format  // set when it is read
	problem Problem // otherwise
	text    string
	remedy  string
}

const (
	remedySaveAs = "save it as JPEG or PNG"
	remedyPhone  = "set the phone's camera to JPEG (\"most compatible\"), or convert it to JPEG"
	remedyVideo  = "give photos, or pictures taken from the video"
)

// sniff recognises a file by content. head holds the first sniffLen bytes, or
// all of a shorter file.
func sniff(head []byte) kind {
	if len(head) == 0 {
		return kind{problem: Empty, text: "the file is empty (0 bytes)", remedy: "copy it again from the camera"}
	}
	has := func(at int, magic string) bool {
		return len(head) >= at+len(magic) && string(head[at:at+len(magic)]) == magic
	}
	unsupported := func(what, remedy string) kind {
		return kind{problem: Unsupported, text: what + " is not read", remedy: remedy}
	}
	switch {
	case has(0, "\xff\xd8\xff"), bytes.Equal(head, []byte("\xff\xd8")):
		return kind{format: JPEG}
	case has(0, "\x89PNG\r\n\x1a\n"):
		return kind{format: PNG}
	case has(0, "II*\x00"), has(0, "MM\x00*"):
		return kind{format: TIFF}
	case has(0, "RIFF") && has(8, "WEBP"):
		return kind{format: WebP}
	case has(0, "BM") && len(head) >= 6 && looksLikeBMP(head):
		return kind{format: BMP}

	case has(0, "GIF87a"), has(0, "GIF89a"):
		return unsupported("a GIF picture (256 colours, often an animation)", remedySaveAs)
	case has(4, "ftyp"):
		switch brand := string(head[8:min(12, len(head))]); brand {
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1":
			return unsupported("a HEIC picture", remedyPhone)
		case "avif", "avis":
			return unsupported("an AVIF picture", remedySaveAs)
		}
		return unsupported("a video", remedyVideo)
	case has(0, "RIFF") && has(8, "AVI "), has(0, "\x1a\x45\xdf\xa3"), has(4, "moov"), has(4, "mdat"), has(0, "\x00\x00\x01\xba"):
		return unsupported("a video", remedyVideo)
	case has(0, "%PDF"):
		return unsupported("a PDF document", "export its pages as PNG")
	case has(0, "8BPS"):
		return unsupported("a Photoshop document", remedySaveAs)
	case has(0, "\x00\x00\x00\x0cJXL "), has(0, "\xff\x0a"):
		return unsupported("a JPEG XL picture", remedySaveAs)
	case has(0, "\x00\x00\x00\x0cjP  "), has(0, "\xff\x4f\xff\x51"):
		return unsupported("a JPEG 2000 picture", remedySaveAs)
	case has(0, "II+\x00"), has(0, "MM\x00+"):
		return unsupported("a BigTIFF picture", remedySaveAs)
	case has(0, "PK\x03\x04"):
		return kind{problem: NotAPicture, text: "this is an archive, not a picture", remedy: "unpack it first"}
	case isText(head):
		return kind{problem: NotAPicture, text: "this is a text, not a picture", remedy: "give JPEG, PNG, TIFF, WebP or BMP files"}
	}
	return kind{problem: NotAPicture, text: "this is not a picture of a kind that is known", remedy: "give JPEG, PNG, TIFF, WebP or BMP files"}
}

// isText reports whether bytes look like a text: valid UTF-8 (but for a rune
// cut at the end) without control characters.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			return !utf8.FullRune(b)
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' {
			return false
		}
		b = b[n:]
	}
	return true
}

package cameratest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"fairdeck/vision/camera"
)

// Case is one file of the malformed set.
type Case struct {
	Path string

	// Want is the problem that must be reported, or "" where the picture is
	// unusual and must be read.
	Want camera.Problem

	// NeedsUser marks a case that the superuser cannot make: permissions do
	// not bind him.
	NeedsUser bool
}

// Malformed writes the set into dir, which exists, and returns it. close
// removes what is not a plain file.
func Malformed(dir string) (cases []Case, close func(), err error) {
	pic := Picture(64, 48)
	jpg, pngFile := JPEG(pic), PNG(pic)
	thumb := JPEG(Picture(16, 12))

	deep := image.NewNRGBA64(pic.Bounds())
	clear := image.NewNRGBA(pic.Bounds())
	for y := range 48 {
		for x := range 64 {
			c := pic.NRGBAAt(x, y)
			deep.Set(x, y, c)
			c.A = uint8(4 * x)
			clear.SetNRGBA(x, y, c)
		}
	}
	badSum := bytes.Clone(pngFile)
	badSum[len(badSum)-20] ^= 1
	heic := append([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), make([]byte, 64)...)

	files := []struct {
		name string
		data []byte
		want camera.Problem
	}{
		{"truncated.jpg", jpg[:len(jpg)*2/3], camera.Truncated},
		{"truncated-in-header.jpg", jpg[:100], camera.Truncated},
		{"truncated-one-byte.jpg", jpg[:len(jpg)-1], camera.Truncated},
		// The end marker of the thumbnail must not pass for the picture's.
		{"truncated-with-thumbnail.jpg", WithExif(jpg, Exif(1, thumb))[:len(thumb)+400], camera.Truncated},
		{"truncated.png", pngFile[:len(pngFile)-9], camera.Truncated},
		{"bad-sum.png", badSum, camera.Damaged},
		{"zero.jpg", nil, camera.Empty},
		{"text.jpg", []byte("this is a shopping list\nmilk\n"), camera.NotAPicture},
		{"noise.png", []byte("\x00\x01\x02\xfe\xff\x80noise"), camera.NotAPicture},
		{"one-pixel.png", PNG(image.NewNRGBA(image.Rect(0, 0, 1, 1))), ""},
		{"bomb-20000x20000.png", PNGBomb(20000, 20000), camera.TooLarge},
		{"bomb-4gx4g.png", PNGBomb(1<<31-1, 1<<31-1), camera.TooLarge},
		{"no-size.png", PNGBomb(0, 0), camera.Damaged},
		{"cmyk.jpg", CMYKJPEG(64, 48, 20, 200, 90, 10, true), ""},
		{"cmyk-unmarked.jpg", CMYKJPEG(64, 48, 20, 200, 90, 10, false), camera.Unsupported},
		{"16bit.png", PNG(deep), ""},
		{"alpha.png", PNG(clear), ""},
		{"grey.png", PNG(image.NewGray(pic.Bounds())), ""},
		{"palette.png", PNG(image.NewPaletted(pic.Bounds(), color.Palette{color.White, color.Black})), ""},
		{"rotated.jpg", WithExif(jpg, Exif(6, thumb)), ""},
		{"animated.gif", GIF(3), camera.Unsupported},
		{"animated-as.jpg", GIF(3), camera.Unsupported},
		{"phone.heic", heic, camera.Unsupported},
		{"scan.pdf", []byte("%PDF-1.7\n"), camera.Unsupported},
		{"film.mp4", append([]byte("\x00\x00\x00\x18ftypisom"), make([]byte, 64)...), camera.Unsupported},
		{"<script>alert(1)<\x07script>.jpg", jpg[:50], camera.Truncated},
	}
	for _, f := range files {
		// A slash cannot stand in a name; everything else may.
		p := filepath.Join(dir, f.name)
		if err := os.WriteFile(p, f.data, 0o644); err != nil {
			return nil, nil, err
		}
		cases = append(cases, Case{Path: p, Want: f.want})
	}
	add := func(name string, want camera.Problem, make func(p string) error) {
		p := filepath.Join(dir, name)
		if e := make(p); e != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, e)
		}
		cases = append(cases, Case{Path: p, Want: want, NeedsUser: want == camera.Denied})
	}
	add("denied.jpg", camera.Denied, func(p string) error { return os.WriteFile(p, jpg, 0) })
	add("empty-folder", camera.NoPictures, func(p string) error { return os.Mkdir(p, 0o755) })
	add("text-folder", camera.NoPictures, func(p string) error {
		if err := os.Mkdir(p, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(p, "notes.txt"), []byte("round 3, table 12\n"), 0o644)
	})
	add("loop.jpg", camera.NotAFile, func(p string) error { return os.Symlink("loop.jpg", p) })
	add("dangling.jpg", camera.Missing, func(p string) error { return os.Symlink("nowhere.jpg", p) })
	add("pipe.jpg", camera.NotAFile, func(p string) error { return syscall.Mkfifo(p, 0o644) })
	closers := []func(){}
	// A socket's path is limited to about 100 bytes; a deep folder has none.
	if sock := filepath.Join(dir, "socket.jpg"); len(sock) < 100 {
		add("socket.jpg", camera.NotAFile, func(p string) error {
			l, err := net.Listen("unix", p)
			if err == nil {
				closers = append(closers, func() { l.Close() })
			}
			return err
		})
	}
	cases = append(cases, Case{Path: filepath.Join(dir, "not-there.jpg"), Want: camera.Missing},
		Case{Path: filepath.Join(dir, "nothing-*.jpg"), Want: camera.Missing})
	return cases, func() {
		for _, c := range closers {
			c()
		}
	}, err
}

package camera

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"fairdeck/internal/cv"

	"gocv.io/x/gocv"
	"golang.org/x/sys/unix"
)

// photo is a JPEG of a smooth, grainy picture, as cameras write them.
func photo(t testing.TB, rng *rand.Rand, width, height int, params ...int) []byte {
	t.Helper()
	m := gocv.NewMatWithSize(height, width, gocv.MatTypeCV8UC3)
	defer m.Close()
	pix, err := m.DataPtrUint8()
	if err != nil {
		t.Fatal(err)
	}
	for i := range pix {
		pix[i] = uint8(100 + (i/3%width)/3 + rng.IntN(40))
	}
	if len(params) > 0 && params[0] == asGrey {
		gocv.CvtColor(m, &m, gocv.ColorBGRToGray)
		params = params[1:]
	}
	if len(params) == 0 {
		params = []int{jpegQuality, 90} // gocv takes no empty list
	}
	b, err := gocv.IMEncodeWithParams(".jpg", m, params)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	return bytes.Clone(b.GetBytes())
}

const (
	asGrey        = -1
	progressive   = 2 // cv::IMWRITE_JPEG_PROGRESSIVE
	restartEvery  = 4 // cv::IMWRITE_JPEG_RST_INTERVAL
	jpegQuality   = 1 // cv::IMWRITE_JPEG_QUALITY
	optimiseCodes = 3 // cv::IMWRITE_JPEG_OPTIMIZE
)

var jpegKinds = map[string][]int{
	"baseline":             nil,
	"grey":                 {asGrey},
	"grey progressive":     {asGrey, progressive, 1},
	"best quality":         {jpegQuality, 100},
	"worst quality":        {jpegQuality, 1},
	"own codes":            {optimiseCodes, 1},
	"restarts":             {restartEvery, 3},
	"progressive":          {progressive, 1},
	"progressive, fine":    {progressive, 1, jpegQuality, 98},
	"progressive restarts": {progressive, 1, restartEvery, 2},
}

// TestWholeJPEGs accepts whatever an encoder writes, of every size near the
// borders of blocks.
func TestWholeJPEGs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, params := range jpegKinds {
		for _, size := range [][2]int{{1, 1}, {8, 8}, {15, 17}, {16, 16}, {33, 9}, {100, 70}} {
			data := photo(t, rng, size[0], size[1], params...)
			if _, err := walk(JPEG, data); err != nil {
				t.Errorf("%s, %d x %d: %v", name, size[0], size[1], err)
			}
			// Zero bytes before the end marker are some cameras' padding.
			padded := append(bytes.Clone(data[:len(data)-2]), 0, 0, 0, 0xff, 0xd9)
			if _, err := walk(JPEG, padded); err != nil {
				t.Errorf("%s, %d x %d, padded: %v", name, size[0], size[1], err)
			}
		}
	}
}

// TestDamagedJPEGs damages the compressed data in the ways that cards and
// cables do. What passes must be decoded without a word: libjpeg is the
// judge, which says on standard error what it had to make up.
func TestDamagedJPEGs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, params := range jpegKinds {
		t.Run(name, func(t *testing.T) {
			whole := photo(t, rng, 120, 90, params...)
			scan := bytes.Index(whole, []byte{0xff, 0xda}) + 14
			refused := 0
			const tries = 60
			for range tries {
				data := bytes.Clone(whole)
				at := scan + rng.IntN(len(data)-scan-4)
				how := ""
				switch rng.IntN(4) {
				case 0:
					how = "a byte is wrong"
					data[at] ^= byte(1 + rng.IntN(255))
				case 1:
					how = "a piece is zero"
					clear(data[at:min(at+64, len(data)-2)])
				case 2:
					how = "a piece is missing"
					data = append(data[:at], data[min(at+1+rng.IntN(32), len(data)-2):]...)
				case 3:
					how = "ends early, with an end marker"
					data = append(data[:at], 0xff, 0xd9)
				}
				h, err := walk(JPEG, data)
				if err != nil {
					refused++
					continue
				}
				said := standardError(t, func() { _, err = cv.Decode(data, h.width, h.height) })
				if err != nil || said != "" && !onlyPadding(said) {
					t.Errorf("%s at byte %d of %d: passes for whole; libjpeg: %v %s", how, at, len(whole), err, said)
				}
			}
			if refused < tries/4 {
				t.Errorf("%d of %d refused: the damage does not reach the data", refused, tries)
			}
		})
	}
}

// onlyPadding says whether libjpeg only remarks on bytes behind the data,
// which are accepted when they are zero.
func onlyPadding(said string) bool {
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "extraneous bytes before marker") {
			return false
		}
	}
	return true
}

// standardError returns what is written to the process's standard error
// meanwhile, by C libraries too.
func standardError(t *testing.T, do func()) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	own, err := unix.Dup(2)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(own)
	if err := unix.Dup2(int(f.Fd()), 2); err != nil {
		t.Fatal(err)
	}
	do()
	if err := unix.Dup2(own, 2); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestManyScans: a file of countless empty scans would keep libjpeg busy for
// minutes.
func TestManyScans(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	whole := photo(t, rng, 64, 64)
	scan := bytes.Index(whole, []byte{0xff, 0xda})
	data := bytes.Clone(whole[:scan])
	for range maxScans + 1 {
		data = append(data, whole[scan:len(whole)-2]...)
	}
	data = append(data, 0xff, 0xd9)
	if _, err := walk(JPEG, data); err == nil || !strings.Contains(err.Error(), "scans") {
		t.Errorf("%v, want a refusal for its scans", err)
	}
}

func BenchmarkWalkJPEG(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	data := photo(b, rng, 1280, 720)
	for _, what := range []string{"walk", "decode"} {
		b.Run(fmt.Sprintf("%s %d KiB", what, len(data)>>10), func(b *testing.B) {
			for b.Loop() {
				var err error
				if what == "walk" {
					_, err = walk(JPEG, data)
				} else {
					_, err = cv.Decode(data, 1280, 720)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

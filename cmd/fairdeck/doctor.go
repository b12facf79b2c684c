package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/cv"
	"fairdeck/internal/locale"
	"fairdeck/vision/camera"
)

// status of one line of the doctor.
type status string

const (
	statusOK      status = "ok"
	statusWarning status = "warning" // works, but not everything or not well
	statusProblem status = "problem" // fairdeck cannot do its job
)

// diagnosis is one line of the doctor.
type diagnosis struct {
	Name   string `json:"name"`
	Status status `json:"status"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"` // empty when ok
}

// machine is what the doctor looks at; tests give it another one.
type machine struct {
	root   fs.FS // the file system from "/"
	getenv func(string) string
	run    func(ctx context.Context, name string, args ...string) ([]byte, error)
	cores  int
}

func thisMachine() *machine {
	return &machine{
		root: os.DirFS("/"), getenv: os.Getenv, cores: runtime.NumCPU(),
		run: func(ctx context.Context, name string, args ...string) ([]byte, error) {
			return exec.CommandContext(ctx, name, args...).Output()
		},
	}
}

// examine goes through everything, in the order in which it is shown.
func (m *machine) examine(ctx context.Context) []diagnosis {
	d := []diagnosis{m.openCV()}
	for _, f := range camera.Formats() {
		d = append(d, codec(f))
	}
	d = append(d, m.cameras(), m.videos(ctx), m.memory(), m.processors(), m.disk(), m.profile(), m.locale())
	return append(d, m.fonts(ctx))
}

func (m *machine) openCV() diagnosis {
	d := diagnosis{Name: "OpenCV", Status: statusOK, Text: fmt.Sprintf("%s under gocv %s (tried with %s to %s)", cv.Version(), cv.GoCVVersion(), cv.MinVersion, cv.NewestTriedVersion)}
	if err := cv.Setup(); err != nil {
		d.Status, d.Text, d.Remedy = statusProblem, err.Error(), "install OpenCV "+cv.MinVersion+" or newer of the 4.x series and build fairdeck again"
	}
	return d
}

func codec(f camera.Format) diagnosis {
	d := diagnosis{Name: "codec " + string(f), Status: statusOK, Text: "a sample was decoded"}
	if err := camera.Probe(f); err != nil {
		d.Status, d.Text = statusWarning, "a sample could not be decoded: "+err.Error()
		d.Remedy = "install OpenCV's own packages (Debian: libopencv-dev), or use JPEG and PNG"
		// Cameras write JPEG, and the report is made of it.
		if f == camera.JPEG {
			d.Status, d.Remedy = statusProblem, "install OpenCV's own packages (Debian: libopencv-dev)"
		}
	}
	return d
}

// cameras lists the video devices by the names that the kernel gives them. No
// frame is taken: another program may be using the camera.
func (m *machine) cameras() diagnosis {
	const class = "sys/class/video4linux"
	d := diagnosis{Name: "cameras", Status: statusOK}
	entries, err := fs.ReadDir(m.root, class)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Status, d.Text, d.Remedy = statusWarning, "cannot be listed: "+err.Error(), "check the rights on /sys/class/video4linux"
		return d
	}
	var names, denied []string
	for _, e := range entries {
		name, err := fs.ReadFile(m.root, path.Join(class, e.Name(), "name"))
		if err != nil {
			name = []byte("no name")
		}
		names = append(names, fmt.Sprintf("/dev/%s (%s)", e.Name(), strings.TrimSpace(string(name))))
		if err := syscall.Access("/dev/"+e.Name(), 4|2); errors.Is(err, fs.ErrPermission) {
			denied = append(denied, "/dev/"+e.Name())
		}
	}
	switch {
	case len(names) == 0:
		d.Status, d.Text = statusWarning, "none seen; pictures from files work"
		d.Remedy = "plug in a USB camera, if you want to use one"
	case len(denied) > 0:
		d.Status, d.Text = statusWarning, strings.Join(names, ", ")+"; no right to open "+strings.Join(denied, ", ")
		d.Remedy = "add your user to the group video (sudo usermod -aG video $USER) and log in again"
	default:
		d.Text = strings.Join(names, ", ")
	}
	return d
}

// videos asks for ffmpeg, which reads videos and RTSP.
func (m *machine) videos(ctx context.Context) diagnosis {
	d := diagnosis{Name: "videos", Status: statusOK}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		out, err := m.run(ctx, program, "-version")
		if err != nil {
			d.Status, d.Text = statusWarning, program+" is not here: videos and RTSP cameras are not read; USB cameras, MJPEG streams and pictures are"
			d.Remedy = "install ffmpeg 5.1 or newer (Debian: apt install ffmpeg), if you want to use them"
			return d
		}
		if program == "ffmpeg" {
			// "ffmpeg version 5.1.9-0+deb12u1 Copyright ...".
			line, _, _ := strings.Cut(string(out), " Copyright")
			d.Text = strings.TrimSpace(line) + " (5.1 or newer is needed)"
		}
	}
	return d
}

// enoughMemory is what 60 views of large photos, twice, and a decoded picture
// for each core take, in MiB.
const enoughMemory = 1200

func (m *machine) memory() diagnosis {
	d := diagnosis{Name: "memory", Status: statusOK}
	data, err := fs.ReadFile(m.root, "proc/meminfo")
	if err != nil {
		d.Status, d.Text, d.Remedy = statusWarning, "not known on this system", fmt.Sprintf("have %d MiB free for large photos", enoughMemory)
		return d
	}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 2 || f[0] != "MemAvailable:" {
			continue
		}
		kib, err := strconv.Atoi(f[1])
		if err != nil {
			break
		}
		d.Text = fmt.Sprintf("%d MiB available", kib>>10)
		if kib>>10 < enoughMemory {
			d.Status, d.Remedy = statusWarning, fmt.Sprintf("close other programs; %d MiB are needed for a deck of large photos", enoughMemory)
		}
		return d
	}
	d.Status, d.Text, d.Remedy = statusWarning, "/proc/meminfo does not say what is available", fmt.Sprintf("have %d MiB free for large photos", enoughMemory)
	return d
}

func (m *machine) processors() diagnosis {
	d := diagnosis{Name: "processors", Status: statusOK, Text: fmt.Sprintf("%d, %s", m.cores, runtime.GOARCH)}
	if m.cores < 2 {
		d.Status, d.Remedy = statusWarning, "use a machine with two or more; a check takes twice as long here"
	}
	return d
}

// enoughDisk holds some dozens of reports, in MiB.
const enoughDisk = 500

func (m *machine) disk() diagnosis {
	d := diagnosis{Name: "disk", Status: statusOK}
	var st syscall.Statfs_t
	if err := syscall.Statfs(".", &st); err != nil {
		d.Status, d.Text, d.Remedy = statusWarning, "not known: "+err.Error(), "check the working folder"
		return d
	}
	mib := int64(st.Bavail) * int64(st.Bsize) >> 20
	d.Text = fmt.Sprintf("%d MiB free in the working folder", mib)
	if mib < enoughDisk {
		d.Status, d.Remedy = statusWarning, "free some space, or write reports elsewhere with --out"
	}
	if err := syscall.Access(".", 2); err != nil {
		d.Status, d.Text, d.Remedy = statusWarning, "no right to write in the working folder", "write reports elsewhere with --out"
	}
	return d
}

func (m *machine) profile() diagnosis {
	d := diagnosis{
		Name: "profile", Status: statusWarning, Text: "none: lengths in mm rest on the sleeve's nominal size",
		Remedy: "make one with fairdeck calibrate, or give the true size with --size",
	}
	dir := m.getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir = path.Join(m.getenv("HOME"), ".config")
	}
	f, err := m.root.Open(strings.TrimPrefix(path.Join(dir, "fairdeck", "profile.json"), "/"))
	if err != nil {
		return d
	}
	defer f.Close()
	p, err := calibrate.Read(f)
	if err != nil {
		d.Text, d.Remedy = err.Error(), "bring the one before back with fairdeck calibrate undo, or calibrate again"
		return d
	}
	d.Status, d.Remedy = statusOK, ""
	d.Text = fmt.Sprintf("%d x %d pixels, last changed %s", p.WidthPx, p.HeightPx, p.Created.Format("2006-01-02"))
	return d
}

func (m *machine) locale() diagnosis {
	d := diagnosis{Name: "locale", Status: statusOK}
	name := "C"
	for _, v := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if s := m.getenv(v); s != "" {
			name = s
			break
		}
	}
	d.Text = name
	if u := strings.ToUpper(name); !strings.Contains(u, "UTF-8") && !strings.Contains(u, "UTF8") {
		d.Status = statusWarning
		d.Text += ": not UTF-8, names of cards and files may not be shown rightly"
		d.Remedy = "set LANG to C.UTF-8 or a language of yours that ends in .UTF-8"
	}
	return d
}

// fontconfigName is a language as fontconfig writes it.
var fontconfigName = map[locale.Language]string{locale.SimplifiedChinese: "zh-cn", locale.TraditionalChinese: "zh-tw", locale.Japanese: "ja"}

// fonts asks fontconfig for the scripts of the reports, cards and rule books.
// Reports hold no fonts: they are drawn with the reader's own, so this speaks
// of this machine alone.
func (m *machine) fonts(ctx context.Context) diagnosis {
	d := diagnosis{Name: "CJK fonts", Status: statusOK}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var missing []string
	for _, lang := range locale.Languages() {
		name, asked := fontconfigName[lang]
		if !asked {
			continue
		}
		out, err := m.run(ctx, "fc-list", ":lang="+name, "family")
		if err != nil {
			d.Status, d.Text, d.Remedy = statusWarning, "not known: fc-list is not here", "install fontconfig and fonts-noto-cjk, if reports or rule books in Chinese or Japanese are read or printed here"
			return d
		}
		if len(bytes.TrimSpace(out)) == 0 {
			missing = append(missing, string(lang))
		}
	}
	if len(missing) > 0 {
		d.Status, d.Text = statusWarning, "none for "+strings.Join(missing, ", ")+": reports and rule quotes in them show boxes here"
		d.Remedy = "install a font such as fonts-noto-cjk, if reports or rule books in Chinese or Japanese are read or printed here"
		return d
	}
	d.Text = "there for zh-Hans, zh-Hant and ja"
	return d
}

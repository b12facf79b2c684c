package v4l2

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLayout compiles a C program against the kernel's own header and compares
// every size, place, number and request with ours.
func TestLayout(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	type fact struct {
		expr string // in C
		ours uint64
	}
	size := func(s string, n int) fact { return fact{"sizeof(struct " + s + ")", uint64(n)} }
	at := func(s, f string, n int) fact { return fact{fmt.Sprintf("offsetof(struct %s, %s)", s, f), uint64(n)} }
	req := func(s string, n uintptr) fact { return fact{s, uint64(n)} }
	facts := []fact{
		size("v4l2_capability", sizeCapability), at("v4l2_capability", "driver", 0), at("v4l2_capability", "card", 16), at("v4l2_capability", "bus_info", 48),
		at("v4l2_capability", "version", 80), at("v4l2_capability", "capabilities", 84), at("v4l2_capability", "device_caps", 88),
		size("v4l2_fmtdesc", sizeFmtDesc), at("v4l2_fmtdesc", "type", 4), at("v4l2_fmtdesc", "flags", 8), at("v4l2_fmtdesc", "description", 12), at("v4l2_fmtdesc", "pixelformat", 44),
		size("v4l2_frmsizeenum", sizeFrmSize), at("v4l2_frmsizeenum", "pixel_format", 4), at("v4l2_frmsizeenum", "type", 8), at("v4l2_frmsizeenum", "discrete.width", 12),
		at("v4l2_frmsizeenum", "discrete.height", 16), at("v4l2_frmsizeenum", "stepwise.min_width", 12), at("v4l2_frmsizeenum", "stepwise.max_width", 16),
		at("v4l2_frmsizeenum", "stepwise.step_width", 20), at("v4l2_frmsizeenum", "stepwise.min_height", 24), at("v4l2_frmsizeenum", "stepwise.max_height", 28), at("v4l2_frmsizeenum", "stepwise.step_height", 32),
		size("v4l2_frmivalenum", sizeFrmIval), at("v4l2_frmivalenum", "pixel_format", 4), at("v4l2_frmivalenum", "width", 8), at("v4l2_frmivalenum", "height", 12), at("v4l2_frmivalenum", "type", 16),
		at("v4l2_frmivalenum", "discrete.numerator", 20), at("v4l2_frmivalenum", "discrete.denominator", 24), at("v4l2_frmivalenum", "stepwise.min.numerator", 20), at("v4l2_frmivalenum", "stepwise.max.numerator", 28),
		size("v4l2_format", sizeFormat), at("v4l2_format", "fmt.pix.width", 8), at("v4l2_format", "fmt.pix.height", 12), at("v4l2_format", "fmt.pix.pixelformat", 16), at("v4l2_format", "fmt.pix.field", 20),
		at("v4l2_format", "fmt.pix.bytesperline", 24), at("v4l2_format", "fmt.pix.sizeimage", 28), at("v4l2_format", "fmt.pix.colorspace", 32), at("v4l2_format", "fmt.pix.ycbcr_enc", 44), at("v4l2_format", "fmt.pix.quantization", 48),
		size("v4l2_streamparm", sizeStreamParm), at("v4l2_streamparm", "parm.capture.capability", 4), at("v4l2_streamparm", "parm.capture.timeperframe.numerator", 12), at("v4l2_streamparm", "parm.capture.timeperframe.denominator", 16),
		size("v4l2_requestbuffers", sizeReqBufs), at("v4l2_requestbuffers", "count", 0), at("v4l2_requestbuffers", "type", 4), at("v4l2_requestbuffers", "memory", 8),
		size("v4l2_buffer", sizeBuffer), at("v4l2_buffer", "index", 0), at("v4l2_buffer", "type", 4), at("v4l2_buffer", "bytesused", 8), at("v4l2_buffer", "flags", 12), at("v4l2_buffer", "timestamp.tv_sec", 24),
		at("v4l2_buffer", "timestamp.tv_usec", 32), at("v4l2_buffer", "sequence", 56), at("v4l2_buffer", "memory", 60), at("v4l2_buffer", "m.offset", 64), at("v4l2_buffer", "length", 72),
		size("v4l2_queryctrl", sizeQueryCtrl), at("v4l2_queryctrl", "type", 4), at("v4l2_queryctrl", "name", 8), at("v4l2_queryctrl", "minimum", 40), at("v4l2_queryctrl", "maximum", 44), at("v4l2_queryctrl", "step", 48),
		at("v4l2_queryctrl", "default_value", 52), at("v4l2_queryctrl", "flags", 56),
		size("v4l2_control", sizeControl), at("v4l2_control", "value", 4), {"sizeof(int)", sizeInt},
		req("VIDIOC_QUERYCAP", vidiocQueryCap), req("VIDIOC_ENUM_FMT", vidiocEnumFmt), req("VIDIOC_G_FMT", vidiocGFmt), req("VIDIOC_S_FMT", vidiocSFmt), req("VIDIOC_REQBUFS", vidiocReqBufs),
		req("VIDIOC_QUERYBUF", vidiocQueryBuf), req("VIDIOC_QBUF", vidiocQBuf), req("VIDIOC_DQBUF", vidiocDQBuf), req("VIDIOC_STREAMON", vidiocStreamOn), req("VIDIOC_STREAMOFF", vidiocStreamOff),
		req("VIDIOC_S_PARM", vidiocSParm), req("VIDIOC_G_CTRL", vidiocGCtrl), req("VIDIOC_S_CTRL", vidiocSCtrl), req("VIDIOC_QUERYCTRL", vidiocQueryCtrl), req("VIDIOC_ENUM_FRAMESIZES", vidiocFrmSizes), req("VIDIOC_ENUM_FRAMEINTERVALS", vidiocFrmIvals),
		{"V4L2_BUF_TYPE_VIDEO_CAPTURE", bufTypeCapture}, {"V4L2_MEMORY_MMAP", memoryMMap}, {"V4L2_FIELD_NONE", fieldNone}, {"V4L2_FRMSIZE_TYPE_DISCRETE", frmDiscrete}, {"V4L2_FRMSIZE_TYPE_CONTINUOUS", frmContinuous},
		{"V4L2_FRMSIZE_TYPE_STEPWISE", frmStepwise}, {"V4L2_FRMIVAL_TYPE_DISCRETE", frmDiscrete}, {"V4L2_FRMIVAL_TYPE_CONTINUOUS", frmContinuous}, {"V4L2_FRMIVAL_TYPE_STEPWISE", frmStepwise},
		{"V4L2_CAP_TIMEPERFRAME", capTimePerFrame}, {"V4L2_CTRL_FLAG_NEXT_CTRL", ctrlNext}, {"V4L2_FMT_FLAG_EMULATED", fmtEmulated}, {"V4L2_BUF_FLAG_ERROR", bufFlagError}, {"V4L2_BUF_FLAG_TIMESTAMP_MASK", bufTimestampMask},
		{"V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC", bufTimestampMono}, {"V4L2_CAP_VIDEO_CAPTURE", capVideoCapture}, {"V4L2_CAP_VIDEO_CAPTURE_MPLANE", capVideoCaptureMPlane}, {"V4L2_CAP_STREAMING", capStreaming},
		{"V4L2_CAP_DEVICE_CAPS", capDeviceCaps}, {"V4L2_CTRL_FLAG_DISABLED", flagDisabled}, {"V4L2_CTRL_FLAG_GRABBED", flagGrabbed}, {"V4L2_CTRL_FLAG_READ_ONLY", flagReadOnly}, {"V4L2_CTRL_FLAG_INACTIVE", flagInactive},
		{"V4L2_PIX_FMT_MJPEG", uint64(MJPG)}, {"V4L2_PIX_FMT_JPEG", uint64(JPEG)}, {"V4L2_PIX_FMT_YUYV", uint64(YUYV)}, {"V4L2_PIX_FMT_NV12", uint64(NV12)}, {"V4L2_PIX_FMT_BGR24", uint64(BGR3)}, {"V4L2_PIX_FMT_RGB24", uint64(RGB3)},
		{"V4L2_CID_AUTO_WHITE_BALANCE", uint64(WhiteBalanceAuto)}, {"V4L2_CID_AUTOGAIN", uint64(GainAuto)}, {"V4L2_CID_GAIN", uint64(Gain)}, {"V4L2_CID_POWER_LINE_FREQUENCY", uint64(PowerLineFrequency)},
		{"V4L2_CID_WHITE_BALANCE_TEMPERATURE", uint64(WhiteBalance)}, {"V4L2_CID_BACKLIGHT_COMPENSATION", uint64(Backlight)}, {"V4L2_CID_EXPOSURE_AUTO", uint64(ExposureAuto)}, {"V4L2_CID_EXPOSURE_ABSOLUTE", uint64(ExposureTime)},
		{"V4L2_CID_EXPOSURE_AUTO_PRIORITY", uint64(ExposurePriority)}, {"V4L2_CID_FOCUS_ABSOLUTE", uint64(Focus)}, {"V4L2_CID_FOCUS_AUTO", uint64(FocusAuto)}, {"V4L2_EXPOSURE_MANUAL", ExposureManual},
		{"V4L2_YCBCR_ENC_601", enc601}, {"V4L2_YCBCR_ENC_709", enc709}, {"V4L2_YCBCR_ENC_BT2020", enc2020}, {"V4L2_QUANTIZATION_FULL_RANGE", quantFull}, {"V4L2_QUANTIZATION_LIM_RANGE", quantLimited},
		{"V4L2_COLORSPACE_REC709", spaceRec709}, {"V4L2_COLORSPACE_JPEG", spaceJPEG}, {"V4L2_COLORSPACE_BT2020", spaceBT2020},
	}
	var src strings.Builder
	src.WriteString("#include <stdio.h>\n#include <stddef.h>\n#include <sys/time.h>\n#include <linux/videodev2.h>\nint main(void) {\n")
	var want strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&src, "  printf(\"%%s %%llu\\n\", %q, (unsigned long long)(unsigned int)(%s));\n", f.expr, f.expr)
		fmt.Fprintf(&want, "%s %d\n", f.expr, f.ours)
	}
	src.WriteString("  return 0;\n}\n")
	dir := t.TempDir()
	c, bin := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(c, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-o", bin, c).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "videodev2.h: No such file") {
			t.Skip("linux/videodev2.h is not here (Debian: apt install linux-libc-dev)")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(out), want.String()); d != "" {
		t.Errorf("the kernel's header (-) and ours (+):\n%s", d)
	}
}

//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package v4l2

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernel is a device of this machine.
type kernel struct {
	path    string
	fd      int
	buffers [][]byte // mapped
	on      bool
}

var _ Device = (*kernel)(nil)

// Open opens a video device. It takes no frames and disturbs no other program
// that uses it.
func Open(path string) (Device, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &Error{"open", path, meaning(err)}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR {
		unix.Close(fd)
		return nil, &Error{"open", path, ErrNoCapture}
	}
	return &kernel{path: path, fd: fd}, nil
}

// meaning turns the system's errors into this package's, keeping both.
func meaning(err error) error {
	var is error
	switch {
	case errors.Is(err, unix.ENODEV):
		is = ErrGone
	case errors.Is(err, unix.EBUSY):
		is = ErrBusy
	case errors.Is(err, fs.ErrPermission):
		is = ErrDenied
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENXIO):
		is = ErrMissing
	case errors.Is(err, unix.ENOTTY), errors.Is(err, unix.EINVAL):
		is = ErrUnsupported
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", is, err)
}

// ioctl calls the driver; b is written to and read by it.
func (k *kernel) ioctl(name string, req uintptr, b []byte) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(k.fd), req, uintptr(unsafe.Pointer(&b[0])))
		runtime.KeepAlive(b)
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
			continue
		}
		return &Error{name, k.path, meaning(errno)}
	}
}

func (k *kernel) Capability() (Capability, error) {
	b := make([]byte, sizeCapability)
	if err := k.ioctl("VIDIOC_QUERYCAP", vidiocQueryCap, b); err != nil {
		return Capability{}, err
	}
	return parseCapability(b), nil
}

// maxEnum bounds every list: a driver that never ends one is broken.
const maxEnum = 256

// enumerate calls a driver's list until it ends.
func (k *kernel) enumerate(name string, req uintptr, entry func(index uint32) []byte, use func(b []byte) (more bool)) error {
	for i := range uint32(maxEnum) {
		b := entry(i)
		if err := k.ioctl(name, req, b); err != nil {
			if errors.Is(err, unix.EINVAL) || errors.Is(err, ErrUnsupported) {
				return nil // the end, or no such list
			}
			return err
		}
		if !use(b) {
			return nil
		}
	}
	return nil
}

func (k *kernel) Formats() (out []FormatDesc, err error) {
	err = k.enumerate("VIDIOC_ENUM_FMT", vidiocEnumFmt, putFmtDesc, func(b []byte) bool {
		out = append(out, parseFmtDesc(b))
		return true
	})
	return out, err
}

func (k *kernel) Sizes(f FourCC) (out []SizeRange, err error) {
	err = k.enumerate("VIDIOC_ENUM_FRAMESIZES", vidiocFrmSizes, func(i uint32) []byte { return putFrmSize(i, f) }, func(b []byte) bool {
		s, more, ok := parseFrmSize(b)
		if ok {
			out = append(out, s)
		}
		return more
	})
	return out, err
}

func (k *kernel) Rates(f FourCC, width, height int) (out []RateRange, err error) {
	err = k.enumerate("VIDIOC_ENUM_FRAMEINTERVALS", vidiocFrmIvals, func(i uint32) []byte { return putFrmIval(i, f, width, height) }, func(b []byte) bool {
		r, more, ok := parseFrmIval(b)
		if ok {
			out = append(out, r)
		}
		return more
	})
	return out, err
}

func (k *kernel) Controls() (out []Control, err error) {
	next := uint32(ctrlNext)
	for range 4 * maxEnum {
		b := make([]byte, sizeQueryCtrl)
		put(b, 0, next)
		if err := k.ioctl("VIDIOC_QUERYCTRL", vidiocQueryCtrl, b); err != nil {
			if errors.Is(err, ErrUnsupported) {
				return out, nil
			}
			return out, err
		}
		c := parseQueryCtrl(b)
		if uint32(c.ID) <= next&^ctrlNext {
			return out, nil // it does not go on
		}
		next = uint32(c.ID) | ctrlNext
		if c.Flags&flagDisabled == 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

func (k *kernel) Get(id ControlID) (int32, error) {
	b := make([]byte, sizeControl)
	put(b, 0, uint32(id))
	err := k.ioctl("VIDIOC_G_CTRL", vidiocGCtrl, b)
	return int32(u32(b, 4)), err
}

func (k *kernel) Set(id ControlID, value int32) error {
	b := make([]byte, sizeControl)
	put(b, 0, uint32(id))
	put(b, 4, uint32(value))
	return k.ioctl("VIDIOC_S_CTRL", vidiocSCtrl, b)
}

func (k *kernel) Format() (Format, error) {
	b := putFormat(Format{})
	err := k.ioctl("VIDIOC_G_FMT", vidiocGFmt, b)
	return parseFormat(b), err
}

func (k *kernel) SetFormat(f Format) (Format, error) {
	b := putFormat(f)
	err := k.ioctl("VIDIOC_S_FMT", vidiocSFmt, b)
	return parseFormat(b), err
}

func (k *kernel) SetRate(fps float64) (float64, error) {
	b := putRate(fps)
	err := k.ioctl("VIDIOC_S_PARM", vidiocSParm, b)
	return parseRate(b), err
}

func (k *kernel) Start(buffers int) error {
	b := make([]byte, sizeReqBufs)
	put(b, 0, uint32(buffers))
	put(b, 4, bufTypeCapture)
	put(b, 8, memoryMMap)
	if err := k.ioctl("VIDIOC_REQBUFS", vidiocReqBufs, b); err != nil {
		return err
	}
	n := u32(b, 0)
	if n == 0 || n > maxEnum {
		return &Error{"VIDIOC_REQBUFS", k.path, fmt.Errorf("the driver gives %d buffers", n)}
	}
	for i := range n {
		b := putBuffer(i)
		if err := k.ioctl("VIDIOC_QUERYBUF", vidiocQueryBuf, b); err != nil {
			return err
		}
		info := parseBuffer(b)
		if info.length == 0 || info.length > maxBuffer {
			return &Error{"VIDIOC_QUERYBUF", k.path, fmt.Errorf("a buffer of %d bytes", info.length)}
		}
		m, err := unix.Mmap(k.fd, int64(info.offset), info.length, unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return &Error{"mmap", k.path, meaning(err)}
		}
		k.buffers = append(k.buffers, m)
		if err := k.ioctl("VIDIOC_QBUF", vidiocQBuf, putBuffer(i)); err != nil {
			return err
		}
	}
	if err := k.ioctl("VIDIOC_STREAMON", vidiocStreamOn, order.AppendUint32(nil, bufTypeCapture)); err != nil {
		return err
	}
	k.on = true
	return nil
}

// maxBuffer is a frame of 100 million pixels in 2 bytes each.
const maxBuffer = 200 << 20

func (k *kernel) Dequeue(ctx context.Context) (*Buffer, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, &Error{"eventfd", k.path, err}
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		// A full counter wakes just as well.
		_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	defer func() {
		if !stop() {
			<-woken
		}
		unix.Close(wake)
	}()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := []unix.PollFd{{Fd: int32(k.fd), Events: unix.POLLIN | unix.POLLPRI}, {Fd: int32(wake), Events: unix.POLLIN}}
		if _, err := unix.Poll(p, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return nil, &Error{"poll", k.path, err}
		}
		if p[1].Revents != 0 {
			continue
		}
		buf, err := k.take()
		if errors.Is(err, unix.EAGAIN) {
			if p[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				// Nothing is there and nothing will come.
				return nil, &Error{"poll", k.path, ErrGone}
			}
			continue
		}
		return buf, err
	}
}

// take copies one frame out of the kernel's memory and gives the buffer back
// at once: the driver needs all it has.
func (k *kernel) take() (*Buffer, error) {
	b := putBuffer(0)
	if err := k.ioctl("VIDIOC_DQBUF", vidiocDQBuf, b); err != nil {
		return nil, err
	}
	info := parseBuffer(b)
	if info.index >= len(k.buffers) {
		return nil, &Error{"VIDIOC_DQBUF", k.path, fmt.Errorf("the driver names buffer %d of %d", info.index, len(k.buffers))}
	}
	m := k.buffers[info.index]
	out := info.Buffer
	out.Data = append([]byte(nil), m[:min(info.used, len(m))]...)
	if err := k.ioctl("VIDIOC_QBUF", vidiocQBuf, putBuffer(uint32(info.index))); err != nil {
		return nil, err
	}
	return &out, nil
}

func (k *kernel) Stop() error {
	var errs []error
	if k.on {
		errs = append(errs, k.ioctl("VIDIOC_STREAMOFF", vidiocStreamOff, order.AppendUint32(nil, bufTypeCapture)))
		k.on = false
	}
	for _, m := range k.buffers {
		errs = append(errs, unix.Munmap(m))
	}
	if k.buffers != nil {
		b := make([]byte, sizeReqBufs)
		put(b, 4, bufTypeCapture)
		put(b, 8, memoryMMap)
		errs = append(errs, k.ioctl("VIDIOC_REQBUFS", vidiocReqBufs, b))
	}
	k.buffers = nil
	return errors.Join(errs...)
}

func (k *kernel) Close() error {
	err := k.Stop()
	if k.fd >= 0 {
		err = errors.Join(err, unix.Close(k.fd))
		k.fd = -1
	}
	// A device that was unplugged has nothing to be put in order.
	if errors.Is(err, ErrGone) {
		return nil
	}
	return err
}

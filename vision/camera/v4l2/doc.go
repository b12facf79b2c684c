// Package v4l2 speaks to Linux's video devices: what they are, what they can
// deliver, their controls, and their frames as they come.
//
//	System.List ─▶ nodes ── Open ─▶ Device
//	                                  │ Formats, Sizes, Rates        what it could deliver
//	                                  │ SetFormat, SetRate           what it delivers: read the answer
//	                                  │ Controls, Set, Get           exposure, focus, ... : read them back
//	                                  └ Start, Dequeue ..., Stop     frames with the kernel's time and number
//
// It is written in Go on the kernel's own interface (linux/videodev2.h, the
// "Video for Linux API" of the kernel's documentation) rather than on OpenCV's
// VideoCapture, because that one decodes every frame by itself, tells neither
// time nor number of a frame, changes settings behind one's back, says nothing
// of what the camera refused, and cannot be stopped while it waits. Here every
// wait is a poll that ends when it should; what remains is a driver that hangs
// in a system call, which no program can end.
//
// [Device] is an interface, and package v4l2test has a camera that refuses,
// lies, is unplugged and hangs.
package v4l2

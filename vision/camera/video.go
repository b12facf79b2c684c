package camera

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// videoOpenWait is how long the first frame of a video file may take: seconds
// of a slow disk and of a keyframe of large size on a small computer.
const videoOpenWait = 30 * time.Second

// openVideo opens a video file.
func openVideo(ctx context.Context, o SourceOptions, path string, c container) (*ffmpegFeed, error) {
	info := Info{Kind: KindVideo, Name: path}
	have, want, err := fileExtent(path, c)
	if err != nil {
		return nil, err
	}
	if want > have {
		info.Warnings = append(info.Warnings, fmt.Sprintf("%s: the video is cut off (%d of %d bytes are there): frames come up to where it ends; copy it again, if cards are missing", path, have, want))
	}
	// The kind of file is told and only files are opened: what a hostile file
	// names stays unopened.
	input := []string{"-protocol_whitelist", "file,pipe", "-f", c.demuxer}
	p := probe(ctx, o, append(input, "-i", "file:"+path)...)
	info.Format, info.FPS = strings.ToUpper(p.Codec), p.fps()
	switch p.Transfer {
	case "smpte2084", "arib-std-b67":
		info.Warnings = append(info.Warnings, path+": the video is HDR; its colours are approximate here; set the phone's camera to standard colours (SDR)")
	}
	switch p.Fields {
	case "tt", "bb", "tb", "bt":
		info.Warnings = append(info.Warnings, path+": the video is interlaced; edges of moving cards are torn; record progressive frames")
	}
	// Damage ends the frames. ffmpeg would go on with pictures that it guesses
	// from the ones before, and what is wrong in them would look like marks.
	input = append([]string{"-xerror", "-max_pixels", fmt.Sprint(MaxPixels), "-err_detect", "explode", "-fflags", "+discardcorrupt"}, input...)
	return startFFmpeg(ctx, o, info, nil, videoOpenWait, nil, append(input, "-i", "file:"+path)...)
}

// videoFile recognises a path that holds a video.
func videoFile(path string) (container, bool) {
	f, err := openRegular(path)
	if err != nil {
		return container{}, false
	}
	defer f.Close()
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return container{}, false
	}
	return sniffVideo(head[:n])
}

package camera

import (
	"context"
)

// openRTSP opens an RTSP stream.
func openRTSP(ctx context.Context, o SourceOptions, a *address) (*ffmpegFeed, error) {
	info := Info{Kind: KindStream, Name: a.String(), Live: true}
	return startFFmpeg(ctx, o, info, a, httpFirstWait, nil,
		"-rtsp_transport", "tcp", "-timeout", "5000000",
		"-fflags", "nobuffer+discardcorrupt", "-err_detect", "explode",
		"-i", a.raw)
}

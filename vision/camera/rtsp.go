package camera

import (
	"context"
	"fmt"
	"strings"
)

// openRTSP opens an RTSP stream, over TCP: a lost packet of UDP would be a
// damaged picture.
//
// The address is given to ffmpeg on its standard input, as a list of one entry
// (ffmpeg's concat format), because every user of the machine can read the
// arguments of a program, and the password with them.
func openRTSP(ctx context.Context, o SourceOptions, a *address) (*ffmpegFeed, error) {
	info := Info{Kind: KindStream, Name: a.String(), Format: "RTSP", Live: true}
	// Within quotes only a quote ends the name.
	quoted := strings.ReplaceAll(a.url.String(), "'", "%27")
	if strings.ContainsAny(quoted, "\r\n") {
		return nil, &Error{Path: info.Name, Problem: Missing, Text: "the address cannot be understood", Remedy: "write it as rtsp://host:port/path"}
	}
	list := fmt.Sprintf("ffconcat version 1.0\nfile '%s'\noption rtsp_transport tcp\noption timeout 5000000\noption fflags nobuffer+discardcorrupt\noption analyzeduration 500000\noption fpsprobesize 0\n", quoted)
	return startFFmpeg(ctx, o, info, a, httpFirstWait, []byte(list),
		"-protocol_whitelist", "pipe,rtsp,rtp,tcp,udp,tls", "-f", "concat", "-safe", "0",
		"-fflags", "nobuffer+discardcorrupt", "-err_detect", "explode", "-flags", "-output_corrupt",
		"-analyzeduration", "500000", "-fpsprobesize", "0",
		"-i", "pipe:0")
}

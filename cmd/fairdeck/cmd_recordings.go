package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairdeck/internal/plain"
	"fairdeck/internal/store"
	"fairdeck/vision/camera/recording"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newRecordingsCommand(a *app) *cobra.Command {
	return group("recordings", "List recordings, and delete old ones when the disk fills",
		`List the recordings that live passes and 'fairdeck record' have made, and delete
those that are not needed any more. A recording stays until somebody deletes
it: fairdeck never does so by itself.`,
		newRecordingsListCommand(a), newRecordingsPruneCommand(a))
}

// recordingsFolder is the flag that the commands share.
type recordingsFolder struct{ dir string }

func (o *recordingsFolder) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "dir", "", "folder that holds the recordings (default: recordings among the user's data, where live passes go)")
}

// list finds the recordings, the oldest first.
func (o *recordingsFolder) list(a *app) (folder string, all []*recording.Summary, unread int, err error) {
	folder = o.dir
	if folder == "" {
		data, err := store.DefaultDir()
		if err != nil {
			return "", nil, 0, err
		}
		folder = filepath.Join(data, "recordings")
	}
	all, problems, err := recording.List(folder)
	if err != nil {
		return folder, nil, 0, &inputError{err}
	}
	for _, p := range problems {
		a.term.Error("not read: " + harmless(p.Error()))
	}
	slices.SortStableFunc(all, func(x, y *recording.Summary) int { return x.Header.Created.Compare(y.Header.Created) })
	return folder, all, len(problems), nil
}

func newRecordingsListCommand(a *app) *cobra.Command {
	var where recordingsFolder
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Say which recordings there are, with size, age and cards",
		Long: `List the recordings, the oldest first: when they were made, how large they are,
how long, how many cards were seen, from which camera, and whether they were
closed properly. One that was cut off can be replayed up to there.

With --json: a document of schema "recordings/v1".`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			folder, all, unread, err := where.list(a)
			if err != nil {
				return err
			}
			if asJSON {
				err = recordingsJSON(a, folder, all)
			} else {
				tellRecordings(a, folder, all)
			}
			if err == nil && unread > 0 {
				return outcomeInput
			}
			return err
		},
	}
	where.AddFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON on standard output and nothing else")
	return cmd
}

// listedRecording is one of recordings/v1.
type listedRecording struct {
	Dir     string    `json:"dir"`
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Bytes   int64     `json:"bytes"`
	Frames  int       `json:"frames"`
	Cards   int       `json:"cards"`
	SpanS   float64   `json:"span_s"`
	Source  string    `json:"source"`
	Ended   string    `json:"ended"` // why; empty: cut off, damaged, or still being made
}

func recordingsJSON(a *app, folder string, all []*recording.Summary) error {
	list := []listedRecording{}
	for _, s := range all {
		l := listedRecording{
			Dir: s.Dir, ID: s.Header.ID, Created: s.Header.Created, Bytes: s.Bytes, Frames: s.Frames, Cards: s.Cards,
			SpanS: s.Span.Seconds(), Source: s.Header.Source.Name,
		}
		if s.End != nil {
			l.Ended = string(s.End.Reason)
		}
		list = append(list, l)
	}
	enc := json.NewEncoder(a.term.Out())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema     string            `json:"schema"`
		Folder     string            `json:"folder"`
		Recordings []listedRecording `json:"recordings"`
	}{"recordings/v1", folder, list})
}

func tellRecordings(a *app, folder string, all []*recording.Summary) {
	for _, s := range all {
		a.term.Print(recordingLine(s, a.now()))
	}
	a.term.Print(fmt.Sprintf("%d recordings, %s, in %s", len(all), bytesText(sizeOf(all)), plain.Line(folder)))
}

func recordingLine(s *recording.Summary, now time.Time) string {
	end := ""
	if s.End == nil {
		end = "  (not closed)"
	}
	return fmt.Sprintf("%s  %6s  %8s  %2d:%02d min  %3d cards  %s%s", s.Header.Created.Local().Format("2006-01-02 15:04"), ageText(now.Sub(s.Header.Created)),
		bytesText(s.Bytes), int(s.Span.Minutes()), int(s.Span.Seconds())%60, s.Cards, plain.Line(filepath.Base(s.Dir)), end)
}

func sizeOf(all []*recording.Summary) (sum int64) {
	for _, s := range all {
		sum += s.Bytes
	}
	return sum
}

// ageText is an age as people say it.
func ageText(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// pruneOptions are the flags of prune.
type pruneOptions struct {
	where recordingsFolder
	older string
	most  string
	yes   bool
}

func newRecordingsPruneCommand(a *app) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old recordings",
		Long: `Delete recordings by age, or the oldest until the rest fits into a size; with both,
whatever either names. Without --yes nothing is deleted: what would be is
listed. A check that was made stays as it is, but cannot be made again
without its recording.

A recording to which something was written within the last ten minutes is
never deleted: a pass may be making it.`,
		Example: `  fairdeck recordings prune --older-than 30d
  fairdeck recordings prune --older-than 30d --yes
  fairdeck recordings prune --keep-under 20GB --yes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(a) },
	}
	o.where.AddFlags(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&o.older, "older-than", "", "delete those made longer ago than this: 30d, or hours such as 12h")
	f.StringVar(&o.most, "keep-under", "", "delete the oldest until the rest has at most this size, such as 20GB or 500MB")
	f.BoolVar(&o.yes, "yes", false, "really delete them; they cannot be brought back")
	return cmd
}

// inUse is how long after the last write a recording may still be in the
// making: a camera that was lost is waited for that long at most.
const inUse = 10 * time.Minute

func (o *pruneOptions) run(a *app) error {
	age, err := parseAge(o.older)
	if err != nil {
		return err
	}
	most, err := parseBytes(o.most)
	if err != nil {
		return err
	}
	if o.older == "" && o.most == "" {
		return usagef("which recordings? Give --older-than, --keep-under, or both")
	}
	_, all, unread, err := o.where.list(a)
	if err != nil {
		return err
	}
	now := a.now()
	rest := sizeOf(all)
	var gone []*recording.Summary
	for _, s := range all { // the oldest first
		old := o.older != "" && now.Sub(s.Header.Created) > age
		if !old && !(o.most != "" && rest > most) {
			continue
		}
		if now.Sub(s.Last) < inUse {
			a.term.Error("kept, it may still be made: " + plain.Line(s.Dir))
			continue
		}
		rest -= s.Bytes
		gone = append(gone, s)
	}
	var failed error
	freed := int64(0)
	for _, s := range gone {
		if !o.yes {
			a.term.Print("would delete  " + recordingLine(s, now))
			freed += s.Bytes
			continue
		}
		kept, err := recording.Remove(s.Dir)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		freed += s.Bytes
		a.term.Print("deleted  " + recordingLine(s, now))
		if kept {
			a.term.Error("its folder stays, there is something else in it: " + plain.Line(s.Dir))
		}
	}
	if o.yes {
		a.term.Print(fmt.Sprintf("%s freed; %s of recordings are left", bytesText(freed), bytesText(sizeOf(all)-freed)))
	} else {
		a.term.Print(fmt.Sprintf("%d recordings, %s, would be deleted; nothing was. Give --yes to delete them", len(gone), bytesText(freed)))
	}
	if failed == nil && unread > 0 {
		return outcomeInput
	}
	return failed
}

// parseAge reads an age in days or as Go writes durations; empty is 0.
func parseAge(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	wrong := usagef("--older-than %s: want an age such as 30d or 12h", plain.Line(s))
	if days, ok := strings.CutSuffix(s, "d"); ok {
		// A century: what is longer is a slip, and would overflow.
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, wrong
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, wrong
	}
	return d, nil
}

// parseBytes reads a size as disks are sold; empty is 0.
func parseBytes(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	for _, u := range []struct {
		name string
		size float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}} {
		if number, ok := strings.CutSuffix(strings.ToUpper(s), u.name); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(v >= 0 && v*u.size < 1e18) {
				break
			}
			return int64(v * u.size), nil
		}
	}
	return 0, usagef("--keep-under %s: want a size such as 20GB or 500MB", plain.Line(s))
}

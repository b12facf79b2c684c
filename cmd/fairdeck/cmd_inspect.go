package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairdeck/internal/check"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/report"
	"fairdeck/internal/ui"
	"fairdeck/internal/wording"
	"fairdeck/vision/card"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	out         string
	json        bool
	csv         bool
	force       bool
	size        string
	profile     string
	rate        float64
	distance    float64
	onePerFrame bool
	grid        bool
	rules       inspectRules
	whole       wholeDeck
	stream      streamOptions
}

// AddFlags declares the flags.
func (o *inspectOptions) AddFlags(f *pflag.FlagSet) {
	o.addOutput(f)
	o.addInspection(f)
	o.whole.AddFlags(f)
	o.stream.AddFlags(f)
	o.rules.AddFlags(f)
}

// addOutput declares the flags that replay shares.
func (o *inspectOptions) addOutput(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "out", "o", "", "folder for report.html and check.json (default: named after the source and the time)")
	f.BoolVar(&o.json, "json", false, "print check.json on standard output and nothing else; files are written only with --out")
	f.BoolVar(&o.csv, "csv", false, "write sleeves.csv as well, for a spreadsheet: one row for each mark")
	f.BoolVar(&o.force, "force", false, "overwrite a report that is in the folder already")
}

// addInspection declares the flags that evaluate shares.
func (o *inspectOptions) addInspection(f *pflag.FlagSet) {
	f.StringVar(&o.size, "size", "", "outer size of the sleeves: standard, japanese, or WIDTHxHEIGHT in mm such as 66x91 (default: estimated)")
	f.StringVar(&o.profile, "profile", "", "the station's profile, made by fairdeck calibrate; default names the one in your folder for settings, none asks for none (without it: that one for a live source where it fits, none for pictures and videos)")
	f.Float64Var(&o.rate, "false-alarm-rate", 0.01, "aimed-at share of clean decks in which any sleeve is flagged, 0.0001 to 0.5")
	f.Float64Var(&o.distance, "distance", 400, "playing distance in mm, for what a player sees")
	f.BoolVar(&o.onePerFrame, "one-per-frame", false, "each picture is one sleeve; other cards in view are not of the deck")
	f.BoolVar(&o.grid, "grid", false, "every card in every picture is one sleeve")
}

func newInspectCommand(a *app) *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect SOURCE... | --main SOURCE [--side SOURCE] [--extra SOURCE]",
		Short: "Compare the sleeves of a deck and write a report for the judge",
		Long: `Compare the sleeve backs of one deck with each other and write a report.

A SOURCE is a picture (JPEG, PNG, TIFF, WebP, BMP), a folder of pictures, or a
pattern such as 'photos/back_*.jpg'. Pictures show one sleeve each, in the
deck's order, or many sleeves laid out in a grid; fairdeck looks which it is
and says so.

A SOURCE may also be a camera (0, /dev/video0, a part of its name), a stream
(http:// of a phone-camera app, rtsp://), a video or a recording. Deal the
backs under it one at a time: each card that lies still is counted, with a
bell; one that cannot be used is said at once, to be dealt again. No key is
needed: the pass ends by itself after --end-after without a card, or when
--cards were seen. A live pass is recorded, and 'fairdeck replay' checks it
again.

Where the station's profile has zones, the backs are looked for in the back
zone alone: there each is seen once, as the top of the deck that is dealt from
or on the pile that is dealt to. --zone names another, or the whole frame.

A whole deck is one check when its parts are given apart: --main, --side and
--extra. Each part has its own section in the report, and its sleeves are
numbered by themselves. Parts whose sleeves have to be the same by the rule
book (without --ruleset: main and side) are compared with each other, the
others each by itself. The cards of each part are counted; what pictures alone
show leads to no penalty, --count states what a person counted. --languages
answers whether the cards are in several languages; it is never guessed.

The report (report.html, one file that opens and prints anywhere) begins with
the verdict, then shows each sleeve that can be told from the rest. The same
is in check.json for programs; its schema is "check/v1".

With --ruleset the report names the clauses that the findings fall under, with
the book's own words beside the rendering, and what it suggests; the judge
decides. --lang chooses the language of report, table and terminal: en,
zh-Hans, zh-Hant or ja; check.json is the same in every language.`,
		Example: `  fairdeck inspect photos/
  fairdeck inspect --size japanese --out round3-table12 'IMG_*.jpg'
  fairdeck inspect --lang ja --ruleset bushiroad-floor --level 2 --csv photos/
  fairdeck inspect --ruleset cnc-2011 --main main/ --side side/ --extra extra/ --languages one
  fairdeck inspect --cards 60 0
  fairdeck inspect --cards 40 http://phone:8080/video
  fairdeck inspect --json photos/ | jq .verdict`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.whole.givesParts() {
				return nil
			}
			return somePictures(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

// checkOptions turns the flags into options, or says what is wrong with them.
func (o *inspectOptions) checkOptions() (check.Options, error) {
	size, err := parseSize(o.size)
	if err != nil {
		return check.Options{}, err
	}
	// Beyond one half "flagged" would mean nothing; below 1 in 10,000 the
	// deck's noise is not known well enough to promise it.
	if !(o.rate >= 0.0001 && o.rate <= 0.5) {
		return check.Options{}, usagef("--false-alarm-rate %g: want 0.0001 to 0.5", o.rate)
	}
	if !(o.distance >= 50 && o.distance <= 5000) {
		return check.Options{}, usagef("--distance %g: want 50 to 5000 mm", o.distance)
	}
	out := check.Options{Size: size, FalseAlarmRate: o.rate, ViewingDistanceMM: o.distance}
	if out.Profile, err = namedProfile(o.profile); err != nil {
		return check.Options{}, err
	}
	switch {
	case o.onePerFrame && o.grid:
		return check.Options{}, usagef("--one-per-frame and --grid exclude each other")
	case o.onePerFrame:
		out.Layout = check.OnePerFrame
	case o.grid:
		out.Layout = check.Grid
	}
	return out, nil
}

var sizePattern = regexp.MustCompile(`^(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)$`)

// parseSize reads --size.
func parseSize(s string) (card.Size, error) {
	switch s {
	case "":
		return card.Size{}, nil
	case "standard":
		return card.Size{Name: "standard sleeve", WidthMM: 66, HeightMM: 91}, nil
	case "japanese":
		return card.Size{Name: "japanese sleeve", WidthMM: 62, HeightMM: 89}, nil
	}
	m := sizePattern.FindStringSubmatch(strings.ToLower(s))
	if m == nil {
		return card.Size{}, usagef("--size %q: want standard, japanese or WIDTHxHEIGHT in mm such as 66x91", s)
	}
	// The pattern admits numbers alone.
	w, _ := strconv.ParseFloat(m[1], 64)
	h, _ := strconv.ParseFloat(m[2], 64)
	// Mini sleeves are 41 mm wide, the largest tarot sleeves 125 mm high.
	if w < 30 || h > 150 || w >= h {
		return card.Size{}, usagef("--size %s: want the shorter side first, 30 mm or more, and at most 150 mm high", s)
	}
	return card.Size{WidthMM: w, HeightMM: h}, nil
}

func (o *inspectOptions) run(ctx context.Context, a *app, args []string) error {
	opts, err := o.checkOptions()
	if err != nil {
		return err
	}
	if opts.Parts, err = o.whole.parts(args); err != nil {
		return err
	}
	opts.Patterns, opts.Now = args, a.now()
	if len(opts.Parts) > 0 {
		if o.rules.part != "" {
			return usagef("--part is for a deck without parts; --main, --side and --extra say it already")
		}
		args = opts.Parts[0].Patterns
	}
	var dir *outDir
	if o.out != "" || !o.json {
		if dir, err = newOutDir(o.out, args, opts.Now, o.force); err != nil {
			return err
		}
	}
	if o.csv && dir == nil {
		return usagef("--csv writes a file; with --json give --out as well")
	}
	if err := o.rules.prepare(ctx, dir != nil); err != nil {
		return err
	}
	if opts.Alike, err = o.rules.alike(); err != nil {
		return err
	}
	dealt, err := o.look(ctx, a, opts, args)
	if err != nil {
		return err
	}
	c, evidence := dealt.Check, dealt.Evidence
	if c.Told, err = o.whole.told(); err != nil {
		return err
	}
	sheet, err := o.rules.sheet(c)
	if err != nil {
		return err
	}
	p := o.rules.print
	if dir != nil {
		files := map[string]func(io.Writer) error{
			"check.json": c.Encode,
			"report.html": func(w io.Writer) error {
				return report.HTML(w, c, evidence, report.Options{Print: p, Sheet: sheet})
			},
		}
		if o.csv {
			files[tableName] = func(w io.Writer) error { return report.Table(w, c, report.Options{Print: p}) }
		}
		o.rules.addFile(files, sheet)
		pictureFiles(files, dealt)
		if err := dir.write(ctx, files); err != nil {
			return err
		}
	}
	if o.json {
		if err := c.Encode(a.term.Out()); err != nil {
			return err
		}
	} else {
		tell(a.term, c, p)
		a.term.Print("")
		a.term.Print(p.Text("terminal.report", locale.Args{"file": filepath.Join(dir.path, "report.html")}))
		if sheet != nil {
			a.term.Print(p.Text("terminal.rules", locale.Args{"file": filepath.Join(dir.path, rulingName)}))
		}
		if o.csv {
			a.term.Print(p.Text("terminal.table", locale.Args{"file": filepath.Join(dir.path, tableName)}))
		}
		for _, l := range wording.Lines(c, p) {
			a.term.Print(l)
		}
	}
	if dir != nil { // the judge has the verdict, whatever becomes of the record
		if err := o.rules.store(ctx, a, dir.path); err != nil {
			return err
		}
	}
	return verdictOutcome(c)
}

// look gets the check from pictures or from a source in time.
func (o *inspectOptions) look(ctx context.Context, a *app, opts check.Options, args []string) (*check.Dealt, error) {
	for _, p := range opts.Parts {
		if i := slices.IndexFunc(p.Patterns, surelyStream); i >= 0 {
			return nil, usagef("%s: a deck in parts is inspected from pictures; give a camera, stream, video or recording alone, with --cards", p.Patterns[i])
		}
	}
	streams := slices.ContainsFunc(args, isStream)
	if len(args) > 1 && !o.stream.asStream {
		// A video or a device file that a pattern swept up among pictures is
		// named in the check and costs the others nothing. A recording is a
		// folder on purpose.
		swept := func(spec string) bool {
			info, err := os.Stat(spec)
			return err == nil && !info.IsDir()
		}
		streams = slices.ContainsFunc(args, func(spec string) bool { return isStream(spec) && !swept(spec) })
	}
	switch {
	case !streams && !o.stream.asStream || len(opts.Parts) > 0:
		c, e, err := a.check(ctx, opts)
		return &check.Dealt{Check: c, Evidence: e}, err
	case len(args) > 1:
		return nil, usagef("one camera, stream, video or recording at a time")
	}
	if err := o.stream.check(opts); err != nil {
		return nil, err
	}
	d := &dealer{
		a: a, print: o.rules.print, o: &o.stream, opts: opts, profile: o.profile, json: o.json,
		settings: passSettings{Size: o.size, Rate: o.rate, Distance: o.distance, Cards: o.stream.pass.cards, Unused: o.stream.unused},
	}
	return d.inspect(ctx, args[0])
}

// check runs an inspection with a progress display.
func (a *app) check(ctx context.Context, opts check.Options) (*record.Check, *record.Evidence, error) {
	if err := setupVision(); err != nil {
		return nil, nil, err
	}
	p := ui.NewProgress(a.term, time.Now)
	opts.Progress = func(s check.Stage, done, total int) { p.Set(string(s), done, total) }
	c, e, err := check.Run(ctx, opts)
	p.Done()
	var none *check.InputError
	if errors.As(err, &none) {
		err = &inputError{err}
	}
	return c, e, err
}

// tell lists what went wrong with the input.
func tell(term ui.Terminal, c *record.Check, p locale.Printer) {
	of := func(file, text string) string {
		if file == "" {
			return text
		}
		return p.Text("report.note-of", locale.Args{"file": plain.Line(file), "text": text})
	}
	for i := range c.Problems {
		pr := &c.Problems[i]
		text, remedy := wording.Problem(p, pr)
		text = p.Clauses([]string{text, remedy})
		if pr.Sleeve > 0 {
			where := p.Text("terminal.sleeve", locale.Args{"n": strconv.Itoa(pr.Sleeve)})
			if len(c.Parts) > 0 {
				where = wording.Sleeve(p, c, pr.Sleeve)
			}
			text = of(where, text)
		}
		text = of(pr.File, text)
		if pr.Sleeve == 0 {
			text = wording.InPart(p, pr.Part, text)
		}
		term.Error(p.Text("terminal.problem", locale.Args{"text": text}))
	}
	for i := range c.Warnings {
		w := &c.Warnings[i]
		term.Error(p.Text("terminal.note", locale.Args{"text": wording.InPart(p, w.Part, of(w.File, wording.Warning(p, w)))}))
	}
}

// verdictOutcome is the exit code's side of the verdict. A flagged sleeve
// outweighs input that could not be read, which outweighs what was not good
// enough.
func verdictOutcome(c *record.Check) error {
	switch {
	case c.Verdict.Level == record.Flagged:
		return outcomeFlagged
	case slices.ContainsFunc(c.Problems, unread):
		return outcomeInput
	case c.Verdict.Level == record.NotGoodEnough, c.Verdict.Level == record.Incomplete:
		return outcomeNotGood
	}
	return nil
}

// unread reports whether a problem is input that could not be read.
func unread(p record.Problem) bool { return strings.HasPrefix(p.Code, "input-") }

// defaultOut names the output folder after the first source.
func defaultOut(args []string, now time.Time) string {
	base := filepath.Base(filepath.Clean(args[0]))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = strings.Trim(regexp.MustCompile(`[^\p{L}\p{N}_-]+`).ReplaceAllString(base, "-"), "-")
	if base == "" {
		base = "deck"
	}
	const longest = 60 // runes; a folder's name may have 255 bytes
	if r := []rune(base); len(r) > longest {
		base = string(r[:longest])
	}
	return "fairdeck-" + base + "-" + now.Format("20060102-150405")
}

// exists reports whether something is at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

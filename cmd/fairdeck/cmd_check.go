package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"fairdeck/internal/check"
	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/report"
	"fairdeck/internal/wording"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkOptions are the flags of check.
type checkOptions struct {
	inspectOptions
	faces    faceFlags
	backs    []string
	fronts   []string
	reversed bool
}

// AddFlags declares the flags.
func (o *checkOptions) AddFlags(f *pflag.FlagSet) {
	o.addOutput(f)
	o.addInspection(f)
	o.rules.AddFlags(f)
	o.faces.AddFlags(f)
	o.stream.pass.AddFlags(f, 30_000_000_000) // 30 s, as for inspect
	f.BoolVar(&o.stream.noRecord, "no-record", false, "do not record the pass; its check cannot be made again then")
	f.StringVar(&o.stream.keepIn, "recording", "", "folder for the recording of the pass (default: by date and time, among the user's data)")
	f.StringArrayVar(&o.backs, "backs", nil, "two passes: pictures of the backs, in the deck's order")
	f.StringArrayVar(&o.fronts, "faces", nil, "two passes: pictures of the faces of the same cards, in the same order")
	f.BoolVar(&o.reversed, "reversed", false, "two passes: the faces come in the reverse order, as when the dealt pile was turned over")
}

func newCheckCommand(a *app) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check SOURCE | --backs SOURCE --faces SOURCE",
		Short: "Check a whole deck: sleeves, order, and marks shared by particular cards",
		Long: `Check a whole deck in one go: compare the sleeves, read the faces and their
order, count the copies, and ask whether marks go together with particular
cards. One report, one check.json.

SOURCE is a camera, stream, video or recording of a one-pass deal: the deck
lies face down, and its cards are dealt one by one, face up, onto a second
pile. Each card's back is seen while it is the top of the deck, its face a
moment later; which back belongs to which face follows from the times. A card
that was seen on one side only is told, and never paired with another.

With --backs and --faces the two sides come as pictures, in the same order or,
with --reversed, in the opposite one.

What marks have to do with faces is a count with an exact chance, such as "all
4 copies of F7, and no other card; chance 1 in 33,000". It is a fact about the
deck, says nothing about anybody's intent, and decides nothing.`,
		Example: `  fairdeck check --cards 60 0
  fairdeck check --list list.txt ~/.local/share/fairdeck/recordings/20261130-143000
  fairdeck check --backs backs/ --faces faces/ --reversed --out table12`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(o.backs) > 0 || len(o.fronts) > 0 {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func (o *checkOptions) run(ctx context.Context, a *app, args []string) error {
	opts, err := o.checkOptions()
	if err != nil {
		return err
	}
	opts.Now = a.now()
	two := len(o.backs) > 0 || len(o.fronts) > 0
	switch {
	case two && (len(o.backs) == 0 || len(o.fronts) == 0):
		return usagef("--backs and --faces go together; for one of them alone use fairdeck inspect or fairdeck order")
	case o.reversed && !two:
		return usagef("--reversed is for --backs and --faces; in one pass each card's sides are seen together")
	case two && slices.ContainsFunc(slices.Concat(o.backs, o.fronts), surelyStream):
		return usagef("--backs and --faces take pictures; a camera, stream, video or recording of a one-pass deal stands alone")
	case !two && !isStream(args[0]):
		return usagef("%s: pictures show one side of a card; give both sides with --backs and --faces", args[0])
	}
	f, err := o.faces.options()
	if err != nil {
		return err
	}
	names := args
	if two {
		names = o.backs
	}
	var dir *outDir
	if o.out != "" || !o.json {
		if dir, err = newOutDir(o.out, names, opts.Now, o.force); err != nil {
			return err
		}
	}
	if o.csv && dir == nil {
		return usagef("--csv writes a file; with --json give --out as well")
	}
	if err := o.rules.prepare(ctx, dir != nil); err != nil {
		return err
	}
	if err := setupVision(); err != nil {
		return err
	}
	var whole *check.Whole
	if two {
		whole, err = check.TwoPasses(ctx, opts, f, o.backs, o.fronts, o.reversed)
	} else {
		p := &facePass{pass: o.stream.pass, profile: o.profile, noRecord: o.stream.noRecord, keepIn: o.stream.keepIn, print: o.rules.print,
			settings: passSettings{Size: o.size, Rate: o.rate, Distance: o.distance, Cards: o.stream.pass.cards}}
		table, pass, e := p.run(ctx, a, args[0], opts)
		if e != nil {
			return e
		}
		whole, err = table.OnePass(ctx, pass, f)
	}
	var none *check.InputError
	var nothing *check.NothingSeenError
	var answer *check.AnswerError
	if errors.As(err, &none) || errors.As(err, &nothing) || errors.As(err, &answer) {
		err = &inputError{err}
	}
	if err != nil {
		return err
	}
	return o.deliver(ctx, a, dir, whole)
}

// deliver writes what was found and tells it.
func (o *checkOptions) deliver(ctx context.Context, a *app, dir *outDir, whole *check.Whole) error {
	c, p := whole.Check, o.rules.print
	sheet, err := o.rules.sheet(c)
	if err != nil {
		return err
	}
	if dir != nil {
		whole.Evidence.Faces = whole.Faces
		files := map[string]func(io.Writer) error{
			"check.json": c.Encode,
			"report.html": func(w io.Writer) error {
				return report.HTML(w, c, whole.Evidence, report.Options{Print: p, Sheet: sheet})
			},
		}
		if o.csv {
			files[tableName] = func(w io.Writer) error { return report.Table(w, c, report.Options{Print: p}) }
		}
		if c.Order != nil {
			files["order.csv"] = func(w io.Writer) error { return orderCSV(w, c) }
			files["questions.csv"] = func(w io.Writer) error { return questionsCSV(w, c) }
			faceFiles(files, c, whole.Faces)
		}
		o.rules.addFile(files, sheet)
		pictureFiles(files, &whole.Dealt)
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
		for _, l := range wording.Lines(c, p) {
			a.term.Print(l)
		}
		tellFaces(a, c)
	}
	if dir != nil {
		if err := o.rules.store(ctx, a, dir.path); err != nil {
			return err
		}
	}
	out := verdictOutcome(c)
	if out == nil && c.Order != nil {
		out = orderOutcome(c)
	}
	return out
}

// tellFaces adds order and patterns to what is printed.
func tellFaces(a *app, c *record.Check) {
	if c.Order != nil {
		tellOrder(a, c)
	}
	if c.Patterns == nil {
		return
	}
	for _, f := range c.Patterns.Facts {
		if f.Shared {
			a.term.Print(f.Sentence)
		}
	}
}

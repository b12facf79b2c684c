package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"fairdeck/internal/check"
	"fairdeck/internal/record"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// orderOptions are the flags of order.
type orderOptions struct {
	out   string
	json  bool
	force bool
	size  string
	faces faceFlags
	pass  facePass
	lang  bookOptions
}

// AddFlags declares the flags.
func (o *orderOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.out, "out", "o", "", "folder for order.csv, check.json, questions.csv and the faces' pictures; nothing is printed on standard output then")
	f.BoolVar(&o.json, "json", false, "print the order as JSON (order/v1) instead of CSV")
	f.BoolVar(&o.force, "force", false, "overwrite what is in the folder already")
	f.StringVar(&o.size, "size", "", "outer size of the sleeves: standard, japanese, or WIDTHxHEIGHT in mm (default: estimated)")
	f.StringVar(&o.pass.profile, "profile", "", "the station's profile, made by fairdeck calibrate; default and none as for inspect")
	o.faces.AddFlags(f)
	o.pass.AddFlags(f)
	o.lang.addLanguage(f)
}

func newOrderCommand(a *app) *cobra.Command {
	var o orderOptions
	cmd := &cobra.Command{
		Use:   "order SOURCE...",
		Short: "Read the order of a deck from its faces, without a card database",
		Long: `Read the order of a deck from its faces, top first, and print it as CSV
(place, card, confidence), which 'fairdeck shuffle score' reads.

A SOURCE is pictures of the faces, one card a picture or laid out in a grid,
or a camera, stream, video or recording under which they are dealt one at a
time. There is no card database: the deck itself teaches which cards are
copies of one face. Faces are called F1, F2 ... unless --names or --reference
gives them names.

What is not seen is a gap ("?"), never a guess. Readings that are not certain
are told; with --out they are in questions.csv, with a picture of both cards
for each. Write same or different into its column answer and give the file
back with --answers.`,
		Example: `  fairdeck order faces/ > before.csv
  fairdeck order --reference known-cards/ --list list.txt --out round3 faces/
  fairdeck order --answers round3/questions.csv --out round3 --force faces/
  fairdeck shuffle score --before before.csv --after after.csv`,
		Args: somePictures,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func (o *orderOptions) run(ctx context.Context, a *app, args []string) error {
	size, err := parseSize(o.size)
	if err != nil {
		return err
	}
	opts := check.Options{Size: size, Now: a.now()}
	if opts.Profile, err = namedProfile(o.pass.profile); err != nil {
		return err
	}
	f, err := o.faces.options()
	if err != nil {
		return err
	}
	if o.pass.print, err = o.lang.printer(); err != nil {
		return err
	}
	var dir *outDir
	if o.out != "" {
		if dir, err = newOutDir(o.out, args, opts.Now, o.force); err != nil {
			return err
		}
	}
	out, err := a.readOrder(ctx, args, opts, f, &o.pass)
	if err != nil {
		return err
	}
	c := out.Check
	write := orderCSV
	if o.json {
		write = orderJSON
	}
	if dir != nil {
		files := map[string]func(io.Writer) error{
			"check.json": c.Encode, "order.csv": func(w io.Writer) error { return orderCSV(w, c) },
			"questions.csv": func(w io.Writer) error { return questionsCSV(w, c) },
		}
		faceFiles(files, c, out.Faces)
		if err := dir.write(ctx, files); err != nil {
			return err
		}
	} else {
		var b bytes.Buffer
		if err := write(&b, c); err != nil {
			return err
		}
		if _, err := a.term.Out().Write(b.Bytes()); err != nil {
			return err
		}
	}
	tell(a.term, c, o.pass.print)
	tellOrder(a, c)
	return orderOutcome(c)
}

// tellOrder says on the terminal's error side what was read.
func tellOrder(a *app, c *record.Check) {
	gaps, open := 0, 0
	for _, p := range c.Order.Cards {
		if p.Face == "" {
			gaps++
		}
	}
	for _, q := range c.Order.Questions {
		if q.Answer == "" {
			open++
		}
	}
	a.term.Error(fmt.Sprintf("%d cards, %d faces, %d gaps, %d questions", len(c.Order.Cards), len(c.Faces), gaps, open))
	if l := c.List; l != nil && l.Matched {
		for _, x := range l.Lines {
			if x.Seen+x.Doubt != x.Count {
				a.term.Error(fmt.Sprintf("%s: %d in the list, %d seen, %d more not certain", x.Name, x.Count, x.Seen, x.Doubt))
			}
		}
	}
}

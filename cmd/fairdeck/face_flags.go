package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"fairdeck/internal/check"
	"fairdeck/internal/cv"
	"fairdeck/internal/decklist"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/vision/frame"

	"github.com/spf13/pflag"
)

// faceFlags are the flags of every command that reads faces.
type faceFlags struct {
	list       string
	references []string
	names      string
	answers    string
}

// AddFlags declares the flags.
func (o *faceFlags) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.list, "list", "", `registered deck list: "4 Island" a line with headings for class and part, .csv (card,count,class,part), or .ydk`)
	f.StringArrayVar(&o.references, "reference", nil, "pictures of cards whose file names are the cards' names (may be given several times)")
	f.StringVar(&o.names, "names", "", "CSV with place, name and class: what the card at a place is called; its copies are then, too")
	f.StringVar(&o.answers, "answers", "", "CSV with a, b and answer (same or different): a person's answers to the questions of an earlier reading")
}

// options reads the files.
func (o *faceFlags) options() (check.FaceOptions, error) {
	out := check.FaceOptions{References: o.references}
	if o.list != "" {
		l, err := readFile(o.list, decklist.Read)
		var bad *decklist.Error
		if errors.As(err, &bad) {
			err = &inputError{err}
		}
		if err != nil {
			return out, err
		}
		out.List = l
	}
	if o.names != "" {
		rows, err := readFile(o.names, func(r io.Reader, name string) ([][]string, error) {
			return smallTable(r, name, "place", "name", "class")
		})
		if err != nil {
			return out, err
		}
		for i, row := range rows {
			place, err := strconv.Atoi(row[0])
			if err != nil || place < 1 {
				return out, &inputError{fmt.Errorf("%s: row %d: place %q is not a number from 1 on", o.names, i+1, plain.Line(row[0]))}
			}
			out.Names = append(out.Names, check.FaceName{Place: place, Name: row[1], Class: row[2]})
		}
	}
	if o.answers != "" {
		rows, err := readFile(o.answers, func(r io.Reader, name string) ([][]string, error) { return smallTable(r, name, "a", "b", "answer") })
		if err != nil {
			return out, err
		}
		for i, row := range rows {
			a, err1 := strconv.Atoi(row[0])
			b, err2 := strconv.Atoi(row[1])
			answer := strings.ToLower(row[2])
			if answer == "" {
				continue // open still
			}
			if err1 != nil || err2 != nil || answer != record.AnswerSame && answer != record.AnswerDifferent {
				return out, &inputError{fmt.Errorf("%s: row %d: want two places and same or different", o.answers, i+1)}
			}
			out.Answers = append(out.Answers, check.FaceAnswer{A: a, B: b, Same: answer == record.AnswerSame})
		}
	}
	return out, nil
}

// readFile opens a file and hands it to read under its name.
func readFile[T any](path string, read func(io.Reader, string) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var zero T
		return zero, &inputError{err} // names the file and the cause
	}
	defer f.Close() // read only
	return read(f, path)
}

// smallTable reads a CSV file with a header; the columns come in the order
// asked for, and those that are not there are empty. Other columns are left
// aside, as the written questions have one with a sentence.
func smallTable(r io.Reader, name string, columns ...string) ([][]string, error) {
	const most = 1 << 20
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", name, err)}
	}
	if len(data) > most {
		return nil, &inputError{fmt.Errorf("%s: larger than %d bytes: this is no such table", name, most)}
	}
	cr := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	cr.FieldsPerRecord = -1
	rows, err := cr.ReadAll()
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: not valid CSV: %w", name, err)}
	}
	if len(rows) == 0 {
		return nil, &inputError{fmt.Errorf("%s: empty; the first line names the columns %s", name, strings.Join(columns, ", "))}
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = slices.IndexFunc(rows[0], func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), c) })
	}
	if at[0] < 0 {
		return nil, &inputError{fmt.Errorf("%s: no column named %s", name, columns[0])}
	}
	var out [][]string
	for _, row := range rows[1:] {
		line := make([]string, len(columns))
		for i, k := range at {
			if k >= 0 && k < len(row) {
				line[i] = strings.TrimSpace(row[k])
			}
		}
		out = append(out, line)
	}
	return out, nil
}

// orderCSV writes an order as shuffle score reads it.
func orderCSV(w io.Writer, c *record.Check) error {
	cw := csv.NewWriter(w)
	if err := cw.Write([]string{"place", "card", "confidence"}); err != nil {
		return err
	}
	for _, p := range c.Order.Cards {
		name, conf := "?", ""
		if f := c.FaceOf(p.Face); f != nil {
			name, conf = cellName(f), strconv.FormatFloat(p.Confidence, 'f', 4, 64)
		}
		if err := cw.Write([]string{strconv.Itoa(p.Place), name, conf}); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// cellName is a face's name in a table. Two faces of one name stay two cards.
func cellName(f *record.Face) string { return plain.Cell(f.Called()) }

// questionsCSV writes the open questions, to be answered in the last column.
func questionsCSV(w io.Writer, c *record.Check) error {
	cw := csv.NewWriter(w)
	if err := cw.Write([]string{"a", "b", "answer", "question"}); err != nil {
		return err
	}
	for _, q := range c.Order.Questions {
		text := fmt.Sprintf("Are the cards at places %d and %d copies of one card? They differ most at %.0f mm from the left and %.0f mm from the top; likely: %.0f%%.", q.Places[0], q.Places[1], q.AtMM.X, q.AtMM.Y, 100*q.Same)
		if err := cw.Write([]string{strconv.Itoa(q.Places[0]), strconv.Itoa(q.Places[1]), q.Answer, text}); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// faceFiles adds the pictures of the faces, and of each open question one with
// both cards side by side.
func faceFiles(files map[string]func(io.Writer) error, c *record.Check, faces []*frame.Image) {
	put := func(name string, m *frame.Image) {
		files[name] = func(w io.Writer) error {
			data, err := cv.EncodePNG(m, 1)
			if err != nil {
				return err
			}
			_, err = w.Write(data)
			return err
		}
	}
	for i, m := range faces {
		if m != nil {
			put(check.FaceFile(i+1), m)
		}
	}
	for _, q := range c.Order.Questions {
		a, b := q.Places[0]-1, q.Places[1]-1
		if q.Answer == "" && a < len(faces) && b < len(faces) && faces[a] != nil && faces[b] != nil {
			put("questions/"+q.ID+".png", sideBySide(faces[a], faces[b]))
		}
	}
}

// sideBySide is one picture of two, a little apart.
func sideBySide(a, b *frame.Image) *frame.Image {
	const gap = 8
	m := frame.New(a.Width+gap+b.Width, max(a.Height, b.Height))
	for _, p := range []struct {
		img *frame.Image
		at  image.Point
	}{{a, image.Pt(0, 0)}, {b, image.Pt(a.Width+gap, 0)}} {
		for y := range p.img.Height {
			copy(m.Pix[3*(y*m.Width+p.at.X):], p.img.Pix[3*y*p.img.Width:3*(y+1)*p.img.Width])
		}
	}
	return m
}

// orderOutcome is the exit code's side of an order.
func orderOutcome(c *record.Check) error {
	if slices.ContainsFunc(c.Problems, unread) {
		return outcomeInput
	}
	if slices.ContainsFunc(c.Order.Cards, func(p record.Placed) bool { return p.Face == "" }) ||
		slices.ContainsFunc(c.Order.Questions, func(q record.FaceQuestion) bool { return q.Answer == "" }) {
		return outcomeNotGood
	}
	return nil
}

// readOrder reads the faces of any source: pictures, or a pass.
func (a *app) readOrder(ctx context.Context, args []string, opts check.Options, f check.FaceOptions, p *facePass) (*check.Faced, error) {
	if err := setupVision(); err != nil {
		return nil, err
	}
	var out *check.Faced
	var err error
	if slices.ContainsFunc(args, isStream) {
		if len(args) > 1 {
			return nil, usagef("one camera, stream, video or recording at a time")
		}
		table, pass, e := p.run(ctx, a, args[0], opts)
		if e != nil {
			return nil, e
		}
		out, err = table.Order(ctx, pass, f)
	} else {
		opts.Patterns = args
		out, err = check.ReadFaces(ctx, opts, f)
	}
	var none *check.InputError
	var nothing *check.NothingSeenError
	var answer *check.AnswerError
	if errors.As(err, &none) || errors.As(err, &nothing) || errors.As(err, &answer) {
		err = &inputError{err}
	}
	return out, err
}

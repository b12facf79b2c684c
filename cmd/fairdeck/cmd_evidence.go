package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fairdeck/internal/evidence"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/rules/ledger"
	"fairdeck/internal/store"

	"github.com/spf13/cobra"
)

func newEvidenceCommand(a *app) *cobra.Command {
	return group("evidence", "Keep checks so that any later change shows, export and verify them", "",
		newEvidenceKeepCommand(a), newEvidenceListCommand(a), newEvidenceExportCommand(a), newEvidenceVerifyCommand(a))
}

func newEvidenceKeepCommand(a *app) *cobra.Command {
	var where storeOptions
	var player playerOptions
	var tournament, id string
	cmd := &cobra.Command{
		Use:   "keep FOLDER",
		Short: "Store what inspect wrote, with the pictures it was made from",
		Long: `Store the check.json, report.html, ruling.html and sleeves.csv that inspect
wrote, with the pictures the check was made from. Each picture must still be what it was then.

The check's ID, which export wants, is printed on standard output.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id != "" && !store.GoodID(id) {
				return usagef("--id: want up to 200 letters, digits and . _ : -, the first a letter or digit")
			}
			return where.withStore(cmd.Context(), func(s *store.Store) error {
				r, err := keepFolder(cmd.Context(), s, args[0], id, tournament, player)
				if err != nil {
					return err
				}
				a.term.Print(r.Envelope.ID)
				a.term.Error("stored as record " + fmt.Sprint(r.Envelope.Seq) + ", hash " + r.Hash)
				return nil
			})
		},
	}
	f := cmd.Flags()
	where.AddFlags(f)
	player.AddFlags(f)
	f.StringVar(&tournament, "tournament", "", "the tournament's name")
	f.StringVar(&id, "id", "", "ID for the check (default: its time and the beginning of its hash)")
	return cmd
}

// keepFolder stores a check from the folder that inspect wrote.
func keepFolder(ctx context.Context, s *store.Store, folder, id, tournament string, player playerOptions) (store.Record, error) {
	d, err := checkDraft(folder, id)
	if err != nil {
		return store.Record{}, err
	}
	d.Tournament = tournament
	p, err := player.find(ctx, s, true)
	if err != nil {
		return store.Record{}, err
	}
	if p != nil {
		d.Player = p.Token
	}
	r, err := s.Append(ctx, d)
	return r, storeError(err)
}

// checkDraft reads a folder that inspect wrote.
func checkDraft(folder, id string) (store.Draft, error) {
	c, body, err := readCheck(folder)
	if err != nil {
		return store.Draft{}, err
	}
	if id == "" {
		h := sha256.Sum256(body)
		id = "check-" + c.Created.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(h[:4])
	}
	d := store.Draft{Kind: store.Check, ID: id, Created: c.Created, Body: body}
	for _, file := range []struct{ name, media string }{
		{evidence.ReportName, "text/html"}, {evidence.RulingName, "text/html"}, {evidence.TableName, "text/csv"},
	} {
		path := filepath.Join(filepath.Dir(checkPath(folder)), file.name)
		if exists(path) {
			d.Pictures = append(d.Pictures, store.Source{Name: file.name, Type: file.media, Open: func() (io.ReadCloser, error) { return os.Open(path) }})
		}
	}
	for _, src := range c.Sources {
		if slices.ContainsFunc(d.Pictures, func(p store.Source) bool { return p.Name == src.File }) {
			continue // one file may be given twice
		}
		path := src.File
		if c.Capture != nil { // a pass has its pictures beside the check
			path = filepath.Join(filepath.Dir(checkPath(folder)), filepath.FromSlash(src.File))
		}
		d.Pictures = append(d.Pictures, store.Source{Name: src.File, Type: mediaType(src), Open: func() (io.ReadCloser, error) { return openUnchanged(src, path) }})
	}
	return d, nil
}

func mediaType(src record.Source) string {
	if t := mime.TypeByExtension(strings.ToLower(filepath.Ext(src.File))); t != "" {
		return t
	}
	return "application/octet-stream"
}

// openUnchanged opens a source and refuses one that has changed since the
// check was made: stored beside the check it would be false evidence.
func openUnchanged(src record.Source, path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &inputError{fmt.Errorf("%w; run this where inspect was run, and keep the pictures until then", err)}
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err == nil && hex.EncodeToString(h.Sum(nil)) != src.SHA256 {
		err = errors.New("the picture has changed since the check was made; inspect it again")
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, &inputError{fmt.Errorf("%s: %w", src.File, err)}
	}
	return f, nil
}

func newEvidenceListCommand(a *app) *cobra.Command {
	var where storeOptions
	var tournament string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the checks that are kept",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return where.withStore(cmd.Context(), func(s *store.Store) error {
				list, err := s.List(cmd.Context(), store.Filter{Kind: store.Check, Tournament: tournament})
				if err != nil {
					return storeError(err)
				}
				for _, r := range list {
					a.term.Print(fmt.Sprintf("%s  %s  %s", r.Envelope.ID, r.Envelope.Created, plain.Line(r.Envelope.Tournament)))
				}
				return nil
			})
		},
	}
	where.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&tournament, "tournament", "", "only those of this tournament")
	return cmd
}

func newEvidenceExportCommand(a *app) *cobra.Command {
	var where storeOptions
	var out string
	var anonymous bool
	cmd := &cobra.Command{
		Use:   "export CHECK",
		Short: "Write a check with its report, pictures, rulings and chain into one file",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				out = plain.FileName(args[0]) + ".evidence.zip"
			}
			return where.withStore(cmd.Context(), func(s *store.Store) error {
				b, err := collect(cmd.Context(), s, args[0], anonymous)
				if err != nil {
					return storeError(err)
				}
				var seal string
				err = writeNew(out, func(w io.Writer) error {
					seal, err = evidence.Write(w, b)
					return err
				})
				if err != nil {
					return storeError(err)
				}
				a.term.Print(out)
				a.term.Error("seal " + seal)
				return nil
			})
		},
	}
	where.AddFlags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: named after the check)")
	cmd.Flags().BoolVar(&anonymous, "anonymous", false, "leave the player's name and ID out")
	cmd.Flags().BoolVar(&anonymous, "anonymize", false, "the same")
	return cmd
}

// collect gathers what an evidence file holds: the check and the rulings of
// the ledger that rest on it.
func collect(ctx context.Context, s *store.Store, id string, anonymous bool) (evidence.Bundle, error) {
	b := evidence.Bundle{Open: func(p store.Picture) (io.ReadCloser, error) { return s.OpenPicture(ctx, p) }}
	var err error
	if b.Check, err = s.Get(ctx, id); err != nil {
		return b, err
	}
	if b.Check.Envelope.Player != nil && !anonymous {
		p, err := s.Person(ctx, b.Check.Envelope.Player.Token)
		switch {
		case err == nil:
			b.Person = &p
		case !errors.Is(err, store.ErrNotFound): // forgotten players have no name to export
			return b, err
		}
	}
	entries, err := s.List(ctx, store.Filter{Kind: store.Ledger, Tournament: b.Check.Envelope.Tournament})
	if err != nil {
		return b, err
	}
	resting := map[int]bool{}
	for _, r := range entries {
		var e ledger.Entry
		if err := json.Unmarshal(r.Body, &e); err != nil {
			return b, fmt.Errorf("record %s: %w", r.Envelope.ID, err)
		}
		if slices.Contains(e.Evidence, id) || resting[e.Refers] { // and what became of it later
			resting[e.Seq] = true
			b.Ledger = append(b.Ledger, r)
		}
	}
	b.Head, err = s.Head(ctx)
	return b, err
}

func newEvidenceVerifyCommand(a *app) *cobra.Command {
	var where storeOptions
	var lang bookOptions
	var withStore bool
	cmd := &cobra.Command{
		Use:   "verify [FILE...]",
		Short: "Find any change in evidence files, and in the store",
		Long: `Find any byte of an evidence file that has changed since it was written, and say
in which part. With --store, the store is checked as well: every record,
picture and link, and that it still holds what the files were made from.

A file that somebody rewrote as a whole shows only against the store or another
file of the tournament.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !withStore {
				return errors.New("verify what? Give evidence files, or --store")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := lang.printer()
			if err != nil {
				return err
			}
			changed := false
			var known []store.Head
			for _, path := range args {
				r, err := evidence.VerifyFile(path)
				if err != nil {
					return &inputError{err}
				}
				tellEvidence(a, p, path, r)
				changed = changed || !r.Intact()
				if r.Intact() {
					known = append(known, r.Check, r.Head)
				}
			}
			if withStore {
				err := where.withStore(cmd.Context(), func(s *store.Store) error {
					v, err := s.Verify(cmd.Context(), known...)
					if err != nil {
						return storeError(err)
					}
					for _, problem := range v.Problems {
						a.term.Print(plain.Line(problem.String()))
					}
					a.term.Print(fmt.Sprintf("store: %d records, %d pictures, %d problems, head %d %s", v.Records, v.Pictures, len(v.Problems), v.Head.Seq, v.Head.Hash))
					changed = changed || len(v.Problems) > 0
					return nil
				})
				if err != nil {
					return err
				}
			}
			if changed {
				return outcomeFlagged
			}
			return nil
		},
	}
	where.AddFlags(cmd.Flags())
	lang.addLanguage(cmd.Flags())
	cmd.Flags().BoolVar(&withStore, "store", false, "check the store as well")
	return cmd
}

func tellEvidence(a *app, p locale.Printer, path string, r evidence.Result) {
	if r.Intact() {
		a.term.Print(fmt.Sprintf("%s: %s %s, hash %s", plain.Line(path), p.Text("evidence.intact", nil), r.CheckID, r.Check.Hash))
		return
	}
	a.term.Print(plain.Line(path) + ": " + p.Count("evidence.problems", len(r.Problems), nil))
	for _, problem := range r.Problems {
		a.term.Print("  " + p.Text("evidence.changed", locale.Args{"part": plain.Line(problem.String())}))
	}
}

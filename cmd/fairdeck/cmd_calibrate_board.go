package main

import (
	"context"
	"fmt"
	"path/filepath"

	"fairdeck/calibrate"

	"github.com/spf13/cobra"
)

type calibrateBoardOptions struct {
	boardFlags
	paper string
	out   string
	force bool
}

func newCalibrateBoardCommand(a *app) *cobra.Command {
	var o calibrateBoardOptions
	cmd := &cobra.Command{
		Use:   "board",
		Short: "Write a chessboard to print, as PDF and SVG",
		Long: `Write a chessboard to print: board-9x6-a4.pdf and .svg. Print it at 100 %
("actual size") on matte paper and glue it to something flat and stiff.

The sheet carries two rulers of 100 mm. Measure the printed ones: where the
lower one is not as long as it says, the printer scaled the page, and the other
commands take what it measures with --ruler. Where the two differ, use another
printer.`,
		Example: `  fairdeck calibrate board
  fairdeck calibrate board --paper letter --square 20 --out prints/`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), a) },
	}
	d := calibrate.DefaultBoard()
	f := cmd.Flags()
	f.StringVar(&o.board, "board", d.String(), "inner corners of the board, where four squares meet")
	f.Float64Var(&o.square, "square", d.SquareMM, "side of a square in mm")
	f.StringVar(&o.paper, "paper", "a4", "a4 or letter")
	f.StringVarP(&o.out, "out", "o", ".", "folder for the files")
	f.BoolVar(&o.force, "force", false, "overwrite files of the same name")
	return cmd
}

func (o *calibrateBoardOptions) run(ctx context.Context, a *app) error {
	b, err := o.boardFlags.parse()
	if err != nil {
		return err
	}
	paper, err := calibrate.PaperNamed(o.paper)
	if err != nil {
		return usagef("--paper: %w", err)
	}
	sheet, err := calibrate.NewSheet(b, paper)
	if err != nil {
		return &usageError{err}
	}
	name := fmt.Sprintf("board-%s-%s", b, paper.Name)
	if err := mayWrite(o.out); err != nil {
		return err
	}
	exts := []string{".pdf", ".svg"}
	for _, ext := range exts {
		if path := filepath.Join(o.out, name+ext); exists(path) && !o.force {
			return usagef("%s is there already; give another folder, or --force to overwrite it", path)
		}
	}
	for i, data := range [][]byte{sheet.PDF(), sheet.SVG()} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := calibrate.WriteWhole(filepath.Join(o.out, name+exts[i]), data); err != nil {
			return fmt.Errorf("the board cannot be written: %w; free some space or give another folder with --out", err)
		}
	}
	if (b.Columns+b.Rows)%2 == 0 {
		a.term.Error("note: with both numbers of corners even, or both odd, the board looks the same after half a turn; 9x6 does not")
	}
	for _, ext := range exts {
		a.term.Print("Written: " + filepath.Join(o.out, name+ext))
	}
	a.term.Print(fmt.Sprintf("Print at 100 %% and measure the rulers: the lower one is %g mm long.", b.RulerMM()))
	return nil
}

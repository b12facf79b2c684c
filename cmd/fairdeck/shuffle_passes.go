package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
	"fairdeck/internal/shufflecli"
	"fairdeck/vision/camera/recording"
)

// ordersOfPasses replaces recordings and videos among the files of a score by
// the orders that are read from them, all of one deck together. The files are
// the caller's to remove.
func (a *app) ordersOfPasses(ctx context.Context, o *shufflecli.Score, pass *facePass) (remove func(), err error) {
	paths := []*string{&o.Before, &o.After, &o.Order}
	var from []*string
	for _, p := range paths {
		if recording.Is(*p) || filmNames.MatchString(*p) {
			from = append(from, p)
		}
	}
	remove = func() {}
	if len(from) == 0 {
		return remove, nil
	}
	if len(from) == 1 && *from[0] != o.Order {
		return remove, usagef("%s is a recording and the other order is a file: faces that are read bear no names that a file could know; give both as recordings, or read one with fairdeck order --names", *from[0])
	}
	if err := setupVision(); err != nil {
		return remove, err
	}
	var tables []*check.Table
	for _, p := range from {
		t, _, err := pass.run(ctx, a, *p, check.Options{Now: a.now()})
		if err != nil {
			return remove, fmt.Errorf("%s: %w", *p, err)
		}
		tables = append(tables, t)
	}
	orders, err := check.JointOrders(ctx, tables, check.FaceOptions{})
	if nothing := (*check.NothingSeenError)(nil); errors.As(err, &nothing) {
		err = &inputError{err}
	}
	if err != nil {
		return remove, err
	}
	dir, err := os.MkdirTemp("", "fairdeck-orders-")
	if err != nil {
		return remove, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a folder of the system's for such
	for i, c := range orders {
		a.term.Error(fmt.Sprintf("%s: %d cards, %d not read, %d not certain", *from[i], len(c.Order.Cards), gapsOf(c), len(c.Order.Questions)))
		name := filepath.Join(dir, fmt.Sprintf("order-%d.csv", i+1))
		f, err := os.Create(name)
		if err != nil {
			return remove, err
		}
		err = orderCSV(f, c)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return remove, err
		}
		*from[i] = name
	}
	return remove, nil
}

func gapsOf(c *record.Check) (n int) {
	for _, p := range c.Order.Cards {
		if p.Face == "" {
			n++
		}
	}
	return n
}

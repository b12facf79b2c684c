package main

import (
	"errors"
)

func (r *run) renderedDecks(d *document) error {
	return errors.New("not yet")
}

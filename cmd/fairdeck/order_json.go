package main

import (
	"encoding/json"
	"io"

	"fairdeck/internal/record"
	"fairdeck/randomness"
)

// orderJSON writes an order as order/v1, which shuffle score reads.
func orderJSON(w io.Writer, c *record.Check) error {
	type card struct {
		Face       *string  `json:"face"` // null: not read
		Confidence *float64 `json:"confidence,omitempty"`
	}
	out := struct {
		Schema string `json:"schema"`
		Cards  []card `json:"cards"`
	}{Schema: randomness.OrderSchema, Cards: []card{}}
	for _, p := range c.Order.Cards {
		var x card
		if f := c.FaceOf(p.Face); f != nil {
			name, conf := f.Called(), p.Confidence
			x = card{&name, &conf}
		}
		out.Cards = append(out.Cards, x)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

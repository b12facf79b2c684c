package ui

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
)

// Progress shows how far a piece of work is: a redrawn bar where the terminal
// can, else one line for each stage.
type Progress struct {
	term Terminal
	now  func() time.Time

	mu    sync.Mutex
	stage string
	start time.Time
	drawn time.Time
}

// NewProgress returns a progress display; now is the clock (time.Now).
func NewProgress(term Terminal, now func() time.Time) *Progress {
	return &Progress{term: term, now: now}
}

// redrawEvery keeps a fast stage from spending its time on drawing; ten
// pictures a second look fluent.
const redrawEvery = 100 * time.Millisecond

// Set tells that a stage has done so many of total.
func (p *Progress) Set(stage string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if stage != p.stage {
		p.stage, p.start, p.drawn = stage, now, time.Time{}
		if !p.term.CanStatus() {
			p.term.Error(fmt.Sprintf("%s (%d) ...", stage, total))
		}
	}
	if done < total && now.Sub(p.drawn) < redrawEvery {
		return
	}
	p.drawn = now
	p.term.Status(Bar(stage, done, total, now.Sub(p.start)))
}

// Done removes the bar.
func (p *Progress) Done() { p.term.Status("") }

// Bar is one line that shows a stage's progress and the time it may still
// take.
func Bar(stage string, done, total int, elapsed time.Duration) string {
	const width = 30
	share := 0.0
	if total > 0 {
		share = min(1, max(0, float64(done)/float64(total)))
	}
	full := int(share * width)
	line := fmt.Sprintf("%-22s [%s%s] %d/%d", stage, strings.Repeat("#", full), strings.Repeat(".", width-full), done, total)
	// A guess from the first few is worse than none.
	if done >= 3 && done < total && elapsed > 2*time.Second {
		if left := elapsed.Seconds() * (1/share - 1); left < 24*3600 {
			line += fmt.Sprintf(", %v left", time.Duration(math.Round(left))*time.Second)
		}
	}
	return line
}

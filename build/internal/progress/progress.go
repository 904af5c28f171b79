// Package progress says on a terminal or in a log how far a long piece of work is.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"baca/algo/table"
)

// progressInterval is the time between two plain lines of progress.
const progressInterval = 5 * time.Second

// measurable is how long work takes at least before anything is said of its speed.
const measurable = time.Second

// A Progress says how far a long piece of work is: as a bar on a terminal, and
// elsewhere as a plain line at the beginning, at the end and every few seconds.
// Graphs are what it counts. Its methods may be called from several goroutines.
// Done must be called, also when the work is cut short.
type Progress struct {
	w     io.Writer
	what  string
	total int64 // 0: not known

	bars *mpb.Progress // nil for plain lines
	bar  *mpb.Bar

	mu      sync.Mutex
	start   time.Time
	printed time.Time // zero before the first plain line
	fresh   bool      // there is something that no line has said
	skipped int64     // done before the start
	done    int64     // skipped ones included
	note    string
}

// New begins work on a number of graphs, or on an unknown one if total
// is 0.
func New(w io.Writer, what string, total int64) *Progress {
	p := &Progress{w: w, what: what, total: total, start: time.Now()}
	if over, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = over.Unwrap()
	}
	if f, ok := w.(*os.File); ok && hasScreen(int(f.Fd())) {
		p.w, p.what = w, table.Visible(what)
		p.drawBar()
	}
	return p
}

// hasScreen tells a terminal on which a bar can be drawn. Some say that they
// have no size, and get lines.
func hasScreen(fd int) bool {
	if !cwriter.IsTerminal(fd) {
		return false
	}
	width, height, err := cwriter.GetSize(fd)
	return err == nil && width > 0 && height > 0
}

// drawBar starts the goroutines that draw; Done ends them.
func (p *Progress) drawBar(options ...mpb.ContainerOption) {
	p.bars = mpb.New(append(options, mpb.WithOutput(p.w))...)
	style := mpb.BarStyle()
	left := decor.Name(p.what + " ")
	right := decor.Any(func(decor.Statistics) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return " " + p.state()
	})
	if p.total > 0 {
		p.bar = p.bars.New(p.total, style, mpb.PrependDecorators(left), mpb.AppendDecorators(right))
	} else {
		p.bar = p.bars.New(0, mpb.NopStyle(), mpb.PrependDecorators(left, right))
	}
}

// Skip counts graphs that were done before the work began, by an earlier run or
// while nobody counted. They say nothing about its speed.
func (p *Progress) Skip(n int64) {
	p.mu.Lock()
	p.skipped += n
	p.mu.Unlock()
	p.Add(n)
}

// Add counts n more graphs.
func (p *Progress) Add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.fresh = true
	if p.bar == nil {
		if now := time.Now(); p.done > p.skipped && (p.printed.IsZero() || now.Sub(p.printed) >= progressInterval) {
			p.printed = now
			p.line()
		}
		return
	}
	p.bar.SetCurrent(p.done)
}

// Note sets what else is known, such as the loss. It shows with the next line.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = text
}

// Done ends the work, whether it is complete or not, and leaves its last state
// on the terminal.
func (p *Progress) Done() {
	if p.bars == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.fresh {
			p.line()
		}
		return
	}
	p.bar.Abort(false) // nothing to a bar that has reached its total
	p.bars.Wait()
}

// line writes a plain line. A line that cannot be written is not worth ending
// the work for.
func (p *Progress) line() {
	p.fresh = false
	fmt.Fprintf(p.w, "%s: %s\n", p.what, p.state())
}

// state is, for example, "epoch 3/400, loss 4.1, 12 %, 2100 graphs/s, 40s left".
func (p *Progress) state() string {
	var parts []string
	if p.note != "" {
		parts = append(parts, p.note)
	}
	if p.total > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", 100*p.done/p.total))
	} else if p.done == 1 {
		parts = append(parts, "1 graph")
	} else {
		parts = append(parts, fmt.Sprintf("%d graphs", p.done))
	}
	did, elapsed := p.done-p.skipped, time.Since(p.start)
	if did <= 0 {
		return strings.Join(parts, ", ")
	}
	rate, left := float64(did)/elapsed.Seconds(), p.total-p.done
	if elapsed >= measurable {
		parts = append(parts, fmt.Sprintf("%.0f graphs/s", rate))
	}
	switch {
	case p.total == 0:
	case left <= 0:
		parts = append(parts, "in "+elapsed.Round(time.Second/10).String())
	case elapsed >= measurable:
		eta := time.Duration(float64(left) / rate * float64(time.Second))
		parts = append(parts, eta.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

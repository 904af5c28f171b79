// Package progress reports the progress of long work on a terminal or in a log.
package progress

import (
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"baca/algo/document"
)

// progressInterval is the time between two lines of text.
const progressInterval = 5 * time.Second

// measurable is the shortest time from which a speed is computed.
const measurable = time.Second

// measurableShare is the smallest share of a file from which the remaining time is computed, since files are read in
// blocks, ahead of the work.
const measurableShare = 0.02

// A Progress counts graphs. On a terminal it draws a bar. Elsewhere it writes a line of text at the beginning, every few
// seconds and at the end. It is safe for concurrent use. Done must be called, even after an interrupt.
type Progress struct {
	w     io.Writer
	what  string
	total int64 // number of graphs; 0 if unknown

	bars *mpb.Progress // nil for lines of text
	bar  *mpb.Bar

	mu      sync.Mutex
	start   time.Time
	printed time.Time // time of the last line; zero before the first
	fresh   bool      // whether something is not printed yet
	skipped int64     // graphs done before the start
	done    int64     // graphs done, with the skipped ones
	note    string

	share func() float64 // returns the share of the input that was read; nil if unknown
	from  float64        // the share at the start
}

// New shows the progress of work on total graphs, 0 if unknown: as a bar if w, or the writer that w wraps, is a
// terminal, or else as lines of text. what names the work, such as "scoring".
func New(w io.Writer, what string, total int64) *Progress {
	p := &Progress{w: w, what: what, total: total, start: time.Now()}
	if over, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = over.Unwrap()
	}
	if f, ok := w.(*os.File); ok && hasScreen(int(f.Fd())) {
		p.w, p.what = w, document.Visible(what)
		p.drawBar()
	}
	return p
}

// Of sets a function that returns the share of the input that was read, from 0 to 1. It serves if total is unknown.
func (p *Progress) Of(share func() float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.from = share, share()
}

// counted is the number of elements of Each that are counted at once.
const counted = 1024

// Each yields a sequence and shows how many of its elements were read.
func Each[T any](w io.Writer, what string, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		p := New(w, what, 0)
		defer p.Done()
		fresh := int64(0)
		defer func() {
			if fresh > 0 {
				p.Add(fresh)
			}
		}()
		for x, err := range list {
			if err == nil {
				fresh++
			}
			if fresh == counted {
				p.Add(fresh)
				fresh = 0
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// hasScreen reports whether a terminal can draw a bar: it must know its size.
func hasScreen(fd int) bool {
	if !cwriter.IsTerminal(fd) {
		return false
	}
	width, height, err := cwriter.GetSize(fd)
	return err == nil && width > 0 && height > 0
}

// drawBar starts the goroutines that draw the bar. Done ends them.
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

// Skip counts graphs that were done before the work began. They do not count for the speed.
func (p *Progress) Skip(n int64) {
	p.mu.Lock()
	p.skipped += n
	p.mu.Unlock()
	p.Add(n)
}

// Add counts n more graphs.
func (p *Progress) Add(n int64) {
	p.count(n)
	if p.bar != nil {
		p.bar.IncrInt64(n) // without the lock, which the bar takes while it is drawn
	}
}

// count counts n more graphs, and writes a line from time to time where there is no bar.
func (p *Progress) count(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.fresh = true
	if now := time.Now(); p.bar == nil && p.done > p.skipped && (p.printed.IsZero() || now.Sub(p.printed) >= progressInterval) {
		p.printed = now
		p.line()
	}
}

// Note sets a text, such as the loss, that is shown with the progress.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = text
}

// Done ends the work. The last state stays on the terminal.
func (p *Progress) Done() {
	p.mu.Lock()
	p.share = nil // everything that was read is done
	p.mu.Unlock()
	if p.bars == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.fresh {
			p.line()
		}
		return
	}
	p.bar.Abort(false) // no effect on a complete bar
	p.bars.Wait()
}

// line writes a line of text. It ignores errors.
func (p *Progress) line() {
	p.fresh = false
	fmt.Fprintf(p.w, "%s: %s\n", p.what, p.state())
}

// mostShare is the largest share of the input that is shown before the end, since reading is ahead of the work.
const mostShare = 0.99

// state returns the progress as a text, such as "epoch 3/400, loss 4.1, 12 %, 2100 graphs/s, 40s left": the note, how
// much is done, the speed, and the time left.
//
//   - If the total is unknown, it has the number of graphs and, if known, the share of the input that was read. The
//     time left follows from this share, once it is large enough to tell.
//   - The speed, and the time left of a known total, are missing in the first moments, see measurable.
//   - In place of the time left, work whose graphs are all done has the time that it took.
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
	share := 0.0
	if p.share != nil && p.total == 0 {
		share = min(p.share(), mostShare)
		parts = append(parts, fmt.Sprintf("%.0f %%", 100*share))
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
	case share-p.from >= measurableShare:
		eta := time.Duration(float64(elapsed) * (1 - share) / (share - p.from))
		parts = append(parts, eta.Round(time.Second).String()+" left")
	case p.total == 0:
	case left <= 0:
		parts = append(parts, "in "+elapsed.Round(time.Second/10).String())
	case elapsed >= measurable:
		eta := time.Duration(float64(left) / rate * float64(time.Second))
		parts = append(parts, eta.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

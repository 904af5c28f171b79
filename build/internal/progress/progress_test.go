package progress

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vbauerster/mpb/v8"
)

func TestPlainProgress(t *testing.T) {
	for name, c := range map[string]struct {
		work func(w io.Writer)
		want string
	}{
		// The speed is of the 800 graphs that were not skipped.
		"of a known length": {func(w io.Writer) {
			p := New(w, "work", 1000)
			p.Skip(200)
			for i := range 16 {
				time.Sleep(time.Second)
				p.Note("part " + string(rune('a'+i)))
				p.Add(50)
			}
			p.Done()
			p.Done()
		}, `work: part a, 25 %, 50 graphs/s, 15s left
work: part f, 50 %, 50 graphs/s, 10s left
work: part k, 75 %, 50 graphs/s, 5s left
work: part p, 100 %, 50 graphs/s, in 16s
`},
		"of an unknown length": {func(w io.Writer) {
			p := New(w, "reading", 0)
			for range 3 {
				time.Sleep(2 * time.Second)
				p.Add(10)
			}
			p.Done()
		}, "reading: 10 graphs, 5 graphs/s\nreading: 30 graphs, 5 graphs/s\n"},
		// The first second says nothing about the speed, nor does what was done before it began.
		"without a speed yet": {func(w io.Writer) {
			p := New(w, "reading", 0)
			p.Skip(4096)
			time.Sleep(time.Microsecond)
			p.Add(4096)
			time.Sleep(6 * time.Second)
			p.Add(4096)
			p.Done()
			quick := New(w, "scoring", 4096)
			time.Sleep(time.Microsecond)
			quick.Add(4096)
			quick.Done()
		}, "reading: 8192 graphs\nreading: 12288 graphs, 1365 graphs/s\nscoring: 100 %, in 0s\n"},
		// Half of the file was read before: the other half takes as long as it is read.
		"of a file": {func(w io.Writer) {
			read := 0.5
			p := New(w, "scoring", 0)
			p.Of(func() float64 { return read })
			for range 3 {
				time.Sleep(6 * time.Second)
				read += 0.1
				p.Add(6000)
			}
			read = 1
			p.Add(1)
			p.Done()
		}, `scoring: 6000 graphs, 60 %, 1000 graphs/s, 24s left
scoring: 12000 graphs, 70 %, 1000 graphs/s, 18s left
scoring: 18000 graphs, 80 %, 1000 graphs/s, 12s left
scoring: 18001 graphs, 1000 graphs/s
`},
		"without work": {func(w io.Writer) { New(w, "work", 10).Done() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // for its clock
				var b bytes.Buffer
				if c.work(&b); b.String() != c.want {
					t.Errorf("got\n%swant\n%s", b.String(), c.want)
				}
			})
		})
	}
}

// A bar ends in its last state, on a line of its own, and leaves no goroutine.
func TestBar(t *testing.T) {
	for name, c := range map[string]struct {
		total, add int64
		want       string
	}{
		"complete":       {100, 100, "100 %"},
		"cut short":      {100, 40, "40 %"},
		"not begun":      {100, 0, "0 %"},
		"beyond the end": {100, 120, "120 %"},
		"unknown":        {0, 40, "40 graphs"},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			var b bytes.Buffer
			p := &Progress{w: &b, what: "work", total: c.total, start: time.Now()}
			p.drawBar(mpb.WithAutoRefresh(), mpb.WithWidth(120))
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() { p.Note("half"); p.Add(c.add / 4) })
			}
			group.Wait()
			if drawn := p.bar.Current(); c.add <= c.total && drawn != c.add {
				t.Errorf("the bar is drawn at %d, want %d", drawn, c.add)
			}
			p.Done()
			text := b.String()
			if !strings.HasSuffix(text, "\n") {
				t.Errorf("does not end its line: %q", text)
			}
			lines := strings.Split(strings.TrimSpace(text), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, "work") || !strings.Contains(last, "half, "+c.want) {
				t.Errorf("last state %q, want half, %s", last, c.want)
			}
			for runtime.NumGoroutine() > before { // go test's limit lists one that stays
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// What cannot be shown does not stop the work.
func TestProgressToNowhere(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	p := &Progress{w: w, what: "work", total: 10, start: time.Now()}
	p.drawBar(mpb.WithAutoRefresh())
	for range 10 {
		time.Sleep(50 * time.Millisecond) // longer than mpb takes to notice
		p.Add(1)
	}
	p.Done()
}

// Counting and drawing do not wait for each other.
func TestAddWhileDrawn(t *testing.T) {
	p := &Progress{w: io.Discard, what: "work", total: 1e6, start: time.Now()}
	refresh := make(chan any)
	p.drawBar(mpb.WithManualRefresh(refresh))
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for range 20_000 {
			p.Add(1)
		}
	}()
	for {
		select {
		case refresh <- time.Now():
		case <-ended:
			p.Done()
			return
		case <-time.After(time.Minute):
			t.Fatal("counting waits for the drawing")
		}
	}
}

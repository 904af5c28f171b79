package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// A traced event of Chromium: a task of one of its threads. Times are in µs.
type traced struct {
	Name string  `json:"name"`
	Kind string  `json:"ph"`
	Pid  int     `json:"pid"`
	Tid  int     `json:"tid"`
	At   float64 `json:"ts"`
	Wall float64 `json:"dur"`
	Own  float64 `json:"tdur"` // of the processor, without the time others had it
	Args struct {
		Name string `json:"name"`
	} `json:"args"`
}

// tasks are those of the page's own thread while f runs, the longest first by time
// of the processor. That does not grow when other programs keep the machine busy.
func (b *tab) tasks(f func()) []traced {
	b.t.Helper()
	var mu sync.Mutex
	var events []traced
	complete := make(chan bool, 1)
	ctx, end := context.WithCancel(b.ctx)
	defer end()
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range ev.Value {
				var e traced
				if json.Unmarshal(v, &e) == nil {
					events = append(events, e)
				}
			}
		case *tracing.EventTracingComplete:
			complete <- true
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	config := &tracing.TraceConfig{RecordMode: tracing.TraceConfigRecordModeRecordContinuously, IncludedCategories: []string{"toplevel", "__metadata"}, ExcludedCategories: []string{"*"}}
	b.run("tracing", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents, TraceConfig: config})
		return err
	}))
	f()
	b.run("the end of tracing", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, tracing.End, cdp.Empty{})
		return err
	}))
	receive(b.t, complete, "the end of tracing")
	mu.Lock()
	defer mu.Unlock()
	type thread struct{ pid, tid int }
	pages := map[thread]bool{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			pages[thread{e.Pid, e.Tid}] = true
		}
	}
	var found []traced
	for _, e := range events {
		if e.Kind == "X" && pages[thread{e.Pid, e.Tid}] {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(x, y traced) int {
		if x.Own > y.Own {
			return -1
		}
		return 1
	})
	return found
}

// yardstick is a fixed loop of the same engine, in ms: what figures of two machines
// are to be divided by. It is the best of five.
func (b *tab) yardstick() float64 {
	b.t.Helper()
	return eval[float64](b, `(() => {
		let best = Infinity, x = 1;
		for (let k = 0; k < 5; k++) {
			const begin = performance.now();
			for (let i = 0; i < 2e7; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
			best = Math.min(best, performance.now() - begin);
		}
		return x === 0 ? NaN : best; // x is used, so that the loop is
	})()`)
}

// longest reports the longest task of the page's own thread while f runs, in ms of
// the processor, and how many yardsticks that is.
func (b *tab) longest(bench *testing.B, name string, yardstick float64, f func()) {
	b.t.Helper()
	tasks := b.tasks(f)
	if len(tasks) == 0 || tasks[0].Own == 0 {
		b.t.Fatalf("%s: %d tasks without times", name, len(tasks))
	}
	yardsticks(bench, strings.ReplaceAll(name, " ", "-"), tasks[0].Own/1e3, yardstick)
}

// BenchmarkLongestTask is for how long the page is deaf to its user while many
// records are read, scored, sorted and scrolled through.
func BenchmarkLongestTask(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := readyIn(b, browseAlone)
			rows := smallMolecules(n)
			for b.Loop() {
				yardstick := t.yardstick()
				b.ReportMetric(yardstick, "yardstick-ms")
				for _, step := range t.steps(rows) {
					t.longest(b, step.name, yardstick, step.do)
				}
				t.empty()
			}
		})
	}
}

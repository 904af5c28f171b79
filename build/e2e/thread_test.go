package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

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
	select {
	case <-complete:
	case <-time.After(patience):
		b.t.Fatal("the trace does not come")
	}
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

// longestTask is how long the page may be deaf to its user.
const longestTask = 50 * time.Millisecond

// free checks that no task of the page's own thread is long while f runs. What is
// slow on a machine that is busy may be better next time; what is slow three
// times is slow.
func (b *tab) free(what string, f func()) {
	b.t.Helper()
	var worst time.Duration
	for range 3 {
		tasks := b.tasks(f)
		if len(tasks) == 0 || tasks[0].Own == 0 {
			b.t.Fatalf("%s: %d tasks without times", what, len(tasks))
		}
		worst = time.Duration(tasks[0].Own) * time.Microsecond
		text := ""
		for _, task := range tasks[:min(len(tasks), 4)] {
			text += fmt.Sprintf(" %.1f (%.1f)", task.Own/1e3, task.Wall/1e3)
		}
		b.t.Logf("%s: %d tasks of the page; the longest took, in ms of the processor (and of the clock):%s", what, len(tasks), text)
		if worst <= longestTask {
			return
		}
	}
	b.t.Errorf("%s: the page is busy for %v at a time, want %v at most", what, worst, longestTask)
}

// The measure itself finds a long task.
func TestLongTasksAreFound(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	b.visit(s.URL + "/")
	tasks := b.tasks(func() {
		eval[any](b, `new Promise((done) => setTimeout(() => { const end = performance.now() + 400; while (performance.now() < end); done(null); }, 0))`)
	})
	// Others may have had the processor for a part of it.
	if len(tasks) == 0 || tasks[0].Wall < 390e3 || tasks[0].Own < 60e3 {
		t.Errorf("%d tasks, the longest %+v; want one of 400 ms", len(tasks), tasks[0])
	}
}

// While ten thousand records are read, scored, sorted, filtered and scrolled
// through, the page answers at once.
func TestThePageStaysFree(t *testing.T) {
	b := ready(t)
	rows := manyRows(10_000)
	b.free("reading and scoring", func() {
		b.clear()
		b.upload("#file", "many.csv", rows)
		b.wait(`document.getElementById("input-status").textContent.includes("9 900 read, 100 refused")`)
		b.phase("done")
		b.wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	})
	b.free("the threshold", func() {
		for _, step := range []int{20, 90, 60} {
			eval[any](b, fmt.Sprintf(`(() => { const a = document.getElementById("alpha"); a.value = %d; a.dispatchEvent(new Event("input", {bubbles: true})); return null })()`, step))
		}
	})
	b.free("false discoveries", func() {
		b.run("as a batch", chromedp.Click("#rule-batch"))
		b.wait(`document.querySelector("th.c-q") !== null`)
		b.run("each by itself", chromedp.Click("#rule-each"))
		b.wait(`document.querySelector("th.c-q") === null`)
	})
	b.free("sorting and filtering", func() {
		b.run("by score", chromedp.Click(`[data-by="3"]`))
		b.run("by name", chromedp.Click(`[data-by="1"]`))
		b.run("filtering", chromedp.SendKeys("#search", "row 99"))
		b.wait(`document.querySelector("table.rows").getAttribute("aria-rowcount") === "112"`)
		eval[any](b, `(() => { const s = document.getElementById("search"); s.value = ""; s.dispatchEvent(new Event("input", {bubbles: true})); return null })()`)
	})
	b.free("scrolling", func() { b.scroll() })
	b.free("a record", func() {
		b.press(`.row`)
		b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	})
	b.free("the lab", func() {
		for _, stage := range []string{"encode", "graphons", "attention"} {
			b.run("a stage", chromedp.Click(fmt.Sprintf(`[data-stage=%q]`, stage)))
			b.wait(`document.querySelectorAll(".lab-panel figure svg").length > 1`)
		}
	})
	b.quiet()
}

// clear takes the input away, if there is one.
func (b *tab) clear() {
	b.t.Helper()
	eval[any](b, `(document.getElementById("clear")?.click(), null)`)
	b.phase("empty")
}

// scroll goes through the whole table in forty steps, one a frame.
func (b *tab) scroll() {
	b.t.Helper()
	eval[any](b, `new Promise((done) => {
		const s = document.getElementById("scroller");
		let k = 0;
		const step = () => {
			s.scrollTop = (s.scrollHeight * k) / 40;
			if (k++ < 40) requestAnimationFrame(step);
			else done(null);
		};
		step();
	})`)
}

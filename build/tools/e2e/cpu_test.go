package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"baca/app/table"
	"baca/build/internal/try"
)

// threads are the seconds of CPU that threads of the tab's process have taken, the most first: the page's thread for an
// empty name, else those whose names begin so.
func (b *tab) threads(name string) []float64 {
	b.t.Helper()
	list := []float64{0, 0}
	info := try.To(chromedp.CallBrowser(b.Ctx, systeminfo.GetProcessInfo, cdp.Empty{}))
	for _, p := range info.ProcessInfo {
		pid := strconv.FormatInt(int64(p.ID), 10)
		tasks, _ := filepath.Glob(filepath.Join("/proc", pid, "task", "*"))
		for _, task := range tasks {
			comm, _ := os.ReadFile(filepath.Join(task, "comm"))
			stat, _ := os.ReadFile(filepath.Join(task, "schedstat"))
			main := filepath.Base(task) == pid
			var ns float64
			fmt.Sscan(string(stat), &ns)
			if p.Type == "renderer" && (name == "" && main || name != "" && !main && strings.HasPrefix(string(comm), name)) {
				list = append(list, ns/1e9)
			}
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// A traced event of Chromium.
type traced struct {
	Name     string
	Pid, Tid int
	Tdur     float64 // µs of CPU
	Args     struct{ Name string }
}

// longest is the most CPU that one task of the page takes while f runs, in ms.
func (b *tab) longest(f func()) (most float64) {
	b.t.Helper()
	var events []traced
	complete := make(chan struct{}, 1)
	try.Check(chromedp.Listen(b.Ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			for _, v := range ev.Value {
				var e traced
				data, _ := json.Marshal(v)
				json.Unmarshal(data, &e)
				events = append(events, e)
			}
		case *tracing.EventTracingComplete:
			complete <- struct{}{}
		}
	}))
	try.To(chromedp.Call(b.Ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{"disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"}}}))
	f()
	try.To(chromedp.Call(b.Ctx, tracing.End, cdp.Empty{}))
	<-complete
	main := map[[2]int]bool{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[[2]int{e.Pid, e.Tid}] = true
		}
	}
	for _, e := range events {
		if strings.HasSuffix(e.Name, "RunTask") && main[[2]int{e.Pid, e.Tid}] {
			most = max(most, e.Tdur/1e3)
		}
	}
	return most
}

// wideTable is a CSV file of n short molecules with so many columns.
func wideTable(columns, n int) []byte {
	var b strings.Builder
	b.WriteString("id,smiles")
	for c := range columns - 2 {
		fmt.Fprintf(&b, ",assay %d", c)
	}
	for i := range n {
		fmt.Fprintf(&b, "\nrow %d,%sO", i, strings.Repeat("C", 1+i%13))
		for c := range columns - 2 {
			fmt.Fprintf(&b, ",%d", (i+1)*(c+1)%1000)
		}
	}
	return []byte(b.String() + "\n")
}

// BenchmarkMap is the time from asking for the map of 100 000 rows until it is drawn, the training set laid out before, and
// the worker's CPU; the CPU of the page's longest task meanwhile, and of its longest one while the pointer moves over the
// map; the time to the map of the rows that a search leaves, and to a row that the sample lacks.
func BenchmarkMap(b *testing.B) {
	for b.Loop() {
		t := readyIn(b, browseAlone)
		shown := func(rows int) {
			t.Wait(fmt.Sprintf(`document.getElementById("map-canvas")?.dataset.shown === "%d"`, rows))
		}
		timed := func(name string, f func()) {
			begun := time.Now()
			f()
			b.ReportMetric(time.Since(begun).Seconds(), name+"-s")
		}
		open := func(rows int) {
			t.upload("#file", "many.csv", smallMolecules(rows))
			t.phase("done")
		}
		open(100)
		timed("layout", func() { t.click("#shape button:nth-child(3)"); shown(99) })
		t.click("#shape button:nth-child(1)")
		open(100_000)
		before := t.threads("DedicatedWorker")[0]
		b.ReportMetric(t.longest(func() {
			timed("map", func() { t.click("#shape button:nth-child(3)"); shown(table.MostMapped) })
		}), "longest-task-ms")
		b.ReportMetric(t.threads("DedicatedWorker")[0]-before, "worker-s")
		b.ReportMetric(t.longest(func() {
			for x := range 40 {
				t.Run("the pointer", chromedp.MouseEvent("mouseMoved", float64(300+10*x), 500))
			}
			t.still()
		}), "pointer-task-ms")
		timed("search", func() { t.set("#search", "input", "row 777"); shown(110) })
		t.set("#search", "input", "")
		shown(table.MostMapped)
		t.click("#shape button:nth-child(1)")
		t.click(".row")
		timed("row", func() {
			t.click("#shape button:nth-child(3)")
			t.Wait(`document.getElementById("map-canvas")?.dataset.chosen !== undefined`)
		})
	}
}

// BenchmarkThreads is the CPU of the page's thread and of both workers from a file to its verdicts, and that of the
// page's longest task. Asking whether it is done takes little of it.
func BenchmarkThreads(b *testing.B) {
	for name, file := range map[string][]byte{"100000": smallMolecules(100_000), "617x3000": wideTable(617, 3000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t := readyIn(b, browseAlone)
				begun, page := time.Now(), t.threads("")[0]
				workers := []float64{0, 0}
				var took time.Duration
				most := t.longest(func() {
					t.upload("#file", "many.csv", file)
					for eval[string](t, `document.getElementById("page").dataset.phase`) != "done" {
						for k, seconds := range t.threads("DedicatedWorker")[:2] {
							workers[k] = max(workers[k], seconds) // the second one ends before the page is done
						}
						time.Sleep(200 * time.Millisecond)
					}
					took = time.Since(begun)
				})
				b.ReportMetric(took.Seconds(), "done-s")
				b.ReportMetric(t.threads("")[0]-page, "page-s")
				b.ReportMetric(workers[0], "worker-s")
				b.ReportMetric(workers[1], "second-s")
				b.ReportMetric(most, "longest-task-ms")
			}
		})
	}
}

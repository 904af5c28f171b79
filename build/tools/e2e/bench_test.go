package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"baca/algo/dataset"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
)

// druglike are n molecules of a public set that the default model has not seen.
func druglike(b *testing.B, n int) string {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "data", "mol", "sider.csv.gz"))
	if err != nil {
		b.Skipf("the set SIDER is not beside the repository: %v", err)
	}
	defer f.Close()
	var text strings.Builder
	for r, err := range dataset.Records(f, dataset.Options{Format: dataset.CSV}) {
		try.Check(err)
		if m, err := smiles.Parse(r.SMILES); err != nil || len(m.Atoms) > 60 {
			continue
		}
		fmt.Fprintln(&text, r.SMILES)
		if n--; n == 0 {
			return text.String()
		}
	}
	b.Fatalf("%d molecules are missing", n)
	return ""
}

// BenchmarkInteractive is the time from asking for the page to its program running,
// with nothing stored and then with everything stored and no server.
func BenchmarkInteractive(b *testing.B) {
	page := open(b)
	const at = `document.documentElement.dataset.state === "running"`
	for b.Loop() {
		s := serve(b, page)
		t := browseAlone(b)
		t.Run("opening", chromedp.Navigate(s.URL+"/"))
		t.Wait(at)
		first := eval[float64](t, `performance.getEntriesByName("interactive")[0].startTime`)
		paint := eval[float64](t, `(performance.getEntriesByName("first-contentful-paint")[0] || { startTime: NaN }).startTime`)
		eval[any](t, installed)
		s.Close()
		eval[any](t, `(document.documentElement.dataset.state = "left", null)`)
		t.Run("again", chromedp.Reload())
		t.Wait(at)
		again := eval[float64](t, `performance.getEntriesByName("interactive")[0].startTime`)
		b.ReportMetric(paint, "paint-ms")
		b.ReportMetric(first, "interactive-ms")
		b.ReportMetric(again, "offline-ms")
	}
}

// BenchmarkPaper is the time from a click to the scores of the paper's method for a list of drug-like
// molecules, with the SIMD kernel and without, the worker's CPU meanwhile, and the memory of the tab.
func BenchmarkPaper(b *testing.B) {
	page := open(b)
	for name, lacks := range map[string]string{"simd": "nothing", "portable": "/web/kernel."} {
		for _, n := range []int{408, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				t := browseAlone(b)
				t.visit(lacking(b, page, func(path string) bool { return strings.HasPrefix(path, lacks) }).URL + "/")
				t.usable()
				for b.Loop() {
					t.upload("#file", "list.smi", []byte(druglike(b, n)))
					t.phase("done")
					begun, before := time.Now(), t.threads("DedicatedWorker")[0]
					t.click("#paper")
					t.Wait(`document.querySelector(".by-paper") !== null`)
					b.ReportMetric(time.Since(begun).Seconds()*1e3, "paper-ms")
					b.ReportMetric(t.threads("DedicatedWorker")[0]-before, "worker-s")
					t.setting(`[data-decider="alone"]`)
				}
				now, _ := t.memory()
				b.ReportMetric(float64(now)/(1<<20), "tab-MiB")
			})
		}
	}
}

// watchTasks keeps the longest task of the page's thread, in ms.
const watchTasks = `(() => {
	globalThis.longestTask = 0;
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) longestTask = Math.max(longestTask, e.duration);
	}).observe({ type: "longtask" });
})()`

// BenchmarkTasks is the longest task of the page's thread while a user works with a hundred thousand molecules, and how
// long the answer takes.
func BenchmarkTasks(b *testing.B) {
	t := readyIn(b, browseAlone, watchTasks)
	by := func(what string) { t.set("#search-by", "change", what) }
	steps := append(t.steps(smallMolecules(100_000)),
		step{"a structure", func() {
			by("structure")
			t.set("#search", "change", "C(=O)O")
			t.Wait(`/^[\d\s]+ of /.test(document.getElementById("found").textContent)`)
			t.set("#search", "change", "")
		}},
		step{"the grid", func() {
			t.click("#shape button:nth-child(2)")
			t.Wait(`document.querySelectorAll(".mol-card svg:not(.shape)").length > 3`)
		}},
		step{"the map", func() {
			t.click("#shape button:nth-child(3)")
			t.Wait(`document.getElementById("map-canvas")?.dataset.shown > 0`)
		}})
	for b.Loop() {
		for _, s := range steps {
			if s.name == "the lab" {
				continue // of at most 4096 graphs
			}
			eval[any](t, `(globalThis.longestTask = 0, null)`)
			begun := time.Now()
			s.do()
			took := time.Since(begun)
			t.still()
			name := strings.ReplaceAll(s.name, " ", "-")
			b.ReportMetric(took.Seconds()*1e3, name+"-ms")
			b.ReportMetric(eval[float64](t, `longestTask`), name+"-longest-task-ms")
		}
	}
}

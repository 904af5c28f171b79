package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"baca/algo/dataset"
	"baca/algo/molecule/smiles"
	"baca/wasm/message"

	"github.com/chromedp/chromedp"
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
		if err != nil {
			b.Fatal(err)
		}
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

// yardsticks reports a time, and what it is beside the fixed loop of the same browser:
// that ratio is what figures of two machines are compared by.
func yardsticks(b *testing.B, name string, ms, yardstick float64) {
	b.ReportMetric(ms, name+"-ms")
	b.ReportMetric(ms/yardstick, name+"-yardsticks")
}

// BenchmarkInteractive is the time from asking for the page to its program running,
// with nothing stored and then with everything stored and no server.
func BenchmarkInteractive(b *testing.B) {
	page := open(b)
	const at = `document.documentElement.dataset.state === "running"`
	for b.Loop() {
		s := serve(b, page)
		t := browseAlone(b)
		t.run("opening", chromedp.Navigate(s.URL+"/"))
		t.wait(at)
		first := eval[float64](t, `performance.getEntriesByName("interactive")[0].startTime`)
		paint := eval[float64](t, `(performance.getEntriesByName("first-contentful-paint")[0] || { startTime: NaN }).startTime`)
		eval[any](t, `navigator.serviceWorker.ready.then((r) => new Promise((done) => {
			if (r.active.state === "activated") done(null);
			else r.active.addEventListener("statechange", () => r.active.state === "activated" && done(null));
		}))`)
		s.Close()
		t.run("again", chromedp.Reload())
		t.wait(at)
		again := eval[float64](t, `performance.getEntriesByName("interactive")[0].startTime`)
		yardstick := t.yardstick()
		b.ReportMetric(yardstick, "yardstick-ms")
		yardsticks(b, "paint", paint, yardstick)
		yardsticks(b, "interactive", first, yardstick)
		yardsticks(b, "offline", again, yardstick)
	}
}

// BenchmarkScore1000 is 1 000 drug-like molecules, opened and scored in one worker,
// with the SIMD kernel and without.
func BenchmarkScore1000(b *testing.B) {
	input := []byte(druglike(b, 1000))
	page := open(b)
	for _, name := range []string{"simd", "portable"} {
		b.Run(name, func(b *testing.B) {
			s := serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if name == "portable" && strings.HasPrefix(r.URL.Path, "/web/kernel.") {
					http.NotFound(w, r)
					return
				}
				page.ServeHTTP(w, r)
			}))
			t := browseAlone(b)
			t.visit(s.URL + "/")
			c := t.client()
			must[*message.Model](b, c, &message.LoadModel{})
			for b.Loop() {
				must[*message.Opened](b, c, &message.Open{Data: input})
				_, scored := must[*message.Scored](b, c, &message.Score{Batch: true})
				yardstick := t.yardstick()
				b.ReportMetric(yardstick, "yardstick-ms")
				yardsticks(b, "score", scored.Milliseconds, yardstick)
			}
			_, m := must[*message.Measured](b, c, &message.Measure{})
			b.ReportMetric(float64(m.Memory)/(1<<20), "worker-MiB")
		})
	}
}

// BenchmarkDecide is the time from giving a list to the verdicts of its first fifty
// molecules and of all, each by itself, in one worker.
func BenchmarkDecide(b *testing.B) {
	list := druglike(b, 1000)
	page := open(b)
	for _, times := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(1000*times), func(b *testing.B) {
			input := []byte(strings.Repeat(list, times))
			t := browseAlone(b)
			t.visit(serve(b, page).URL + "/")
			c := t.client()
			must[*message.Model](b, c, &message.LoadModel{})
			for b.Loop() {
				begun, done := time.Now(), make(chan message.Reply)
				var first time.Duration
				c.Do(&message.Open{Data: input}, func(message.Event) {}, func(r message.Reply) { done <- r })
				if o, ok := (<-done).(*message.Opened); !ok || o.Records != 1000*times {
					b.Fatalf("opened as %+v", o)
				}
				c.Do(&message.Score{}, func(e message.Event) {
					if r, ok := e.(*message.Rows); ok && first == 0 && r.From+len(r.Rows.Texts("verdict")) >= 50 {
						first = time.Since(begun)
					}
				}, func(r message.Reply) { done <- r })
				if s, ok := (<-done).(*message.Scored); !ok {
					b.Fatalf("scored as %+v", s)
				}
				all := time.Since(begun)
				yardstick := t.yardstick()
				b.ReportMetric(yardstick, "yardstick-ms")
				yardsticks(b, "first-50", first.Seconds()*1e3, yardstick)
				yardsticks(b, "all", all.Seconds()*1e3, yardstick)
			}
			_, m := must[*message.Measured](b, c, &message.Measure{})
			b.ReportMetric(float64(m.Memory)/(1<<20), "worker-MiB")
		})
	}
}

package suite

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/build/internal/try"
	"baca/wasm/message"
	"baca/wasm/worker/engine"
	"baca/weights"
)

// A worker is what the engine of the page's worker needs to work by itself. It has no files, and cannot start others.
type worker struct {
	engine.Host
	last any
}

func (w *worker) Post(number uint32, m any) {
	if _, err := message.Encode(number, m); err != nil {
		panic(err)
	}
	w.last = m
}

func (w *worker) Yield() {}

func (w *worker) Waiting() (uint32, message.Request, bool) { return 0, nil, false }

func (w *worker) Cores() int { return 1 }

func (w *worker) Device(context.Context, gin.Config, int, bool) (gin.Device, string) { return nil, "" }

// BenchmarkDecide is a list that is given to the page's worker, from its text to the verdicts of all molecules, each by
// itself: the engine of the page, on one thread, with the messages that it writes. It is measured once, without warming
// up, as a visitor has it.
func BenchmarkDecide(b *testing.B) {
	m := varied()
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("%s/%d", m.name, n), func(b *testing.B) {
			var text strings.Builder
			for i := range n {
				fmt.Fprintln(&text, m.smiles[i*max(1, len(m.smiles)/n)%len(m.smiles)])
			}
			input := []byte(text.String())
			w := &worker{}
			e := engine.New(w)
			ask := func(r message.Request) any {
				e.Handle(1, r)
				if failed, ok := w.last.(*message.Failed); ok {
					b.Fatal(failed.Text)
				}
				return w.last
			}
			data := try.To(weights.Bytes("bbbp"))
			ask(&message.LoadModel{Data: data})
			for b.Loop() {
				if o, ok := ask(&message.Open{Data: input}).(*message.Opened); !ok || o.Records != n {
					b.Fatalf("opened as %+v, want %d records", w.last, n)
				}
				if _, ok := ask(&message.Score{}).(*message.Scored); !ok {
					b.Fatalf("scored as %+v", w.last)
				}
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "molecules/s")
		})
	}
}

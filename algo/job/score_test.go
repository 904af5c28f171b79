package job

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/must"
	random "baca/algo/internal/sample"
	"baca/algo/pretrain"
	"baca/algo/table"
)

var ctx = context.Background()

// trees draws random trees with some extra edges.
func trees(t testing.TB, seed uint64, n, extra int) []*graph.Graph {
	t.Helper()
	return random.Trees(rand.New(rand.NewPCG(seed, 1)), n, 6, func(int) int { return extra })
}

func newScorer(t testing.TB, seed uint64) *algo.Scorer {
	t.Helper()
	return newScorerOn(t, seed, nil)
}

// newModel is trained on trees, its encoder runs on a device.
func newModel(t testing.TB, d gin.Device) *algo.Model {
	t.Helper()
	gs := trees(t, 1, 120, 0)
	index := make([]int, len(gs))
	for i := range index {
		index[i] = i
	}
	tr := must.Have(pretrain.New(gs[20:], pretrain.Defaults(1), nil))
	m := must.Have(algo.NewModel(ctx, 1, tr.Encoder(), gs, index[20:], index[:20], algo.Card{Name: "trees", Schema: algo.Constant}))
	m.Encoder.Device = d
	return m
}

func newSingleScorer(t testing.TB) *algo.SingleScorer {
	t.Helper()
	return must.Have(algo.NewSingleScorer(ctx, newModel(t, nil), 1))
}

// newScorerOn is newScorer with an encoder that runs on a device.
func newScorerOn(t testing.TB, seed uint64, d gin.Device) *algo.Scorer {
	t.Helper()
	o := algo.DefaultOptions()
	o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic = 10, 8, 8
	o.By, o.Seed, o.Alpha = algo.ByBatch, seed, 0.1
	return must.Have(algo.NewScorer(ctx, newModel(t, d), o))
}

var errRefused = errors.New("refused")

// mixed are records of n graphs, with a refused one before each seventh.
func mixed(t testing.TB, n int) []dataset.Record {
	t.Helper()
	var rs []dataset.Record
	add := func(r dataset.Record) {
		r.Row = len(rs) + 1
		r.ID = fmt.Sprint(r.Row)
		rs = append(rs, r)
	}
	for i, g := range trees(t, 2, n, 3) {
		if i%7 == 0 {
			add(dataset.Record{Err: errRefused})
		}
		add(dataset.Record{Graph: g})
	}
	return rs
}

// unread yields records, then err unless it is nil.
func unread(rs []dataset.Record, err error) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for _, r := range rs {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(dataset.Record{}, err)
		}
	}
}

// input can be gone through again, if so wanted.
func input(rs []dataset.Record, err error, again bool) Input {
	in := Input{Records: unread(rs, err)}
	if again {
		in.Again = func() (iter.Seq2[dataset.Record, error], func(), error) { return unread(rs, err), func() {}, nil }
	}
	return in
}

// scored are the rows of an input.
func scored(t *testing.T, s *algo.Scorer, in Input, o ScoreOptions) (rows []table.Scored) {
	t.Helper()
	must.Do(Score(ctx, s, in, o, func(some []table.Scored) error {
		rows = append(rows, some...)
		return nil
	}))
	return rows
}

// same tells whether two rows have the same bits, NaN being equal to itself.
func same(a, b *algo.Row) bool {
	if a == nil || b == nil {
		return a == b
	}
	return fmt.Sprint(*a) == fmt.Sprint(*b) // digits enough to tell all numbers apart
}

// expect compares rows with those of a scorer that has the graphs of the fit as
// its batch and sees all other graphs one at a time.
func expect(t *testing.T, got []table.Scored, rs []dataset.Record, fit *Fit, oracle *algo.Scorer) {
	t.Helper()
	if len(got) != len(rs) {
		t.Fatalf("%d rows, want %d", len(got), len(rs))
	}
	var graphs []*graph.Graph
	for _, place := range fit.Records {
		graphs = append(graphs, rs[place].Graph)
	}
	report := must.Have(oracle.Batch(ctx, graphs))
	for i, r := range rs {
		if !reflect.DeepEqual(got[i].Record, r) {
			t.Fatalf("row %d is of record %d", i+1, got[i].Row)
		}
		if r.Err != nil {
			if got[i].Scores != nil {
				t.Errorf("refused record %d has scores", r.Row)
			}
			continue
		}
		var want algo.Row
		if k, ok := slices.BinarySearch(fit.Records, i); ok {
			want = report.Rows[k]
		} else {
			rows := must.Have(oracle.Score(ctx, []*graph.Graph{r.Graph}))
			want = rows[0]
		}
		if !same(got[i].Scores, &want) {
			t.Errorf("row %d is %+v, want %+v", i+1, *got[i].Scores, want)
		}
	}
}

func TestScore(t *testing.T) {
	for _, test := range []struct {
		name          string
		graphs, limit int
		again         bool
		sample, first bool
	}{
		{"a batch", 40, 40, true, false, false},
		{"a batch that comes once", 40, 40, false, false, false},
		{"a sample", 150, 30, true, true, false},
		{"the first", 150, 30, false, true, true},
		{"few", 5, 30, true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs := mixed(t, test.graphs)
			var first []table.Scored
			for _, workers := range []int{1, 3} {
				var fit *Fit
				sampled, told := 0, 0
				o := ScoreOptions{Batch: true, Graphs: test.limit, Seed: 9, Workers: workers, Fitted: func(f *Fit) error { fit = f; return nil }}
				o.Reading = func(records int) { sampled, told = records, told+1 }
				got := scored(t, newScorer(t, 9), input(rs, nil, test.again), o)
				if fit.Sample != test.sample || fit.First != test.first || len(fit.Graphs) != min(test.graphs, test.limit) {
					t.Fatalf("fit of %d graphs, sample %v, first %v", len(fit.Graphs), fit.Sample, fit.First)
				}
				if want := len(rs); !test.first && fit.Total != want || test.sample && !test.first && sampled != want {
					t.Errorf("total %d, %d seen for the sample, want %d", fit.Total, sampled, want)
				}
				if told > 1 {
					t.Errorf("%d records of a sample are told %d times, want once", sampled, told)
				}
				if workers == 1 {
					first = got
					expect(t, got, rs, fit, newScorer(t, 9))
					continue
				}
				for i := range got {
					if a, b := got[i].Scores, first[i].Scores; !same(a, b) {
						t.Fatalf("row %d is %+v with three workers, %+v with one", i+1, a, b)
					}
				}
			}
			// A run that goes on emits the rest and nothing else.
			if test.again {
				o := ScoreOptions{Batch: true, Graphs: test.limit, Seed: 9, Workers: 2, Skip: len(rs) / 2}
				got := scored(t, newScorer(t, 9), input(rs, nil, true), o)
				if len(got) != len(rs)-len(rs)/2 {
					t.Fatalf("%d rows, want %d", len(got), len(rs)-len(rs)/2)
				}
				for i, g := range got {
					if !same(g.Scores, first[len(rs)/2+i].Scores) {
						t.Fatalf("row %d differs", len(rs)/2+i+1)
					}
				}
			}
		})
	}
}

// Without a batch each record is scored by itself in one pass, and in a batch it gets
// the same by itself: the same bits in any order, for any number of workers, and from
// any record on.
func TestScoreWithoutABatch(t *testing.T) {
	rs := mixed(t, 150)
	score := func(rs []dataset.Record, again bool, o ScoreOptions) []*algo.Row {
		t.Helper()
		o.Fitted = func(*Fit) error {
			if !o.Batch {
				t.Error("a batch was calibrated")
			}
			return nil
		}
		var rows []*algo.Row
		for _, s := range scored(t, newScorer(t, o.Seed), input(rs, nil, again), o) {
			if (s.Err == nil) != (s.Scores != nil) {
				t.Fatalf("record %d: %+v", s.Row, s)
			}
			rows = append(rows, s.Scores)
		}
		if len(rows) != len(rs)-o.Skip {
			t.Fatalf("%d rows of %d", len(rows), len(rs))
		}
		return rows
	}
	want := score(rs, false, ScoreOptions{Seed: 1, Workers: 1})
	for i, row := range want {
		if row != nil && (row.Score != row.Alone || row.P != row.AloneP || !math.IsNaN(row.Batch)) {
			t.Fatalf("record %d: %+v", i+1, row)
		}
	}
	alike := func(what string, i int, got *algo.Row) {
		t.Helper()
		if w := want[i]; (got == nil) != (w == nil) || w != nil && (got.Alone != w.Alone || got.AloneP != w.AloneP) {
			t.Errorf("%s: record %d has %+v, want %+v", what, i+1, got, w)
		}
	}
	for i, row := range score(rs, true, ScoreOptions{Seed: 2, Workers: 3, Skip: 40}) {
		if alike("skipped 40", 40+i, row); !same(row, want[40+i]) {
			t.Errorf("record %d has %+v, want %+v", 41+i, row, want[40+i])
		}
	}
	order := rand.New(rand.NewPCG(4, 4)).Perm(len(rs))
	shuffled := make([]dataset.Record, len(rs))
	for k, i := range order {
		shuffled[k] = rs[i]
	}
	for k, row := range score(shuffled, false, ScoreOptions{Workers: 2}) {
		alike("in another order", order[k], row)
	}
	for _, o := range []ScoreOptions{{Batch: true, Graphs: 30, Seed: 9}, {Batch: true, Graphs: 200, Seed: 3}} {
		for i, row := range score(rs, true, o) {
			alike("in a batch", i, row)
		}
	}
}

// A device of many threads is given many graphs at once, and the rows do not show
// it.
func TestScoreOnADevice(t *testing.T) {
	rs := mixed(t, 1300)
	d := &widest{CPU: pretrain.NewCPU(1)}
	var fit *Fit
	o := ScoreOptions{Batch: true, Graphs: 40, Seed: 3, Workers: 2, Fitted: func(f *Fit) error { fit = f; return nil }}
	got := scored(t, newScorerOn(t, 3, d), input(rs, nil, true), o)
	expect(t, got, rs, fit, newScorerOn(t, 3, &widest{CPU: pretrain.NewCPU(1)}))
	if n := d.most.Load(); n < 800 || n > algo.DeviceChunk {
		t.Errorf("the device got %d graphs at once, want most of %d", n, algo.DeviceChunk)
	}
}

// widest is the processor, which notes the largest batch that it gets.
type widest struct {
	pretrain.CPU
	most atomic.Int64
}

func (w *widest) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	for {
		most := w.most.Load()
		if int64(len(gs)) <= most || w.most.CompareAndSwap(most, int64(len(gs))) {
			return w.CPU.Encode(ctx, e, gs, to)
		}
	}
}

func TestScoreOfABrokenInput(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{0, 25, 90} {
		for _, again := range []bool{false, true} {
			rs := mixed(t, n)
			rows := 0
			err := Score(ctx, newScorer(t, 1), input(rs, broken, again), ScoreOptions{Batch: true, Graphs: 30}, func(s []table.Scored) error {
				rows += len(s)
				return nil
			})
			if err != broken || rows != len(rs) {
				t.Errorf("%d graphs, again %v: %d rows of %d, error %v", n, again, rows, len(rs), err)
			}
		}
	}
}

func TestScoreEndsWithEmit(t *testing.T) {
	full := errors.New("disk full")
	for _, again := range []bool{false, true} {
		calls := 0
		err := Score(ctx, newScorer(t, 1), input(mixed(t, 200), nil, again), ScoreOptions{Batch: true, Graphs: 30}, func([]table.Scored) error {
			calls++
			return full
		})
		if err != full || calls != 1 {
			t.Errorf("again %v: error %v after %d calls, want %v after one", again, err, calls, full)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	err := Score(ended, newScorer(t, 1), input(mixed(t, 200), nil, true), ScoreOptions{Batch: true, Graphs: 30}, func([]table.Scored) error {
		t.Error("a row after the end")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// Refused records come out even if no graph is ever seen, and do not pile up.
func TestScoreOfRefusedRecords(t *testing.T) {
	long := strings.Repeat("x", maxText/100)
	rs := slices.Repeat([]dataset.Record{{ID: long, Err: errRefused}}, 3*block)
	for i, r := range mixed(t, 40) {
		r.Row = i
		rs = append(rs, r)
	}
	for _, again := range []bool{false, true} {
		for _, n := range []int{3, 3 * block, len(rs)} {
			rows, before := 0, -1
			o := ScoreOptions{Batch: true, Graphs: 30, Fitted: func(*Fit) error { return nil }}
			err := Score(ctx, newScorer(t, 1), input(rs[:n], nil, again), o, func(s []table.Scored) error {
				if before < 0 {
					before = len(s)
				}
				rows += len(s)
				return nil
			})
			if err != nil || rows != n {
				t.Errorf("%d records, again %v: %d rows, error %v", n, again, rows, err)
			}
			if before > 2*block {
				t.Errorf("%d records, again %v: %d were kept", n, again, before)
			}
		}
	}
}

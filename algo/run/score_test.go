package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	random "baca/algo/internal/sample"
	"baca/algo/model"
	"baca/algo/pretrain"
	"baca/algo/table"
)

var ctx = context.Background()

// trees draws random trees with some extra edges.
func trees(t testing.TB, seed uint64, n, extra int) []*graph.Graph {
	t.Helper()
	return random.Trees(rand.New(rand.NewPCG(seed, 1)), n, 6, func(int) int { return extra })
}

// newModel is trained on trees, its encoder runs on a device.
func newModel(t testing.TB, d gin.Device) *model.Model {
	t.Helper()
	gs := trees(t, 1, 120, 0)
	index := make([]int, len(gs))
	for i := range index {
		index[i] = i
	}
	tr := must.Have(pretrain.New(gs[20:], pretrain.Defaults(1), nil))
	m := must.Have(model.New(ctx, 1, tr.Encoder(), gs, index[20:], index[:20], model.Card{Name: "trees", Schema: model.Constant, Epochs: 300}))
	m.Encoder.Device = d
	return m
}

// newScorer decides by the batch. Its encoder runs on a device, or on the processor if that is nil.
func newScorer(t testing.TB, seed uint64, d gin.Device) *batch.Scorer {
	t.Helper()
	o := batch.DefaultOptions()
	o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic = 10, 8, 8
	o.By, o.Seed, o.Alpha = batch.ByBatch, seed, 0.1
	return must.Have(batch.NewScorer(ctx, newModel(t, d), o))
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
			add(dataset.Record{Entry: dataset.Entry{Err: errRefused}})
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
func scored(t *testing.T, s *batch.Scorer, in Input, p Plan) (rows []table.Row) {
	t.Helper()
	p.Input, p.Rows = in, func(some []table.Row) error {
		rows = append(rows, some...)
		return nil
	}
	must.Do((&Run{Plan: p, Scorer: s}).Do(ctx))
	return rows
}

// same tells whether two rows have the same bits, NaN being equal to itself: the digits tell all numbers apart.
func same(a, b batch.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// expect compares rows with those of a scorer that has the graphs of the fit, if any, as
// its batch and sees all other graphs one at a time.
func expect(t *testing.T, got []table.Row, rs []dataset.Record, fit *Fit, oracle *batch.Scorer) {
	t.Helper()
	if len(got) != len(rs) {
		t.Fatalf("%d rows, want %d", len(got), len(rs))
	}
	report := &batch.Report{}
	if fit == nil {
		fit = &Fit{}
	} else {
		report = must.Have(oracle.Batch(ctx, lists.Map(fit.Records, func(place int) *graph.Graph { return rs[place].Graph })))
	}
	for i, r := range rs {
		if !reflect.DeepEqual(*got[i].Input(), r.Entry) {
			t.Fatalf("row %d is of record %d", i+1, got[i].Input().Row)
		}
		s, has := got[i].(*table.Scored)
		if has != (r.Err == nil) || has && s.Graph != r.Graph {
			t.Errorf("record %d has scores: %t", r.Row, has)
		}
		if !has {
			continue
		}
		var want batch.Row
		if k, ok := slices.BinarySearch(fit.Records, i); ok {
			want = report.Rows[k]
		} else {
			rows := must.Have(oracle.Score(ctx, []*graph.Graph{r.Graph}))
			want = rows[0]
		}
		if !same(s.Scores, want) {
			t.Errorf("row %d is %+v, want %+v", i+1, s.Scores, want)
		}
	}
}

// Rows are those by definition, the same bits for any number of workers and from any record on.
// Without a batch nothing is calibrated, and each record is scored by itself in one pass.
func TestScore(t *testing.T) {
	for _, test := range []struct {
		name          string
		graphs, limit int // a limit of 0: no batch
		again         bool
		sample, first bool
	}{
		{"a batch", 40, 40, true, false, false},
		{"a batch that comes once", 40, 40, false, false, false},
		{"a sample", 150, 30, true, true, false},
		{"the first", 150, 30, false, true, true},
		{"few", 5, 30, true, false, false},
		{"no batch", 150, 0, true, false, false},
		{"no batch, and an input that comes once", 150, 0, false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs := mixed(t, test.graphs)
			var first []table.Row
			// A run that goes on, which needs the input again, emits the rest and nothing else.
			for _, run := range []struct{ workers, skip int }{{1, 0}, {3, 0}, {2, len(rs) / 2}} {
				if run.skip > 0 && !test.again {
					continue
				}
				var fit *Fit
				sampled, told := 0, 0
				o := Plan{Batch: test.limit > 0, Graphs: test.limit, Options: batch.Options{Seed: 9, Workers: run.workers}, Skip: run.skip}
				o.Fitted = func(f *Fit) error { fit = f; return nil }
				o.Reading = func(records int) { sampled, told = records, told+1 }
				got := scored(t, newScorer(t, 9, nil), input(rs, nil, test.again), o)
				if (fit != nil) != o.Batch {
					t.Fatalf("a batch was calibrated: %v", fit != nil)
				}
				if fit != nil && (fit.Sample != test.sample || fit.First != test.first || len(fit.Graphs) != min(test.graphs, test.limit)) {
					t.Fatalf("fit of %d graphs, sample %v, first %v", len(fit.Graphs), fit.Sample, fit.First)
				}
				if want := len(rs); fit != nil && !test.first && fit.Total != want || test.sample && !test.first && sampled != want {
					t.Errorf("total %d, %d seen for the sample, want %d", fit.Total, sampled, want)
				}
				if told > 1 {
					t.Errorf("%d records of a sample are told %d times, want once", sampled, told)
				}
				if first == nil {
					first = got
					expect(t, got, rs, fit, newScorer(t, 9, nil))
				}
				if len(got) != len(rs)-run.skip {
					t.Fatalf("%d rows, want %d", len(got), len(rs)-run.skip)
				}
				for i, g := range got {
					if want := first[run.skip+i]; fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", want) {
						t.Fatalf("%+v: row %d is %+v, with one worker %+v", run, run.skip+i+1, g, want)
					}
				}
			}
		})
	}
}

// A device of many threads is given many graphs at once, and the rows do not show
// it.
func TestScoreOnADevice(t *testing.T) {
	rs := mixed(t, 1300)
	d := &widest{CPU: pretrain.NewCPU(1)}
	var fit *Fit
	o := Plan{Batch: true, Graphs: 40, Options: batch.Options{Seed: 3, Workers: 2}, Fitted: func(f *Fit) error { fit = f; return nil }}
	got := scored(t, newScorer(t, 3, d), input(rs, nil, true), o)
	expect(t, got, rs, fit, newScorer(t, 3, &widest{CPU: pretrain.NewCPU(1)}))
	if n := d.most.Load(); n < 800 || n > batch.DeviceChunk {
		t.Errorf("the device got %d graphs at once, want most of %d", n, batch.DeviceChunk)
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

// Large records wait in small pieces, whichever of their texts is long.
func TestPieces(t *testing.T) {
	long := strings.Repeat("C", piece*dataset.MeanSize/4)
	records := []dataset.Record{{Entry: dataset.Entry{SMILES: long}}, {Entry: dataset.Entry{ID: long}}, {Entry: dataset.Entry{Own: []string{long}}}, {Entry: dataset.Entry{Cells: []string{long}}}, {}}
	for some, err := range dataset.Pieces(unread(records, nil), piece) {
		if err != nil || len(some) != 4 && len(some) != 1 {
			t.Errorf("a piece of %d records, want 4 and 1: %v", len(some), err)
		}
	}
}

// An input ends with its error after all rows, one that cannot be written after the first call. Refused records come out even if
// no graph is ever seen, and do not pile up.
func TestScoreEnds(t *testing.T) {
	broken, full := errors.New("broken"), errors.New("disk full")
	refused := slices.Repeat([]dataset.Record{{Entry: dataset.Entry{ID: strings.Repeat("x", maxText/100), Err: errRefused}}}, 3*block)
	for _, c := range []struct {
		name    string
		records []dataset.Record
		input   error
		emit    error
	}{
		{"broken at once", nil, broken, nil}, {"broken in the batch", mixed(t, 25), broken, nil},
		{"broken behind the batch", mixed(t, 90), broken, nil}, {"a full disk", mixed(t, 200), nil, full},
		{"three refused", refused[:3], nil, nil}, {"all refused", refused, nil, nil},
		{"refused before a batch", slices.Concat(refused, mixed(t, 40)), nil, nil},
	} {
		for _, again := range []bool{false, true} {
			rows, calls, first := 0, 0, 0
			p := Plan{Batch: true, Graphs: 30, Fitted: func(*Fit) error { return nil }, Input: input(c.records, c.input, again)}
			p.Rows = func(s []table.Row) error {
				if calls++; calls == 1 {
					first = len(s)
				}
				rows += len(s)
				return c.emit
			}
			err := (&Run{Plan: p, Scorer: newScorer(t, 1, nil)}).Do(ctx)
			if err != cmp.Or(c.input, c.emit) || c.emit == nil && rows != len(c.records) || c.emit != nil && calls != 1 || first > 2*block {
				t.Errorf("%s, again %v: %d rows of %d in %d calls, the first of %d, error %v", c.name, again, rows, len(c.records), calls,
					first, err)
			}
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	p := Plan{Batch: true, Graphs: 30, Input: input(mixed(t, 200), nil, true)}
	p.Rows = func([]table.Row) error {
		t.Error("a row after the end")
		return nil
	}
	if err := (&Run{Plan: p, Scorer: newScorer(t, 1, nil)}).Do(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

package engine

import (
	"cmp"
	"math"
	"slices"

	"baca/algo/job"
	"baca/algo/table"
	"baca/wasm/message"
)

// A watched input has a drift test's result.
type watched struct {
	*job.Drift
	seed   uint64
	record []int32 // of each graph, from 0
}

const driftPiece = 32

// watch runs the drift test on the open input, once.
func (e *Engine) watch(t *task, seed uint64) (*watched, error) {
	if e.drift != nil && e.drift.seed == seed {
		return e.drift, nil
	}
	alone, err := e.single(t)
	if err != nil {
		return nil, err
	}
	w := &watched{Drift: job.NewDrift(alone, seed), seed: seed}
	err = w.Watch(t, alone, driftPiece, e.input.records(e.form().Unordered()), func(r table.Record, _, _ float64) error {
		if r.Err == nil {
			w.record = append(w.record, int32(r.Row-1))
		}
		t.showProgress(message.StageDrift, r.Row, e.input.opened.Records)
		return t.Err()
	})
	if err != nil {
		return nil, err
	}
	e.drift = w
	return w, nil
}

func (e *Engine) drifted(r *message.Drift, post func(message.Event)) (*message.Drifted, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	delta, seed := cmp.Or(r.Delta, job.DriftDelta), cmp.Or(r.Seed, 1)
	if !(delta > 0 && delta < 1) {
		return nil, failf(message.CodeBadOption, "rate of false alarms %g: want a number between 0 and 1", delta)
	}
	t := e.begin(post)
	w, err := e.watch(t, seed)
	if err != nil {
		return nil, t.failed(err)
	}
	highest, at := w.Highest()
	m := &message.Drifted{Delta: delta, Records: e.input.opened.Records, Graphs: len(w.record), Highest: highest / math.Ln10, At: at}
	if i := slices.IndexFunc(w.Wealth, func(x float64) bool { return x >= -math.Log10(delta) }); i > 0 {
		m.Moved, m.Record = i, int(w.record[i-1])
	}
	m.X, m.Path = thin(w.Wealth, pathPlaces)
	return m, nil
}

// pathPlaces exceeds a screen's resolution.
const pathPlaces = 1000

// thin keeps the lowest and highest value of each stretch of a path.
func thin(path []float64, places int) (x message.Ints, y message.Floats) {
	step := max(1, (2*len(path)+places-1)/places)
	if len(path) <= places {
		step = 1
	}
	for from := 0; from < len(path); from += step {
		low, high := from, from
		for i := from; i < min(from+step, len(path)); i++ {
			if path[i] < path[low] {
				low = i
			}
			if path[i] > path[high] {
				high = i
			}
		}
		for k, i := range []int{min(low, high), max(low, high)} {
			if k == 0 || low != high {
				x, y = append(x, int32(i)), append(y, path[i])
			}
		}
	}
	return x, y
}

// pick parses some records.
func (e *Engine) pick(t *task, wanted []int32) (map[int]table.Record, error) {
	left := map[int]bool{}
	for _, record := range wanted {
		left[int(record)] = true
	}
	found := make(map[int]table.Record, len(left))
	at := 0
	for u, err := range e.input.records(e.form()) {
		if len(left) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if left[at] {
			found[at] = u()
			delete(left, at)
		}
		at++
		if err := t.Err(); err != nil {
			return nil, err
		}
	}
	for record := range left {
		return nil, failf(message.CodeBadOption, "record %d: want one of %d", record, at)
	}
	return found, nil
}

package engine

import (
	"math"
	"time"

	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/table"
	"baca/wasm/message"
)

// defaultDelta is the rate of false alarms of the drift test, as for `baca drift`.
const defaultDelta = 0.01

// A task is a request that Pause ends. While it runs, light requests have their turn.
type task struct {
	*pulse
	engine *Engine
	post   func(message.Event)
	stage  string
	shown  time.Time // the last Progress
	served time.Time // the last light requests
}

// begin starts a task.
func (e *Engine) begin(post func(message.Event)) *task {
	e.paused = false
	p := newPulse(e.host)
	p.ended = &e.paused
	return &task{pulse: p, engine: e, post: post}
}

// goes says how far a stage is, unless the page has just heard of it.
func (t *task) goes(stage string, done, total int) {
	if stage != t.stage || done == total || time.Since(t.shown) >= between {
		t.stage, t.shown = stage, time.Now()
		t.post(&message.Progress{Stage: stage, Done: done, Total: total})
	}
	if time.Since(t.served) >= rowsTime {
		t.engine.others()
		t.served = time.Now()
	}
}

// failed is the failure for an error of a task.
func (t *task) failed(err error) error {
	if *t.ended {
		return failf(message.CodeCancelled, "cancelled")
	}
	return failf(message.CodeBadInput, "%s: %w", t.engine.input.title(), err)
}

// watched is what a drift test has seen.
type watched struct {
	seed    uint64
	wealth  []float64 // powers of ten, the first for the start
	record  []int32   // of each but the first, from 0
	highest float64
	at      int
}

// driftPiece graphs are scored at a time, each by itself.
const driftPiece = 32

// watch runs the drift test over the open input, or returns what it gave before.
func (e *Engine) watch(t *task, seed uint64) (*watched, error) {
	if e.drift != nil && e.drift.seed == seed {
		return e.drift, nil
	}
	alone, err := e.single(t.pulse)
	if err != nil {
		return nil, err
	}
	d := decide.NewDrift(alone.Holdout(), seed)
	w := &watched{seed: seed, wealth: []float64{0}}
	var graphs []*graph.Graph
	var of []int32
	at, total := 0, e.input.opened.Records
	flush := func() error {
		if len(graphs) == 0 {
			return nil
		}
		scores, err := alone.Scores(t, graphs)
		if err != nil {
			return err
		}
		for k, s := range scores {
			d.Add(s)
			w.wealth, w.record = append(w.wealth, d.LogWealth()/math.Ln10), append(w.record, of[k])
		}
		graphs, of = graphs[:0], of[:0]
		t.goes(message.StageDrift, at, total)
		return t.Err()
	}
	for u, err := range e.input.records(e.form()) {
		if err != nil {
			return nil, err
		}
		if r := u(); r.Err == nil {
			graphs, of = append(graphs, r.Graph), append(of, int32(at))
		}
		at++
		if len(graphs) == driftPiece {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		if err := t.Err(); err != nil {
			return nil, err
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	highest, after := d.Highest()
	w.highest, w.at = highest/math.Ln10, after
	e.drift = w
	return w, nil
}

func (e *Engine) drifted(r *message.Drift, post func(message.Event)) (*message.Drifted, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	delta, seed := r.Delta, r.Seed
	if delta == 0 {
		delta = defaultDelta
	}
	if seed == 0 {
		seed = 1
	}
	if !(delta > 0 && delta < 1) {
		return nil, failf(message.CodeBadOption, "rate of false alarms %g: want a number between 0 and 1", delta)
	}
	t := e.begin(post)
	w, err := e.watch(t, seed)
	if err != nil {
		return nil, t.failed(err)
	}
	m := &message.Drifted{Delta: delta, Records: e.input.opened.Records, Graphs: len(w.record), Highest: w.highest, At: w.at}
	for i, v := range w.wealth {
		if v >= -math.Log10(delta) {
			m.Moved, m.Record = i, int(w.record[i-1])
			break
		}
	}
	m.X, m.Path = thin(w.wealth, pathPlaces)
	return m, nil
}

// pathPlaces are about as many as a screen shows apart.
const pathPlaces = 1000

// thin leaves about so many places of a path, of each stretch the lowest and the
// highest.
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

// pick parses some records of the open input.
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

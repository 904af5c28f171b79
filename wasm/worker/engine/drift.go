package engine

import (
	"cmp"
	"math"
	"slices"

	"baca/algo/job"
	"baca/algo/report"
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
	w := &watched{Drift: job.NewDrift(t.alone, seed), seed: seed}
	err := w.Watch(t, t.alone, driftPiece, e.input.records(nil, e.form().Unordered()), func(r table.Record, _, _ float64) error {
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

func (e *Engine) drifted(t *task, r *message.Drift) (*message.Found, error) {
	delta, seed := cmp.Or(r.Delta, job.DriftDelta), cmp.Or(r.Seed, 1)
	if !(delta > 0 && delta < 1) {
		return nil, failf(message.CodeBadOption, "rate of false alarms %g: want a number between 0 and 1", delta)
	}
	w, err := e.watch(t, seed)
	if err != nil {
		return nil, err
	}
	ids, err := e.pick(t, w.moved(delta))
	if err != nil {
		return nil, err
	}
	found := &message.Found{Short: "none seen"}
	name := func(n int) string { return ids[int(w.record[n])].ID }
	if len(ids) > 0 {
		found.Short = "moved"
	}
	found.HTML = report.DriftHTML(w.Wealth, delta, name)
	return found, nil
}

// moved is the record whose graph raises the alarm, or none.
func (w *watched) moved(delta float64) []int32 {
	if i := slices.IndexFunc(w.Wealth, func(x float64) bool { return x >= -math.Log10(delta) }); i > 0 {
		return w.record[i-1 : i]
	}
	return nil
}

// pick parses some records.
func (e *Engine) pick(t *task, wanted []int32) (map[int]table.Record, error) {
	left := map[int]bool{}
	for _, record := range wanted {
		left[int(record)] = true
	}
	found := make(map[int]table.Record, len(left))
	at := 0
	for u, err := range e.input.records(nil, e.form()) {
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

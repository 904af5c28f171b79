package drift_test

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/feature/drift"
	"baca/algo/internal/must"
	"baca/algo/training/trainingtest"
)

// However many graphs are scored at a time, the path is the same, and each record comes
// once and in its order, those that are refused without a score.
func TestWatch(t *testing.T) {
	alone, rs := must.Have(alone.New(t.Context(), trainingtest.Model(), 1)), trainingtest.RowsOf(trainingtest.Table()+strings.TrimPrefix(trainingtest.Strangers, trainingtest.Header))
	broken := errors.New("broken")
	var want []float64
	for _, piece := range []int{1, 7, 32} {
		d, at := drift.New(alone, 3), 0
		err := d.Watch(t.Context(), alone, piece, unread(rs, broken), func(r dataset.Record, score, p float64) error {
			if r.ID != rs[at].ID || math.IsNaN(score) != (r.Err != nil) || math.IsNaN(p) != (r.Err != nil) {
				t.Errorf("pieces of %d: record %d is %s with score %g and p %g", piece, at, r.ID, score, p)
			}
			at++
			return nil
		})
		if piece == 1 {
			want = d.Wealth
		}
		if !errors.Is(err, broken) || piece == 1 && at != len(rs) || !slices.Equal(d.Wealth, want[:len(d.Wealth)]) || d.Log() != d.Wealth[d.Seen()] {
			t.Errorf("pieces of %d: %d records, a path of %d, %v", piece, at, len(d.Wealth), err)
		}
		stop := errors.New("enough")
		if err := d.Watch(t.Context(), alone, piece, unread(rs, nil), func(dataset.Record, float64, float64) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("pieces of %d: %v, want the error of emit", piece, err)
		}
	}
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

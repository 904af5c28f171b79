package table

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/internal/must"
)

func TestNumber(t *testing.T) {
	zero := 0.0
	for _, test := range []struct {
		x    float64
		want string
	}{
		{1.0 / 3, "0.333333"}, {-2.5, "-2.5"}, {-zero, "0"}, {-1 * zero, "0"}, {1e-9, "1e-09"}, {123456789, "1.23457e+08"},
		{zero / zero, ""}, {1 / zero, ""},
	} {
		got := Number(test.x)
		if got != test.want {
			t.Errorf("Number(%g) = %q, want %q", test.x, got, test.want)
		}
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("Number(%g) = %s is not JSON", test.x, got)
		}
	}
}

// written are rows as a sink writes them.
func written(to string, text Text, header bool, columns []Field, rows ...Scored) string {
	var b strings.Builder
	w := NewSink(&b, to, text, header, columns)
	w.Add(rows...)
	must.Do(w.Flush())
	must.Do(w.Close())
	return b.String()
}

// The columns of both answers are there where a batch was calibrated and empty where not.
func TestBothAnswers(t *testing.T) {
	var rows []Scored
	nan := math.NaN()
	for _, row := range []algo.Row{
		{Score: 1, P: 0.25, Verdict: decide.Inside, Pre: 2, Attn: 3, BaCa: 4, Alone: 1, AloneP: 0.25, Batch: 5, BatchP: 0.125, BatchVerdict: decide.Borderline},
		{Score: 1, P: 0.25, Verdict: decide.Inside, Pre: nan, Attn: nan, BaCa: nan, Alone: 1, AloneP: 0.25, Batch: nan, BatchP: nan, BatchVerdict: decide.Undecided},
	} {
		rows = append(rows, Scored{Record: dataset.Record{ID: "a"}, Scores: &row})
	}
	rows = append(rows, Scored{Record: dataset.Record{ID: "b", Err: errors.New("no")}})
	want := `id,smiles,score,p_value,verdict,error,set_aside,s_pre,s_attn,s_baca,alone,alone_p,batch,batch_p,batch_verdict
a,,1,0.25,inside,,,2,3,4,1,0.25,5,0.125,borderline
a,,1,0.25,inside,,,,,,1,0.25,,,undecided
b,,,,,no,,,,,,,,,
`
	if got := written("csv", plain, true, Fields(Usual|OfBatch), rows...); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

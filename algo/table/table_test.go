package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"baca/algo"
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

func TestWriters(t *testing.T) {
	records := []Record{
		{ID: "a, b", SMILES: "CCO"},
		{ID: "2", SMILES: "C(", Err: errors.New("line 2: \"C(\" is open")},
	}
	row := &algo.Row{Pre: 1.5, Attn: -0.25, BaCa: 2, Score: 1e-7, P: math.NaN(), Verdict: decide.Undecided}
	for _, test := range []struct {
		name string
		want string
	}{
		{"csv",
			"id,smiles,score,p_value,verdict,error,set_aside\n" +
				"\"a, b\",CCO,1e-07,,undecided,,\n" +
				"2,C(,,,,\"line 2: \"\"C(\"\" is open\",\n"},
		{"jsonl",
			`{"id":"a, b","smiles":"CCO","score":1e-07,"p_value":null,"verdict":"undecided","error":null,"set_aside":null}` + "\n" +
				`{"id":"2","smiles":"C(","score":null,"p_value":null,"verdict":null,"error":"line 2: \"C(\" is open","set_aside":null}` + "\n"},
	} {
		var b bytes.Buffer
		w := NewSink(&b, test.name, plain, true, Fields(Usual))
		w.Add(Scored{Record: records[0], Scores: row})
		w.Add(Scored{Record: records[1]})
		must.Do(w.Flush())
		if b.String() != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, &b, test.want)
		}
	}
	var b bytes.Buffer
	w := NewSink(&b, "csv", plain, true, RejectFields())
	w.Add(Scored{Record: Record{Row: 2, Line: 3, ID: "x", SMILES: "C(", Err: errors.New("no")}})
	must.Do(w.Flush())
	if want := "row,line,id,input,error\n2,3,x,C(,no\n"; b.String() != want {
		t.Errorf("rejects: got %q, want %q", &b, want)
	}
}

// The columns of both answers are there where a batch was calibrated and empty where not.
func TestBothAnswers(t *testing.T) {
	var b strings.Builder
	w := NewSink(&b, "csv", plain, true, Fields(Usual|OfBatch))
	nan := math.NaN()
	for _, row := range []algo.Row{
		{Score: 1, P: 0.25, Verdict: decide.Inside, Pre: 2, Attn: 3, BaCa: 4, Alone: 1, AloneP: 0.25, Batch: 5, BatchP: 0.125, BatchVerdict: decide.Borderline},
		{Score: 1, P: 0.25, Verdict: decide.Inside, Pre: nan, Attn: nan, BaCa: nan, Alone: 1, AloneP: 0.25, Batch: nan, BatchP: nan, BatchVerdict: decide.Undecided},
	} {
		w.Add(Scored{Record: Record{ID: "a"}, Scores: &row})
	}
	w.Add(Scored{Record: Record{ID: "b", Err: errors.New("no")}})
	must.Do(w.Flush())
	want := `id,smiles,score,p_value,verdict,error,set_aside,s_pre,s_attn,s_baca,alone,alone_p,batch,batch_p,batch_verdict
a,,1,0.25,inside,,,2,3,4,1,0.25,5,0.125,borderline
a,,1,0.25,inside,,,,,,1,0.25,,,undecided
b,,,,,no,,,,,,,,,
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

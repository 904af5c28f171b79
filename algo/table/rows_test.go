package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/internal/must"
)

// hostile are texts that a writer may get wrong.
var hostile = []string{
	"", "C", " C", "C ", "\tC", "\u00a0C", "\u2028C", "a,b", `a"b`, `""`, `"`, "a\nb", "a\r\nb", "\r", `\.`, `\.x`, "=1+1", "+1", "-1", "@x", "'",
	"é", "日本語", "\xff", "a\xffb", "\xc3", "\xed\xa0\x80", "\x00", "\x1b[31m", "\x7f", "\u0085", "<a href='x'>&amp;</a>", `\`, `\u0041`, "a;b", "; ",
	strings.Repeat(`",`, 300), "\U0001f600", "\ufeffC", "\ufffd",
}

// written are rows as a sink writes them.
func written(to string, text Text, header bool, columns []Field, rows ...Row) string {
	var b strings.Builder
	w := NewSink(&b, to, text, header, columns)
	w.Add(rows...)
	must.Do(w.Flush())
	must.Do(w.Close())
	return b.String()
}

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

// CSV is byte by byte what encoding/csv writes of the same cells, and texts of JSON what encoding/json writes.
func TestLikeTheStandardLibrary(t *testing.T) {
	columns := []Field{
		{Name: "one", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.ID }},
		{Name: "two, or more", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.SMILES }},
		{Name: "list", Group: OfScore, Texts: func(s *Scored) []string { return []string{s.ID, s.SMILES, s.ID} }},
	}
	for _, text := range []Text{{}, {SpreadsheetSafe: true}} {
		for _, list := range [][]Field{columns, columns[:1]} {
			var got, want bytes.Buffer
			w, old := NewSink(&got, "csv", text, true, list), csv.NewWriter(&want)
			old.Write([]string{"one", "two, or more", "list"}[:len(list)])
			for _, a := range hostile {
				for _, b := range hostile {
					w.Add(&Scored{Record: dataset.Record{Entry: dataset.Entry{ID: a, SMILES: b}}})
					old.Write([]string{text.Cell(a), text.Cell(b), text.Cell(a + "; " + b + "; " + a)}[:len(list)])
				}
			}
			old.Flush()
			if err := w.Flush(); err != nil || old.Error() != nil {
				t.Fatal(err, old.Error())
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%+v, %d columns: the bytes are not those of encoding/csv", text, len(list))
			}
		}
	}
	// Printable leaves no line ends: these are for the quotes alone.
	for _, cell := range hostile {
		var want bytes.Buffer
		old := csv.NewWriter(&want)
		old.Write([]string{cell})
		old.Flush()
		r := rows{separator: ',', out: []byte(cell)}
		if r.quote(0); string(r.out)+"\n" != want.String() {
			t.Errorf("cell %q is %q, encoding/csv writes %q", cell, r.out, &want)
		}
		text := must.Have(json.Marshal(cell))
		if got := appendString([]byte("x"), cell); string(got) != "x"+string(text) {
			t.Errorf("text %q is %s, encoding/json writes %s", cell, got[1:], text)
		}
	}
}

// Names of the input's own columns may be any text: each is a name of its own, and rows stay JSON.
func TestOwnColumns(t *testing.T) {
	usual := Fields(Usual)
	own := OwnFields(append([]string{"score", "input_score", "a", "A", "Model"}, hostile...))
	if own[0].Name != "input_score" || own[1].Name != "input_input_score" || own[3].Name != "input_A" || own[4].Name != "input_Model" {
		t.Errorf("names %s, %s, %s and %s", own[0].Name, own[1].Name, own[3].Name, own[4].Name)
	}
	size := 0
	same := OwnFields(slices.Repeat([]string{"c"}, 10_000))
	for _, f := range same {
		size += len(f.Name)
	}
	if last := same[len(same)-1].Name; last != "input_c_9999" || size > len(last)*len(same) {
		t.Errorf("the last of equal names is %s, all have %d bytes", last, size)
	}
	refused := &dataset.Entry{ID: "a", Own: []string{"1", "2"}, Err: errors.New("no")}
	text := written("jsonl", plain, true, append(usual, own...), refused)
	var row map[string]any
	must.Do(json.Unmarshal([]byte(text), &row))
	if row["input_score"] != "1" || row["input_input_score"] != "2" || row["a"] != nil || row["score"] != nil {
		t.Errorf("row %s", text)
	}
}

// A fullOnce is full at first, and has room later.
type fullOnce struct{ err error }

func (w *fullOnce) Write(p []byte) (int, error) {
	err := w.err
	w.err = nil
	return len(p), err
}

// An error of writing stays, and ends the writing.
func TestWriteError(t *testing.T) {
	full := errors.New("full")
	for _, to := range []string{"csv", "jsonl", "sdf"} {
		w := NewSink(&fullOnce{full}, to, plain, true, Fields(OfRecord))
		for range 10_000 {
			w.Add(&dataset.Entry{ID: "a", SMILES: "CCO"})
		}
		for range 2 {
			if err := w.Flush(); !errors.Is(err, full) {
				t.Errorf("%s: error %v, want %v", to, err, full)
			}
		}
	}
}

// usualRow is a row as `baca score` writes most.
func usualRow() (Row, []Field) {
	nan := math.NaN()
	run := Run{Model: "bbbp", SHA256: strings.Repeat("0123456789abcdef", 4), By: batch.ByAlone, Alpha: 0.05}
	return &Scored{
		Record: dataset.Record{Entry: dataset.Entry{Row: 7, Line: 8, ID: "CHEMBL153534", SMILES: "COc1cc(C(=O)N[C@@H]2CCN(C)C2)ccc1O"}},
		Scores: batch.Row{Score: 1.234567, P: 0.0311, Verdict: decide.Outside, Pre: nan, Attn: nan, BaCa: nan, Alone: 1.234567, AloneP: 0.0311},
	}, append(Fields(Usual), run.Fields()...)
}

// A row costs no allocation in the long run, however many cells it has.
func TestRowAllocations(t *testing.T) {
	s, columns := usualRow()
	for _, to := range []string{"csv", "jsonl"} {
		w := NewSink(io.Discard, to, Text{SpreadsheetSafe: true}, true, columns)
		rows := []Row{s}
		if n := testing.AllocsPerRun(2000, func() { w.Add(rows...) }); n != 0 {
			t.Errorf("%s: %g allocations a row, want none", to, n)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	s, columns := usualRow()
	for _, to := range []string{"csv", "jsonl"} {
		b.Run(fmt.Sprintf("to=%s", to), func(b *testing.B) {
			w := NewSink(io.Discard, to, plain, true, columns)
			b.ReportAllocs()
			for b.Loop() {
				w.Add(s)
			}
			must.Do(w.Flush())
		})
	}
}

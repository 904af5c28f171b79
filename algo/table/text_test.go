package table

import (
	"errors"
	"slices"
	"testing"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/internal/golden"
)

var plain, safe = Text{}, Text{SpreadsheetSafe: true}

func TestCell(t *testing.T) {
	type textCase struct{ Text, Plain, Safe string }
	for _, c := range golden.Cases(t, "texts.jsonl",
		textCase{"\x9b", `\u009b`, `\u009b`}, textCase{"Latin-1: na\xefve \x9b2J", "Latin-1: na\xefve " + `\u009b2J`, "Latin-1: na\xefve " +
			`\u009b2J`},
	) {
		if got := plain.Cell(c.Text); got != c.Plain {
			t.Errorf("%q is written %q, want %q", c.Text, got, c.Plain)
		}
		if got := safe.Cell(c.Text); got != c.Safe {
			t.Errorf("%q is written %q for spreadsheets, want %q", c.Text, got, c.Safe)
		}
	}
}

// Text of the input is made safe in every column, and numbers stay numbers.
func TestSpreadsheetText(t *testing.T) {
	columns := slices.DeleteFunc(Fields(OfRecord|OfReasons), func(c Field) bool {
		return c.Group == OfReasons && c.Name != "reasons" && c.Name != "atoms"
	})
	why := Why{Given: true, Explanation: alone.Explanation{Reasons: []explain.Reason{{Text: "+a"}, {Text: "b"}}}, Atoms: []float64{-1, 2}}
	explained := &Scored{Record: dataset.Record{Entry: dataset.Entry{ID: "=1", SMILES: "-C"}}, Why: why}
	refused := &dataset.Entry{ID: "\n", Err: errors.New("@file:1")}
	reject := &dataset.Entry{Row: 1, Line: 1, ID: "=1", SMILES: "\x1b", Err: errors.New("@file:1")}
	got := written("csv", safe, false, columns, explained, refused) + written("csv", safe, false, RejectFields(), reject)
	want := "'=1,'-C,,,'+a; b,-1 2\n" + `\u000a,,'@file:1,,,` + "\n1,1,'=1," + `\u001b,'@file:1` + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

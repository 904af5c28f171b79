package dataset

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// repeated writes a text n times, with the number of each.
func repeated(form string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// Rows that lack nearly all columns cost more than their text says, and end.
func TestMissingCells(t *testing.T) {
	wide := func(n int, row string) string {
		return "smiles" + strings.Repeat(",c", n) + "\n" + strings.Repeat(row+"\n", 5000)
	}
	for text, want := range map[string]error{
		wide(20_000, "C"): errCells, wide(100, "C"+strings.Repeat(",", 100)): nil, wide(30, "C"): nil,
		`{"smiles":"C"` + repeated(`,"c%d":1`, 5000) + "}\n" + strings.Repeat(`{"smiles":"C"}`+"\n", 5000): errCells,
	} {
		rows := 0
		var last error
		for r, err := range Records(strings.NewReader(text), Options{Own: func(_, _ []string) {}}) {
			if last = err; err == nil {
				must.Do(r.Err)
				rows++
			}
		}
		if !errors.Is(last, want) || (want == nil) != (rows == 5000) {
			t.Errorf("%.20s: %d rows, then %v", text, rows, last)
		}
	}
}

// Lists that a reader keeps are bounded.
func TestBounds(t *testing.T) {
	for text, want := range map[string]string{
		molBlock("m", "C") + repeated("> <c%d>\n\n", maxColumns+1) + "$$$$\n":           "input: 65537 columns: want at most 65536",
		`{"smiles":"C"` + repeated(`,"c%d":1`, maxColumns) + "}\n":                      "input: first objects of 65537 keys: want at most 65536",
		"<graphml>" + repeated(`<key id="%d" for="graph"/>`, maxColumns+1) + "<graph/>": "more than 65536 keys of graphs",
	} {
		got := list(strings.NewReader(text), Options{Plain: true, Own: func(_, _ []string) {}})
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%.30s: %.300q, want %s", text, got, want)
		}
	}
}

// Columns of a first object or record of any length are read; those that come later are told, some by name.
func TestLateColumns(t *testing.T) {
	mol := molBlock("m", "C")
	for text, want := range map[string][2]int{ // columns, notes
		`{"smiles":"C"` + repeated(`,"c%d":1`, 20_000) + "}\n":                                          {20_000, 0},
		`[{"smiles":"C"` + repeated(",\n\"c%d\":1", 20_000) + `},{"smiles":"N","d":1}]`:                 {20_001, 0},
		mol + repeated("> <c%d>\n1\n\n", 3) + "$$$$\n" + mol + repeated("> <c%d>\n1\n\n", 5) + "$$$$\n": {3, 2},
		mol + "$$$$\n" + mol + repeated("> <c%d>\n1\n\n", 100) + "$$$$\n":                               {0, maxNamed + 1},
	} {
		got := [2]int{}
		o := Options{Own: func(_, own []string) { got[0] = len(own) }, Note: func(string) { got[1]++ }}
		for r, err := range Records(strings.NewReader(text), o) {
			must.Do(errors.Join(err, r.Err))
		}
		if got != want {
			t.Errorf("%.30s: columns and notes %d, want %d", text, got, want)
		}
	}
	twice := list(strings.NewReader(`{"smiles":"C","y":1,"y":2}`), Options{Own: func(_, _ []string) {}})
	if len(twice) != 1 || twice[0] != `1@1 refused line 1, column 21: key "y" is there twice: want it once` {
		t.Errorf("%q", twice)
	}
}

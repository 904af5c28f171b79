package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Of Parquet files that other programs have written, a row has these cells, or an error ends the reading; and columns
// that are not read are named.
func TestParquetOfOthers(t *testing.T) {
	for _, test := range []struct {
		file string
		opt  Options
		row  int
		want string // SMILES, id, cells
		note string
	}{
		{"duckdb-dec", Options{Cells: []string{"y", "measured"}}, 2, "CCNO m1 [0.10 2026-01-02]", ""},
		{"duckdb-v2", Options{}, 300, "CCCO 300 []", ""}, // id is the row
		{"duckdb-V2-uncompressed", Options{Cells: []string{"dec4", "stamptz", "enum"}}, 3, `CC(=O)Oc1ccccc1C(=O)O c81e728d-9d4c-2f63-6f06-7f89cc14862c [-0.48 2019-12-31 22:00:01+00 low]`,
			`column "list" holds lists and is not read; column "array" holds lists and is not read; column "struct" holds structs and is not read; column "map" holds maps and is not read; column "union" holds structs and is not read; further columns that are not read: 1`},
		{"wasm-V2-delta", Options{Cells: []string{"u64"}}, 2, "c1ccccc1 m1 [18446744073709551614]", `column "list" holds lists and is not read; column "struct" holds structs and is not read`},
		{"wasm-V2-delta", Options{Cells: []string{"list"}}, 0, `column "list" holds lists: want text or numbers`, ""}, {"wasm-V2-delta", Options{ID: "struct"}, 0, `column "struct" holds structs: want text or numbers`, ""},
		{"wasm-V2-delta", Options{Column: "dec"}, 0, `column "dec" holds decimals: want text, the SMILES`, ""},
		{"pyarrow-int96", Options{Cells: []string{"z"}}, 0, `no column "z": want its name to be one of the header, which has "smiles", "int96", "dec60"`, ""},
		{"plain-v1-words", Options{Cells: []string{"z"}}, 0, `which has "parts", "list", "flag", "smiles", "id"`, ""},
		{"zstd-v2-words", Options{}, 0, `column "smiles" holds data compressed by zstd, which is not at hand here (Snappy, gzip, zstd, Brotli and LZ4 are read): want text, the SMILES`, ""},
	} {
		data := must.Have(os.ReadFile("../parquet/testdata/" + test.file + ".parquet"))
		twice := zipOf(t, packedFile{"a.parquet", string(data)}, packedFile{"b.parquet", string(data)})
		for _, data := range [][]byte{data, twice} { // columns of several files are named once
			var notes []string
			test.opt.Note = func(sentence string) { notes = append(notes, sentence) }
			row := 0
			for r, err := range Records(bytes.NewReader(data), test.opt) {
				if row++; row != test.row && err == nil {
					continue
				}
				r = r.Named()
				got := fmt.Sprintf("%s %s %s", r.SMILES, r.ID, r.Cells)
				if err == nil && got != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: %s, %v, want %s", test.file, got, err, test.want)
				}
			}
			if row < cmp.Or(test.row, 1) || test.row > 0 && strings.Join(notes, "; ") != test.note {
				t.Errorf("%s: %d rows, %q", test.file, row, notes)
			}
		}
	}
}

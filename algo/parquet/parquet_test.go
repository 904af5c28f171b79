package parquet_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/parquet"
)

// files are those that other programs have written, see build/columnar, by name.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	list := map[string][]byte{}
	for _, name := range names {
		list[filepath.Base(name)] = must.Have(os.ReadFile(name))
	}
	return list
}

var molecules = []string{"CCO", "CC(=O)Oc1ccccc1C(=O)O", "c1ccccc1", "", "C1CC", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"}

// unread is what others.py and others.mjs write and is not read, by the names of columns.
var unread = map[string]string{"list": "lists", "array": "lists", "struct": "structs", "union": "structs", "map": "maps", "variant": "variants"}

// A file of all types is read like the CSV beside it, which DuckDB has written; see build/columnar.
func TestTypesOfOthers(t *testing.T) {
	tables := must.Have(filepath.Glob("testdata/*.csv"))
	if len(tables) < 9 {
		t.Errorf("%d tables", len(tables))
	}
	for _, name := range tables {
		want := must.Have(csv.NewReader(bytes.NewReader(must.Have(os.ReadFile(name)))).ReadAll())
		data := must.Have(os.ReadFile(strings.TrimSuffix(name, "csv") + "parquet"))
		f := must.Have(parquet.Open(bytes.NewReader(data), int64(len(data)), parquet.Codecs{}))
		for k, c := range f.Columns() {
			if c.Name != want[0][k] || !c.Text && !c.Value && c.What != unread[c.Name] {
				t.Errorf("%s: column %s holds %s, want %s, %s", name, c.Name, c.What, want[0][k], unread[c.Name])
			}
			if !c.Text && !c.Value {
				continue
			}
			i := 0
			for cells, err := range f.Rows(k) {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					break
				}
				if i++; !equal(string(cells[0]), want[i][k], c.What == "numbers") {
					t.Errorf("%s: column %s, row %d: %q, want %q", name, c.Name, i, cells[0], want[i][k])
				}
			}
			if i != len(want)-1 {
				t.Errorf("%s: column %s has %d rows, want %d", name, c.Name, i, len(want)-1)
			}
		}
	}
}

// equal compares numbers by their value, as DuckDB writes 1.0.
func equal(a, b string, number bool) bool {
	x, failed := strconv.ParseFloat(a, 64)
	y, alsoFailed := strconv.ParseFloat(b, 64)
	return a == b || number && failed == nil && alsoFailed == nil && (x == y || float32(x) == float32(y) && len(a) < 12)
}

// Of what other programs have written, the columns smiles, id, n, wide, narrow and yes, or the first of them, are read; where it is
// compressed by zstd, an error says so.
func TestFiles(t *testing.T) {
files:
	for name, data := range files(t) {
		if _, err := os.Stat("testdata/" + strings.TrimSuffix(name, "parquet") + "csv"); err == nil {
			continue // see TestTypesOfOthers
		}
		f := must.Have(parquet.Open(bytes.NewReader(data), int64(len(data)), parquet.Codecs{}))
		var at []int
		for i, c := range f.Columns() {
			if slices.Contains([]string{"smiles", "id", "n", "wide", "narrow", "yes"}, c.Name) {
				at = append(at, i)
			}
			want := map[string]string{"parts": "structs", "list": "lists", "flag": "truths"}[c.Name]
			if want != "" && c.What != want && !strings.Contains(c.What, "zstd") {
				t.Errorf("%s: column %s holds %s", name, c.Name, c.What)
			}
		}
		zstd := strings.HasPrefix(name, "zstd") || strings.HasPrefix(name, "brotli") || strings.HasPrefix(name, "parquet-go")
		i := 0
		for cells, err := range f.Rows(at...) {
			if zstd {
				if err == nil || !strings.Contains(err.Error(), "zstd") || strings.Contains(err.Error(), "damaged") {
					t.Errorf("%s without zstd: %v", name, err)
				}
				continue files
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			x := []float64{0.1, -1e-300, math.MaxFloat64, 0, 12.5, math.Inf(1)}[i%6] + float64(i/6)
			want := []string{
				molecules[i%len(molecules)], fmt.Sprintf("mol-%d", i), fmt.Sprint(i*i*7919 - 5),
				fmt.Sprint(x), fmt.Sprint(float32(i) / 7), fmt.Sprint(i%3 == 0),
			}
			null := []bool{i%7 == 3, false, i%11 == 5, i%7 == 2, false, i%7 == 2}
			for k, cell := range cells {
				if (cell == nil) != null[k] || cell != nil && string(cell) != want[k] {
					t.Fatalf("%s: row %d, column %d is %q", name, i, k, cell)
				}
			}
			i++
		}
		if i != 40 {
			t.Errorf("%s: %d rows", name, i)
		}
	}
}

// readAll reads all that a file lets be read, and returns what is wrong with it.
func readAll(data []byte) error {
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)), parquet.Codecs{Zstd: func(io.Reader) (io.Reader, error) { return nil, io.EOF }})
	if err != nil {
		return err
	}
	var columns []int
	for i, c := range f.Columns() {
		if c.Text || c.Value {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	rows := 0
	for _, err := range f.Rows(columns...) {
		if err != nil {
			return err
		}
		if rows++; rows > 10_000 {
			break // a run of equal values may claim any number
		}
	}
	return nil
}

// A file that is cut anywhere is an error, and damage is never a panic.
func TestDamaged(t *testing.T) {
	for name, data := range files(t) {
		for _, n := range []int{0, 4, 12, len(data) / 2, len(data) - 1} {
			if readAll(data[:n]) == nil {
				t.Errorf("%s, cut at %d of %d, is read", name, n, len(data))
			}
		}
		for i := 0; i < len(data); i += 1 + len(data)/600 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 0x55
			readAll(damaged)
		}
	}
}

// FuzzOpen puts a piece into a file in the place of others: with whole files the time would go into
// making what is found shorter.
func FuzzOpen(f *testing.F) {
	list := files(f)
	names := slices.Sorted(maps.Keys(list))
	for which, name := range names {
		f.Add(byte(which), uint16(4), uint16(1), []byte{0x55})
		f.Add(byte(which), uint16(len(list[name])-20), uint16(1), []byte{0x55})
	}
	f.Fuzz(func(_ *testing.T, which byte, at, size uint16, piece []byte) {
		data := list[names[int(which)%len(names)]]
		from := min(int(at), len(data))
		to := min(from+int(size), len(data))
		readAll(slices.Concat(data[:from], piece, data[to:]))
	})
}

func ExampleWriter() {
	var b bytes.Buffer
	columns := []parquet.Cells{
		{Name: "smiles", Kind: parquet.Texts, Texts: []string{"CCO", ""}}, {Name: "score", Kind: parquet.Numbers, Numbers: []float64{0.5, math.NaN()}},
	}
	w := parquet.NewWriter(&b, "an example", columns)
	w.Write(columns)
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	f, err := parquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), parquet.Codecs{})
	if err != nil {
		fmt.Println(err)
	}
	for cells, err := range f.Rows(0) {
		fmt.Printf("%q %v %v\n", cells[0], cells[0] == nil, err)
	}
	// Output:
	// "CCO" false <nil>
	// "" true <nil>
}

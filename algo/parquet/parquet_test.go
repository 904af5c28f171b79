package parquet_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"baca/algo/internal/columnar"
	"baca/algo/parquet"
)

func TestFiles(t *testing.T) {
	for name, data := range columnar.Files(t, ".parquet") {
		f, err := parquet.Open(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int{}
		for i, c := range f.Columns() {
			at[c.Name] = i
			if want := map[string]string{"parts": "structs", "list": "lists", "flag": "truths"}[c.Name]; want != "" && c.What != want {
				t.Errorf("%s: column %s holds %s", name, c.Name, c.What)
			}
		}
		columnar.Rows(t, name, strings.HasPrefix(name, "zstd") || strings.HasPrefix(name, "parquet-go"), f.Rows(at["smiles"], at["id"], at["n"]))
	}
}

// readAll reads all that a file lets be read, and returns what is wrong with it.
func readAll(data []byte) error {
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)), func(io.Reader) (io.Reader, error) { return nil, io.EOF })
	if err != nil {
		return err
	}
	var columns []int
	for i, c := range f.Columns() {
		if c.Text || c.Whole || c.Value {
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

// A file that is cut anywhere is an error, and so is a list that is read as text.
func TestDamaged(t *testing.T) {
	files := columnar.Files(t, ".parquet")
	columnar.Damaged(t, files, func(size int) []int { return []int{0, 4, 12, size / 2, size - 1} }, readAll)
	data := files["plain-v1-plain.parquet"]
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Rows(1) {
		if want := `row group 1: column "list": holds lists: want text or numbers`; err == nil || err.Error() != want {
			t.Errorf("a list: %v, want %s", err, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range columnar.Files(f, ".parquet") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAll(data) })
}

func ExampleWriter() {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, "an example", []parquet.Field{{Name: "smiles", Kind: parquet.Texts}, {Name: "score", Kind: parquet.Numbers}})
	w.Text(0, "CCO")
	w.Number(1, 0.5)
	w.End()
	w.Null(0)
	w.Null(1)
	w.End()
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	f, err := parquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), nil)
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

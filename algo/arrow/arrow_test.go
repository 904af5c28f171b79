package arrow_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"baca/algo/arrow"
	"baca/algo/internal/columnar"
)

func TestFiles(t *testing.T) {
	for name, data := range columnar.Files(t, ".arrow") {
		f, err := arrow.Open(bytes.NewReader(data), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range f.Columns() {
			names = append(names, c.Name+": "+c.What)
		}
		if got := strings.Join(names, ", "); got != "parts: structs, list: lists, flag: truths, smiles: text, id: text, n: whole numbers" {
			t.Errorf("%s: %s", name, got)
		}
		columnar.Rows(t, name, strings.Contains(name, "zstd"), f.Rows(3, 4, 5))
	}
}

// readAll reads all that a file lets be read, and returns what is wrong with it.
func readAll(data []byte) error {
	f, err := arrow.Open(bytes.NewReader(data), func(io.Reader) (io.Reader, error) { return nil, io.EOF })
	if err != nil {
		return err
	}
	var columns []int
	for i, c := range f.Columns() {
		if c.Text || c.Whole || c.Value {
			columns = append(columns, i)
		}
	}
	for _, err := range f.Rows(columns...) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A file that is cut is an error where it is cut within a batch, and damage is never a panic.
func TestDamaged(t *testing.T) {
	files := columnar.Files(t, ".arrow")
	columnar.Damaged(t, files, func(size int) []int { return []int{0, 4, 12, size / 3} }, readAll)
	f, err := arrow.Open(bytes.NewReader(files["string-plain-stream.arrow"]), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range f.Rows(1) {
		if want := `column "list" holds lists: want text or numbers`; err == nil || err.Error() != want {
			t.Errorf("a list: %v, want %s", err, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range columnar.Files(f, ".arrow") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAll(data) })
}

func ExampleOpen() {
	data, err := os.ReadFile("testdata/string-lz4-file.arrow")
	if err != nil {
		fmt.Println(err)
	}
	f, err := arrow.Open(bytes.NewReader(data), nil)
	if err != nil {
		fmt.Println(err)
	}
	for cells, err := range f.Rows(3, 4) {
		fmt.Printf("%s %s %v\n", cells[0], cells[1], err)
		break
	}
	// Output: CCO mol-0 <nil>
}

// Package columnar gives the tests of packages arrow and parquet the files that others have
// written, see build/columnar, and checks what is read of them.
package columnar

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files returns the files below testdata with an extension, by name.
func Files(t testing.TB, extension string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*" + extension)
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	list := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list[filepath.Base(name)] = data
	}
	return list
}

var molecules = []string{"CCO", "CC(=O)Oc1ccccc1C(=O)O", "c1ccccc1", "", "C1CC", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"}

// Rows checks the columns smiles, id and n of a file, or, where it is compressed by zstd, that
// an error says so.
func Rows(t testing.TB, name string, zstd bool, rows iter.Seq2[[][]byte, error]) {
	t.Helper()
	i := 0
	for cells, err := range rows {
		if zstd {
			if err == nil || !strings.Contains(err.Error(), "zstd") {
				t.Errorf("%s without zstd: %v", name, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := []string{molecules[i%len(molecules)], fmt.Sprintf("mol-%d", i), fmt.Sprint(i*i*7919 - 5)}
		null := []bool{i%7 == 3, false, i%11 == 5}
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

// Damaged checks that a file that is cut after some of its bytes is an error, and that read
// comes back from files with any byte changed.
func Damaged(t testing.TB, files map[string][]byte, cuts func(size int) []int, read func([]byte) error) {
	t.Helper()
	for name, data := range files {
		for _, n := range cuts(len(data)) {
			if read(data[:n]) == nil {
				t.Errorf("%s, cut at %d of %d, is read", name, n, len(data))
			}
		}
		for i := range data {
			damaged := bytes.Clone(data)
			damaged[i] ^= 0x55
			read(damaged)
		}
	}
}

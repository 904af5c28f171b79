package columnar

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	bacaparquet "baca/algo/parquet"

	"baca/algo/dataset"
	"baca/build/internal/try"
)

// The programs that write tables, as PyPI and npm name them.
var (
	pythons = []string{"duckdb==2.0.1", "pyarrow==26.0.1", "polars==2.1.0", "pandas==3.1.1", "numpy==2.4.6"}
	nodes   = []string{"parquet-wasm@0.8.0", "apache-arrow@21.2.0", "hyparquet-writer@0.17.0", "hyparquet@1.33.0"}
)

// install installs the programs into a folder, and returns a function that runs a script with them. It skips the test
// where that fails.
func install(t *testing.T, dir string) (run func(program, script string, args ...string)) {
	python := filepath.Join(dir, "python", "bin", "python")
	command := func(program string, args ...string) (string, error) {
		c := exec.Command(program, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, step := range [][]string{
		{"python3", "-m", "venv", "python"}, append([]string{python, "-m", "pip", "install", "--quiet"}, pythons...),
		append([]string{"npm", "install", "--silent", "--no-save", "--prefix", dir}, nodes...),
	} {
		if out, err := command(step[0], step[1:]...); err != nil {
			t.Skipf("%q: %v: %s", step, err, out)
		}
	}
	return func(program, script string, args ...string) {
		t.Helper()
		if program == "python" {
			program = python
		}
		try.Check(os.WriteFile(filepath.Join(dir, script), try.To(os.ReadFile(script)), 0o666))
		if out, err := command(program, append([]string{script}, args...)...); err != nil {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
	}
}

// kept are the files that become those of the tests of algo/parquet, with few rows.
var kept = []string{
	"duckdb-V1-uncompressed", "duckdb-V2-uncompressed", "pyarrow-delta", "pyarrow-delta-2.0", "pyarrow-split", "pyarrow-int96", "polars-uncompressed",
	"wasm-V2-delta", "hyparquet-delta",
}

// TestOthers compares what is read of the tables that other programs write with DuckDB's CSV of them.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	run := install(t, dir)
	for _, rows := range []int{12, 1000} {
		tables := filepath.Join(dir, fmt.Sprint(rows))
		try.Check(os.Mkdir(tables, 0o777))
		run("python", "others.py", tables, fmt.Sprint(rows))
		run("node", "others.mjs", tables, fmt.Sprint(rows))
		run("python", "others.py", tables, fmt.Sprint(rows), "csv")
		compare(t, tables, rows)
		for _, name := range kept {
			for _, suffix := range []string{".parquet", ".csv"} {
				if rows == 12 {
					keep(t, name+suffix, try.To(os.ReadFile(filepath.Join(tables, name+suffix))))
				}
			}
		}
	}
}

// A reading is what of a file is read.
type reading struct {
	all, own, notes []string
	rows            []dataset.Record
}

func readFile(name string) (r reading) {
	opt := dataset.Options{
		Name: name, Unpack: dataset.Unpack{Zstd: codecs.Zstd, Brotli: codecs.Brotli},
		Own:  func(all, own []string) { r.all, r.own = all, own },
		Note: func(sentence string) { r.notes = append(r.notes, sentence) },
	}
	for rec, err := range dataset.Records(bytes.NewReader(try.To(os.ReadFile(name))), opt) {
		try.Check(err)
		r.rows = append(r.rows, rec)
	}
	return r
}

// compare compares each Parquet file of a folder with the CSV beside it.
func compare(t *testing.T, dir string, rows int) {
	names := try.To(filepath.Glob(filepath.Join(dir, "*.parquet")))
	if len(names) < 50 {
		t.Errorf("%d files", len(names))
	}
	for _, name := range names {
		of := filepath.Base(name)
		got, want := readFile(name), readFile(strings.TrimSuffix(name, "parquet")+"csv")
		if len(got.rows) != rows || len(want.rows) != rows {
			t.Errorf("%s: %d rows, the CSV has %d, want %d", of, len(got.rows), len(want.rows), rows)
			continue
		}
		bits := map[string]int{} // of columns of floats
		data := try.To(os.ReadFile(name))
		f := try.To(bacaparquet.Open(bytes.NewReader(data), int64(len(data)), codecs))
		for _, c := range f.Columns() {
			if c.What == "numbers" {
				bits[c.Name] = 64
			}
			if slices.Contains([]string{"half", "single", "float", "Float32"}, c.Name) {
				bits[c.Name] = 32
			}
		}
		missing := len(want.all) - len(got.all)
		for _, note := range got.notes {
			n := 1
			fmt.Sscanf(note, "further columns that are not read: %d", &n)
			missing -= n
		}
		if missing != 0 {
			t.Errorf("%s has columns %q of %q, and %q do not say why", of, got.all, want.all, got.notes)
		}
	rows:
		for i := range got.rows {
			a, b := got.rows[i], want.rows[i]
			if a.SMILES != b.SMILES || a.ID != b.ID {
				t.Errorf("%s: row %d is %q, %q, want %q, %q", of, i+1, a.SMILES, a.ID, b.SMILES, b.ID)
				break
			}
			for k, column := range got.own {
				if at := slices.Index(want.own, column); at < 0 || !equal(a.Own[k], b.Own[at], bits[column]) {
					t.Errorf("%s: row %d, column %s: %q, want %q", of, i+1, column, a.Own[k], b.Own[max(at, 0)])
					break rows
				}
			}
		}
	}
}

// equal compares floats of so many bits by their value: 1 and 1.0 are the same.
func equal(a, b string, bits int) bool {
	if a == b || bits == 0 {
		return a == b
	}
	x, failed := strconv.ParseFloat(a, bits)
	y, alsoFailed := strconv.ParseFloat(b, bits)
	return failed == nil && alsoFailed == nil && (x == y || x != x && y != y)
}

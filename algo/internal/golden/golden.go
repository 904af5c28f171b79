// Package golden gives tests the reference values and data sets of the folder "shared" beside the
// project. A test whose file is missing skips and names it.
package golden

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Cases returns the cases of a file of testdata, one a line in JSON, and then more, which no such file can hold.
func Cases[T any](t testing.TB, file string, more ...T) (list []T) {
	t.Helper()
	f := must.Have(os.Open(filepath.Join("testdata", file)))
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	for d.More() {
		var c T
		must.Do(d.Decode(&c))
		list = append(list, c)
	}
	if list == nil {
		t.Fatalf("%s is empty", file)
	}
	return append(list, more...)
}

// Path returns the path of a file or folder in shared, searched from the working directory upwards, or skips the test.
func Path(t testing.TB, name string) string {
	t.Helper()
	for dir := must.Have(os.Getwd()); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(filepath.Dir(dir), "shared", filepath.FromSlash(name))
			if _, err := os.Stat(path); err != nil {
				t.Skipf("needs shared/%s beside the project, which is not there", name)
			}
			return path
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
	}
}

// Open opens a file of shared, through gzip if its name ends in .gz.
func Open(t testing.TB, name string) io.Reader {
	t.Helper()
	f := must.Have(os.Open(Path(t, name)))
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	return must.Have(gzip.NewReader(f))
}

// JSON decodes a JSON file of shared.
func JSON(t testing.TB, name string, v any) {
	t.Helper()
	must.Do(json.NewDecoder(Open(t, name)).Decode(v))
}

package golden

import (
	"os"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Same compares a text with that of a file in the package's folder, which someone has read line by line for
// truth. With BACA_UPDATE=1 it writes the file: then read what changed.
func Same(t testing.TB, path, got string) {
	t.Helper()
	if os.Getenv("BACA_UPDATE") != "" {
		must.Do(os.WriteFile(path, []byte(got), 0o666))
	}
	want := strings.Split(string(must.Have(os.ReadFile(path))), "\n")
	lines := strings.Split(got, "\n")
	for k := range max(len(want), len(lines)) {
		if k >= len(want) || k >= len(lines) || lines[k] != want[k] {
			t.Fatalf("%s:%d differs: it has\n%s\nwant\n%s", path, k+1, strings.Join(lines[min(k, len(lines)):min(k+1, len(lines))], ""), strings.Join(want[min(k, len(want)):min(k+1, len(want))], ""))
		}
	}
}

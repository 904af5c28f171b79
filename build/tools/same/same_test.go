package main

import (
	"os"
	"path/filepath"
	"testing"

	"baca/build/internal/testset"
)

// Scripts stand for the two programs. Whatever a line leaves is compared, but for what differs in any two runs.
func TestDifferences(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{"echo 1.23", "echo 1.24", "stdout, 5 bytes, now 5:\n@@ -1 +1 @@\n-1.23\n+1.24\n"},
		{"echo in >&2", "echo out >&2", "stderr, 3 bytes, now 4:\n@@ -1 +1 @@\n-in\n+out\n"},
		{"exit 3", "exit 1", "exit status, 2 bytes, now 2:\n@@ -1 +1 @@\n-3\n+1\n"},
		{"echo a > rows", "", "files/rows: there before: true, there now: false\n"},
		{"printf 'a\\001\\n' > x", "printf 'a\\002\\n' > x", "files/x, 3 bytes, now 3:\n@@ -1 +1 @@\n-a·\n+a·\n"},
		{"echo $PWD >&2", "echo http://127.0.0.1:7/ >&2", "stderr, 17 bytes, now 23:\n@@ -1 +1 @@\n-HOME/lineN/files\n+http://127.0.0.1:PORT/\n"},
		{"echo http://127.0.0.1:7/", "echo http://127.0.0.1:8/", ""},
		{"echo 'scoring: 5 graphs, 3 graphs/s'; cat in/list", "cat in/list", ""},
		{"echo long > baca.0123456789abcdef.wasm", "echo > baca.fedcba9876543210.wasm", ""},
	} {
		folder := t.TempDir()
		testset.Write(t, filepath.Join(folder, "in", "list"), "CCO\n")
		program := func(name, script string) answer {
			s := &side{home: filepath.Join(folder, name), tree: folder, in: filepath.Join(folder, "in")}
			path := filepath.Join(s.home, "bin", "baca")
			testset.Write(t, path, "#!/bin/sh\n"+script+"\n")
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
			return s.answers(t.Context(), task{line: "baca"})[0]
		}
		if got := difference(t.Context(), program("before", c.before), program("now", c.now)); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.before, c.now, got, c.want)
		}
	}
}

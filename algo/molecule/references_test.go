//go:build rdkit

package molecule

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// referenceFiles are those that a script in testdata made in the folder that an
// environment variable names.
func referenceFiles(t *testing.T, variable, script string) []string {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("%s names no folder with files of testdata/%s", variable, script)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no *.jsonl.gz in %s (%v)", folder, err)
	}
	return files
}

func TestReferences(t *testing.T) {
	for _, file := range referenceFiles(t, "MOLECULE_REFERENCES", "reference.py") {
		set := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		t.Run(set, func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			compareSet(t, set, z)
		})
	}
}

func TestMolfileReferences(t *testing.T) {
	for _, file := range referenceFiles(t, "MOLECULE_BLOCKS", "molblocks.py") {
		t.Run(filepath.Base(file), func(t *testing.T) { compareBlocks(t, file) })
	}
}

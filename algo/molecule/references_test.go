//go:build rdkit

package molecule

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReferences compares with files that testdata/reference.py made, those in the
// folder named by MOLECULE_REFERENCES.
func TestReferences(t *testing.T) {
	folder := os.Getenv("MOLECULE_REFERENCES")
	if folder == "" {
		t.Fatal("MOLECULE_REFERENCES names no folder with files of testdata/reference.py")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no *.jsonl.gz in %s (%v)", folder, err)
	}
	for _, file := range files {
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

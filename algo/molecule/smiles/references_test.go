//go:build rdkit

package smiles

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/molecule/internal/check"
)

func TestReferences(t *testing.T) {
	for _, file := range check.ReferenceFiles(t, "MOLECULE_REFERENCES", "reference.py") {
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

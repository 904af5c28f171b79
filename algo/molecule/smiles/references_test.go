//go:build rdkit

package smiles

import (
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/molecule/internal/check"
)

func TestReferences(t *testing.T) {
	for _, file := range check.ReferenceFiles(t, "MOLECULE_REFERENCES", "reference.py") {
		set := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		t.Run(set, func(t *testing.T) {
			z := check.Unzipped(t, file)
			compareSet(t, set, z)
		})
	}
}

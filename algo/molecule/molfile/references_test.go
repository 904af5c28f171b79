//go:build rdkit

package molfile

import (
	"path/filepath"
	"testing"

	"baca/algo/molecule/internal/check"
)

func TestMolfileReferences(t *testing.T) {
	for _, file := range check.ReferenceFiles(t, "MOLECULE_BLOCKS", "molblocks.py") {
		t.Run(filepath.Base(file), func(t *testing.T) { compareBlocks(t, file) })
	}
}

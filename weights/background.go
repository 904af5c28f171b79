package weights

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed background/molecules.smi.gz
var backgroundFile []byte

// BackgroundFile returns the built-in background: gzipped SMILES, one a line, some with a class. background/README.md
// has sources and licences.
func BackgroundFile() []byte { return bytes.Clone(backgroundFile) }

// Background reads the built-in background.
func Background() io.Reader {
	r, err := gzip.NewReader(bytes.NewReader(backgroundFile))
	if err != nil {
		panic("weights: " + err.Error()) // part of the program
	}
	return r
}

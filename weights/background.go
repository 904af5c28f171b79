package weights

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed background/molecules.smi.gz
var backgroundFile []byte

// BackgroundFile returns the built-in background: gzipped SMILES, one a line, some of them with a class.
// background/README.md names sources and licences.
func BackgroundFile() []byte { return bytes.Clone(backgroundFile) }

// Background returns a reader of the built-in background, decompressed.
func Background() io.Reader {
	r, err := gzip.NewReader(bytes.NewReader(backgroundFile))
	if err != nil {
		panic("weights: " + err.Error()) // part of the program
	}
	return r
}

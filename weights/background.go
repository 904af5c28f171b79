package weights

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed background/molecules.smi.gz
var backgroundFile []byte

// BackgroundFile returns the built-in background as it is shipped: SMILES, one a line,
// compressed by gzip. Source and licence are in background/README.md.
func BackgroundFile() []byte { return bytes.Clone(backgroundFile) }

// Background reads the built-in background.
func Background() io.Reader {
	r, err := gzip.NewReader(bytes.NewReader(backgroundFile))
	if err != nil {
		panic("weights: " + err.Error()) // the file is part of the program
	}
	return r
}

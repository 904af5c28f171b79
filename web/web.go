// Package web holds the static files of the page, and the examples that it
// shares with the command.
package web

import _ "embed"

//go:embed examples/molecules.csv
var molecules []byte

// Examples returns a CSV file of well-known molecules of many kinds, with the
// columns name, class and smiles. It must not be changed.
func Examples() []byte { return molecules }

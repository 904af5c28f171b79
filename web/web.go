// Package web holds the static files of the page, and the examples that it
// shares with the command.
package web

import _ "embed"

var (
	//go:embed examples/molecules.csv
	molecules []byte
	//go:embed examples/solubility-train.csv
	train []byte
	//go:embed examples/solubility-new.csv
	fresh []byte
)

// Examples returns a CSV file of well-known molecules of many kinds, with the
// columns name, class and smiles. It must not be changed.
func Examples() []byte { return molecules }

// Solubilities returns two CSV files with the columns name, smiles, logS and logS_pred: of a
// training set, with predictions each made without its molecule, and of new molecules, of which
// some are larger than all of that. TestTrustExamples of build/research makes them from ESOL.
func Solubilities() (training, unseen []byte) { return train, fresh }

//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// What molecules are put together from: each middle fits behind each other one.
var (
	middles = []string{"C", "CC", "C(C)", "C(=O)", "C(=O)N", "c1ccc(cc1)", "C1CC(CC1)", "O", "N", "S", "C(F)", "c1cc(sc1)"}
	ends    = []string{"O", "N", "F", "Cl", "C#N", "C(=O)O", "C", "Br"}
)

// brokenOneIn so many records is refused.
const brokenOneIn = 200

// molecules returns lines of SMILES and ids, or a table without ids and what is refused.
func molecules(rng *rand.Rand, n int, table bool) []byte {
	var lines []string
	if table {
		lines = []string{"smiles"}
	}
	for i := range n {
		text := "C"
		for range 1 + rng.IntN(2) {
			text += middles[rng.IntN(len(middles))]
		}
		text += ends[rng.IntN(len(ends))]
		switch {
		case table:
			lines = append(lines, text)
		case i%brokenOneIn == 7:
			lines = append(lines, fmt.Sprintf("C1CC m%06d", i))
		default:
			lines = append(lines, fmt.Sprintf("%s m%06d", text, i))
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// others returns molecules of other names, most of them others, in lines of the same lengths.
func others(lines []byte) []byte {
	return []byte(strings.NewReplacer("O", "S", "S", "O", " m", " x").Replace(string(lines)))
}

// writeInputs writes what targets read.
func (w *world) writeInputs() (err error) {
	rng := rand.New(rand.NewPCG(w.seed, 1<<32))
	for _, in := range []struct {
		name    string
		records int
	}{
		{"library.smi", 24_000}, // with a checkpoint behind row 16384
		{"sample.smi", 6_000},   // from more than 4096 a sample is drawn
		{"part-a.smi", 3_000},
		{"part-b.smi", 3_000},
		{"train.smi", 100},
		{"data/mol/inner.csv", 120},
		{"data/mol/outer.csv", 40},
	} {
		err = errors.Join(err, write(w.input(in.name), molecules(rng, in.records, filepath.Ext(in.name) == ".csv")))
	}
	const train = "baca train train.smi --epochs 2 --background none --out "
	r := w.start(filepath.Join(w.root, "inputs"), []string{train + "model.msgpack", train + "other.msgpack --seed 2"}, nil)
	<-r.ended
	return errors.Join(err, r.end.err)
}

func (w *world) input(name string) string { return filepath.Join(w.root, "inputs", name) }

// write writes a file, and makes its folder.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

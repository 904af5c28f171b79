//go:build linux

package main

import (
	"bytes"
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

// broken is a record that is refused, one in so many.
const (
	broken      = "C1CC"
	brokenOneIn = 200
)

// molecules returns lines of SMILES and ids.
func molecules(rng *rand.Rand, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		if i%brokenOneIn == 7 {
			fmt.Fprintf(&b, "%s m%06d\n", broken, i)
			continue
		}
		b.WriteByte('C')
		for range 1 + rng.IntN(2) {
			b.WriteString(middles[rng.IntN(len(middles))])
		}
		fmt.Fprintf(&b, "%s m%06d\n", ends[rng.IntN(len(ends))], i)
	}
	return b.Bytes()
}

// others returns molecules of other names, most of them others, in lines of the same lengths.
func others(lines []byte) []byte {
	return []byte(strings.NewReplacer("O", "S", "S", "O", " m", " x").Replace(string(lines)))
}

// writeInputs writes what targets read.
func (w *world) writeInputs() error {
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
		lines := molecules(rng, in.records)
		if filepath.Ext(in.name) == ".csv" {
			lines = column(lines)
		}
		if err := write(w.input(in.name), lines); err != nil {
			return err
		}
	}
	train := "baca train train.smi --out model.msgpack --epochs 2 --background none"
	other := "baca train train.smi --out other.msgpack --epochs 2 --background none --seed 2"
	dir := filepath.Join(w.root, "inputs")
	return errors.Join(w.start(dir, train, nil).wait().err, w.start(dir, other, nil).wait().err)
}

// column makes a CSV file of molecules, without the ids.
func column(lines []byte) []byte {
	text := "smiles\n"
	for line := range strings.Lines(string(lines)) {
		if smiles, _, _ := strings.Cut(line, " "); smiles != broken {
			text += smiles + "\n"
		}
	}
	return []byte(text)
}

func (w *world) input(name string) string { return filepath.Join(w.root, "inputs", name) }

// write writes a file, and makes its folder.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

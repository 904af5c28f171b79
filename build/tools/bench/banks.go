package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/weights"
)

// smallModel is the model that banks of more graphs are put into, and compared with.
const smallModel = "bbbp"

// bankRows is how many molecules are scored with each bank.
const bankRows = 20_000

// planBanks adds what it takes to score the same molecules with models of more and more
// training graphs.
func (r *runner) planBanks(ctx context.Context, m *mix, program string) error {
	if !r.wants("Bank") {
		return nil
	}
	sizes, rows := []int{50_000, 500_000}, min(bankRows, len(m.rows)/4)
	if r.quick {
		r.note("banks of 500 000 graphs are not made with -quick, and those of 50 000 have 5 000")
		sizes, rows = []int{5000}, min(1000, len(m.rows)/4)
	}
	asked, others := m.split(rows)
	file := r.now.program("banks.csv.gz")
	if err := m.write(file, asked); err != nil {
		return err
	}
	r.planBank(race{name: "Bank/" + smallModel, args: []string{"--model", smallModel, file}, runs: 3, once: true}, program)
	for _, size := range sizes {
		size = min(size, len(others))
		fmt.Fprintln(r.stderr, "making a model of", size, "graphs")
		path := r.now.program(fmt.Sprintf("bank-%d.msgpack", size))
		molecules, err := m.molecules(others[:size])
		if err != nil {
			return err
		}
		if err := makeBank(ctx, path, molecules); err != nil {
			return err
		}
		r.planBank(race{name: fmt.Sprintf("Bank/%d", size), args: []string{"--model", path, file}, runs: 3, once: true}, program)
	}
	return nil
}

// planBank adds a race of the command alone: the reference does not read such models.
func (r *runner) planBank(c race, program string) {
	r.jobs = append(r.jobs, job{c.name, c.once, func(ctx context.Context, round int) (map[string][]byte, error) {
		return c.run(ctx, round, []contender{{"native", program}})
	}})
}

// split returns n rows that lie evenly over all, and the others, each far from the one before.
func (m *mix) split(n int) (rows, others []string) {
	every := len(m.rows) / n
	for i, row := range m.rows {
		if i%every == every/2 && len(rows) < n {
			rows = append(rows, row)
		} else {
			others = append(others, row)
		}
	}
	// So that the first ones are of all sources.
	mixed := make([]string, len(others))
	for k := range mixed {
		mixed[k] = others[k*bankStride%len(others)]
	}
	return rows, mixed
}

// bankStride is a prime above the number of rows, so that no row is taken twice.
const bankStride = 7_368_787

// makeBank writes a model whose training set has so many molecules, without training: its
// subtrees are those of the molecules, and all else is of smallModel, the landmarks too. So
// its scores mean nothing, and take as long as those of any model of that many graphs.
func makeBank(ctx context.Context, path string, molecules []string) error {
	m, err := weights.Open(smallModel)
	if err != nil {
		return err
	}
	var kept []*graph.Graph
	for _, text := range molecules {
		if g, err := smiles.ParseGraph(text); err == nil { // the command refuses others too
			kept = append(kept, g)
		}
	}
	prints, err := fingerprint.All(ctx, runtime.NumCPU(), kept, fingerprint.DefaultHeight)
	if err != nil {
		return err
	}
	known := len(prints)
	for k, p := range m.Bank.Prints {
		prints[near.Place(k, m.Bank.Len(), known)] = p
	}
	m.Subtrees = fingerprint.NewIndex(prints)
	m.Card.Train, m.Card.Graphs, m.Structures = known, known+len(m.Card.HoldoutRows)+len(m.Card.Repeats), nil
	var file bytes.Buffer
	if err := weights.SaveMeasured(ctx, runtime.NumCPU(), &file, m); err != nil {
		return err
	}
	return os.WriteFile(path, file.Bytes(), 0o644)
}

package algo_test

import (
	"context"
	"fmt"
	"log"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/weights"
)

// Three molecules are scored one by one: fewer than MinBatch are no batch.
func Example() {
	model, err := weights.Open("bbbp")
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := algo.NewScorer(model, algo.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	names := []string{"diazepam", "haloperidol", "sulfur hexafluoride"}
	var graphs []*graph.Graph
	for _, smiles := range []string{
		"CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21",
		"OC1(CCN(CCCC(=O)c2ccc(F)cc2)CC1)c1ccc(Cl)cc1",
		"FS(F)(F)(F)(F)F",
	} {
		m, err := molecule.Parse(smiles)
		if err != nil {
			log.Fatal(err)
		}
		graphs = append(graphs, m.Graph())
	}
	report, err := scorer.Batch(context.Background(), graphs)
	if err != nil {
		log.Fatal(err)
	}
	for i, row := range report.Rows {
		fmt.Printf("%s: %s\n", names[i], row.Verdict)
	}
	// Output:
	// diazepam: ID
	// haloperidol: ID
	// sulfur hexafluoride: OOD
}

package algo_test

import (
	"context"
	"fmt"
	"log"

	"baca/algo/batch"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// Each molecule is read as the model reads it, and scored by itself, in any company.
func Example() {
	m, err := weights.Open("bbbp")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	scorer, err := batch.NewScorer(ctx, m, batch.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	names := []string{"diazepam", "haloperidol", "sulfur hexafluoride", "sodium valproate"}
	var graphs []*graph.Graph
	for _, text := range []string{
		"CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21",
		"OC1(CCN(CCCC(=O)c2ccc(F)cc2)CC1)c1ccc(Cl)cc1",
		"FS(F)(F)(F)(F)F",
		"[Na+].CCCC(CCC)C(=O)[O-]",
	} {
		g, _, err := smiles.ParseIn(text, m.Form())
		if err != nil {
			log.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	rows, err := scorer.Score(ctx, graphs)
	if err != nil {
		log.Fatal(err)
	}
	for i, row := range rows {
		fmt.Printf("%s: %s\n", names[i], row.Verdict)
	}
	// Output:
	// diazepam: inside
	// haloperidol: inside
	// sulfur hexafluoride: outside
	// sodium valproate: inside
}

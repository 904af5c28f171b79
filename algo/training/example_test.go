package training_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule/smiles"
	"baca/algo/training"
	"baca/weights"
)

// A model is trained on alcohols and saved. Whoever loads its file scores molecules with it.
func Example() {
	ctx := context.Background()
	var library strings.Builder
	for n := range 60 {
		fmt.Fprintln(&library, strings.Repeat("C", 1+n%20)+"C("+strings.Repeat("C", 1+n/20)+")O")
	}
	form := model.FormOf(model.OGBParent)
	records := dataset.Records(strings.NewReader(library.String()), dataset.Options{Format: dataset.SMI, Form: form})
	set, err := training.Sources(ctx, 0, records, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	training := training.Training{Split: dataset.Hold, Save: weights.SaveMeasured, Card: model.Card{Name: "alcohols", Schema: model.OGBParent, Dataset: "a list", Seed: 1}}
	training.Take(set, false, false)
	file, err := training.Make(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := weights.Load(file)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := alone.New(ctx, m, 0)
	if err != nil {
		log.Fatal(err)
	}
	var graphs []*graph.Graph
	for _, text := range []string{"CCCCCCC(C)O", "FC(F)(F)Br"} {
		g, _, err := smiles.ParseIn(text, m.Form())
		if err != nil {
			log.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	scores, err := scorer.Scores(ctx, graphs)
	if err != nil {
		log.Fatal(err)
	}
	p, _ := scorer.Judge(scores, 0.05)
	fmt.Println(m.Card.Name, p[0] > p[1])
	// Output: alcohols true
}

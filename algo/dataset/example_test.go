package dataset_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"baca/algo"
	"baca/algo/dataset"
	"baca/weights"
)

// A set of two graphs: a triangle and an isolated node.
func ExampleReadTU() {
	files := fstest.MapFS{
		"TOY_graph_indicator.txt": {Data: []byte("1\n1\n1\n2\n")},
		"TOY_A.txt":               {Data: []byte("1, 2\n2, 1\n2, 3\n3, 2\n3, 1\n1, 3\n")},
	}
	set, err := dataset.ReadTU(files, "", dataset.Unpack{}) // os.DirFS("TOY") for a folder
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, g := range set.Graphs {
		fmt.Printf("%s %d: %d nodes, %d edges\n", set.Name, i, g.N(), g.M())
	}
	// Output:
	// TOY 0: 3 nodes, 3 edges
	// TOY 1: 1 nodes, 0 edges
}

// A bad row does not end a stream; only the second value does.
func ExampleMolecules() {
	const file = `name,smiles
ethanol,CCO
"an open quote,C
benzene,c1ccccc1
`
	opt := dataset.Options{Name: "some.csv"}
	for rec, err := range dataset.Molecules(context.Background(), strings.NewReader(file), opt) {
		switch {
		case err != nil:
			fmt.Println("cannot go on:", err)
		case rec.Err != nil:
			fmt.Println("refused:", rec.Err)
		default:
			fmt.Println(rec.ID, rec.Graph.N(), "atoms")
		}
	}
	// Output:
	// ethanol 3 atoms
	// refused: some.csv:3:1: quote is never closed
	// benzene 6 atoms
}

func ExampleSplit() {
	train, test := dataset.Split(20, 1)
	ood := dataset.TakeOOD(500, len(test), dataset.First, 1)
	fmt.Println(len(train), test, ood)
	// Output: 18 [5 16] [0 1]
}

// From a file to scores: each graph keeps its id, and what is refused says why.
func ExampleCollect() {
	model, err := weights.Open("bbbp")
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader("name,smiles\ndiazepam,CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc21\ntypo,C1CC\n,FS(F)(F)(F)(F)F\n")
	ctx, options := context.Background(), dataset.Options{Name: "some.csv", Form: algo.FormOf(model.Card.Schema)}
	set, err := dataset.Collect(ctx, file, options)
	if err != nil {
		log.Fatal(err)
	}
	scorer, err := algo.NewScorer(ctx, model, algo.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	rows, err := scorer.Score(ctx, set.Graphs)
	if err != nil {
		log.Fatal(err)
	}
	for i, row := range rows {
		fmt.Printf("%s: %s\n", set.IDs[i], row.Verdict)
	}
	for _, record := range set.Refused {
		fmt.Printf("%s: %v\n", record.ID, record.Err)
	}
	// Output:
	// diazepam: inside
	// 3: outside
	// typo: some.csv:3:7: ring bond 1 is never closed
}

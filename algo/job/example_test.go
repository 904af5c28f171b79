package job_test

import (
	"context"
	"log"
	"os"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/weights"
)

// Rows of scores, as `baca score` writes them.
func ExampleScore() {
	model, err := weights.Open("bbbp")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	scorer, err := algo.NewScorer(ctx, model, algo.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader("FS(F)(F)(F)(F)F gas\nC1CC typo\n")
	records := dataset.Records(file, dataset.Options{Name: "some.smi", Form: algo.FormOf(model.Card.Schema)})
	texts := slices.DeleteFunc(table.Fields(table.Usual), func(f table.Field) bool { return f.Text == nil })
	rows := table.NewSink(os.Stdout, "csv", table.Text{}, true, texts)
	err = job.Score(ctx, scorer, job.Input{Records: records}, job.ScoreOptions{}, func(scored []table.Scored) error {
		rows.Add(scored...)
		return rows.Flush()
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// id,smiles,verdict,error,set_aside
	// gas,FS(F)(F)(F)(F)F,outside,,
	// typo,C1CC,,some.smi:2:2: ring bond 1 is never closed,
}

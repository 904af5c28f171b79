package run_test

import (
	"context"
	"log"
	"os"
	"slices"
	"strings"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/run"
	"baca/algo/table"
	"baca/weights"
)

// Rows of scores, as `baca score` writes them.
func Example() {
	model, err := weights.Open("bbbp")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	r, err := run.New(ctx, run.Plan{Model: model, Options: batch.DefaultOptions(), Columns: table.Usual})
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader("FS(F)(F)(F)(F)F gas\nC1CC typo\n")
	r.Input.Records = dataset.Records(file, dataset.Options{Name: "some.smi", Form: r.Form()})
	r.Open = func(fields []table.Field) (rows, rejects *table.Sink, err error) {
		fields = slices.DeleteFunc(fields, func(f table.Field) bool { return f.Score != nil })
		return table.NewSink(os.Stdout, "csv", table.Text{}, true, fields), nil, nil
	}
	if err := r.Do(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// id,smiles,verdict,error,set_aside
	// gas,FS(F)(F)(F)(F)F,outside,,
	// typo,C1CC,,some.smi:2:2: ring bond 1 is never closed,
}

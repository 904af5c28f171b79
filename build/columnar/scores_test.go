package columnar

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/build/internal/try"
	"baca/weights"
)

// The same molecules have the same ids, and scores and p-values of the same bits, from whichever
// file they come: CSV, TSV, JSONL, Parquet, and SMI.
func TestScoresOfEveryFormat(t *testing.T) {
	texts := []string{"CC(=O)Oc1ccccc1C(=O)O", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "C[C@H](O)[C@@H](F)Cl", "F/C=C/F", "[Na+].[Cl-]", "CCCC[Sn](CCCC)(CCCC)O"}
	for n := range 60 {
		texts = append(texts, string(bytes.Repeat([]byte("C"), n+1))+"c1ccncc1")
	}
	m := try.To(weights.Open("bbbp"))
	ctx := context.Background()
	scorer := try.To(algo.NewScorer(ctx, m, algo.DefaultOptions()))
	files := map[string]*bytes.Buffer{}
	for _, name := range []string{"in.smi", "in.csv", "in.tsv", "in.jsonl", "in.parquet"} {
		files[name] = new(bytes.Buffer)
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64}, {Name: "smiles", Type: arrow.BinaryTypes.String}, {Name: "id", Type: arrow.BinaryTypes.String},
	}, nil))
	comma, tab := csv.NewWriter(files["in.csv"]), csv.NewWriter(files["in.tsv"])
	tab.Comma = '\t'
	comma.Write([]string{"id", "smiles"})
	tab.Write([]string{"smiles", "id"})
	for i, text := range texts {
		id := fmt.Sprintf("m %d", i)
		fmt.Fprintf(files["in.smi"], "%s %s\n", text, id)
		comma.Write([]string{id, text})
		tab.Write([]string{text, id})
		line, _ := json.Marshal(map[string]string{"smiles": text, "id": id})
		files["in.jsonl"].Write(append(line, '\n'))
		builder.Field(0).(*array.Float64Builder).Append(0.5)
		builder.Field(1).(*array.StringBuilder).Append(text)
		builder.Field(2).(*array.StringBuilder).Append(id)
	}
	comma.Flush()
	tab.Flush()
	r := builder.NewRecordBatch()
	columns := try.To(pqarrow.NewFileWriter(r.Schema(), files["in.parquet"], nil, pqarrow.DefaultWriterProps()))
	try.Check(columns.Write(r))
	try.Check(columns.Close())
	var want []string
	for _, name := range []string{"in.smi", "in.csv", "in.tsv", "in.jsonl", "in.parquet"} {
		var got []string
		records := table.Molecules(files[name], dataset.Options{Name: name, Form: algo.FormOf(m.Card.Schema), Unpack: dataset.Unpack{Zstd: unzstd}})
		err := job.Score(ctx, scorer, job.Input{Records: records}, job.ScoreOptions{}, func(rows []table.Scored) error {
			for _, s := range rows {
				if s.Err != nil {
					return s.Err
				}
				got = append(got, fmt.Sprintf("%s %s %x %x %s", s.ID, s.SMILES, math.Float64bits(s.Scores.Score), math.Float64bits(s.Scores.P), s.Scores.Verdict))
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want == nil {
			want = got
		}
		if len(got) != len(texts) {
			t.Fatalf("%s: %d rows", name, len(got))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: row %d is %s, of in.smi %s", name, i+1, got[i], want[i])
			}
		}
	}
}

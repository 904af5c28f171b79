// Package trainingtest gives tests a table of molecules with values, and a model of them.
package trainingtest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"baca/algo/dataset"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/training"
	"baca/weights"
)

// RecordsOf yields the parsed records of a table in CSV, with the cells of columns.
func RecordsOf(text string, columns ...string) iter.Seq2[dataset.Record, error] {
	o := dataset.Options{Name: "a.csv", Form: molecule.UnorderedParent, Cells: columns}
	return dataset.Parse(context.Background(), 1, dataset.Records(strings.NewReader(text), o))
}

// RowsOf returns the records that RecordsOf yields. It panics at an error.
func RowsOf(text string, columns ...string) (rows []dataset.Record) {
	for r, err := range RecordsOf(text, columns...) {
		must.Do(err)
		rows = append(rows, r)
	}
	return rows
}

// Header begins a table.
const Header = "smiles,id,y,yhat,u\n"

// Table has rings with chains of carbon, and two more rows: one that cannot be read, and one that is a molecule that
// was there, in other words.
var Table = sync.OnceValue(func() string {
	var text strings.Builder
	text.WriteString(Header)
	for k, ring := range []string{"c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccsc1"} {
		for n := range 16 {
			fmt.Fprintf(&text, "%s%s,m%d,%d,%d.5,%d\n", strings.Repeat("C", n+1), ring, 16*k+n, n*k%7, k+n, n%5)
		}
	}
	return text.String() + "C1CC,,1,1,1\nc1ccccc1C,twin,,0,0\n"
})

// Training returns a training of Table with values, structures and a background, ready for Prepare. It panics if the table
// is not read as it should be.
func Training() *training.Training {
	columns := model.ValueColumns{Observed: "y", Predicted: "yhat", Uncertainty: "u"}
	labels := &training.Labels{ValueColumns: columns}
	refused := 0
	set := must.Have(training.Sources(context.Background(), 2, RecordsOf(Table(), labels.Columns()...), labels, func(error) { refused++ }))
	if len(set) != 81 || refused != 1 || set[80].Name != "twin" || set[80].SMILES != "c1ccccc1C" || set[17].Values.Predicted != 2.5 {
		panic(fmt.Sprint(len(set), refused, set[80]))
	}
	t := &training.Training{
		Workers: 1, Save: weights.SaveMeasured, ValueColumns: columns,
		Split: func(n int, seed uint64) (train, holdout []int) { return dataset.Part(n, n-24, seed) },
		Card: model.Card{Schema: model.OGBParent, Dataset: "A.csv", DatasetSHA256: strings.Repeat("ab", 32), Seed: 3, Epochs: 3,
			Background: "acids"},
	}
	t.Take(set, true, true)
	for n := range 60 {
		t.Outside = append(t.Outside, must.Have(smiles.ParseGraph(strings.Repeat("C", n)+"C(=O)O")))
	}
	return t
}

// Model is a model of the table.
var Model = sync.OnceValue(func() *model.Model {
	return must.Have(weights.Load(must.Have(Training().Make(context.Background(), nil))))
})

// Strangers are molecules unlike those of Table.
const Strangers = Header + "FC(F)(F)F,f,,1,0\nO=[N+]([O-])c1ccc(Br)cc1,n,,2.5,4\nC1CC,bad,,3,3\nOB(O)c1ccccc1,b,,,1\nClC(Cl)Cl,c,,4,1\n" +
	"Oc1ccccc1,p,,3,\n[Na+].[O-]C=O,s,,3,2\n"

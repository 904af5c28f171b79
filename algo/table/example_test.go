package table_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/table"
)

// Records are read in order, also those that are no molecules.
func ExampleMolecules() {
	file := strings.NewReader("CCO ethanol\nC1CC typo\nc1ccccc1\n")
	records := table.Molecules(file, dataset.Options{Name: "some.smi"})
	for r, err := range table.Parse(context.Background(), 1, records) {
		switch {
		case err != nil:
			fmt.Println("cannot go on:", err)
		case r.Err != nil:
			fmt.Println(r.ID, "is refused:", r.Err)
		default:
			fmt.Println(r.ID, "has", r.Graph.N(), "atoms")
		}
	}
	// Output:
	// ethanol has 3 atoms
	// typo is refused: some.smi:2:2: ring bond 1 is never closed
	// 3 has 6 atoms
}

// Columns are chosen by their groups. A value that is missing is null.
func ExampleNewSink() {
	rows := table.NewSink(os.Stdout, "jsonl", table.Text{}, false, table.Fields(table.Usual))
	rows.Add(table.Scored{
		Record: table.Record{ID: "tin", SMILES: "C[Sn](C)(C)C"},
		Scores: &algo.Row{Score: 3.25, P: 0.001, Verdict: decide.Outside},
	})
	rows.Add(table.Scored{Record: table.Record{ID: "typo", SMILES: "C1CC", Err: errors.New("ring bond 1 is never closed")}})
	if err := rows.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"id":"tin","smiles":"C[Sn](C)(C)C","score":3.25,"p_value":0.001,"verdict":"outside","error":null,"set_aside":null}
	// {"id":"typo","smiles":"C1CC","score":null,"p_value":null,"verdict":null,"error":"ring bond 1 is never closed","set_aside":null}
}

// Parts of an input are counted apart and merged.
func ExampleTally() {
	row := func(v decide.Verdict) table.Scored { return table.Scored{Scores: &algo.Row{Verdict: v}} }
	refused := table.Scored{Record: table.Record{Err: errors.New("ring bond 1 is never closed")}}
	var first, second table.Tally
	first.Add([]table.Scored{row(decide.Inside), row(decide.Outside)})
	second.Add([]table.Scored{row(decide.Inside), refused})
	first.Merge(second)
	fmt.Println(first.Records, "records:", first.Inside, "inside,", first.Outside, "outside,", first.Refused, "refused")
	fmt.Println(first.Reasons)
	// Output:
	// 4 records: 2 inside, 1 outside, 1 refused
	// map[ring bond N is never closed:1]
}

// Text of the input cannot become a formula where a spreadsheet opens the file.
func ExampleText() {
	fmt.Println(table.Text{SpreadsheetSafe: true}.Cell("=1+1"))
	fmt.Println(table.Printable("red \x1b[31m"))
	// Output:
	// '=1+1
	// red \u001b[31m
}

package table_test

import (
	"errors"
	"fmt"
	"os"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/table"
)

// Columns are chosen by their groups. A value that is missing is null.
func ExampleNewSink() {
	rows := table.NewSink(os.Stdout, "jsonl", table.Text{}, false, table.Fields(table.Usual))
	tin := dataset.Record{Entry: dataset.Entry{ID: "tin", SMILES: "C[Sn](C)(C)C"}}
	rows.Add(table.NewScored(tin, batch.Row{Score: 3.25, P: 0.001, Verdict: decide.Outside}))
	rows.Add(&dataset.Entry{ID: "typo", SMILES: "C1CC", Err: errors.New("ring bond 1 is never closed")})
	if err := rows.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"id":"tin","smiles":"C[Sn](C)(C)C","score":3.25,"p_value":0.001,"verdict":"outside","error":null,"set_aside":null}
	// {"id":"typo","smiles":"C1CC","score":null,"p_value":null,"verdict":null,"error":"ring bond 1 is never closed","set_aside":null}
}

package engine

import (
	"fmt"
	"math"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/report"
	"baca/algo/table"
	"baca/wasm/message"
)

// sheet has the columns of messages, with those of a batch if batched.
func sheet(batched bool) *table.Sheet {
	groups := table.Usual
	if batched {
		groups |= table.OfBatch
	}
	return table.NewSheet(table.Fields(groups))
}

// part returns rows as a message, which is valid until the next call with the same sheet. Known is nil for a shared
// model.
func (e *Engine) part(s *table.Sheet, rows []table.Row) message.Part {
	p := message.Part{Rows: s.Of(rows)}
	if e.card.Shared == 0 {
		for _, r := range rows {
			p.Known = append(p.Known, e.known(r))
		}
	}
	return p
}

// A report has room for what the page sends.
const _, _ = uint(message.MostReported - report.MaxRows), uint(message.MostRefusals - report.MaxRefused)

// entries returns a function that gives a record's entry in the report, from 0. Only the records in r.Record have an
// id, a structure and the columns of a batch, which otherwise are empty or NaN. It returns an error if a column does
// not have one value for each of those records.
func entries(r *message.Report) (func(record int) report.Entry, error) {
	at, foreign := make(map[int32]int, len(r.Record)), make(map[int32]bool, len(r.Foreign))
	for _, record := range r.Foreign {
		foreign[record] = true
	}
	for k, record := range r.Record {
		at[record] = k
	}
	id, smiles, aside := r.Rows.Texts("id"), r.Rows.Texts("smiles"), r.Rows.Texts("set_aside")
	if n := len(at); len(id) != n || len(smiles) != n || len(aside) != n {
		return nil, fmt.Errorf("%d ids, %d structures and %d parts set aside: want one of each of %d rows", len(id),
			len(smiles), len(aside), n)
	}
	batch, batchP, verdict := r.Rows.Numbers("batch"), r.Rows.Numbers("batch_p"), r.Rows.Texts("batch_verdict")
	return func(i int) report.Entry {
		e := report.Entry{Row: algo.Row{Score: r.Score[i], P: r.P[i], Alone: r.Alone[i], AloneP: r.AloneP[i],
			Foreign: foreign[int32(i)], Batch: math.NaN(), BatchP: math.NaN()}}
		if k, ok := at[int32(i)]; ok {
			e.ID, e.SMILES, e.SetAside = id[k], smiles[k], aside[k]
			if batch != nil && batchP != nil && verdict != nil {
				e.Row.Batch, e.Row.BatchP, e.Row.BatchVerdict = batch[k], batchP[k], decide.Verdict(verdict[k])
			}
		}
		return e
	}, nil
}

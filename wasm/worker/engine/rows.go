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

// part returns rows, valid until the next call with the same sheet.
func (e *Engine) part(s *table.Sheet, rows []table.Scored) message.Part {
	p := message.Part{Rows: s.Of(rows)}
	if e.card.Knows {
		for _, r := range rows {
			p.Known = append(p.Known, e.known(r.Graph))
		}
	}
	return p
}

// rowsOf returns rows of the page by their places, as entries of a report or errors.
func rowsOf(c message.Columns) (row func(i int) (report.Entry, string), missing error) {
	text := func(name string) []string {
		list := c.Texts(name)
		if list == nil && table.Rows(c) > 0 {
			missing = fmt.Errorf("no column %s", name)
		}
		return list
	}
	number := func(name, or string) []float64 {
		list := c.Numbers(name)
		if list == nil {
			list = c.Numbers(or)
		}
		if list == nil && table.Rows(c) > 0 {
			missing = fmt.Errorf("no column %s", name)
		}
		return list
	}
	id, smiles, aside, fault := text("id"), text("smiles"), text("set_aside"), text("error")
	score, p := number("score", ""), number("p_value", "")
	alone, aloneP := number("alone", "score"), number("alone_p", "p_value")
	batch, batchP, verdict := c.Numbers("batch"), c.Numbers("batch_p"), c.Texts("batch_verdict")
	return func(i int) (report.Entry, string) {
		e := report.Entry{ID: id[i], SMILES: smiles[i], SetAside: aside[i], Row: algo.Row{Score: score[i], P: p[i], Alone: alone[i], AloneP: aloneP[i], Batch: math.NaN(), BatchP: math.NaN()}}
		if batch != nil && batchP != nil && verdict != nil {
			e.Row.Batch, e.Row.BatchP, e.Row.BatchVerdict = batch[i], batchP[i], decide.Verdict(verdict[i])
		}
		return e, fault[i]
	}, missing
}

package engine

import (
	"math"
	"slices"

	"baca/algo"
	"baca/algo/decide"
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

// entries are a report's rows.
type entries struct {
	id, smiles, aside, verdict, batchVerdict []string
	score, p, alone, aloneP, batch, batchP   []float64
}

// entriesOf rejects rows that lack a column.
func entriesOf(c message.Columns, records int) (*entries, error) {
	e := &entries{
		id: c.Texts("id"), smiles: c.Texts("smiles"), aside: c.Texts("set_aside"), verdict: c.Texts("verdict"), score: c.Numbers("score"), p: c.Numbers("p_value"),
		batchVerdict: c.Texts("batch_verdict"), alone: c.Numbers("alone"), aloneP: c.Numbers("alone_p"), batch: c.Numbers("batch"), batchP: c.Numbers("batch_p"),
	}
	if e.batch == nil {
		nan := slices.Repeat([]float64{math.NaN()}, records)
		e.alone, e.aloneP, e.batch, e.batchP, e.batchVerdict = e.score, e.p, nan, nan, make([]string, records)
	}
	for _, n := range []int{len(e.id), len(e.smiles), len(e.aside), len(e.verdict), len(e.batchVerdict), len(e.score), len(e.p), len(e.alone), len(e.aloneP), len(e.batch), len(e.batchP)} {
		if n != records {
			return nil, failf(message.CodeBadOption, "a column of %d rows for %d records: want as many", n, records)
		}
	}
	return e, nil
}

// row is row i, which has no error.
func (e *entries) row(i int) algo.Row {
	return algo.Row{
		Score: e.score[i], P: e.p[i], Verdict: decide.Verdict(e.verdict[i]), Alone: e.alone[i], AloneP: e.aloneP[i],
		Batch: e.batch[i], BatchP: e.batchP[i], BatchVerdict: decide.Verdict(e.batchVerdict[i]),
	}
}

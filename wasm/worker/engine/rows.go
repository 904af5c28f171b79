package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/parquet"
	"baca/algo/table"
	"baca/algo/trust"
	"baca/wasm/message"
)

// groups are the columns that rows in messages have, those of a calibrated batch or not.
func groups(batched bool) table.Group {
	if batched {
		return table.Usual | table.OfBatch
	}
	return table.Usual
}

// batched tells whether rows have the columns of a calibrated batch.
func batched(c message.Columns) bool { return len(c.Scores.Batch) > 0 }

// judged tells whether rows have the columns of predictions that were judged.
func judged(c message.Columns) bool {
	return slices.ContainsFunc(c.More, func(m message.Column) bool { return m.Name == "trust" })
}

// appendRows appends records with their scores, those of a batch if there was one.
func (e *Engine) appendRows(to *message.Columns, rows []table.Scored, batched bool) {
	for _, c := range table.Of(table.Fields(groups(batched)), rows) {
		if c.Kind == parquet.Texts {
			list := to.Texts(c.Name)
			*list = append(*list, c.Texts...)
		} else {
			list := to.Numbers(c.Name)
			*list = append(*list, c.Numbers...)
		}
	}
	if e.card.Knows {
		for _, s := range rows {
			to.Known = append(to.Known, e.known(s.Graph))
		}
	}
}

// export makes a file of rows.
func (e *Engine) export(r *message.Export) (*message.Exported, error) {
	if err := checkLengths(r.Rows); err != nil {
		return nil, err
	}
	return write(r.Format, r.Rows, nil, false, e.ruled(r.Rule))
}

// ruled is what rows that follow from a rule come from.
func (e *Engine) ruled(r message.Rule) table.Run {
	usual := algo.DefaultOptions()
	return table.Run{
		Model: e.card.Name, SHA256: e.card.SHA256,
		By: cmp.Or(r.By, usual.By), Alpha: cmp.Or(r.Alpha, usual.Alpha), FDR: r.FDR,
	}
}

// checkLengths reports columns of rows that are not equally long.
func checkLengths(rows message.Columns) error {
	wanted := groups(batched(rows))
	if len(rows.Q) > 0 {
		wanted |= table.OfRate
	}
	if judged(rows) {
		wanted |= table.OfTrust
	}
	for _, c := range table.Fields(wanted) {
		n := 0
		switch {
		case c.Text != nil:
			n = len(*rows.Texts(c.Name))
		default:
			n = len(*rows.Numbers(c.Name))
		}
		if n != len(rows.ID) {
			return failf(message.CodeBadOption, "column %s has %d rows, there are %d", c.Name, n, len(rows.ID))
		}
	}
	return nil
}

// rowAt is a row that has no error.
func rowAt(c *message.Columns, i int) algo.Row {
	nan, s := math.NaN(), &c.Scores
	row := algo.Row{Score: s.Score[i], P: s.P[i], Verdict: decide.Verdict(c.Verdict[i]), Batch: nan, BatchP: nan}
	row.Alone, row.AloneP = row.Score, row.P
	if batched(*c) {
		row.Alone, row.AloneP = s.Alone[i], s.AloneP[i]
		row.Batch, row.BatchP, row.BatchVerdict = s.Batch[i], s.BatchP[i], decide.Verdict(c.BatchVerdict[i])
	}
	return row
}

// write makes a file of rows whose columns are equally long. With whys it has the columns of
// explanations, those of values if known is true; those of refused records are nil.
func write(format string, rows message.Columns, whys []*table.Why, known bool, run table.Run) (*message.Exported, error) {
	out := &message.Exported{Name: "baca." + format}
	to := format
	switch format {
	case "csv":
		out.Type = "text/csv"
	case "jsonl":
		out.Type = "application/jsonl"
	case "json":
		out.Type, to = "application/json", "jsonl"
	default:
		return nil, failf(message.CodeBadOption, "format %q: want csv, json or jsonl", format)
	}
	at := 0
	var b bytes.Buffer
	w := table.NewSink(&b, to, table.Text{SpreadsheetSafe: true}, true, append(columnsOf(rows, whys != nil, known, &at), run.Fields()...))
	for ; at < len(rows.ID); at++ {
		s := table.Scored{Scores: &algo.Row{}, Trust: &trust.Judgement{}}
		if rows.Error[at] != "" {
			s.Scores = nil
		} else if whys != nil {
			s.Why = whys[at]
		}
		w.Add(s)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	out.Data = b.Bytes()
	if format == "json" {
		list := "[\n" + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", ",\n") + "\n]\n"
		if !json.Valid([]byte(list)) {
			return nil, fmt.Errorf("the list of %d rows is not JSON", len(rows.ID))
		}
		out.Data = []byte(list)
	}
	return out, nil
}

// columnsOf are the columns of a file of rows. They have the values of the row at.
func columnsOf(rows message.Columns, explained, known bool, at *int) []table.Field {
	wanted := table.Usual
	if batched(rows) {
		wanted |= table.OfBatch
	}
	if len(rows.Q) > 0 {
		wanted |= table.OfRate
	}
	if judged(rows) {
		wanted |= table.OfTrust
	}
	if explained {
		wanted |= table.OfReasons | table.OfNeighbors
		if known {
			wanted |= table.OfValues
		}
	}
	columns := table.Fields(wanted)
	for i := range columns {
		c := &columns[i]
		switch {
		case c.Group&(table.OfReasons|table.OfNeighbors|table.OfValues) != 0:
		case c.Text != nil:
			texts := *rows.Texts(c.Name)
			c.Text = func(*table.Scored) string { return texts[*at] }
		default:
			numbers := *rows.Numbers(c.Name)
			c.Number = func(*table.Scored) float64 {
				if len(numbers) == 0 {
					return math.NaN()
				}
				return numbers[*at]
			}
		}
	}
	return columns
}

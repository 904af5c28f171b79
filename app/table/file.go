package table

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"baca/algo/decide"
	"baca/algo/table"
	"baca/wasm/message"
)

// Snapshot is the table with its present verdicts.
func (t *Table) Snapshot() *Table {
	c := *t
	c.Rows.Verdict = slices.Clone(c.Rows.Verdict)
	return &c
}

// Columns are rows as `baca score` writes them, with more columns before the provenance and the input's own.
func (t *Table) Columns(order []int32, model *message.Model, more ...table.Column) message.Columns {
	all := table.Pick(t.Rows.programColumns(), order)
	if judged := t.Rows.Trust; judged != nil && judged.Bare { // as the command, which has none without predictions
		all = slices.DeleteFunc(all, func(c table.Column) bool { return table.Named(judged.Rows, c.Name) != nil })
	}
	for i := range all {
		t.judged(&all[i], order)
	}
	if len(t.Levels) > 0 {
		q := of(order, func(i int32) float64 { return t.Levels.Of(t.Rows.P[i]) })
		all = slices.Insert(all, len(t.Rows.columns)+len(t.Rows.Batch), table.NumberColumn("q_value", q))
	}
	list := append(all, more...)
	run := t.run(model)
	list = append(list, table.Of(run.Fields(), table.Blank(len(order)))...)
	for k, name := range t.Rows.Own() {
		list = append(list, table.TextColumn(name, of(order, func(i int32) string { return t.Rows.cell(int(i), ownColumns+k) })))
	}
	return list
}

// judged sets the column of some records to what holds now.
func (t *Table) judged(c *table.Column, order []int32) {
	rows := &t.Rows
	switch c.Name {
	case "id":
		c.Texts = of(order, func(i int32) string { return rows.ID(int(i)) })
	case "smiles":
		c.Texts = of(order, func(i int32) string { return rows.SMILES(int(i)) })
	case "score":
		c.Numbers = of(order, func(i int32) float64 { return rows.Score[i] })
	case "p_value":
		c.Numbers = of(order, func(i int32) float64 { return rows.P[i] })
	case "verdict":
		c.Texts = rows.verdicts(order, func(i int32) decide.Verdict { return rows.Verdict[i] })
	case "baca_p":
		if t.Deciding() != ThePaper { // as the command, which then has none
			c.Numbers = missing(len(order))
		}
	case "batch_verdict":
		own, p := t.RuleOf(TheBatch), rows.Batch.Numbers("batch_p")
		c.Texts = rows.verdicts(order, func(i int32) decide.Verdict { return own.Judge(p[i], rows.GuardP(int(i))) })
	case "error":
		c.Texts = of(order, func(i int32) string {
			if p := rows.Problem(int(i)); p != nil {
				return p.Text
			}
			return ""
		})
	}
}

// of returns the value of each record, in order.
func of[T any](order []int32, value func(int32) T) []T {
	list := make([]T, len(order))
	for k, i := range order {
		list[k] = value(i)
	}
	return list
}

// verdicts returns the verdict of each record, in order, empty for those without a score.
func (r *Rows) verdicts(order []int32, verdict func(int32) decide.Verdict) []string {
	return of(order, func(i int32) string {
		if v := r.Verdict[i]; v == Unscored || v == decide.Refused {
			return ""
		}
		return string(verdict(i))
	})
}

// run is the provenance of rows.
func (t *Table) run(model *message.Model) table.Run {
	run := table.Run{By: DeciderWords()[t.Deciding()].Key, Alpha: t.Alpha}
	if t.Rule().ByRate {
		run.FDR = t.FDR
	}
	if model != nil {
		run.Model, run.SHA256 = model.Name, model.SHA256
	}
	return run
}

// File is rows as csv, tsv, jsonl or json.
func File(name, format string, columns message.Columns) *message.Exported {
	order := make([]int32, table.Rows(columns))
	for i := range order {
		order[i] = int32(i)
	}
	pick := func(part []int32) message.Columns { return table.Pick(columns, part) }
	return Joined(name, format, slices.Collect(Pieces(format, order, pick)))
}

// Joined is a file of all [Pieces].
func Joined(name, format string, pieces [][]byte) *message.Exported {
	e := &message.Exported{Name: name + "." + format, Type: "text/csv", Data: slices.Concat(pieces...)}
	if strings.HasPrefix(format, "json") {
		e.Type = "application/" + format
	}
	return e
}

// pieceRows is small enough that the page responds between pieces.
const pieceRows = 4096

// Pieces are the parts of a file of records with these columns.
func Pieces(format string, order []int32, columns func(part []int32) message.Columns) iter.Seq[[]byte] {
	to := format
	if format == "json" {
		to = "jsonl"
	}
	parts := slices.Collect(slices.Chunk(order, pieceRows))
	if len(parts) == 0 {
		parts = [][]int32{nil} // the header alone
	}
	return func(yield func([]byte) bool) {
		var b bytes.Buffer
		var w table.Writer
		for k, part := range parts {
			c := columns(part)
			if k == 0 {
				w = table.NewRows(&b, to, table.Text{SpreadsheetSafe: true}, true, c)
			}
			w.Write(c)
			if err := w.Flush(); err != nil {
				panic(err) // a buffer cannot fail
			}
			piece := bytes.Clone(b.Bytes())
			b.Reset()
			if format == "json" {
				piece = listed(piece, k == 0, k == len(parts)-1)
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// listed makes lines of JSON a part of a list.
func listed(lines []byte, first, last bool) []byte {
	begin, end := "", ""
	if first {
		begin = "[\n"
	}
	if last {
		lines, end = bytes.TrimSuffix(lines, []byte("\n")), "\n]\n"
	}
	return slices.Concat([]byte(begin), bytes.ReplaceAll(lines, []byte("\n"), []byte(",\n")), []byte(end))
}

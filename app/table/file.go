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

// Columns are rows as `baca score` writes them, with more columns before the provenance and the
// input's own.
func (t *Table) Columns(order []int32, model *message.Model, more ...table.Column) message.Columns {
	all := t.Rows.ours()
	for i := range all {
		t.judged(&all[i])
	}
	if len(t.Levels) > 0 {
		q := make([]float64, t.Rows.Len())
		for i, p := range t.Rows.P {
			q[i] = t.Levels.Of(p)
		}
		all = slices.Insert(all, len(t.Rows.columns)+len(t.Rows.Batch), table.NumberColumn("q_value", q))
	}
	list := append(table.Pick(all, order), more...)
	run := t.run(model)
	list = append(list, table.Of(run.Fields(), make([]table.Scored, len(order)))...)
	return append(list, table.Pick(t.Rows.read[min(2, len(t.Rows.read)):], order)...)
}

// judged sets a column's verdicts to the current ones.
func (t *Table) judged(c *table.Column) {
	rows := &t.Rows
	switch c.Name {
	case "id":
		c.Texts = rows.id
	case "smiles":
		c.Texts = rows.SMILES
	case "score":
		c.Numbers = rows.Score
	case "p_value":
		c.Numbers = rows.P
	case "verdict":
		c.Texts = rows.verdicts(func(i int) decide.Verdict { return rows.Verdict[i] })
	case "batch_verdict":
		own, p := t.RuleOf(TheBatch), rows.Batch.Numbers("batch_p")
		c.Texts = rows.verdicts(func(i int) decide.Verdict { return own.Judge(p[i], rows.AloneP[i]) })
	case "error":
		c.Texts = make([]string, rows.Len())
		for _, p := range rows.Refused {
			c.Texts[p.Record] = p.Text
		}
	}
}

func (r *Rows) verdicts(of func(int) decide.Verdict) []string {
	list := make([]string, r.Len())
	for i, v := range r.Verdict {
		if v != Unscored && v != decide.Refused {
			list[i] = string(of(i))
		}
	}
	return list
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
	return Joined(name, format, slices.Collect(Pieces(format, columns)))
}

// Joined is a file of all [Pieces].
func Joined(name, format string, pieces [][]byte) *message.Exported {
	e := &message.Exported{Name: name + "." + format, Type: "text/csv", Data: slices.Concat(pieces...)}
	if strings.HasPrefix(format, "json") {
		e.Type = "application/" + format
	}
	return e
}

// pieceRows are so few that the page answers in between.
const pieceRows = 4096

// Pieces are the parts of a file.
func Pieces(format string, columns message.Columns) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		to := format
		if format == "json" {
			to = "jsonl"
		}
		var b bytes.Buffer
		w := table.NewRows(&b, to, table.Text{SpreadsheetSafe: true}, true, columns)
		n := int32(table.Rows(columns))
		for first, done := int32(0), false; !done; first += pieceRows {
			var rows []int32
			for i := first; i < min(n, first+pieceRows); i++ {
				rows = append(rows, i)
			}
			done = first+pieceRows >= n
			w.Write(table.Pick(columns, rows))
			if err := w.Flush(); err != nil {
				panic(err) // a buffer cannot fail
			}
			piece := bytes.Clone(b.Bytes())
			if b.Reset(); format == "json" {
				piece = listed(piece, first == 0, done)
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

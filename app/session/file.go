package session

import (
	"bytes"
	"slices"

	"baca/algo/table"
	"baca/wasm/message"
)

// columns are rows as `baca score` writes them, with more columns before the provenance and the
// input's own.
func (r *Result) columns(order []int32, more ...table.Column) message.Columns {
	all := slices.Clone(r.Rows.columns)
	if b := r.Rows.Batch; b != nil {
		for _, c := range b.columns {
			if table.Named(all, c.Name) == nil {
				all = append(all, c)
			}
		}
	}
	for i := range all {
		r.judged(&all[i])
	}
	if len(r.Levels) > 0 {
		q := make([]float64, r.Rows.Len())
		for i, p := range r.Rows.P {
			q[i] = r.Levels.Of(p)
		}
		all = append(all, table.NumberColumn("q_value", q))
	}
	if t := r.Rows.Trust; t != nil {
		all = append(all, t.Rows...)
	}
	list := append(table.Pick(all, order), more...)
	run := r.run()
	list = append(list, table.Of(run.Fields(), make([]table.Scored, len(order)))...)
	return append(list, table.Pick(r.Rows.read[min(2, len(r.Rows.read)):], order)...)
}

// judged sets a column's verdicts to the current ones.
func (r *Result) judged(c *table.Column) {
	rows := &r.Rows
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
		c.Texts = rows.verdicts(func(i int) Verdict { return rows.Verdict[i] })
	case "batch_verdict":
		own := r.RuleOf(TheBatch)
		c.Texts = rows.verdicts(func(i int) Verdict { return verdictOf(own.Judge(rows.Batch.ScoreP[i], rows.AloneP[i])) })
	case "error":
		c.Texts = make([]string, rows.Len())
		for _, p := range rows.Refused {
			c.Texts[p.Record] = p.Text
		}
	}
}

func (r *Rows) verdicts(of func(int) Verdict) []string {
	list := make([]string, r.Len())
	for i, v := range r.Verdict {
		if v != Unscored && v != Refused {
			list[i] = of(i).Word()
		}
	}
	return list
}

// run is the provenance of rows.
func (r *Result) run() table.Run {
	run := table.Run{By: DeciderWords()[r.Deciding()].Key, Alpha: r.Alpha}
	if r.Rule().ByRate {
		run.FDR = r.FDR
	}
	if m := r.models.Used; m != nil {
		run.Model, run.SHA256 = m.Name, m.SHA256
	}
	return run
}

// fileOf writes rows as csv, jsonl or json.
func fileOf(name, format string, columns message.Columns) *message.Exported {
	e := &message.Exported{Name: name + "." + format, Type: "text/csv"}
	to := format
	if format != "csv" {
		e.Type, to = "application/"+format, "jsonl"
	}
	var b bytes.Buffer
	w := table.NewRows(&b, to, table.Text{SpreadsheetSafe: true}, true, columns)
	w.Write(columns)
	if err := w.Flush(); err != nil {
		panic(err) // a buffer cannot fail
	}
	if e.Data = b.Bytes(); format == "json" {
		lines := bytes.ReplaceAll(bytes.TrimSuffix(e.Data, []byte("\n")), []byte("\n"), []byte(",\n"))
		e.Data = slices.Concat([]byte("[\n"), lines, []byte("\n]\n"))
	}
	return e
}

package engine

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/feature/trust"
	"baca/algo/model"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training"
	"baca/wasm/message"
)

// trust judges predictions for the open input.
func (e *Engine) trust(t *task, r *message.Trust) (*message.Trusted, error) {
	labels := &training.Labels{ValueColumns: algo.ValueColumns{Observed: r.Observed, Predicted: r.Predicted}}
	if known := e.model.Residuals; known != nil {
		labels.Classes = known.Classes
	}
	if err := e.input.checkLabels(labels); err != nil {
		return nil, err
	}
	bare := r.Predicted == ""
	switch n := len(r.Scores); {
	case bare && labels.Classes:
		return nil, failf(message.CodeBadOption, "want the column with predictions: classes have no intervals")
	case n != e.input.opened.Records:
		return nil, failf(message.CodeBadOption, "%d scores: want one of each of %d records", n, e.input.opened.Records)
	case e.model.Residuals == nil:
		return nil, failf(message.CodeBadModel, "%s", e.model.NoResiduals())
	}
	options := trust.Options{Coverage: r.Coverage}
	if err := options.Check(); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	j, err := trust.Learn(t, t.alone, options, e.errorsBy())
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	if j.By.ReadsUncertainty() {
		labels.Uncertainty = e.model.Residuals.Uncertainty.Name
	}
	sample, err := run.SampleOf(t, e.input.records(nil, e.form()), algo.DefaultOptions().Seed, 1)
	if err != nil {
		return nil, err
	}
	if err := j.Compare(t, sample.Graphs, sample.Sample); err != nil {
		return nil, err
	}
	out := &message.Trusted{Sentences: j.Sentences(), Coverage: j.Coverage, Classes: j.Classes, Bare: bare}
	var outcomes []trust.Outcome
	p := &run.Predictions{Judging: j, Values: labels.Of, Outcome: func(o trust.Outcome) { outcomes = append(outcomes, o) }}
	if bare {
		p.Values = func(r *dataset.Entry) *model.Values {
			v := cmp.Or(labels.Of(r), model.NoValues())
			v.Predicted = 0
			return v
		}
	}
	err = e.judge(t, out, p, labels.Columns(), r.Scores)
	if err != nil {
		return nil, err
	}
	if column := out.Rows.Numbers("predicted"); bare {
		for i := range column {
			column[i] = math.NaN()
		}
	}
	var audit *trust.Audit
	out.Problems = labels.Problems(training.WithoutInterval)
	if r.Observed != "" {
		out.Problems = labels.Problems(training.DoNotCount)
		audit = trust.NewAudit(outcomes, j.Calibration)
		if audit.N == 0 {
			audit, out.Problems = nil, append(out.Problems, trust.ErrNoValues.Error())
		} else {
			out.Held = audit.InShort(j.Calibration)
		}
	}
	out.HTML = trust.HTML(j.Sentences(), j.Calibration, audit, out.Problems)
	return out, nil
}

// errorsBy names the order of errors: empty for the default, unless the input lacks the column of uncertainties that this reads.
func (e *Engine) errorsBy() string {
	r := e.model.Residuals
	if name := r.Uncertainty.Name; name == "" || slices.Contains(e.input.opened.Columns, name) {
		return ""
	}
	known := *r
	known.Uncertainty = algo.Column{}
	by, _ := trust.OrderOf(&known, "") // the default has no error
	return string(by)
}

// openAgain yields the open input's records.
func (e *Engine) openAgain() (iter.Seq2[dataset.Record, error], func(), error) {
	return e.input.records(nil, e.form()), func() {}, nil
}

// checkLabels reports columns that the input cannot have values in.
func (in *input) checkLabels(l *training.Labels) error {
	columns := l.Columns()
	switch {
	case len(columns) > 0 && in.format.Graphs():
		return failf(message.CodeBadOption, "%s holds plain graphs: there is no column %s", in.title(), columns[0])
	case l.Observed != "" && l.Observed == l.Predicted:
		return failf(message.CodeBadOption, "observed and predicted values are both from column %s: want two columns", l.Observed)
	}
	return nil
}

// judgedAtOnce records are judged between signs of progress.
const judgedAtOnce = 1024

// judge judges the predictions in the input's columns, and sets out.Rows to the columns of judgements. scores has each
// record's score by itself. A record without a score, or that cannot be read, is not judged.
func (e *Engine) judge(t *task, out *message.Trusted, p *run.Predictions, columns []string, scores []float64) error {
	fields, judged := table.Fields(table.OfTrust), 0
	out.Rows = table.Of(fields, nil)
	var rows []table.Row
	flush := func() error {
		t.showProgress(message.StageTrust, judged, len(scores))
		judged += len(rows)
		err := p.Judge(t, rows)
		out.Rows.Append(table.Of(fields, rows))
		rows = rows[:0]
		return err
	}
	for m, err := range e.input.records(nil, e.form(), columns...) {
		if err != nil {
			return err
		}
		r := m.Parsed()
		if x := scores[r.Row-1]; !math.IsNaN(x) && r.Err == nil {
			rows = append(rows, table.NewScored(r, algo.Row{Alone: x}))
		} else {
			rows = append(rows, &r.Entry)
		}
		if len(rows) == judgedAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

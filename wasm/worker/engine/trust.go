package engine

import (
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/algo/trust"
	"baca/wasm/message"
)

// trust judges predictions for the open input.
func (e *Engine) trust(t *task, r *message.Trust) (*message.Trusted, error) {
	labels := &job.Labels{Observed: r.Observed, Predicted: r.Predicted}
	if known := e.model.Residuals; known != nil {
		labels.Classes = known.Classes
	}
	if err := e.input.checkLabels(labels); err != nil {
		return nil, err
	}
	switch n := len(r.Scores); {
	case r.Predicted == "":
		return nil, failf(message.CodeBadOption, "want the column with predictions")
	case n != e.input.opened.Records:
		return nil, failf(message.CodeBadOption, "%d scores: want one of each of %d records", n, e.input.opened.Records)
	case e.model.Residuals == nil:
		return nil, failf(message.CodeBadModel, "%s", e.model.NoResiduals())
	}
	options := trust.Options{Coverage: r.Coverage}
	if err := options.Check(); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	by := e.model.Residuals.Order()
	c, err := t.alone.Trust(t, options, by)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	out := &message.Trusted{Sentences: c.Sentences(by.Words()), Coverage: c.Coverage, Classes: c.Classes}
	outcomes, err := e.judge(t, out, c, labels, r.Scores)
	if err != nil {
		return nil, err
	}
	var audit *trust.Audit
	if out.Problems = labels.Problems(job.WithoutInterval); r.Observed != "" {
		out.Problems = labels.Problems(job.DoNotCount)
		if audit = trust.NewAudit(outcomes, c); audit.N == 0 {
			audit, out.Problems = nil, append(out.Problems, trust.ErrNoValues.Error())
		}
	}
	out.HTML = report.TrustHTML(c, audit, by.Words(), out.Problems)
	return out, nil
}

// checkLabels reports columns that the input cannot have values in.
func (in *input) checkLabels(l *job.Labels) error {
	columns := l.Columns()
	switch {
	case len(columns) > 0 && in.format.Graphs():
		return failf(message.CodeBadOption, "%s holds plain graphs: there is no column %s", in.title(), columns[0])
	case l.Observed != "" && l.Observed == l.Predicted:
		return failf(message.CodeBadOption, "observed and predicted values are both from column %s: want two columns", l.Observed)
	}
	return nil
}

// judge fills in the columns of judgements, and returns those of records with a score.
func (e *Engine) judge(t *task, out *message.Trusted, c *trust.Calibration, labels *job.Labels, scores []float64) (outcomes []trust.Outcome, err error) {
	o := e.input.options()
	o.Cells = labels.Columns()
	list, observed := make([]algo.Prediction, 0, len(scores)), make([]float64, 0, len(scores))
	for m, err := range dataset.Records(e.input.all(nil), o) {
		if err != nil {
			return nil, err
		}
		if err := t.Err(); err != nil {
			return nil, err
		}
		t.showProgress(message.StageTrust, m.Row, len(scores))
		p, y := algo.Prediction{Score: scores[m.Row], Predicted: math.NaN()}, math.NaN()
		if !math.IsNaN(p.Score) {
			v := labels.Of(m.Row+1, &table.Cells{Texts: m.Cells, Fail: m.FailCell})
			p.Predicted, y = v.Predicted, v.Observed
		}
		list, observed = append(list, p), append(observed, y)
	}
	doubts, err := t.alone.Doubts(t, e.model.Residuals.Order(), list)
	if err != nil {
		return nil, err
	}
	rows := make([]table.Scored, len(list))
	for i, p := range list {
		nan := math.NaN()
		j := trust.Judgement{Predicted: nan, Error: nan, Low: nan, High: nan}
		if !math.IsNaN(p.Predicted) {
			j = c.Judge(doubts[i], p.Predicted)
		}
		if !math.IsNaN(p.Score) {
			outcomes = append(outcomes, trust.Outcome{Score: doubts[i], Observed: observed[i], Judgement: j})
		}
		rows[i] = table.Scored{Trust: &j}
	}
	out.Rows = table.Of(table.Fields(table.OfTrust), rows)
	return outcomes, nil
}

package command

import (
	"context"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/job"
	"baca/algo/table"
	"baca/algo/trust"
	"baca/build/internal/usage"
)

// predictions are the flags of judgements.
type predictions struct {
	read    labels // the columns, or none
	options trust.Options
	by      string       // see algo.Residuals.Order
	found   *job.Judging // nil without --predicted, or if the model has no errors
}

func (p *predictions) register(fs *pflag.FlagSet) {
	fs.StringVar(&p.by, "errors-by", "", "`order` that tells large errors from small ones: "+trust.Names(trust.Orders())+", or a column")
	fs.Float64Var(&p.options.Coverage, "coverage", trust.DefaultCoverage, "share of observed values that intervals shall hold")
	fs.Float64Var(&p.options.Tolerance, "tolerance", 0, "errors above it are large; 0 for what four of five held-out errors stay within")
	fs.Float64Var(&p.options.Rate, "large-errors", trust.DefaultRate, "share of large errors up to which the verdict is trust, and up to twice that check")
}

// check refuses invalid options.
func (p *predictions) check() error {
	o := p.options
	switch err := o.Check(); {
	case o.Coverage == 0 || o.Rate == 0:
		return usage.Errorf("--coverage %g, --large-errors %g: want both above 0", o.Coverage, o.Rate)
	case err != nil:
		return usage.Errorf("%w", err)
	}
	return nil
}

// learn calibrates on the model's errors, or returns a sentence if it has none. Where errors are compared by the uncertainty of
// predictions, its column is read, too.
func (p *predictions) learn(ctx context.Context, m *algo.Model, alone *algo.SingleScorer) (missing []string, err error) {
	if m.Residuals == nil {
		return []string{knowsNothing(m)}, nil
	}
	if _, err := m.Residuals.Order(p.by); err != nil {
		return nil, usage.Errorf("%w", err)
	}
	c, err := alone.Trust(ctx, p.options, p.by)
	if err != nil {
		return nil, err
	}
	p.found, p.read.Classes = &job.Judging{Calibration: c, Alone: alone}, c.Classes
	if c.By.ReadsUncertainty() {
		p.read.Uncertainty = m.Residuals.Uncertainty.Name
	}
	return nil, nil
}

// compare compares an input with the held-out molecules, which reads it to the end. Its Records are then a second reading, until
// release. Standard input has none: then there are no intervals and verdicts of the list.
func (p *predictions) compare(ctx context.Context, in *job.Input, seed uint64, workers int) (release func(), err error) {
	if p.found == nil || in.Again == nil {
		return func() {}, nil
	}
	list, err := job.SampleOf(ctx, in.Records, seed, workers)
	if err != nil {
		return nil, err
	}
	if in.Records, release, err = in.Again(); err != nil {
		return nil, err
	}
	return release, p.found.Compare(ctx, list)
}

// sentences describe what judgements rest on.
func (p *predictions) sentences() []string {
	if p.found == nil {
		return nil
	}
	return p.found.Sentences()
}

// judge sets the judgements of rows.
func (p *predictions) judge(ctx context.Context, rows []table.Scored) error {
	if p.read.Predicted == "" {
		return nil
	}
	// Values are read in any case, to report mistakes.
	values := make([]*algo.Values, len(rows))
	for i := range rows {
		if r := &rows[i]; r.Scores != nil {
			values[i] = p.read.Of(&r.Record)
		}
	}
	if p.found == nil {
		return nil
	}
	_, err := p.found.Rows(ctx, rows, func(i int) *algo.Values { return values[i] })
	return err
}

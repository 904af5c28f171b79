package command

import (
	"context"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/feature/trust"
	"baca/build/internal/usage"
)

// predictions are the flags about judging predictions.
type predictions struct {
	read    labels // columns of predictions and, if needed, of uncertainties
	options trust.Options
	by      string         // see trust.OrderOf
	found   *trust.Judging // nil without --predicted, and for a model without errors
}

// register adds the flags about judging predictions.
func (p *predictions) register(fs *pflag.FlagSet) {
	fs.StringVar(&p.by, "errors-by", "", "`order` that tells large errors from small ones: "+trust.Names(trust.Orders())+", or a column")
	fs.Float64Var(&p.options.Coverage, "coverage", trust.DefaultCoverage, "share of observed values that intervals should hold")
	fs.Float64Var(&p.options.Tolerance, "tolerance", 0, "errors above it are large; 0 takes the value that four of five held-out errors stay within")
	fs.Float64Var(&p.options.Rate, "large-errors", 0,
		"share of large errors up to which the verdict is trust; 0 takes three quarters of that among all held out, 0.25 at most")
}

// check returns an error of usage for options out of range. A coverage of 0 is one here: in trust.Options it stands
// for the default.
func (p *predictions) check() error {
	if p.options.Coverage == 0 {
		return usage.Errorf("--coverage 0: want it above 0")
	}
	if err := p.options.Check(); err != nil {
		return usage.Errorf("%w", err)
	}
	return nil
}

// learn prepares judging by the model's stored errors. For a model without errors it returns a sentence that says so. If
// errors are ordered by uncertainty, the column of uncertainties is also read from then on.
func (p *predictions) learn(ctx context.Context, m *algo.Model, alone *algo.SingleScorer) (missing []string, err error) {
	if m.Residuals == nil {
		return []string{knowsNothing(m)}, nil
	}
	if _, err := trust.OrderOf(m.Residuals, p.by); err != nil {
		return nil, usage.Errorf("%w", err)
	}
	j, err := trust.Learn(ctx, alone, p.options, p.by)
	if err != nil {
		return nil, err
	}
	p.found, p.read.Classes = j, j.Classes
	if j.By.ReadsUncertainty() {
		p.read.Uncertainty = m.Residuals.Uncertainty.Name
	}
	return nil, nil
}

// sentences say what judgements rest on.
func (p *predictions) sentences() []string {
	if p.found == nil {
		return nil
	}
	return p.found.Sentences()
}

package command

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/job"
	"baca/build/internal/apart"
	"baca/build/internal/usage"
)

// An opening is a model with an input for it.
type opening struct {
	model *algo.Model
	file  []byte // of the model
	alone *algo.SingleScorer
	*input
	records job.Input
}

// begin opens a model and the input. prepare, unless nil, runs before the input is opened, and may
// make the scorer.
func (s *source) begin(c *cobra.Command, model string, prepare func(*opening) error) (*opening, error) {
	o, err := s.beginModel(c, model, prepare)
	if err == nil {
		o.input, o.records, err = s.openFor(c.Context(), c, o.model)
	}
	return o, err
}

// beginModel is begin without an input.
func (s *source) beginModel(c *cobra.Command, model string, prepare func(*opening) error) (*opening, error) {
	m, file, err := openModelFile(model)
	if err != nil {
		return nil, err
	}
	o := &opening{model: m, file: file}
	if s.form = algo.FormOf(m.Card.Schema); !s.ordered {
		s.form = s.form.Unordered()
	}
	if prepare != nil {
		if err := prepare(o); err != nil {
			return nil, err
		}
	}
	if o.alone == nil {
		o.alone, err = algo.NewSingleScorer(c.Context(), m, s.workers)
	}
	return o, err
}

// models are the comma-separated values of --model. A file's name may have a comma.
func (s *source) models() []string {
	if _, err := os.Stat(s.model); err == nil || s.model == "" {
		return []string{s.model}
	}
	return strings.Split(s.model, ",")
}

// check refuses invalid flags, and files both read and written.
func (s *source) check(writes ...apart.File) error {
	return cmp.Or(
		rules{{s.workers < 0, fmt.Sprintf("--workers %d: want 0 for all cores, or more", s.workers)}}.check(),
		usage.OneOf("format", s.format, s.formats...), s.apart(writes...),
	)
}

// flags reopen the model and the input.
func (s *source) flags() []job.Flag {
	list := []job.Flag{{Name: "--model", Value: s.model}, {Name: "--format", Value: s.format, Usual: "auto"}}
	if s.columnSet {
		list = append(list, job.Flag{Name: "--column", Value: s.column})
	}
	return list
}

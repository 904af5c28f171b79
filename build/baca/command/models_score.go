package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// openOthers opens the models after m, the first.
func (f *scoreFlags) openOthers(ctx context.Context, s *scoring, m *algo.Model) error {
	s.names = []string{m.Card.Name}
	judging := f.options
	judging.Single = nil
	for _, name := range f.models()[1:] {
		other, _, err := openModelFile(name)
		if err != nil {
			return err
		}
		if other.Card.Schema != m.Card.Schema {
			return fmt.Errorf("models %s and %s read graphs of different schemas (%s, %s): score with each of them alone", m.Card.Name, other.Card.Name, m.Card.Schema, other.Card.Schema)
		}
		if slices.Contains(s.names, other.Card.Name) {
			return usage.Errorf("--model %s: two models are called %s", f.model, other.Card.Name)
		}
		other.Encoder.Device = m.Encoder.Device
		scorer, err := algo.NewScorer(ctx, other, judging)
		if err != nil {
			return err
		}
		s.names, s.options.Others = append(s.names, other.Card.Name), append(s.options.Others, scorer)
	}
	return nil
}

// fieldsOf are the fields of rows with several models.
func (s *scoring) fieldsOf() []table.Field {
	run := slices.DeleteFunc(s.origin.Fields(), func(c table.Field) bool { return strings.HasPrefix(c.Name, "model") })
	return append(table.ModelFields(s.names), run...)
}

// summarizeModels reports how many records each model covers.
func (s *scoring) summarizeModels() {
	for i, name := range s.names {
		fmt.Fprintf(s.stderr, "%s covers %d; ", name, s.covered[i])
	}
	fmt.Fprintf(s.stderr, "no model covers %d\n", s.done.Rows-s.done.Refused-s.done.Inside)
}

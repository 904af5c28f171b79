package command

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// modelNames are the values of --model, which several are separated by commas in. A file may
// have a comma in its name.
func (f *scoreFlags) modelNames() []string {
	if _, err := os.Stat(f.model); err == nil {
		return []string{f.model}
	}
	return strings.Split(f.model, ",")
}

// openOthers opens the models behind the first, which is m.
func (f *scoreFlags) openOthers(ctx context.Context, s *scoring, m *algo.Model) error {
	s.names = []string{m.Card.Name}
	for _, name := range f.modelNames()[1:] {
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
		scorer, err := algo.NewScorer(ctx, other, f.options)
		if err != nil {
			return err
		}
		s.names, s.options.Others = append(s.names, other.Card.Name), append(s.options.Others, scorer)
	}
	return nil
}

// fieldsOf are those of rows of several models.
func (s *scoring) fieldsOf() []table.Field {
	run := slices.DeleteFunc(s.origin.Fields(), func(c table.Field) bool { return strings.HasPrefix(c.Name, "model") })
	return append(table.ModelFields(s.names), run...)
}

// summarizeModels says how many records each model covers.
func (s *scoring) summarizeModels() {
	for i, name := range s.names {
		fmt.Fprintf(s.stderr, "%s covers %d; ", name, s.covered[i])
	}
	fmt.Fprintf(s.stderr, "no model covers %d\n", s.done.Rows-s.done.Refused-s.done.Inside)
}

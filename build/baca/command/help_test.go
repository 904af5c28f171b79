package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// helpOf is what --help of a command shows.
func helpOf(c *cobra.Command) string {
	var b bytes.Buffer
	c.SetOut(&b)
	showHelp(c, nil)
	return b.String()
}

// Help fits a terminal of 80 columns, whatever the command.
func TestHelpFitsTerminal(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for line := range strings.Lines(helpOf(c)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s --help has a line of %d characters: %s", c.CommandPath(), n, line)
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(newRoot(nil))
}

// Score and train have few flags, each in a group, and two screens of help with examples first.
func TestHelpIsShort(t *testing.T) {
	root := newRoot(nil)
	for verb, most := range map[string]int{"score": 21, "train": 19} {
		c, _, err := root.Find([]string{verb})
		try.Check(err)
		flags := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			if flags++; f.Annotations[groupKey] == nil {
				t.Errorf("%s: --%s is in no group", verb, f.Name)
			}
		})
		if flags > most {
			t.Errorf("%s has %d flags, want %d at most", verb, flags, most)
		}
		text := helpOf(c)
		if n := strings.Count(text, "\n"); n > 81 {
			t.Errorf("%s --help has %d lines", verb, n)
		}
		if at := strings.Index(text, "\nExamples:\n"); at < 0 || at > strings.Index(text, "\nInput:\n") {
			t.Errorf("%s --help has no examples before its flags:\n%s", verb, text)
		}
	}
}

// Rows of every kind are as the schema says, by a validator of others.
func TestRowsFitTheSchema(t *testing.T) {
	testset.Model(t, "esol")
	text, _ := succeed(t, "columns", "--json")
	var schema jsonschema.Schema
	try.Check(json.Unmarshal([]byte(text), &schema))
	rule := try.To(schema.Resolve(nil))
	in := filepath.Join(t.TempDir(), "in.csv")
	testset.Write(t, in, "smiles,own\n[Na+].[O-]C=O,1\nC(,2\n"+strings.Repeat("CCO,3\nc1ccccc1C,\n", 10))
	seen := map[string]bool{}
	for _, flags := range []string{"", "--by both --explain --structures parent", "--by attention", "--fdr 0.1 --neighbors 2 --model esol", "--model esol,drugs"} {
		rows, _ := succeed(t, append(strings.Fields("score --to jsonl "+in), strings.Fields(flags)...)...)
		for line := range strings.Lines(rows) {
			var row map[string]any
			try.Check(json.Unmarshal([]byte(line), &row))
			if err := rule.Validate(row); err != nil {
				t.Errorf("%s: %s: %v", flags, line, err)
			}
			for name, value := range row {
				seen[name] = seen[name] || value != nil
			}
		}
	}
	for name := range schema.Properties {
		// No built-in model knows predictions.
		if !seen[name] && !strings.Contains("nearest_predicted expected_error interval_low interval_high trust interval_batch_low interval_batch_high trust_batch", name) {
			t.Errorf("no row has a value of %s", name)
		}
	}
}

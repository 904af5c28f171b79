package command

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	for verb, most := range map[string]int{"score": 19, "train": 14} {
		c, _, err := root.Find([]string{verb})
		if err != nil {
			t.Fatal(err)
		}
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
		if n := strings.Count(text, "\n"); n > 80 {
			t.Errorf("%s --help has %d lines", verb, n)
		}
		if at := strings.Index(text, "\nExamples:\n"); at < 0 || at > strings.Index(text, "\nInput:\n") {
			t.Errorf("%s --help has no examples before its flags:\n%s", verb, text)
		}
	}
}

package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

func newMan() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "man --out DIR",
		Short: "Write the help of each command as a manual page",
		Long: `Man writes a page of section 1 for each command into a folder, which becomes there if it
is not: baca.1, baca-score.1 and so on.`,
		Example: `  baca man --out ~/.local/share/man/man1
  man baca-score`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				return usage.Errorf("want --out DIR")
			}
			if err := os.MkdirAll(out, 0o777); err != nil {
				return err
			}
			return writeManual(c.Root(), out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` to write to")
	return c
}

// writeManual writes the page of a command and of those below it.
func writeManual(c *cobra.Command, dir string) error {
	if err := replace.Bytes(filepath.Join(dir, manualName(c)+".1"), manual(c)); err != nil {
		return err
	}
	for _, below := range shown(c) {
		if err := writeManual(below, dir); err != nil {
			return err
		}
	}
	return nil
}

// shown are the commands below one that help lists.
func shown(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			list = append(list, below)
		}
	}
	return list
}

func manualName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manual is the page of a command, in the macros man(7).
func manual(c *cobra.Command) []byte {
	var b bytes.Buffer
	name := manualName(c)
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q\n", strings.ToUpper(name), "baca "+algo.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troff(name), troff(strings.TrimRight(strings.ToLower(c.Short[:1])+c.Short[1:], ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", troff(c.UseLine()))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		prose(&b, c.Long)
	}
	options(&b, "OPTIONS", c.NonInheritedFlags())
	options(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		prose(&b, c.Example)
	}
	var others []string
	if c.HasParent() {
		others = append(others, manualName(c.Parent()))
	}
	for _, below := range shown(c) {
		others = append(others, manualName(below))
	}
	if len(others) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, other := range others {
			comma := ","
			if i == len(others)-1 {
				comma = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", troff(other), comma)
		}
	}
	return b.Bytes()
}

// options lists flags.
func options(b *bytes.Buffer, title string, fs *pflag.FlagSet) {
	begun := false
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		if !begun {
			fmt.Fprintf(b, ".SH %s\n", title)
		}
		begun = true
		value, text := pflag.UnquoteUsage(f)
		name := `\fB\-\-` + troff(f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB\-` + troff(f.Shorthand) + `\fR, ` + name
		}
		if value != "" {
			name += ` \fI` + troff(value) + `\fR`
		}
		if d := f.DefValue; d != "" && d != "false" && d != "0" && d != "[]" && d != "0s" {
			text += " (default " + d + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", name, troff(strings.ReplaceAll(text, "\n", " ")))
	})
}

// prose writes paragraphs. Lines that are indented stay as they are.
func prose(b *bytes.Buffer, text string) {
	literal, blank, begun := false, false, false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if line == "" {
			blank = true
			continue
		}
		indented := strings.HasPrefix(line, "  ")
		switch {
		case !literal && indented && begun:
			b.WriteString(".PP\n.nf\n")
		case !literal && indented:
			b.WriteString(".nf\n")
		case literal && !indented:
			b.WriteString(".fi\n.PP\n")
		case blank && literal:
			b.WriteString("\n")
		case blank && begun:
			b.WriteString(".PP\n")
		}
		literal, blank, begun = indented, false, true
		b.WriteString(troff(line) + "\n")
	}
	if literal {
		b.WriteString(".fi\n")
	}
}

// troff escapes a line of text.
func troff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	var b strings.Builder
	for _, c := range line {
		if c < utf8.RuneSelf {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}

package command

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo/document"
	"baca/algo/property"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// helpWidth is the width of help in characters, which fits the narrowest supported terminal.
const helpWidth = 80

// groupKey is the annotation that holds the title of a flag's group in help.
const groupKey = "group"

// group puts all flags that have no group yet under a title.
func group(c *cobra.Command, title string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			c.Flags().SetAnnotation(f.Name, groupKey, []string{title})
		}
	})
}

// showHelp writes a command's usage, examples, description, subcommands and flags.
func showHelp(c *cobra.Command, _ []string) {
	b := &strings.Builder{}
	if c.Runnable() { // topics of help are not
		fmt.Fprintf(b, "%s\n\nUsage:\n  %s\n", c.Short, c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n%s\n", c.Example)
	}
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", wrap(c.Long))
	}
	commands(b, c)
	flags(b, c)
	io.WriteString(c.OutOrStdout(), strings.TrimLeft(b.String(), "\n"))
}

// commands lists the subcommands.
func commands(b *strings.Builder, c *cobra.Command) {
	if c.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			fmt.Fprintf(b, "  %-*s  %s\n", c.NamePadding(), below.Name(), below.Short)
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(b, "\n`%s COMMAND --help` says more of each.\n", c.CommandPath())
	}
}

// flags lists the flags of a command by group, in the order in which they were added.
func flags(b *strings.Builder, c *cobra.Command) {
	titles, groups := []string{}, map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		title := "Flags"
		if f.Annotations[groupKey] != nil {
			title = f.Annotations[groupKey][0]
		}
		if groups[title] == nil {
			titles, groups[title] = append(titles, title), pflag.NewFlagSet("", 0)
			groups[title].SortFlags = false
		}
		groups[title].AddFlag(f)
	})
	for _, title := range titles {
		fmt.Fprintf(b, "\n%s:\n%s", title, groups[title].FlagUsagesWrapped(helpWidth))
	}
}

// wrap breaks paragraphs into lines of helpWidth. Indented lines stay as they are.
func wrap(text string) string {
	var b strings.Builder
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			if at > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line + "\n")
			at = 0
			continue
		}
		for _, word := range strings.Fields(line) {
			switch n := len([]rune(word)); {
			case at == 0:
				at = n
			case at+1+n > helpWidth:
				b.WriteByte('\n')
				at = n
			default:
				b.WriteByte(' ')
				at += 1 + n
			}
			b.WriteString(word)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// columnsTopic returns the topic of help on columns.
func columnsTopic() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:    "columns",
		Short:  "What the columns of rows mean",
		Hidden: true,
		Args:   usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				return document.WriteJSON(c.OutOrStdout(), table.Schema())
			}
			return c.Help()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the JSON Schema of rows")
	return c
}

// texts hold what help says of each command, and its examples.
//
//go:embed help
var texts embed.FS

// describe sets the description and the examples of a command and its subcommands from help/PATH.txt, if there is one. {names} in
// these texts stand for what other packages declare. The command's own Long, such as a list, follows its text.
func describe(c *cobra.Command, texts fs.FS, declared *strings.Replacer) {
	text, err := fs.ReadFile(texts, "help/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".txt")
	if err == nil {
		long, example, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n\nExamples:\n")
		c.Long, c.Example = declared.Replace(long)+c.Long, example
	}
	for _, below := range c.Commands() {
		describe(below, texts, declared)
	}
}

// declared returns a replacer that fills each {name} in the texts of help with what another package declares, such as
// the columns of rows.
func declared() *strings.Replacer {
	columns := func(g table.Group) string { return table.Help(table.Fields(g)) }
	return strings.NewReplacer("{properties}", strings.Join(property.Names(), ", "),
		"{usual}", columns(table.Usual), "{structure}", columns(table.OfStructure), "{answers}", columns(table.OfPaper|table.OfAnswers),
		"{rate}", columns(table.OfRate), "{reasons}", columns(table.OfReasons), "{neighbors}", columns(table.OfNeighbors|table.OfValues),
		"{trust}", columns(table.OfTrust), "{origin}", table.Help((&table.Run{FDR: 1}).Fields()))
}

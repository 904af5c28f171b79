package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo/document"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// helpWidth fits the narrowest supported terminal.
const helpWidth = 80

// groupKey is the annotation with a flag's title in help.
const groupKey = "group"

// group sets the title of the flags that have none so far.
func group(c *cobra.Command, title string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			c.Flags().SetAnnotation(f.Name, groupKey, []string{title})
		}
	})
}

// showHelp writes a command's usage, description and flags.
func showHelp(c *cobra.Command, _ []string) {
	b := &strings.Builder{}
	if c.Runnable() { // topics are not
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

// commands lists subcommands and topics.
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

// flags lists a command's flags by group, as added.
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

// wrap breaks paragraphs. Indented lines stay.
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

// columnsTopic is the long help on columns.
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
		Long: "Each row has\n\n" + table.Help(table.Fields(table.Usual)) + helpStructure + table.Help(table.Fields(table.OfStructure)) +
			helpAnswers + table.Help(table.Fields(table.OfPaper|table.OfAnswers)) +
			helpRate + table.Help(table.Fields(table.OfRate)) + helpReasons + table.Help(table.Fields(table.OfReasons)) +
			helpNeighbors + table.Help(table.Fields(table.OfNeighbors|table.OfValues)) + helpTrust +
			table.Help(table.Fields(table.OfTrust)) +
			helpOrigin + table.Help((&table.Run{FDR: 1}).Fields()) + helpCells,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the JSON Schema of rows")
	return c
}

// Texts of columnsTopic between lists.
const (
	helpStructure = `
--structures parent adds

`
	helpAnswers = `
--by both, batch and attention calibrate the list as a whole as a batch. Files up to 4096 graphs are one batch. From longer files an even sample
of 4096 forms it, and all other graphs are scored by what was learned from it; from standard input, which can be read only once, the first 4096
graphs form it. Standard error says whether the list differs from the training set, and in what. --by both adds

`
	helpRate = `
By batch a graph is outside only if its p-value by itself is at most 0.1, too, or no training graph is as much like the list. By attention its
p-value is never below that of the graph by itself.

--fdr F adds, and decides by,

`
	helpReasons = `
The verdict is then outside where q_value is at most F, borderline where only p_value is at most alpha, or inside. Rows are written when all are
scored. With --fdr or --confidence standard error also bounds how many of those called outside may be inside. The bound holds at every threshold
at once.

--explain adds

`
	helpNeighbors = `
and, as --neighbors N alone does,

`
	helpTrust = `
The last two are there where the model has values of its training molecules.

baca trust --predicted COLUMN adds

`
	helpOrigin = `
With several models, --model A,B, the columns of a score are there once for each, with the name of the model in front, and covered_by has the
models that call it inside.

Behind these is what the row came from:

`
	helpCells = `
In the end stand the columns of the input, but for those of the SMILES and the id, as they are: of tables and Parquet those of the header, of JSONL
the keys of the first objects, of SDF the data of the first record. One with a name as above begins with input_ here. --drop-columns leaves them
out, and so do several inputs at once.

Lists of numbers are separated by blanks in CSV, and those of texts by semicolons. Control characters other than tabs are written as \u001b, so
that each record is one line.

Read columns by name. --json prints the JSON Schema of a row, with its number: until that changes, columns are added, and none is renamed, removed or
given another type.`
)

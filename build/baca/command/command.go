// Package command is the command baca (Main). build/baca runs it on the processor, and build/gpu on GPUs too. The second
// program, build/research, shares it.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo/dataset"
	"baca/build/device"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// Exit statuses.
const (
	exitFailure = 1
	exitUsage   = 2
	exitFound   = 3 // of baca score --fail-on
)

// Main runs the command with the arguments of the process, and ends the process. gpus are the choices of --device, or nil.
func Main(gpus *device.GPUs) { main(newRoot(gpus)) }

func main(root *cobra.Command) {
	os.Exit(execute(root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// execute runs a command and returns its exit status: 0 also if the reader of standard output has left. A first interrupt ends the
// work at the next safe point, a second one ends the process.
func execute(root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt has its usual effect
	root.SetIn(stdin)
	out, messages := &screen{to: stdout}, &screen{to: stderr, names: printable(args)}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, out.err) {
		err = written("", out.err) // cobra ignores errors of writing
	}
	if err == nil || errors.Is(err, errClosed) {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if at, ok := err.(*fs.PathError); ok {
		err = fmt.Errorf("%s: %w", at.Path, at.Err) // without the name of a system call
	}
	fmt.Fprintf(messages, "%s: %v\n", root.Name(), err)
	if bomb := new(dataset.ExpandError); errors.As(err, &bomb) {
		fmt.Fprintln(messages, "If the file is sound, decompress it first.")
	}
	var mistake usage.Error
	var found foundError
	switch {
	case errors.As(err, &mistake):
		return exitUsage
	case errors.As(err, &found):
		return exitFound
	}
	return exitFailure
}

// kinds says for each type of flag which values it takes.
var kinds = map[string]string{
	"float64": "a number with a point for decimals", "bool": "true or false", "duration": "a time such as 90s or 15m",
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number of at least 0", "uint64": "a whole number of at least 0",
	"uintSlice": "whole numbers of at least 0, with commas between",
}

// newRoot returns the command baca with all its subcommands.
func newRoot(gpus *device.GPUs) *cobra.Command {
	root := program("baca", "Which graphs lie outside what a model was trained on", `BaCa scores graphs, molecules above all, by how far they lie outside what a
pre-trained model has seen, and says how often a graph like the training set would
score as high. A graph's score does
not depend on other graphs; a list as a whole gets an answer of its own.
`+"`baca help columns`"+` explains the columns.`)
	cobra.EnableCommandSorting = false // verbs are in the order of a first day
	root.AddCommand(newScore(gpus), newReport(), newTrain(gpus), newCompare(), newSplit(), newSuggest(), newDrift(),
		newTrust(), newModel(gpus), newServe(), newVersion(gpus))
	root.AddCommand(newPipe(), newMan(), columnsTopic())
	finish(root)
	return root
}

// program returns a root command without subcommands.
func program(name, short, long string) *cobra.Command {
	root := &cobra.Command{
		Use: name + " COMMAND", Short: short, Long: long,
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		Args:                       oneOfBelow,
		RunE: func(c *cobra.Command, _ []string) error {
			if asked, _ := c.Flags().GetBool("version"); !asked {
				return c.Help()
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), name, version.String())
			return err
		},
		PersistentPreRunE: checkGroups,
	}
	// A template of cobra's own would make the program 6 MB larger.
	root.Flags().BoolP("version", "v", false, "version for "+name)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var bad *pflag.InvalidValueError
		if errors.As(err, &bad) && kinds[bad.GetFlag().Value.Type()] != "" {
			return usage.Errorf("--%s %s: want %s", bad.GetFlag().Name, bad.GetValue(), kinds[bad.GetFlag().Value.Type()])
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if list := nearFlags(c, unknown.GetSpecifiedName()); len(list) > 0 {
				return usage.Errorf("%w: did you mean --%s?", err, strings.Join(list, " or --"))
			}
		}
		return usage.Errorf("%w; `%s --help` shows what it takes", err, c.CommandPath())
	})
	return root
}

// finish sets what all commands of a program have in common.
func finish(root *cobra.Command) {
	describe(root, texts, declared())
	inOrder(root)
	strict(root)
	root.SetHelpFunc(showHelp)
	completeValues(root)
}

// inOrder makes help show flags in the order in which they were added.
func inOrder(c *cobra.Command) {
	c.Flags().SortFlags = false
	for _, below := range c.Commands() {
		inOrder(below)
	}
}

// groupErrors matches cobra's messages on groups of flags.
var groupErrors = regexp.MustCompile(`\[([^]]*)\] were all set$|group \[([^]]*)\] .* missing \[(.*)\]$`)

// checkGroups returns an error of usage if flags are given that exclude each other, or if one is missing that another needs.
func checkGroups(c *cobra.Command, _ []string) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	m := groupErrors.FindStringSubmatch(err.Error())
	if m[1] != "" {
		return usage.Errorf("--%s do not go together: want one of them", strings.ReplaceAll(m[1], " ", " and --"))
	}
	return usage.Errorf("--%s go together: --%s is missing", strings.ReplaceAll(m[2], " ", " and --"), m[3])
}

// oneOfBelow returns an error for an unknown subcommand, with suggestions.
func oneOfBelow(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if list := c.SuggestionsFor(args[0]); len(list) > 0 {
		return usage.Errorf("unknown command %q: did you mean `%s %s`?", args[0], c.CommandPath(),
			strings.Join(list, "` or `"+c.CommandPath()+" "))
	}
	return usage.Errorf("unknown command %q; `%s --help` lists them", args[0], c.CommandPath())
}

// strict makes cobra's own commands, help and completion, refuse unknown arguments, and hides them in help.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Hidden = true
			c.Args = func(_ *cobra.Command, args []string) error {
				if of, rest, _ := root.Find(args); len(rest) > 0 {
					return oneOfBelow(of, rest)
				}
				return nil
			}
		case "completion":
			c.Hidden = true
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			c.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usage.Errorf("shell %q: want one of bash, fish, powershell, zsh", args[0])
				}
				return nil
			}
		}
	}
}

// nearFlags returns the names of flags that a misspelt one may mean, by the rule by which cobra suggests commands.
func nearFlags(c *cobra.Command, flag string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	return all.SuggestionsFor(flag)
}

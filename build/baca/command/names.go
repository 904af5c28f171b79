package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An oldName is an earlier verb.
type oldName struct {
	words []string
	flags map[string]string // by old name; one without a name is an argument
}

var oldNames = map[string]oldName{
	"pretrain":   {words: []string{"train"}, flags: map[string]string{"--in": ""}},
	"models":     {words: []string{"model", "list"}},
	"inspect":    {words: []string{"model", "show"}},
	"calibrate":  {words: []string{"model", "calibrate"}},
	"share":      {words: []string{"model", "share"}},
	"structures": {words: []string{"model", "structures"}},
	"site":       {words: []string{"serve", "--write="}, flags: map[string]string{"--out": "--write"}},
	"mcp":        {words: []string{"serve", "--mcp"}},
	"devices":    {words: []string{"version"}},
	"demo":       {words: demo},
}

// demo scores the example molecules from standard input.
var demo = []string{"score", "--by", "both", "-"}

// goneFlags say what replaces a flag.
var goneFlags = map[string]string{
	"score predicted": "baca trust --predicted does the same", "score errors-by": "baca trust has it", "score coverage": "baca trust has it",
	"score tolerance": "baca trust has it", "score large-errors": "baca trust has it", "score max-expand": "decompress the file first",
	"train predicted": "--held-out names predictions that were made without their molecules", "train residuals": "--held-out says so",
	"train share":     "baca model share makes such a model of this one",
	"train overwrite": "remove the file first", "train max-expand": "decompress the file first",
}

// renamed returns current arguments, and a notice if they changed.
func renamed(args []string) (now []string, line string) {
	at := 0
	if len(args) > 1 && args[0] == "help" {
		at = 1
	}
	if at >= len(args) || oldNames[args[at]].words == nil {
		return args, ""
	}
	old := oldNames[args[at]]
	now = append(slices.Clone(args[:at]), old.words...)
	for _, arg := range args[at+1:] {
		flag, value, given := strings.Cut(arg, "=")
		switch name, ok := old.flags[flag]; {
		case !ok:
			now = append(now, arg)
		case name == "" && given:
			now = append(now, value)
		case name != "":
			now = append(now, name+strings.TrimPrefix(arg, flag))
		}
	}
	return now, fmt.Sprintf("baca %s is now baca %s", args[at], strings.TrimSuffix(strings.Join(old.words, " "), "="))
}

// near are the names that a word may mean.
func near(word string, names []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(word)
}

// nearFlags are the flags that one may mean.
func nearFlags(c *cobra.Command, flag string) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return near(flag, names)
}

package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"baca/algo/decide"
	"baca/build/internal/usage"
)

// failOn are the verdicts of --fail-on.
type failOn struct{ words []string }

// failWords are the possible words with their counts.
var failWords = []struct {
	word  string
	count func(c decide.Counts, refused int) int
}{
	{string(decide.Outside), func(c decide.Counts, _ int) int { return c.Outside }},
	{string(decide.Borderline), func(c decide.Counts, _ int) int { return c.Borderline }},
	{string(decide.Undecided), func(c decide.Counts, _ int) int { return c.Undecided }},
	{"refused", func(_ decide.Counts, refused int) int { return refused }},
}

func failNames() []string {
	var list []string
	for _, f := range failWords {
		list = append(list, f.word)
	}
	return list
}

func (f *failOn) register(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.words, "fail-on", nil, "exit with status 3 if a record is one of these `words`: "+strings.Join(failNames(), ", "))
}

func (f *failOn) check() error {
	var err error
	for _, word := range f.words {
		err = cmp.Or(err, usage.OneOf("fail-on", word, failNames()...))
	}
	return err
}

// found is a foundError if a named verdict occurred.
func (f *failOn) found(c decide.Counts, refused int) error {
	var list foundError
	for _, w := range failWords {
		if n := w.count(c, refused); n > 0 && slices.Contains(f.words, w.word) {
			list = append(list, fmt.Sprintf("%d %s", n, w.word))
		}
	}
	if list == nil {
		return nil
	}
	return list
}

// A foundError lists what --fail-on found.
type foundError []string

func (e foundError) Error() string {
	return strings.Join(e, " and ") + ", where --fail-on wants none"
}

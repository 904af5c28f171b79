package domain

import (
	_ "embed" // the texts below
	"fmt"
	"strings"

	"baca/algo/internal/lists"
)

var (
	//go:embed blanks.tsv
	blanksText string // of each field its number, its title, and why it is empty
	//go:embed limits.txt
	limitsText string
	//go:embed sources.txt
	sourcesText string
	//go:embed words.txt
	wordsText string // in each line a key and a text
	//go:embed form.css
	formStyle string // adds to the style of documents: on paper each substance begins a sheet of A4
)

// sources of method and form, and limits of the domain.
var sources, limits = lines(sourcesText), lines(limitsText)

var blanks = lists.Map(lines(blanksText), func(line string) blank {
	cells := strings.SplitN(line, "\t", 3)
	return blank{cells[0], cells[1], cells[2]}
})

// words has texts of the report by their keys.
var words = map[string]string{}

// init reads wordsText into words.
func init() {
	for _, line := range lines(wordsText) {
		key, text, _ := strings.Cut(line, ": ")
		words[key] = text
	}
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// say formats the text with a key.
func say(key string, args ...any) string {
	text, found := words[key]
	if !found {
		panic("domain: no text " + key)
	}
	return fmt.Sprintf(text, args...)
}

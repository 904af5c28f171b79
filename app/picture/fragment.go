package picture

import (
	"strconv"
	"strings"
)

// A slot of a fragment of algo/report is an element that a drawing belongs into.
type slot struct {
	at     int // where the element's content begins
	smiles string
	marked []int
}

func slots(html string) (list []slot) {
	at := 0
	for {
		before, after, found := strings.Cut(html[at:], ` data-drawing=""`)
		if !found {
			return list
		}
		tag, _, _ := strings.Cut(after, ">")
		at += len(before) + len(` data-drawing=""`) + len(tag) + 1
		s := slot{at: at, smiles: unescape.Replace(attributeOf(tag, "data-smiles"))}
		for _, field := range strings.Fields(attributeOf(tag, "data-marked")) {
			if atom, err := strconv.Atoi(field); err == nil {
				s.marked = append(s.marked, atom)
			}
		}
		list = append(list, s)
	}
}

func attributeOf(tag, name string) string {
	_, rest, _ := strings.Cut(tag, " "+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// unescape undoes what algo/report does to text.
var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'")

// Drawings are the molecules that a fragment wants drawn.
func Drawings(html string) (list []string) {
	for _, s := range slots(html) {
		list = append(list, s.smiles)
	}
	return list
}

// Fill draws into a fragment what is there. What cannot be drawn is written as SMILES.
func (a *Album) Fill(html string) string {
	var b strings.Builder
	at := 0
	for _, s := range slots(html) {
		b.WriteString(html[at:s.at])
		if b.WriteString(a.Marked(s.smiles, s.marked)); a.Problem(s.smiles) != "" {
			b.WriteString(escape(s.smiles))
		}
		at = s.at
	}
	return b.String() + html[at:]
}

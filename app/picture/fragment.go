package picture

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// slot is an element of a fragment of algo/report that a drawing belongs into, with its SMILES and the marked atoms.
var slot = regexp.MustCompile(`<[^>]* data-drawing=""[^>]* data-smiles="([^"]*)"(?:[^>]* data-marked="([^"]*)")?[^>]*>`)

// Drawings are the molecules that a fragment wants drawn.
func Drawings(fragment string) (list []string) {
	for _, s := range slot.FindAllStringSubmatch(fragment, -1) {
		list = append(list, html.UnescapeString(s[1]))
	}
	return list
}

// Fill puts the drawings that have arrived into a fragment. Molecules that cannot be drawn are shown as SMILES.
func (a *Album) Fill(fragment string) string {
	return slot.ReplaceAllStringFunc(fragment, func(tag string) string {
		parts := slot.FindStringSubmatch(tag)
		smiles, marked := html.UnescapeString(parts[1]), []int(nil)
		for _, field := range strings.Fields(parts[2]) {
			if atom, err := strconv.Atoi(field); err == nil {
				marked = append(marked, atom)
			}
		}
		drawn := a.Marked(smiles, marked)
		if a.Problem(smiles) != "" {
			drawn = escape(smiles)
		}
		return tag + drawn
	})
}

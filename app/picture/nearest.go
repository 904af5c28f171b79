package picture

import "strings"

// Share is a bar for a share.
func Share(x float64) string {
	return `<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="6"/><rect class="share-part" width="` + num(100*x) + `" height="6"/></svg>`
}

// MissingSMILES lists molecules without drawings.
func (a *Album) MissingSMILES(molecules []string) []string {
	var list []string
	for _, m := range molecules {
		if a.thumbs[m] == nil && !strings.ContainsAny(m, "\n\r") {
			list = append(list, m)
		}
	}
	return list
}

// Marked is a molecule's small picture with ringed atoms, or empty.
func (a *Album) Marked(smiles string, atoms []int) string {
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" {
		return ""
	}
	return Pen(Drawing{Layout: t.layout, Width: 2 * thumbWidth, Height: 2 * thumbHeight, Bond: thumbBond, Marked: atoms})
}

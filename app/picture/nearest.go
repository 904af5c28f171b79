package picture

import "strings"

// Share is a bar for a share of all, as wide as there is room.
func Share(x float64) string {
	return `<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="6"/><rect class="share-part" width="` + num(100*x) + `" height="6"/></svg>`
}

// MissingSMILES lists those of some molecules whose drawings are not there.
func (a *Album) MissingSMILES(molecules []string) []string {
	var list []string
	for _, m := range molecules {
		if a.thumbs[m] == nil && !strings.ContainsAny(m, "\n\r") {
			list = append(list, m)
		}
	}
	return list
}

// Marked is a small picture of a molecule with a dashed ring around some of its atoms, empty
// where there is none yet.
func (a *Album) Marked(smiles string, atoms []int32) string {
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" {
		return ""
	}
	d := Drawing{Layout: t.layout, Width: 2 * thumbWidth, Height: 2 * thumbHeight, Bond: thumbBond}
	for _, atom := range atoms {
		d.Marked = append(d.Marked, int(atom))
	}
	return Pen(d)
}

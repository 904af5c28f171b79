package picture

import "baca/wasm/message"

// Coloured is the small picture of a molecule with its atoms coloured by what their parts
// of the score are. It is Small before these are known.
func (a *Album) Coloured(smiles string, d *message.Detailed) string {
	t := a.thumbs[smiles]
	if t == nil || t.drawing == nil || d == nil || !t.drawing.fits(d.Atoms) {
		return a.Small(smiles)
	}
	if t.colouredBy != d {
		t.colouredBy, t.coloured = d, t.drawing.depict(thumbWidth, thumbHeight, thumbBond, shares(d.Contribution), nil, "", false)
	}
	return t.coloured
}

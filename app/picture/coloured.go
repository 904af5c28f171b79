package picture

import (
	"baca/app/run"
	"baca/wasm/message"
)

type colouring struct {
	detail *message.Detailed
	alpha  float64
}

// Coloured is a record's small picture with atoms coloured by contribution, or Small before they
// are known.
func (a *Album) Coloured(s *run.Session, record int) string {
	smiles, d := s.Rows.Picture(record), s.Glances.Of(record)
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" || d == nil || !t.fits(d.Atoms) {
		return a.Small(smiles)
	}
	if by := (colouring{d, s.Alpha}); t.colouredBy != by {
		t.colouredBy = by
		t.coloured = Pen(Drawing{Layout: t.layout, Share: shares(s.AboveLimit(d)), Width: thumbWidth, Height: thumbHeight, Bond: thumbBond})
	}
	return t.coloured
}

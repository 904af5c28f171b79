package picture

import (
	"baca/app/session"
	"baca/wasm/message"
)

// A colouring is what a small picture was coloured by.
type colouring struct {
	detail *message.Detailed
	alpha  float64
}

// Coloured is the small picture of a record with its atoms coloured by what their parts
// of the score are. It is Small before these are known.
func (a *Album) Coloured(s *session.Session, record int) string {
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

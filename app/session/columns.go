package session

import (
	"slices"

	"baca/app/words"
	"baca/wasm/message"
)

// mostChoices bounds the remembered tables.
const mostChoices = 50

// ChooseColumn changes the SMILES column of the open table, and of tables with the same first row
// until the tab closes.
func (i *Input) ChooseColumn(name string) {
	h := i.session.Header
	if h == nil || name == h.Column || !slices.Contains(h.Columns, name) {
		return
	}
	i.choices = slices.DeleteFunc(i.choices, func(c message.Choice) bool { return c.Key == h.Key })
	i.choices = append(i.choices, message.Choice{Key: h.Key, Column: name})
	i.choices = i.choices[max(len(i.choices)-mostChoices, 0):]
	i.session.Begin()
}

// open requests a file or a text with the choices.
func (i *Input) open(r *message.Open) *message.Open {
	r.Choices = i.choices
	return r
}

// ColumnWords name a SMILES column that is not obvious.
func ColumnWords(h *message.Header) string {
	switch {
	case h == nil || len(h.Columns) < 2:
		return ""
	case h.Column == "":
		return "Choose the column that holds SMILES."
	case h.Guessed:
		return "found by what it holds"
	}
	return ""
}

// NothingRead says why an input without an error has no molecule.
func NothingRead(s *Session) string {
	if s.Rows.Len() == 0 {
		return "There is no structure in it. Give SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file."
	}
	return words.Plural(s.Rows.Len(), "record was refused; the reason is", "records were refused; the reasons are") + " beside the input."
}

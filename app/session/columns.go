package session

import (
	"slices"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// mostChoices is how many tables are remembered, the latest ones.
const mostChoices = 50

// columnsKey is where the choices are kept in the browser: a line for each, with the key of
// the table, a tab and the name of the column.
const columnsKey = "columns"

// ChooseColumn has the SMILES be in another column of the table that is open, now and
// whenever a table with the same first row is opened.
func (i *Input) ChooseColumn(name string) {
	h := i.session.Header
	if h == nil || name == h.Column || !slices.Contains(h.Columns, name) {
		return
	}
	i.choices = slices.DeleteFunc(i.choices, func(c message.Choice) bool { return c.Key == h.Key })
	i.choices = append(i.choices, message.Choice{Key: h.Key, Column: name})
	i.choices = i.choices[max(len(i.choices)-mostChoices, 0):]
	if i.store != nil {
		var b strings.Builder
		for _, c := range i.choices {
			b.WriteString(c.Key + "\t" + strings.ReplaceAll(c.Column, "\n", " ") + "\n")
		}
		i.store.Put(columnsKey, []byte(b.String()), ignore)
	}
	i.session.Begin()
}

// recall reads the choices that the browser has kept.
func (i *Input) recall(store Store) {
	i.store = store
	store.Get(columnsKey, func(kept []byte) {
		for line := range strings.Lines(string(kept)) {
			key, column, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if ok && len(i.choices) < mostChoices {
				i.choices = append(i.choices, message.Choice{Key: key, Column: column})
			}
		}
	})
}

// open asks for a file or a text to be opened, with what was chosen for tables.
func (i *Input) open(r *message.Open) *message.Open {
	r.Choices = i.choices
	return r
}

// ColumnWords say where the SMILES of the open table are, and are empty where that goes
// without saying.
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
		return "There is no structure in it. Give SMILES, one a line, or a CSV, TSV, SDF or Parquet file."
	}
	return words.Plural(s.Rows.Len(), "record was refused; the reason is", "records were refused; the reasons are") + " beside the input."
}

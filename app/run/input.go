package run

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"baca/app/store"
	"baca/app/words"
	"baca/wasm/message"
)

// A Given is what an input consists of: a text or a file.
type Given struct {
	Name    string // of the text, empty if typed
	Text    string
	File    *store.File
	Library bool   // to train on: opened without scoring, instead of a list that comes back
	Example bool   // of the page, which knows what its columns hold
	Sheet   string // of a workbook, empty for the first one with structures
}

// An Input is the content of the input pane.
type Input struct {
	Given
	Undo *Given // the list before, nil for none

	session *Session
	choices []message.Choice // of columns, see ChooseColumn
	sheets  []string         // of the workbook book
	book    *store.File
	folded  bool // given as a whole, and not being edited
}

// Title is a short name of it.
func (g *Given) Title() string {
	switch {
	case g.File != nil:
		return g.File.Name
	case g.Name != "":
		return g.Name
	}
	return "Your list"
}

// Folded reports whether the input is shown as a card, which leaves room for the result: not while
// it is edited, has no result, or has a guessed column.
func (i *Input) Folded() bool {
	s := i.session
	nothing := s.Phase == Empty || s.Phase == Broken || s.Phase == Done && s.Graphs() == 0
	return i.folded && !nothing && words.ColumnWords(s.Header) == ""
}

// Fold shows the input as a card, or opens it.
func (i *Input) Fold(card bool) {
	i.folded = card
	i.session.Rev.All()
}

// typingPause delays reading typed text. Files and examples are read at once.
const typingPause = 350 * time.Millisecond

// Type takes the text as the user types it, and reads it after a pause.
func (i *Input) Type(text string) {
	if text != i.Text {
		i.Given, i.folded = Given{Text: text}, false
		i.session.Told = nil
		i.session.begin(typingPause)
	}
}

// Paste sets text pasted into an empty text area.
func (i *Input) Paste(text string) {
	i.Type(text)
	i.Given.Name, i.folded = "Pasted", true
}

// Give replaces the input, with undo.
func (i *Input) Give(next Given) {
	i.put(next)
	i.folded = true
	i.session.Told = nil
	i.session.begin(0)
}

// put is Give without reading. A library does not count as a list to bring back.
func (i *Input) put(next Given) {
	if before := i.Given; !before.Library && before != (Given{}) {
		i.Undo = &before
	}
	i.Given = next
}

// TakeBack brings back the list before, and can itself be undone. A library goes even where there was no list.
func (i *Input) TakeBack() {
	list := i.Undo
	i.Undo = nil
	if list != nil {
		i.Give(*list)
	} else if i.Library {
		i.Give(Given{})
	}
}

// GiveShort replaces the input by a short file's text, or by the file if it is empty or not UTF-8.
func (i *Input) GiveShort(name string, f *store.File, data []byte) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || len(bytes.TrimSpace(data)) == 0 {
		i.Give(Given{File: f})
		return
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	i.Give(Given{Name: name, Text: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)})
}

// AddLine appends a molecule to the text.
func (i *Input) AddLine(smiles string) {
	text := i.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	line := "{SMILES} {name}"
	if o := i.session.Opened; text != "" && o != nil && o.Line != "" {
		line = o.Line
	}
	i.Give(Given{Text: text + strings.NewReplacer("{SMILES}", smiles, "{name}", "drawn").Replace(line) + "\n"})
	i.folded = false // more may be drawn
}

// request returns the request to open the input: its file, or its text as a file without a name.
func (i *Input) request() *message.Open {
	if i.File != nil {
		r := i.Open(i.File)
		r.Sheet = i.Sheet
		return r
	}
	text := i.Text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return i.Open(store.NewFile("", []byte(text)))
}

// An Example is a one-click input.
type Example struct {
	Name, About string
	names       []string // of the built-in molecules, nil for all
	predictions bool     // new molecules with predictions, and a model that knows the errors of others
	// Story is the molecule of the lab's story: the method and its score by itself call it outside, S_Pre least of all.
	Story string
}

// Examples lists the examples in the order in which the page shows them.
func Examples() []Example {
	return []Example{
		{Name: "Medicines and others", About: "16 drugs, and six molecules unlike any drug", names: shelf, Story: "octanitrocubane"},
		{Name: "Which predictions to trust?",
			About: "225 predicted solubilities, by a model that knows the errors of 723 others", predictions: true},
		{Name: "A mixed shelf", About: "158 molecules of 20 kinds, from amino acids to dyes", Story: "sucralose"},
	}
}

// shelf are the molecules of the first example.
var shelf = []string{
	"diazepam", "fluoxetine", "carbamazepine", "caffeine", "donepezil", "sertraline", "aspirin", "ibuprofen", "imatinib",
	"atorvastatin", "metformin", "penicillin G", "warfarin", "morphine", "artemisinin", "methotrexate",
	"RDX", "octanitrocubane", "ferrocene", "tetraethyllead", "sulfur hexafluoride", "coronene",
}

// UseExample opens an example: predictions with the solubility model, molecules with the default model, for which they were
// chosen. It does nothing before the worker has said what examples there are.
func (i *Input) UseExample(e Example) {
	w := i.session.Models.Welcome
	switch {
	case w == nil:
	case e.predictions:
		i.session.Models.Choose(message.Solubility)
		i.Give(Given{Name: e.Name, File: &store.File{Name: "solubility-new.csv", Site: w.Predictions}, Example: true})
	default:
		i.session.Models.Choose(i.session.Models.defaultName())
		i.Give(Given{Name: e.Name, Text: e.Molecules(w.Examples)})
	}
}

// Molecules returns lines of SMILES and name, none of an example of predictions.
func (e Example) Molecules(csv []byte) string {
	var b strings.Builder
	if e.predictions {
		return ""
	}
	for _, line := range strings.Split(strings.TrimSpace(string(csv)), "\n")[1:] {
		cells := strings.SplitN(strings.TrimSpace(line), ",", 3)
		if len(cells) == 3 && (e.names == nil || slices.Contains(e.names, cells[0])) {
			b.WriteString(cells[2] + " " + cells[0] + "\n")
		}
	}
	return b.String()
}

// PieceOf locates a problem in a text, in UTF-16 units.
func PieceOf(text string, p *message.Problem) (from, to int, ok bool) {
	if p.Line < 1 {
		return 0, 0, false
	}
	lines := strings.SplitAfter(text, "\n")
	if p.Line > len(lines) {
		return 0, 0, false
	}
	start, line := len(strings.Join(lines[:p.Line-1], "")), strings.TrimSuffix(lines[p.Line-1], "\n")
	column := min(max(p.Column-1, 0), len(line))
	end := len(line)
	if p.Column > 0 {
		end = min(column+max(len(p.Piece), 1), len(line))
	}
	return units(text[:start+column]), units(text[:start+max(end, column)]), true
}

// units counts UTF-16 units.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// mostChoices bounds the remembered tables.
const mostChoices = 50

// ChooseColumn changes the SMILES column of the open table, and of tables with the same first row until the tab closes.
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

// Sheets are those of a workbook that can be read, none of other inputs.
func (i *Input) Sheets() []string {
	if i.File == nil || i.File != i.book || len(i.sheets) < 2 {
		return nil
	}
	return i.sheets
}

// ChooseSheet reads another sheet of the workbook.
func (i *Input) ChooseSheet(name string) {
	i.Sheet = name
	i.session.Begin()
}

// Open requests a file, with the chosen columns of such tables.
func (i *Input) Open(f *store.File) *message.Open {
	r := f.Request()
	r.Choices = i.choices
	return r
}

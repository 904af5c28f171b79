package session

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"baca/wasm/message"
)

// An Input is what is scored: the text of the input pane, or a file.
type Input struct {
	session *Session
	store   Store
	choices []message.Choice // of columns, see ChooseColumn

	Text     string
	File     *File
	Unscored bool  // it is a library, to be opened and not scored
	Undo     *Undo // nil where there is nothing to bring back

	name   string // of the text, empty for one that was typed
	folded bool   // it was given as a whole, and nobody edits it
}

// Name is what the input is called where there is little room.
func (i *Input) Name() string {
	switch {
	case i.File != nil:
		return i.File.Name
	case i.name != "":
		return i.name
	}
	return "Your list"
}

// Folded tells whether the input stands as a card, so that the result has the room. It
// does not while somebody edits it, where nothing came of it, or where its column of SMILES
// was guessed and is to be seen.
func (i *Input) Folded() bool {
	s := i.session
	nothing := s.Phase == Empty || s.Phase == Broken || s.Phase == Done && s.Graphs() == 0
	return i.folded && !nothing && ColumnWords(s.Header) == ""
}

// Fold makes the input a card, or opens it.
func (i *Input) Fold(card bool) {
	i.folded = card
	i.session.Rev.All()
}

// An Undo brings back the input that was there before.
type Undo struct {
	text string
	file *File
	name string // of the text
	What string // for people
}

// typingPause is how long typing is waited for. A file or an example is read at once.
const typingPause = 350 * time.Millisecond

// Type takes the text that the user types.
func (i *Input) Type(text string) {
	if text == i.Text {
		return
	}
	i.Text, i.File, i.Unscored = text, nil, false
	i.name, i.folded = "", false
	i.session.Told = nil
	i.session.begin(typingPause)
}

// Paste takes a text that came at once into an empty text area.
func (i *Input) Paste(text string) {
	i.Type(text)
	i.name, i.folded = "Pasted", true
}

// Give replaces the input as a whole, and remembers the one before.
func (i *Input) Give(text string, f *File) { i.replace("", text, f, false) }

// GiveText is Give of a text that has a name.
func (i *Input) GiveText(name, text string) { i.replace(name, text, nil, false) }

// GiveShort replaces the input by a short file that was read: by its text, as the browser
// shows one, or by the file where it is no text in UTF-8 or an empty one.
func (i *Input) GiveShort(name string, f *File, data []byte) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || len(bytes.TrimSpace(data)) == 0 {
		i.Give("", f)
		return
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	i.GiveText(name, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// GiveLibrary opens a file without scoring it.
func (i *Input) GiveLibrary(f *File) { i.replace("", "", f, true) }

func (i *Input) replace(name, text string, f *File, unscored bool) {
	if i.Text != "" || i.File != nil {
		i.Undo = &Undo{i.Text, i.File, i.name, "the input before"}
		if text == "" && f == nil {
			i.Undo.What = "what was cleared"
		}
	}
	i.Text, i.File, i.Unscored = text, f, unscored
	i.name, i.folded = name, true
	i.session.Told = nil
	i.session.Begin()
}

// TakeBack undoes the latest replacement. What is there now can be brought back in turn.
func (i *Input) TakeBack() {
	if u := i.Undo; u != nil {
		i.Undo = nil
		i.replace(u.name, u.text, u.file, false)
	}
}

// AddLine puts a molecule at the end of the text.
func (i *Input) AddLine(smiles string) {
	text := i.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	line := "{SMILES} {name}"
	if o := i.session.Opened; text != "" && o != nil && o.Line != "" {
		line = o.Line
	}
	i.Give(text+strings.NewReplacer("{SMILES}", smiles, "{name}", "drawn").Replace(line)+"\n", nil)
	i.folded = false // more may be drawn
}

// request asks for the input to be opened.
func (i *Input) request() *message.Open {
	if i.File != nil {
		return i.open(i.File.request())
	}
	text := i.Text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return i.open(&message.Open{Data: []byte(text)})
}

// A File is an input that is not in the text area: bytes, or a file of the browser
// that never passes through the memory of the page.
type File struct {
	Name   string
	Size   int // in bytes
	Data   []byte
	Number int // of the browser's, 0 for data
}

// NewFile is a file of the given bytes.
func NewFile(name string, data []byte) *File {
	return &File{Name: name, Size: len(data), Data: data}
}

// request asks for the file to be opened.
func (f *File) request() *message.Open {
	return &message.Open{Name: f.Name, Data: f.Data, File: f.Number}
}

// A FileKind says what becomes of a file that is given to the page.
type FileKind uint8

const (
	InputFile FileKind = iota
	ShortText          // SMILES that fit into the text area
	ModelFile
)

// mostText is the longest text that goes to the text area, mostModel the largest
// file that is taken for a model.
const (
	mostText  = 200_000
	mostModel = 64 << 20
)

// Kind tells what a file is by its name and size.
func (f *File) Kind() FileKind {
	name := strings.ToLower(f.Name)
	ends := func(ending string) bool { return strings.HasSuffix(name, ending) }
	switch {
	case ends(".msgpack") && f.Size <= mostModel:
		return ModelFile
	case (ends(".smi") || ends(".smiles") || ends(".txt")) && f.Size <= mostText:
		return ShortText
	}
	return InputFile
}

// An Example is one of the one-click inputs, some of the classes of the built-in
// file or all of them.
type Example struct {
	Name, About string
	classes     []string
	most        int // of a class, 0 for all
}

// Examples are the one-click inputs.
func Examples() []Example {
	return []Example{
		{"Medicines and explosives", "21 molecules: drugs that reach the brain, and what should never be near one", []string{"CNS drug", "explosive"}, 0},
		{"Five to begin with", "one each of five kinds, judged one by one", []string{"CNS drug", "other drug", "sugar", "explosive", "organometallic"}, 1},
		{"A mixed shelf", "158 molecules of 20 kinds, from amino acids to dyes", nil, 0},
	}
}

// UseExample gives molecules of the built-in file.
func (i *Input) UseExample(e Example) {
	if w := i.session.Models.Welcome; w != nil {
		i.GiveText(e.Name, e.text(w.Examples))
	}
}

// text is lines of SMILES and name.
func (e Example) text(csv []byte) string {
	var b strings.Builder
	taken := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(csv)), "\n") {
		cells := strings.SplitN(strings.TrimSpace(line), ",", 3)
		if i == 0 || len(cells) != 3 || e.classes != nil && !slices.Contains(e.classes, cells[1]) {
			continue
		}
		if taken[cells[1]]++; e.most > 0 && taken[cells[1]] > e.most {
			continue
		}
		b.WriteString(cells[2] + " " + cells[0] + "\n")
	}
	return b.String()
}

// ReasonOf is the reason without the place, where that is known.
func ReasonOf(p *message.Problem) string {
	if p.Reason != "" {
		return p.Reason
	}
	return p.Text
}

// PieceOf finds what a problem is about in a text, in the units of the browser:
// UTF-16.
func PieceOf(text string, p *message.Problem) (from, to int, ok bool) {
	if p.Line < 1 {
		return 0, 0, false
	}
	start := 0
	for range p.Line - 1 {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		start += i + 1
	}
	line, _, _ := strings.Cut(text[start:], "\n")
	column := min(max(p.Column-1, 0), len(line))
	end := len(line)
	if p.Column > 0 {
		end = min(column+max(len(p.Piece), 1), len(line))
	}
	return units(text[:start+column]), units(text[:start+max(end, column)]), true
}

// units counts a text as the browser does.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

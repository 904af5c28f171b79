// Package store is what outlasts a visit: models and trainings in the browser (Store, Shelf), the
// input of a tab (Draft), and links (Link).
package store

import (
	"encoding/json"
	"slices"
	"strings"

	"baca/wasm/message"
)

// A Store keeps files by name in the browser. Get calls back with the file, whose own name may differ, or nil; Put with a
// problem or ""; All with the data of all names that begin with prefix, by name, and a problem or ""; Drop when it is done.
type Store interface {
	Put(name string, f *File, then func(problem string))
	Get(name string, then func(*File))
	All(prefix string, then func(values map[string][]byte, problem string))
	Drop(name string, then func())
	Last() // asks the browser for persistence
	// Claim gives one tab at a time the right to train. It calls back at once, or if patient when
	// the right is free. Release returns it.
	Claim(patient bool, then func(granted bool))
	Release()
}

// A File is an input outside of the text area: bytes, or a browser's file that never enters the page's memory.
type File struct {
	Name   string
	Size   int // in bytes
	Data   []byte
	Number int    // of the browser, 0 for data
	Site   string // path on the site, empty for others
}

// NewFile returns a file of data.
func NewFile(name string, data []byte) *File {
	return &File{Name: name, Size: len(data), Data: data}
}

// Request has the worker open it.
func (f *File) Request() *message.Open {
	return &message.Open{Name: f.Name, Data: f.Data, File: f.Number, Site: f.Site}
}

// mostText bounds texts for the text area, mostModel model files.
const (
	mostText  = 200_000
	mostModel = 64 << 20
)

// IsModel reports a model file, by name and size.
func (f *File) IsModel() bool { return f.ends(".msgpack") && f.Size <= mostModel }

// IsShort reports SMILES for the text area.
func (f *File) IsShort() bool { return f.ends(".smi", ".smiles", ".txt") && f.Size <= mostText }

// ends reports whether the name has one of the endings, in any case.
func (f *File) ends(endings ...string) bool {
	name := strings.ToLower(f.Name)
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// A Draft is the input that a tab restores after a reload, as JSON: text, or the name of a file,
// which pages cannot reopen.
type Draft struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"`
}

// MostDraft bounds stored texts, in bytes. Browsers give a tab 5 MB.
const MostDraft = 1 << 20

// DraftOf is the draft of an input, as stored; empty without one.
func DraftOf(text string, f *File) string {
	d := Draft{Text: text}
	switch {
	case f != nil:
		d = Draft{File: f.Name}
	case len(text) > MostDraft:
		d = Draft{File: "The text"}
	case text == "":
		return ""
	}
	kept, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	return string(kept)
}

// ParseDraft reads a stored draft, empty if there is none.
func ParseDraft(kept string) (d Draft) {
	if json.Unmarshal([]byte(kept), &d) != nil {
		return Draft{}
	}
	return d
}

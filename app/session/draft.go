package session

import "encoding/json"

// A Draft is the input that a tab restores after a reload, as JSON: text, or the name of a file,
// which pages cannot reopen.
type Draft struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"`
}

// mostDraft bounds stored texts, in bytes. Browsers give a tab 5 MB.
const mostDraft = 1 << 20

// keepInput stores the input.
func (s *Session) keepInput() {
	if s.KeepInput == nil {
		return
	}
	d := Draft{Text: s.Input.Text}
	switch {
	case s.Input.File != nil && s.Input.File == s.Training.Library:
		d = Draft{} // the training stores it
	case s.Input.File != nil:
		d = Draft{File: s.Input.File.Name}
	case len(d.Text) > mostDraft:
		d = Draft{File: "The text"}
	}
	kept, err := json.Marshal(d)
	if err != nil || d == (Draft{}) {
		kept = nil
	}
	s.KeepInput(string(kept))
}

// Restore restores a draft.
func (s *Session) Restore(kept string) {
	var d Draft
	if kept == "" || json.Unmarshal([]byte(kept), &d) != nil {
		return
	}
	switch {
	case d.Text != "":
		s.Input.Text = d.Text
		s.Begin()
		s.Tell("Your input is back", "The page was loaded again. This tab keeps the text until it closes.")
	case d.File != "":
		s.Tell(d.File+" has to be given again", "The page was loaded again, and it cannot open a file by itself.")
	}
}

// AtRisk reports a run on a file, which a reload would lose.
func (s *Session) AtRisk() bool {
	return s.Busy() && (s.Input.File != nil || len(s.Input.Text) > mostDraft)
}

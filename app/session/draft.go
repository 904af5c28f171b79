package session

import "encoding/json"

// A Draft is what a tab keeps of its input over a reload, as JSON: text, or the name of
// a file, which no page can open again by itself.
type Draft struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"`
}

// mostDraft is the longest text that is kept, in bytes. Browsers give a tab 5 MB.
const mostDraft = 1 << 20

// keepInput keeps the present input.
func (s *Session) keepInput() {
	if s.KeepInput == nil {
		return
	}
	d := Draft{Text: s.Input.Text}
	switch {
	case s.Input.File != nil && s.Input.File == s.Training.Library:
		d = Draft{} // the training keeps it
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

// Restore brings back what the tab has kept.
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

// AtRisk tells whether leaving the page now would lose what a reload cannot bring back:
// a run on a file.
func (s *Session) AtRisk() bool {
	return s.Busy() && (s.Input.File != nil || len(s.Input.Text) > mostDraft)
}

package run

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"baca/app/store"
	"baca/app/words"
	"baca/wasm/message"
)

// keepInput passes a draft of the input to KeepInput, unless that is nil. Instead of a training's library, which the
// training stores itself, it passes the input before it.
func (s *Session) keepInput() {
	if s.KeepInput == nil {
		return
	}
	list := s.Input.Given
	if list.Library {
		list = Given{}
		if s.Input.Undo != nil {
			list = *s.Input.Undo
		}
	}
	s.KeepInput(store.DraftOf(list.Text, list.File))
}

// Restore gives the input that was kept before a reload: a text again, and for a file, which the page cannot open, a
// message. It does nothing for an empty draft.
func (s *Session) Restore(kept string) {
	d := store.ParseDraft(kept)
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
	return s.Busy() && (s.Input.File != nil || len(s.Input.Text) > store.MostDraft)
}

// Link links to the shown rows in input order, with settings and selection. The note explains it, or why there is none.
func (s *Session) Link() (text, note string) {
	if s.Opened == nil || s.Rows.Len() == 0 {
		return "", "Not copied: there is nothing to link to yet."
	}
	if !s.Opened.Molecules {
		return "", "Not copied: a link carries molecules, and these are plain graphs. Send their file."
	}
	l := &store.Link{Settings: s.Settings, Row: -1, Domain: s.Models.Visit}
	if u := s.Models.Used.Value; u != nil && l.Domain == "" {
		l.Model = store.Key(u)
	}
	rows := slices.Sorted(slices.Values(s.Order))
	for _, i := range rows {
		l.Lines = append(l.Lines, s.Rows.LineOf(int(i)))
		if int(i) == s.Inspector.Record {
			l.Row = len(l.Lines) - 1
		}
		if len(l.Lines) > store.MostLink/2 {
			break // too long
		}
	}
	text = l.Text()
	if len(text) > store.MostLink || len(l.Lines) < len(rows) {
		return "", fmt.Sprintf("Not copied: a link has %s characters at most, and these %s rows need more. Select "+
			"fewer by a search or a verdict, or save a file.", words.Count(store.MostLink), words.Count(len(rows)))
	}
	note = "Link copied. It holds " + words.Plural(len(rows), "structure", "structures") + ": whoever has it can read them."
	if u := s.Models.Used.Value; u != nil && !u.BuiltIn && l.Domain == "" {
		note = strings.TrimSuffix(note, ".") +
			fmt.Sprintf(", but needs the file of the model %s, which no link can carry.", words.Shorten(u.Name, 40))
	}
	return text, note
}

// Publish prepares the domain of a model file for publication, as of today.
func (s *Session) Publish(data []byte) {
	s.Publication.Forget()
	s.Rev.State++
	s.ask(&message.Publish{Data: data, Date: time.Now().UTC().Format(time.DateOnly)}, nil, func(r message.Reply) {
		s.Publication.Take(r)
		s.Rev.State++
	})
}

// OpenLink scores a link's content.
func (s *Session) OpenLink(text string) {
	l, err := store.ParseLink(text)
	if err != nil {
		s.Tell("This link cannot be read", words.Capital(err.Error())+". Nothing of it was used.")
		return
	}
	s.Settings = l.Settings
	if len(l.Lines) > 0 {
		s.Input.Give(Given{Text: strings.Join(l.Lines, "\n") + "\n"})
		s.toSelect = l.Row + 1
	}
	if l.Domain != "" {
		s.Models.visit(l.Domain)
	} else {
		s.Models.want(l.Model)
	}
	s.Models.changed()
	s.Rev.All()
}

// selectWanted selects the link's row once scored.
func (s *Session) selectWanted() {
	record := s.toSelect - 1
	s.toSelect = 0
	if record >= 0 {
		s.Inspector.Show(record)
	}
}

// Query returns the query and the fragment of the page's address after a reload: the settings, the model if it will be
// there, and the domain that is visited, if any.
func (s *Session) Query() string {
	query := "?" + s.Settings.Values(s.Models.InAddress()).Encode()
	if s.Models.Visit != "" {
		query += "#" + url.Values{"domain": {s.Models.Visit}}.Encode()
	}
	return query
}

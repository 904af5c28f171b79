package session

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/app/words"
)

// MostLink bounds a link's fragment in characters. Mail and chat programs cut longer ones.
const MostLink = 8000

// A Link is the fragment of a link: structures, names and settings. It is read as hostile input.
type Link struct {
	Settings
	Model string   // key, empty for none
	Lines []string // SMILES, a space, and a name
	Row   int      // the selected line, −1 for none
}

// Text writes the fragment.
func (l *Link) Text() string {
	v := l.values(l.Model)
	if l.Row >= 0 {
		v.Set("row", strconv.Itoa(l.Row+1))
	}
	v.Set("smiles", strings.Join(l.Lines, "\n"))
	return v.Encode()
}

// ParseLink parses a fragment, completely or not at all.
func ParseLink(text string) (*Link, error) {
	if len(text) > MostLink {
		return nil, fmt.Errorf("it has more than %s characters", words.Count(MostLink))
	}
	v, err := url.ParseQuery(text)
	if err != nil {
		return nil, errors.New("it is not written as links are")
	}
	l := &Link{Settings: Settings{Alpha: usualAlpha}, Row: -1}
	for name, values := range v {
		if len(values) != 1 {
			return nil, fmt.Errorf("it has %s more than once", words.Shorten(name, 20))
		}
		if !utf8.ValidString(values[0]) {
			return nil, fmt.Errorf("%s is no text", words.Shorten(name, 20))
		}
		if err := l.set(name, values[0]); err != nil {
			return nil, err
		}
	}
	if l.Row >= len(l.Lines) {
		return nil, fmt.Errorf("row %d is selected, and it has %d", l.Row+1, len(l.Lines))
	}
	return l, nil
}

func (l *Link) set(name, value string) error {
	switch name {
	case "model":
		l.Model = value
	case "row":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("the row is %q, want a number from 1", words.Shorten(value, 20))
		}
		l.Row = n - 1
	case "smiles":
		if strings.TrimSpace(value) != "" {
			l.Lines = strings.Split(strings.TrimRight(value, "\n"), "\n")
		}
	default:
		return l.Settings.set(name, value)
	}
	return nil
}

// usualAlpha is the default α.
const usualAlpha = 0.05

// lineOf is a record as one line.
func (r *Rows) lineOf(i int) string {
	space := func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}
	line := strings.Map(space, r.SMILES[i])
	if id := strings.Map(space, r.id[i]); id != "" {
		line += " " + id
	}
	return line
}

// Link links to the shown rows in input order, with settings and selection. The note explains it,
// or why there is none.
func (s *Session) Link() (text, note string) {
	if s.Opened == nil || s.Rows.Len() == 0 {
		return "", "Not copied: there is nothing to link to yet."
	}
	if !s.Opened.Molecules {
		return "", "Not copied: a link carries molecules, and these are plain graphs. Send their file."
	}
	l := &Link{Settings: s.Settings, Row: -1}
	if u := s.Models.Used; u != nil {
		l.Model = Key(u)
	}
	rows := slices.Sorted(slices.Values(s.Order))
	for _, i := range rows {
		l.Lines = append(l.Lines, s.Rows.lineOf(int(i)))
		if int(i) == s.Inspector.Record {
			l.Row = len(l.Lines) - 1
		}
		if len(l.Lines) > MostLink/2 {
			break // too long
		}
	}
	if text = l.Text(); len(text) > MostLink || len(l.Lines) < len(rows) {
		fit := l.fitting()
		return "", fmt.Sprintf("Not copied: a link has %s characters at most, and the first %s of these %s fit. Select fewer by a search or a verdict, or save a file.",
			words.Count(MostLink), words.Count(fit), words.Count(len(rows)))
	}
	note = "Link copied. It holds " + words.Plural(len(rows), "structure", "structures") + ": whoever has it can read them."
	if u := s.Models.Used; u != nil && !u.BuiltIn {
		note = strings.TrimSuffix(note, ".") + fmt.Sprintf(", but needs the file of the model %s, which no link can carry.", words.Shorten(u.Name, 40))
	}
	return text, note
}

// fitting is how many lines fit a link.
func (l *Link) fitting() int {
	return sort.Search(len(l.Lines), func(n int) bool {
		short := Link{Settings: l.Settings, Model: l.Model, Lines: l.Lines[:n+1], Row: -1}
		return len(short.Text()) > MostLink
	})
}

// OpenLink scores a link's content.
func (s *Session) OpenLink(text string) {
	l, err := ParseLink(text)
	if err != nil {
		s.Tell("This link cannot be read", words.Capital(err.Error())+". Nothing of it was used.")
		return
	}
	s.Settings = l.Settings
	if len(l.Lines) > 0 {
		s.Input.Give(strings.Join(l.Lines, "\n")+"\n", nil)
		s.toSelect = l.Row + 1
	}
	s.Models.want(l.Model)
	s.Models.moved()
	s.Rev.All()
}

// want selects a link's model, or says that it is missing.
func (m *Models) want(key string) {
	switch {
	case key == "":
	case m.Welcome == nil:
		m.wanted = key
	case !m.choose(key):
		m.missing(key)
	}
}

// choose selects a model by key, and reports whether there is one.
func (m *Models) choose(key string) bool {
	switch i := m.ownBy(key); {
	case m.Used != nil && Key(m.Used) == key:
	case i >= 0:
		m.Use(i)
	case m.isBuiltIn(key):
		m.Load(key, nil)
	default:
		return false
	}
	return true
}

// selectWanted selects the link's row once scored.
func (s *Session) selectWanted() {
	record := s.toSelect - 1
	s.toSelect = 0
	if record >= 0 {
		s.Inspector.Show(record)
	}
}

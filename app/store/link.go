package store

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/app/table"
	"baca/app/words"
)

// MostLink bounds a link's fragment in characters. Mail and chat programs cut longer ones.
const MostLink = 8000

// A Link is the fragment of a link: structures, names and settings. It is read as hostile input.
type Link struct {
	table.Settings
	Model string // key, empty for none
	// Domain is the name of a published domain, whose model judges; empty for none. The worker checks it.
	Domain string
	Lines  []string // SMILES, a space, and a name
	Row    int      // the selected line, −1 for none
}

// Text returns the fragment without its #. Rows count from 1 there.
func (l *Link) Text() string {
	v := l.Settings.Values(l.Model)
	if l.Domain != "" {
		v.Set("domain", l.Domain)
	}
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
	l := &Link{Settings: table.Settings{Alpha: table.UsualAlpha}, Row: -1}
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

// set sets one field, or returns an error for a name or a value that no link has.
func (l *Link) set(name, value string) error {
	switch name {
	case "model":
		l.Model = value
	case "domain":
		l.Domain = value
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
		return l.Settings.Set(name, value)
	}
	return nil
}

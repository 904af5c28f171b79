package table

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/molecule"
)

// maxReasons bounds the distinct reasons of a Tally.
const maxReasons = 64

// A Tally counts rows of scores. Merging tallies of parts is associative and commutative.
type Tally struct {
	Records int `json:"records"` // the sum of all below
	Refused int `json:"refused"`
	decide.Counts
	// SetAside counts records by what was set aside.
	SetAside molecule.Asides `json:"set_aside,omitempty"`
	// Reasons counts refusals by reason, with N for numbers. It keeps the first 64 by alphabet,
	// exactly counted.
	Reasons map[string]int `json:"reasons,omitempty"`
}

// Add counts rows. Those without scores are refused ones, which must have Err.
func (t *Tally) Add(rows []Row) {
	for _, r := range rows {
		t.Records++
		s, scored := r.(*Scored)
		if !scored {
			t.Refused++
			t.because(reason(r.Input().Err), 1)
			continue
		}
		t.Count(s.Best())
		t.SetAside.Count(s.Aside)
	}
}

// Merge adds the counts of another tally.
func (t *Tally) Merge(o Tally) {
	t.Records += o.Records
	t.Refused += o.Refused
	t.Outside += o.Outside
	t.Borderline += o.Borderline
	t.Inside += o.Inside
	t.Undecided += o.Undecided
	t.SetAside.Merge(o.SetAside)
	for _, why := range slices.Sorted(maps.Keys(o.Reasons)) {
		t.because(why, o.Reasons[why])
	}
}

// because counts n refusals for a reason. Of more than maxReasons reasons it keeps the first ones by alphabet. One that is
// among the first of all rows is among the first of any part of the rows, so it is never dropped, and its count is exact.
func (t *Tally) because(why string, n int) {
	if _, known := t.Reasons[why]; !known && len(t.Reasons) == maxReasons {
		last := slices.Max(slices.Collect(maps.Keys(t.Reasons)))
		if why > last {
			return
		}
		delete(t.Reasons, last)
	}
	if t.Reasons == nil {
		t.Reasons = map[string]int{}
	}
	t.Reasons[why] += n
}

// reason returns the text of an error without its place, and with N for each number.
func reason(err error) string {
	text := err.Error()
	var inText *dataset.SyntaxError
	var inMolecule *molecule.SyntaxError
	if errors.As(err, &inMolecule) {
		text = inMolecule.Reason
	} else if errors.As(err, &inText) {
		text = inText.Err.Error()
	}
	var b strings.Builder
	number := false
	for _, c := range text {
		digit := c >= '0' && c <= '9'
		switch {
		case !digit:
			b.WriteRune(c)
		case !number:
			b.WriteByte('N')
		}
		number = digit
	}
	return b.String()
}

package app

import (
	"slices"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/wasm/message"
)

// There are reports on the row chosen, on the rows shown and on the model, if they are not too many.
func TestDomainReports(t *testing.T) {
	s, f, _ := decided(t, lengths)
	var saved []string
	ask := func(key, format string) *message.Domain {
		t.Helper()
		before := len(f.asked)
		s.SaveDomain(key, format, func(e *message.Exported) { saved = append(saved, e.Name) })
		if len(f.asked) == before {
			return nil
		}
		f.next(1)
		if got := s.Task.Words(); got != "Domain report: why, 1 of 2" {
			t.Errorf("the page says %q", got)
		}
		f.next(-1)
		return f.asked[before].(*message.Domain)
	}
	named := func() (list []string) {
		for _, d := range s.DomainSubjects() {
			list = append(list, d.Name)
		}
		return list
	}
	if got := named(); !strings.Contains(got[0], "choose a row") || got[1] != "6 rows" || got[2] != "model bbbp" {
		t.Errorf("there are reports on %q", got)
	}
	if ask("chosen", "html") != nil {
		t.Error("a report on no row is asked for")
	}
	s.Inspector.Show(1)
	f.next(-1)
	if r := ask("chosen", "html"); r == nil || r.Form != "qprf" || r.Format != "html" || r.Alpha != 0.05 || !slices.Equal(r.Record, message.Ints{1}) {
		t.Errorf("of the row chosen %+v is asked", r)
	}
	s.SetAlpha(0.1)
	s.ToggleVerdict(decide.Outside)
	if r := ask("shown", "json"); r == nil || r.Format != "json" || r.Alpha != 0.1 || !slices.Equal(r.Record, s.Order) || len(r.Record) == 6 {
		t.Errorf("of the rows shown %+v is asked, they are %v", r, s.Order)
	}
	if r := ask("model", "html"); r == nil || r.Form != "qmrf" || r.Record != nil {
		t.Errorf("of the model %+v is asked", r)
	}
	if want := []string{"idb-qprf.html", "qprf.json", "bbbp-qmrf.html"}; !slices.Equal(saved, want) || s.Saved != "Page of the model saved as bbbp-qmrf.html" {
		t.Errorf("saved %q, %q, want %q", saved, s.Saved, want)
	}
	s.Inspector.Show(5)
	if got := named(); !strings.Contains(got[0], "refused") || ask("chosen", "html") != nil {
		t.Errorf("of a refused row: %q", got)
	}
	s.Order = make([]int32, message.MostSubstances+1)
	if got := named(); got[1] != "101 rows, and at most 100 fit in a report. Search or filter the table first." || ask("shown", "html") != nil {
		t.Errorf("of too many: %q", got)
	}
	if s.Models.Used.Value.Molecules = false; s.HasDomain() {
		t.Error("a model of plain graphs has a domain of substances")
	}
}

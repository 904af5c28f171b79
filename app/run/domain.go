package run

import (
	"fmt"

	"baca/app/words"
	"baca/wasm/message"
)

// A DomainSubject can have a domain report.
type DomainSubject struct {
	Key, Title string
	Name       string // of the subject, or why there is no report
	Ready      bool

	form, prefix, saved string
	records             []int32
}

func (s *Session) DomainSubjects() []DomainSubject {
	chosen := DomainSubject{Key: "chosen", Title: "The row chosen", Name: "None: choose a row of the table first.", form: "qprf", saved: "Domain report"}
	if i := s.Inspector.Record; i >= 0 && i < s.Rows.Len() {
		name := s.Rows.Name(i)
		chosen.Name, chosen.prefix, chosen.records = words.Shorten(name, 60), words.Stem(name), []int32{int32(i)}
		if chosen.Ready = s.Rows.Problem(i) == nil; !chosen.Ready {
			chosen.Name += ": refused, so there is nothing to say."
		}
	}
	shown := DomainSubject{
		Key: "shown", Title: "The rows shown", Name: words.Plural(len(s.Order), "row", "rows"),
		Ready: len(s.Order) > 0 && len(s.Order) <= message.MostSubstances,
		form:  "qprf", prefix: s.inputStem(), saved: "Domain report", records: s.Order,
	}
	if len(s.Order) > message.MostSubstances {
		shown.Name += fmt.Sprintf(", and at most %d fit in a report. Search or filter the table first.", message.MostSubstances)
	}
	model := DomainSubject{Key: "model", Title: "The domain itself", form: "qmrf", saved: "Page of the model"}
	if m := s.Models.Used.Value; m != nil {
		model.Name, model.prefix, model.Ready = "model "+m.Name, m.Name, true
	}
	return []DomainSubject{chosen, shown, model}
}

// HasDomain reports a model of molecules, which has domain reports.
func (s *Session) HasDomain() bool {
	return s.Models.Used.Value != nil && s.Models.Used.Value.Molecules
}

// SaveDomain saves a subject's report as "html" or "json".
func (s *Session) SaveDomain(key, format string, save func(*message.Exported)) {
	for _, d := range s.DomainSubjects() {
		if d.Key == key && d.Ready {
			r := &message.Domain{Form: d.form, Format: format, Record: d.records, Alpha: s.Alpha}
			s.Do("Domain report", r, func(r message.Reply) { s.saveAs(r, d.prefix, d.saved, save) })
		}
	}
}

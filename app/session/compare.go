package session

import (
	"cmp"
	"slices"

	"baca/algo/compare"
	"baca/app/words"
	"baca/wasm/message"
)

const comparing = "Comparison"

// CompareWith compares the open input with a file. An earlier result stays until the new one
// arrives.
func (l *Lab) CompareWith(f *File) {
	s := l.session
	l.Compared.Failure = nil
	s.beginTask(comparing, &message.Compare{With: *s.Input.open(f.request())}, func(r message.Reply) {
		s.Rev.All() // fragment drawings are wanted
		l.Compared.take(r)
	})
}

func (s *Session) Comparing() bool { return s.Task != nil && s.Task.name == comparing }

func comparingWords(p *message.Progress) string {
	switch p.Stage {
	case message.StageParse:
		return "reading the file, " + words.Percent(float64(p.Done)/float64(max(p.Total, 1)))
	case message.StageLists:
		return "reading the input, " + words.Count(p.Done) + " of " + words.Count(p.Total)
	}
	return p.Stage
}

// A DifferenceGroup is what is commoner in one list.
type DifferenceGroup struct {
	Title string
	List  []compare.Difference
}

// ByList groups differences by list, B first, without empty groups.
func ByList(all []compare.Difference) (groups []DifferenceGroup) {
	for _, g := range []struct {
		title string
		inB   bool
	}{{"Commoner in B", true}, {"Commoner in A", false}} {
		list := slices.DeleteFunc(slices.Clone(all), func(d compare.Difference) bool { return (d.Odds >= 1) != g.inB })
		if len(list) > 0 {
			groups = append(groups, DifferenceGroup{g.title, list})
		}
	}
	return groups
}

// shownFragments are drawn of each list.
const shownFragments = 6

func Fragments(c *message.Compared) []DifferenceGroup {
	groups := ByList(c.Fragments)
	for i := range groups {
		groups[i].List = groups[i].List[:min(len(groups[i].List), shownFragments)]
	}
	return groups
}

// WantedExamples are molecules that a comparison or a suggestion shows.
func (l *Lab) WantedExamples() (list []string) {
	if l.Suggested.Value != nil && l.Stage == message.StageChoose {
		for _, p := range l.Suggested.Value.Picks {
			list = append(list, l.session.Rows.Picture(p.Record-1))
		}
		return slices.DeleteFunc(list, func(smiles string) bool { return smiles == "" })
	}
	if l.Compared.Value == nil || l.Stage != message.StageLists {
		return nil
	}
	for _, g := range Fragments(l.Compared.Value) {
		for _, d := range g.List {
			if d.Example != "" && !slices.Contains(list, d.Example) {
				list = append(list, d.Example)
			}
		}
	}
	return list
}

// ReportOn is a comparison's file, named after the list.
func ReportOn(c *message.Compared) *message.Exported {
	return &message.Exported{Name: words.Stem(cmp.Or(c.B.Name, "list")) + "-against-" + words.Stem(c.A.Name) + ".html", Type: "text/html", Data: c.Report}
}

// SharesOf are those of molecules with 0, 1, … atoms or rings, the last open-ended.
func SharesOf(s *compare.Side, d *compare.Distribution) []float64 {
	list := make([]float64, len(d.Counts))
	for i, n := range d.Counts {
		list[i] = float64(n) / float64(s.Molecules)
	}
	return list
}

package run

import (
	"baca/app/table"
	"baca/wasm/message"
)

// names are what the worker computes on request, for people.
var names = map[string]string{message.OfStructure: "Search", message.OfProperties: "Properties", message.OfPlaces: "Map"}

// compute asks for what the table needs, once nothing else is done.
func (s *Session) compute() {
	what := s.Wants()
	if what == "" || s.Phase != Done || s.Task != nil || s.Training.On || s.Graphs() == 0 {
		return
	}
	view := s.View
	s.Do(names[what], &message.Compute{What: what, SMARTS: view.Search}, func(r message.Reply) {
		if what == message.OfStructure && (s.View.Search != view.Search || !s.View.Structure) {
			return // another one is searched for
		}
		s.Rows.Take(what, r)
		s.Arrange()
		s.Rev.All()
	})
}

// Find searches for a text, or for a structure, which the worker knows.
func (s *Session) Find(search string, structure bool) {
	if s.Task != nil && s.Task.Name == names[message.OfStructure] {
		s.EndTask() // the search before
	}
	s.Search(search, structure)
	s.compute()
}

// ShowAs shows the records as another shape.
func (s *Session) ShowAs(shape table.Shape) {
	s.View.Shape = shape
	s.Rev.All()
	s.compute()
}

// ChooseColumn shows a further column, or hides it.
func (s *Session) ChooseColumn(name string) {
	s.Choose(name)
	s.compute()
}

// ComputeAgain asks for what failed.
func (s *Session) ComputeAgain(what string) {
	delete(s.Rows.Computed, what)
	s.compute()
}

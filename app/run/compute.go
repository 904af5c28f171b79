package run

import (
	"baca/app/table"
	"baca/wasm/message"
)

// names are what the worker computes on request, for people.
var names = map[string]string{message.OfStructure: "Search", message.OfProperties: "Properties", message.OfPlaces: "Map"}

// Compute asks for what the page shows and the worker has not computed yet, once nothing else is done.
func (s *Session) Compute() {
	if s.Phase != Done || s.Task != nil || s.Training.On || s.Graphs() == 0 {
		return
	}
	what, view := s.Wants(), s.View
	if what == "" && (view.Shape == table.Map || s.Models.Visit != "") { // a visited domain has its map beside the rows
		what = message.OfPlaces
	}
	switch what {
	case "":
		return
	case message.OfPlaces:
		mapped, _ := s.Mapped(s.Inspector.Record)
		var unplaced []int32
		for _, i := range mapped {
			if s.Rows.Unplaced(i) {
				unplaced = append(unplaced, i)
			}
		}
		if answer := s.Rows.Computed[what]; answer.Failure != nil || answer.Value != nil && len(unplaced) == 0 {
			return
		}
		s.Models.withMap(func(r *message.Compute, done func(message.Reply)) {
			r.Record = unplaced
			s.Do(names[what], r, func(reply message.Reply) {
				done(reply)
				s.Rows.Take(what, reply, unplaced...)
				s.Rev.All()
			})
		})
		return
	}
	s.Do(names[what], &message.Compute{What: what, SMARTS: view.Search}, func(r message.Reply) {
		if what == message.OfStructure && (s.View.Search != view.Search || !s.View.Structure) {
			return // another one is searched for
		}
		s.Rows.Take(what, r)
		s.Arrange()
		s.Rev.All()
	})
}

// withMap has ask ask for a map, with the training set's places if this browser keeps them. done keeps those of the reply,
// unless a reload would lose the model.
func (m *Models) withMap(ask func(r *message.Compute, done func(message.Reply))) {
	u := m.Used.Value
	m.Shelf.Map(u.SHA256, func(kept message.Singles) {
		ask(&message.Compute{What: message.OfPlaces, Training: kept}, func(reply message.Reply) {
			if c, ok := reply.(*message.Computed); ok && kept == nil && (m.Lasts(u) || u.Published != nil) {
				m.KeepMap(u.SHA256, c.Training)
			}
		})
	})
}

// Find searches for a text, or for a structure, which the worker knows.
func (s *Session) Find(search string, structure bool) {
	if s.Task != nil && s.Task.Name == names[message.OfStructure] {
		s.EndTask() // the search before
	}
	s.Search(search, structure)
	s.Compute()
}

// ShowAs shows the records as another shape.
func (s *Session) ShowAs(shape table.Shape) {
	s.View.Shape = shape
	s.Rev.All()
	s.Compute()
}

// ChooseColumn shows a further column, or hides it.
func (s *Session) ChooseColumn(name string) {
	s.Choose(name)
	s.Compute()
}

// ComputeAgain asks for what failed.
func (s *Session) ComputeAgain(what string) {
	delete(s.Rows.Computed, what)
	s.Compute()
}

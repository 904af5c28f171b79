package run

import (
	"slices"

	"baca/algo/explain"
	"baca/wasm/message"
)

// An Inspector shows one record.
type Inspector struct {
	session *Session

	Record int // −1 for none
	Detail message.Answer[message.Detailed]
	Reason int // whose atoms are marked, −1 for unseen features
}

// Show inspects a record, or closes the inspector for −1. It requests the details of a record that was not refused.
// It does nothing if the record is shown already or does not exist.
func (i *Inspector) Show(record int) {
	if record == i.Record || record >= i.session.Rows.Len() {
		return
	}
	i.turn(record)
	if record >= 0 && i.session.Rows.Problem(record) == nil {
		i.ask()
	}
	i.session.callWatchers()
}

// turn inspects a record without asking for its details.
func (i *Inspector) turn(record int) {
	i.Record, i.Reason = record, -1
	i.Detail.Forget()
	i.session.Rev.All()
}

// Step moves down the table by so many rows, at most to its first or last one.
func (i *Inspector) Step(by int) {
	order := i.session.Order
	if len(order) > 0 {
		at := slices.Index(order, int32(i.Record))
		i.Show(int(order[min(max(at+by, 0), len(order)-1)]))
	}
}

// ask requests the record's details, unless the worker has no model or input.
func (i *Inspector) ask() {
	s, record := i.session, i.Record
	if s.Models.Used.Value == nil || s.Opened == nil || s.Phase == Broken {
		return
	}
	Ask(s, &i.Detail, &message.Detail{Record: record}, func() bool { return record == i.Record }, s.Glances.next)
}

// askAgain requests details again after a change.
func (i *Inspector) askAgain() {
	if !i.Detail.None() {
		i.ask()
	}
}

// Mark toggles the marks of a reason.
func (i *Inspector) Mark(reason int) {
	if i.Reason == reason {
		reason = -1
	}
	i.Reason = reason
	i.session.Rev.State++
}

// Marked are the ringed atoms: of the chosen reason, or of unseen features.
func (i *Inspector) Marked() []bool {
	var marks []bool
	for k, r := range i.Detail.Value.Reasons {
		if k != i.Reason && (i.Reason >= 0 || r.Weight < explain.Unseen) {
			continue
		}
		for _, atom := range r.Nodes {
			if marks == nil {
				marks = make([]bool, len(i.Detail.Value.Atoms))
			}
			if atom >= 0 && atom < len(marks) {
				marks[atom] = true
			}
		}
	}
	return marks
}

// NearestSMILES lists the SMILES of the record's most similar training molecules and of the keys of S_Attn, as far as
// they are known. It is nil before the details are there.
func (i *Inspector) NearestSMILES() []string {
	d := i.Detail.Value
	if d == nil {
		return nil
	}
	var list []string
	for _, n := range d.Nearest {
		list = append(list, n.SMILES)
	}
	for _, k := range slices.Concat(d.IDKeys, d.OODKeys) {
		list = append(list, k.SMILES)
	}
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// Glances request contributions and nearest molecules of visible rows, one at a time while the
// worker is idle. Rows that left the view are dropped.
type Glances struct {
	session *Session
	found   map[int32]*message.Detailed // by record, nil for none
	wanted  []int32
	asked   bool
	Count   int // that have come
}

// mostGlances bounds the cache, mostGlanced the length of SMILES.
const (
	mostGlances = 1000
	mostGlanced = 200
)

// Of returns a record's contributions, or nil.
func (g *Glances) Of(record int) *message.Detailed { return g.found[int32(record)] }

// Want replaces the wanted records, in order.
func (g *Glances) Want(records []int32) {
	g.wanted = append(g.wanted[:0], records...)
	g.next()
}

// next requests the first unknown record, if nobody waits for the worker.
func (g *Glances) next() {
	s := g.session
	looking := s.Inspector.Record >= 0 && s.Inspector.Detail.None()
	if g.asked || s.Phase != Done || s.Task != nil || s.Training.On || s.Models.Used.Value == nil || s.Models.Loading != "" || looking {
		return
	}
	if g.found == nil || len(g.found) >= mostGlances {
		g.found = map[int32]*message.Detailed{}
	}
	for _, i := range g.wanted {
		if _, known := g.found[i]; known || int(i) >= s.Rows.Len() || len(s.Rows.Picture(int(i))) > mostGlanced ||
			s.Rows.Picture(int(i)) == "" {
			continue
		}
		g.ask(i)
		return
	}
}

// ask requests a record's details for its row, and then the next ones.
func (g *Glances) ask(record int32) {
	s, run := g.session, g.session.Run
	g.asked = true
	s.ask(&message.Detail{Record: int(record)}, nil, func(r message.Reply) {
		g.asked = false
		if run == s.Run {
			g.found[record] = nil
			if d, ok := r.(*message.Detailed); ok {
				d.Reasons, d.IDKeys, d.OODKeys = nil, nil, nil // which no row shows
				g.found[record] = d
				g.Count++
			}
		}
		g.next()
	})
}

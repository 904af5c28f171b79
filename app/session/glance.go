package session

import "baca/wasm/message"

// Glances find out what the scores of the rows in view are made of, for their small
// pictures: one at a time, and only while the worker has nothing else to do. Those that
// have left the view are not asked for any more.
type Glances struct {
	session *Session
	run     int                         // that found is of
	found   map[int32]*message.Detailed // by record, nil where there is none
	wanted  []int32
	asked   bool
	Count   int // that have come
}

// mostGlances are kept, mostGlanced is the longest SMILES that is looked at so.
const (
	mostGlances = 1000
	mostGlanced = 200
)

// Of is what is known of a record's atoms, nil before that and where there is nothing.
func (g *Glances) Of(record int) *message.Detailed {
	if g.run != g.session.Run {
		return nil
	}
	return g.found[int32(record)]
}

// Want asks for these records, in their order, instead of those before.
func (g *Glances) Want(records []int32) {
	g.wanted = append(g.wanted[:0], records...)
	g.next()
}

// idle tells whether the worker has nothing that anybody waits for.
func (g *Glances) idle() bool {
	s := g.session
	looking := s.Inspector.Record >= 0 && s.Inspector.Detail == nil && s.Inspector.Failure == nil
	return !g.asked && s.Phase == Done && s.Task == nil && !s.Training.On && s.Models.Used != nil && s.Models.Loading == "" && !looking
}

// next asks for the first record that is wanted and not known.
func (g *Glances) next() {
	s := g.session
	if !g.idle() {
		return
	}
	if g.run != s.Run || len(g.found) >= mostGlances {
		g.run, g.found = s.Run, map[int32]*message.Detailed{}
	}
	for _, i := range g.wanted {
		if _, known := g.found[i]; known || int(i) >= s.Rows.Len() || len(s.Rows.Picture(int(i))) > mostGlanced || s.Rows.Picture(int(i)) == "" {
			continue
		}
		g.ask(i)
		return
	}
}

func (g *Glances) ask(record int32) {
	s, run := g.session, g.session.Run
	g.asked = true
	s.ask(&message.Detail{Record: int(record)}, nil, func(r message.Reply) {
		g.asked = false
		if run == s.Run && run == g.run {
			g.found[record] = nil
			if d, ok := r.(*message.Detailed); ok {
				g.found[record] = &message.Detailed{Atoms: d.Atoms, Contribution: d.Contribution, Limit: d.Limit}
				g.Count++
			}
		}
		g.next()
	})
}

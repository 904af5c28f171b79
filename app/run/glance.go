package run

import "baca/wasm/message"

// Glances request contributions for the small pictures of visible rows, one at a time while the
// worker is idle. Rows that left the view are dropped.
type Glances struct {
	session *Session
	run     int                         // of found
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
func (g *Glances) Of(record int) *message.Detailed {
	if g.run != g.session.Run {
		return nil
	}
	return g.found[int32(record)]
}

// Want replaces the wanted records, in order.
func (g *Glances) Want(records []int32) {
	g.wanted = append(g.wanted[:0], records...)
	g.next()
}

// idle reports that nobody waits for the worker.
func (g *Glances) idle() bool {
	s := g.session
	looking := s.Inspector.Record >= 0 && s.Inspector.Detail == (Answer[message.Detailed]{})
	return !g.asked && s.Phase == Done && s.Task == nil && !s.Training.On && s.Models.Used.Value != nil && s.Models.Loading == "" && !looking
}

// next requests the first unknown record.
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

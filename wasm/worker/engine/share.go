package engine

import (
	"fmt"
	"iter"
	"math"
	"sync"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// A long input is scored by several workers. Each record is scored by itself, so they
// need not know of each other: they are handed pieces of the input, and rows leave in
// its order. A worker that dies costs nothing but time: its pieces are handed out again.

// maxWorkers bounds the workers of one run: each takes about as much memory as the
// first one.
const maxWorkers = 4

// pieceSize is how many records are handed out at a time, and ahead how many may
// be handed out before those in front of them are done.
const (
	pieceSize = 256
	ahead     = 64 * pieceSize
)

// minShared graphs are worth the start of further workers: one scores them in a few
// seconds.
const minShared = 8192

// A team are the workers that help, and what comes back from them.
type team struct {
	mu      sync.Mutex              // callbacks come from other goroutines than the run
	helpers []*helper               // the list does not change
	parts   map[int]message.Columns // that came, by their first record
	news    chan struct{}           // has one when something came
}

type helper struct {
	client *message.Client
	state  helperState
	from   int // of the piece that it works on
}

type helperState uint8

const (
	starting helperState = iota
	idle
	working
	gone
)

// recruit starts helpers for a long input.
func (r *run) recruit() {
	e := r.engine
	workers := r.request.Workers
	if workers == 0 {
		workers = min(e.host.Cores(), maxWorkers)
	}
	if workers < 2 || e.graphs() < e.minShared || e.input.graphs != nil {
		return
	}
	in := e.input
	share := &message.Share{
		Input: message.Open{Name: in.name, Data: in.data, File: in.file, Format: string(in.format), Column: in.column},
		Model: e.file, Alpha: r.total.Alpha,
	}
	t := &team{parts: map[int]message.Columns{}, news: make(chan struct{}, 1)}
	for range workers - 1 {
		h := &helper{client: message.NewClient(e.host.Spawn), from: -1}
		t.helpers = append(t.helpers, h)
	}
	for _, h := range t.helpers {
		h.client.Do(share, nil, func(reply message.Reply) {
			t.tell(func() {
				h.state = idle
				if _, ok := reply.(*message.Ready); !ok {
					h.state = gone
				}
			})
		})
	}
	r.team = t
}

// tell has the run look at what has changed.
func (t *team) tell(change func()) {
	t.mu.Lock()
	change()
	t.mu.Unlock()
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// dismiss ends the helpers.
func (r *run) dismiss() {
	if r.team != nil {
		for _, h := range r.team.helpers {
			h.client.Close()
		}
	}
}

// spread scores all records with the team.
func (r *run) spread(p *pulse) error {
	e, t := r.engine, r.team
	s := &scoring{engine: e, scorer: r.now.scorer}
	defer s.stop()
	total := e.input.opened.Records
	next := 0       // record that nobody has been given yet
	var again []int // pieces of helpers that are gone
	used := map[*helper]bool{}
	take := func() (int, bool) {
		if n := len(again); n > 0 {
			from := again[n-1]
			again = again[:n-1]
			return from, true
		}
		if next >= total || next >= r.total.Records+ahead {
			return 0, false
		}
		next += pieceSize
		return next - pieceSize, true
	}
	for r.total.Records < total {
		t.mu.Lock()
		for _, h := range t.helpers {
			if h.state == gone && h.from >= 0 {
				again, h.from = append(again, h.from), -1
			}
		}
		for _, h := range t.helpers {
			if h.state != idle {
				continue
			}
			from, ok := take()
			if !ok {
				break
			}
			used[h] = true
			r.total.Workers = 1 + len(used)
			t.give(h, from, min(from+pieceSize, total))
		}
		t.mu.Unlock()
		if from, ok := take(); ok {
			part, err := s.rows(p, from, min(from+pieceSize, total))
			if err != nil {
				return err
			}
			t.mu.Lock()
			t.parts[from] = part
			t.mu.Unlock()
		} else {
			<-t.news
		}
		for {
			t.mu.Lock()
			part, ok := t.parts[r.total.Records]
			delete(t.parts, r.total.Records)
			t.mu.Unlock()
			if !ok {
				break
			}
			first := len(r.chunk.Rows.ID)
			extend(&r.chunk.Rows, part)
			if err := r.took(first); err != nil {
				return err
			}
		}
		if err := p.Err(); err != nil {
			return err
		}
	}
	return nil
}

// give hands a piece to a helper. t.mu is held.
func (t *team) give(h *helper, from, to int) {
	h.state, h.from = working, from
	h.client.Do(&message.Piece{From: from, To: to}, nil, func(reply message.Reply) {
		t.tell(func() {
			part, ok := reply.(*message.Part)
			if !ok || len(part.Rows.ID) != to-from {
				h.state = gone
				return
			}
			t.parts[from] = part.Rows
			h.state, h.from = idle, -1
		})
	})
}

// extend appends columns of records that were scored by themselves.
func extend(to *message.Columns, from message.Columns) {
	to.ID, to.SMILES = append(to.ID, from.ID...), append(to.SMILES, from.SMILES...)
	to.Verdict, to.Error = append(to.Verdict, from.Verdict...), append(to.Error, from.Error...)
	to.Scores.Score, to.Scores.P = append(to.Scores.Score, from.Scores.Score...), append(to.Scores.P, from.Scores.P...)
	to.Known = append(to.Known, from.Known...)
}

// A scoring scores records of an input, each by itself, a piece at a time.
type scoring struct {
	engine *Engine
	scorer *algo.Scorer

	next func() (table.Unread, error, bool)
	end  func()
	at   int // record that next gives
}

// stop releases the input.
func (s *scoring) stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// rows scores the records of a piece.
func (s *scoring) rows(p *pulse, from, to int) (message.Columns, error) {
	if s.end == nil || s.at > from {
		s.stop()
		s.next, s.end = iter.Pull2(s.engine.input.records(s.engine.form()))
		s.at = 0
	}
	records := make([]table.Scored, 0, to-from)
	var graphs []*graph.Graph
	var of []int
	for s.at < to {
		u, err, ok := s.next()
		if err != nil || !ok {
			if err == nil {
				err = fmt.Errorf("it ends at record %d, and had more when it was opened", s.at)
			}
			return message.Columns{}, err
		}
		if s.at++; s.at <= from {
			continue
		}
		r := table.Scored{Record: u()}
		if r.Err == nil {
			graphs, of = append(graphs, r.Graph), append(of, len(records))
		}
		records = append(records, r)
		if err := p.Err(); err != nil {
			return message.Columns{}, err
		}
	}
	if len(graphs) > 0 {
		rows, err := s.scorer.Score(p, graphs)
		if err != nil {
			return message.Columns{}, err
		}
		for k := range rows {
			records[of[k]].Scores = &rows[k]
		}
	}
	var c message.Columns
	for _, r := range records {
		s.engine.appendRow(&c, r, false)
	}
	return c, nil
}

// share makes ready for the pieces of another worker's input.
func (e *Engine) share(r *message.Share) (*message.Ready, error) {
	m, err := weights.Load(r.Model)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	in, err := e.held(&r.Input)
	if err != nil {
		return nil, err
	}
	e.model, e.input, e.card = m, in, Card(m, r.Model)
	o := algo.DefaultOptions()
	o.Workers, o.Alpha = 1, r.Alpha
	scorer, err := algo.NewScorer(newPulse(e.host), m, o)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	e.shared = &scoring{engine: e, scorer: scorer}
	return &message.Ready{}, nil
}

// piece scores some records after share.
func (e *Engine) piece(r *message.Piece) (*message.Part, error) {
	if e.shared == nil {
		return nil, failf(message.CodeNotReady, "no input is shared")
	}
	if r.From < 0 || r.To < r.From || r.To > math.MaxInt32 {
		return nil, failf(message.CodeBadOption, "records %d to %d: want them in order", r.From, r.To)
	}
	rows, err := e.shared.rows(newPulse(e.host), r.From, r.To)
	if err != nil {
		return nil, failf(message.CodeBadInput, "%s: %w", e.input.title(), err)
	}
	return &message.Part{Rows: rows}, nil
}

package engine

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"

	"baca/algo"
	"baca/algo/job"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// Several workers score a long input. Records are independent: workers get pieces, and rows leave
// in order. Pieces of a dead worker are given to others.

// maxWorkers bounds a run's workers, each with the memory of the first.
const maxWorkers = 4

// pieceSize is a piece's number of records, ahead the number of records given out before earlier
// ones are done.
const (
	pieceSize = 256
	ahead     = 64 * pieceSize
)

// minShared graphs justify starting workers: one scores them in a few seconds.
const minShared = 8192

// A team is the helping workers and their results.
type team struct {
	mu      sync.Mutex           // callbacks come from other goroutines
	helpers []*helper            // constant
	parts   map[int]message.Part // results by first record
	news    chan struct{}        // signals a result

	total int   // records
	next  int   // next record to give out
	again []int // pieces of dead helpers
}

type helper struct {
	client *message.Client
	state  helperState
	from   int  // of its piece
	used   bool // has had a piece
}

type helperState uint8

const (
	starting helperState = iota
	idle
	working
	gone
)

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
	t := &team{parts: map[int]message.Part{}, news: make(chan struct{}, 1), total: in.opened.Records}
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

// tell signals a change to the run.
func (t *team) tell(change func()) {
	t.mu.Lock()
	change()
	t.mu.Unlock()
	select {
	case t.news <- struct{}{}:
	default:
	}
}

func (r *run) dismiss() {
	if r.team != nil {
		for _, h := range r.team.helpers {
			h.client.Close()
		}
	}
}

func (r *run) spread() error {
	e, t := r.engine, r.team
	own := &scoring{engine: e, scorer: r.now.scorer}
	defer own.stop()
	for r.total.Records < t.total {
		r.total.Workers = 1 + t.giveAll(r.total.Records)
		if from, ok := t.take(r.total.Records); ok {
			part, err := own.rows(r, from, min(from+pieceSize, t.total))
			if err != nil {
				return err
			}
			t.tell(func() { t.parts[from] = part })
		} else {
			<-t.news
		}
		for part, ok := t.part(r.total.Records); ok; part, ok = t.part(r.total.Records) {
			if err := r.add(part); err != nil {
				return err
			}
		}
		if err := r.Err(); err != nil {
			return err
		}
	}
	return nil
}

// take returns the first record of a piece that nobody works on, if there is one not too
// far ahead of those that are done.
func (t *team) take(done int) (from int, ok bool) {
	if n := len(t.again); n > 0 {
		from, t.again = t.again[n-1], t.again[:n-1]
		return from, true
	}
	if t.next >= t.total || t.next >= done+ahead {
		return 0, false
	}
	t.next += pieceSize
	return t.next - pieceSize, true
}

// giveAll gives a piece to each helper that has none, and returns how many have had any.
func (t *team) giveAll(done int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.helpers {
		if h.state == gone && h.from >= 0 {
			t.again, h.from = append(t.again, h.from), -1
		}
	}
	used := 0
	for _, h := range t.helpers {
		if h.state == idle {
			if from, ok := t.take(done); ok {
				t.give(h, from, min(from+pieceSize, t.total))
			}
		}
		if h.used {
			used++
		}
	}
	return used
}

// give hands a piece to a helper. t.mu is held.
func (t *team) give(h *helper, from, to int) {
	h.state, h.from, h.used = working, from, true
	h.client.Do(&message.Piece{From: from, To: to}, nil, func(reply message.Reply) {
		t.tell(func() {
			part, ok := reply.(*message.Part)
			if !ok || table.Rows(part.Rows) != to-from {
				h.state = gone
				return
			}
			t.parts[from] = *part
			h.state, h.from = idle, -1
		})
	})
}

// part removes and returns the rows from a record on, if they have come.
func (t *team) part(from int) (rows message.Part, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows, ok = t.parts[from]
	delete(t.parts, from)
	return rows, ok
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
func (s *scoring) rows(ctx context.Context, from, to int) (message.Part, error) {
	if s.end == nil || s.at > from {
		s.stop()
		s.next, s.end = iter.Pull2(s.engine.input.records(s.engine.form().Unordered()))
		s.at = 0
	}
	records := make([]table.Scored, 0, to-from)
	for s.at < to {
		u, err, ok := s.next()
		if err == nil && !ok {
			err = fmt.Errorf("it ends at record %d, and had more when it was opened", s.at)
		}
		if err != nil {
			return message.Part{}, err
		}
		if s.at++; s.at > from {
			records = append(records, table.Scored{Record: u()})
		}
		if err := ctx.Err(); err != nil {
			return message.Part{}, err
		}
	}
	if err := job.ScoreEach(ctx, s.scorer, records); err != nil {
		return message.Part{}, err
	}
	return s.engine.part(sheet(false), records), nil
}

// share makes ready for the pieces of another worker's input.
func (e *Engine) share(r *message.Share) (*message.Ready, error) {
	m, err := weights.Load(r.Model)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	in, err := e.inputOf(&r.Input)
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
		return nil, e.input.unreadable(err)
	}
	return &rows, nil
}

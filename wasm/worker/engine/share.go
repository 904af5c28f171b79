package engine

import (
	"context"
	"fmt"
	"iter"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/run"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// Several workers score a long input. Records are independent: workers get pieces, and rows leave
// in order. Pieces of a dead worker are given to others.

// maxWorkers bounds a run's workers, each with the memory of the first.
const maxWorkers = 4

// pieceSize is a piece's number of records, ahead the number of pieces given out before earlier ones are done.
const (
	pieceSize = 256
	ahead     = 64
)

// minShared graphs justify starting workers: one scores them in a few seconds.
const minShared = 8192

// A team is the helping workers. All channels have room for as many pieces as are given out.
type team struct {
	helpers []*message.Client
	work    chan int // first records of pieces
	done    chan scored
	over    chan struct{} // closed at the end
	total   int           // records
}

// A scored piece comes from a helper.
type scored struct {
	helper, from int
	part         message.Part
}

// recruit starts workers that score pieces of the input: with this one as many as there are cores, up to maxWorkers. It
// starts none for an input of fewer than minShared graphs, or in the format TU.
func (r *pass) recruit() {
	e := r.engine
	workers := min(e.host.Cores(), maxWorkers)
	if workers < 2 || e.graphs() < e.minShared || e.input.format == dataset.TU {
		return
	}
	in := e.input
	share := &message.Share{
		Input: message.Open{Name: in.name, Data: in.data, File: in.file, Format: string(in.format), Column: in.column, Sheet: in.sheet},
		Model: e.file, Alpha: e.alpha,
	}
	r.team = &team{work: make(chan int, ahead), done: make(chan scored, ahead), over: make(chan struct{}), total: in.opened.Records}
	for i := range workers - 1 {
		c := message.NewClient(e.host.Spawn)
		r.team.helpers = append(r.team.helpers, c)
		go r.team.help(i, c, share)
	}
}

// help has a helper score pieces until it dies or none are left.
func (t *team) help(helper int, c *message.Client, share *message.Share) {
	replies := make(chan message.Reply, 1)
	ask := func(r message.Request) (reply message.Reply) {
		c.Do(r, nil, func(reply message.Reply) { replies <- reply })
		select {
		case reply = <-replies:
		case <-t.over:
		}
		return reply
	}
	_, alive := ask(share).(*message.Ready)
	for alive {
		select {
		case from := <-t.work:
			to := min(from+pieceSize, t.total)
			part, ok := ask(&message.Piece{From: from, To: to}).(*message.Part)
			alive = ok && table.Rows(part.Rows) == to-from
			if alive {
				t.done <- scored{helper, from, *part}
			} else {
				t.work <- from
			}
		case <-t.over:
			return
		}
	}
}

// dismiss ends the workers, if there are any.
func (r *pass) dismiss() {
	if r.team != nil {
		close(r.team.over)
		for _, c := range r.team.helpers {
			c.Close()
		}
	}
}

// spread scores the input with the team, and adds the pieces in order.
func (r *pass) spread() error {
	t := r.team
	own := &scoring{engine: r.engine, run: r.Run}
	defer own.stop()
	parts, used, next := map[int]message.Part{}, map[int]bool{}, 0
	for r.rows < t.total {
		for ; next < min(t.total, r.rows+ahead*pieceSize); next += pieceSize {
			t.work <- next
		}
		select {
		case s := <-t.done:
			parts[s.from], used[s.helper] = s.part, true
		case from := <-t.work:
			part, err := own.rows(r, from, min(from+pieceSize, t.total))
			if err != nil {
				return err
			}
			parts[from] = part
		}
		for part, ok := parts[r.rows]; ok; part, ok = parts[r.rows] {
			delete(parts, r.rows)
			if err := r.add(part); err != nil {
				return err
			}
		}
		if err := r.Err(); err != nil {
			return err
		}
	}
	r.total.Workers = 1 + len(used)
	return nil
}

// A scoring scores records of an input, each by itself, a piece at a time.
type scoring struct {
	engine *Engine
	run    *run.Run

	next func() (dataset.Record, error, bool)
	end  func()
	at   int // record that next gives
}

// stop closes the input, if it is open. The next call of rows reads it from the start.
func (s *scoring) stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// rows scores the records from ≤ i < to, counted from 0. It reads on from the piece before, or from the start if the
// piece is an earlier one. It returns an error if the input ends before the piece.
func (s *scoring) rows(ctx context.Context, from, to int) (message.Part, error) {
	if s.end == nil || s.at > from {
		s.stop()
		s.next, s.end = iter.Pull2(s.engine.input.records(nil, s.engine.form().Unordered()))
		s.at = 0
	}
	records := make([]dataset.Record, 0, to-from)
	for s.at < to {
		m, err, ok := s.next()
		if err == nil && !ok {
			err = fmt.Errorf("it ends at record %d, and had more when it was opened", s.at)
		}
		if err != nil {
			return message.Part{}, err
		}
		s.at++
		if s.at > from {
			records = append(records, m.Parsed())
		}
		if err := ctx.Err(); err != nil {
			return message.Part{}, err
		}
	}
	rows, err := s.run.Each(ctx, records)
	if err != nil {
		return message.Part{}, err
	}
	return s.engine.part(sheet(false), rows), nil
}

// share opens another worker's model and input, of which piece then scores some records.
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
	ready, err := run.New(newPulse(e.host), run.Plan{Model: m, Options: o})
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	e.shared = &scoring{engine: e, run: ready}
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

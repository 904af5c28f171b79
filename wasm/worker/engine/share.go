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
	ahead     = 256
)

// minShared graphs justify starting workers.
const minShared = 2000

// A team is the helping workers. All channels have room for as many pieces as are given out.
type team struct {
	helpers []*message.Client
	alpha   float64
	given   int // records in pieces that were given out
	work    chan message.Piece
	done    chan scored
	over    chan struct{} // closed at the end
}

// A scored piece comes from a helper.
type scored struct {
	helper, from int
	part         message.Part
}

// recruit starts workers that score pieces of an input: with this one as many as there are cores, up to maxWorkers. It
// starts none if there are some, for so few graphs that it is not worth while, or in the format TU.
func (e *Engine) recruit(in *input, alpha float64) {
	workers := min(e.host.Cores(), maxWorkers)
	if e.team != nil || workers < 2 || in.opened.Records-in.opened.Refused < e.minShared || in.format == dataset.TU {
		return
	}
	share := &message.Share{
		Input: message.Open{Name: in.name, Data: in.data, File: in.file, Format: string(in.format), Column: in.column, Sheet: in.sheet},
		Model: e.file, Alpha: alpha,
	}
	t := &team{alpha: alpha, work: make(chan message.Piece, ahead), done: make(chan scored, ahead), over: make(chan struct{})}
	for i := range workers - 1 {
		c := message.NewClient(e.host.Spawn)
		t.helpers = append(t.helpers, c)
		go t.help(i, c, share)
	}
	e.team = t
}

// give gives out pieces of the records before to, in order, the last of which may be shorter if they are all.
func (t *team) give(to int, all bool) {
	for t.given+pieceSize <= to || all && t.given < to {
		p := message.Piece{From: t.given, To: min(t.given+pieceSize, to)}
		t.given = p.To
		t.work <- p
	}
}

// help has a helper score pieces until it dies or none are left. It has the next piece before it is done with one, so
// that it need not wait for a worker that is itself at work.
func (t *team) help(helper int, c *message.Client, share *message.Share) {
	type answer struct {
		piece message.Piece
		reply message.Reply
	}
	answers, waiting, alive := make(chan answer, 2), 0, false
	ask := func(r message.Request, p message.Piece) {
		waiting++
		c.Do(r, nil, func(reply message.Reply) { answers <- answer{p, reply} })
	}
	ask(share, message.Piece{})
	for alive || waiting > 0 {
		work := t.work
		if !alive || waiting == cap(answers) {
			work = nil
		}
		select {
		case p := <-work:
			ask(&p, p)
		case a := <-answers:
			waiting--
			part, ok := a.reply.(*message.Part)
			switch n := a.piece.To - a.piece.From; {
			case n == 0:
				_, alive = a.reply.(*message.Ready)
			case ok && table.Rows(part.Rows) == n:
				t.done <- scored{helper, a.piece.From, *part}
			default:
				alive = false
				t.work <- a.piece
			}
		case <-t.over:
			return
		}
	}
}

// dismiss ends the workers, if there are any.
func (e *Engine) dismiss() {
	if e.team != nil {
		close(e.team.over)
		for _, c := range e.team.helpers {
			c.Close()
		}
		e.team = nil
	}
}

// spread scores the input with the team, and adds the pieces in order.
func (r *pass) spread(t *team) error {
	own := &scoring{engine: r.engine, run: r.Run}
	defer own.stop()
	parts, used, total := map[int]message.Part{}, map[int]bool{}, r.engine.input.opened.Records
	take := func(s scored) { parts[s.from], used[s.helper] = s.part, true }
	for r.rows < total {
		t.give(min(total, r.rows+ahead*pieceSize), r.rows+ahead*pieceSize >= total)
		select {
		case s := <-t.done:
			take(s)
			for len(t.done) > 0 {
				take(<-t.done)
			}
		case p := <-t.work:
			part, err := own.rows(r, p.From, p.To)
			if err != nil {
				return err
			}
			parts[p.From] = part
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

package engine

import (
	"context"
	"time"

	"baca/algo"
	"baca/wasm/message"
)

// turn is how long the engine computes before it lets the host have a turn.
const turn = 30 * time.Millisecond

// A pulse is a context that lets the host have its turns: whatever computes for
// long looks often whether its context is done.
type pulse struct {
	context.Context
	host  Host
	last  time.Time
	ended *bool // unless nil, tells that the page wants no more of it
}

func newPulse(h Host) *pulse { return &pulse{Context: context.Background(), host: h, last: time.Now()} }

// Err implements context.Context.
func (p *pulse) Err() error {
	if time.Since(p.last) >= turn {
		p.host.Yield()
		p.last = time.Now()
	}
	if p.ended != nil && *p.ended {
		return context.Canceled
	}
	return p.Context.Err()
}

// A task is a long request. While it runs, light requests have their turn.
type task struct {
	*pulse
	engine *Engine
	alone  *algo.SingleScorer // of long requests
	post   func(message.Event)
	stage  string
	shown  time.Time // the last Progress
	served time.Time // the last light requests
}

func (e *Engine) newTask(post func(message.Event)) *task {
	return &task{pulse: newPulse(e.host), engine: e, post: post}
}

// long answers a request about the open input, until Pause ends it.
func long[R message.Request, A message.Reply](e *Engine, post func(message.Event), r R,
	answer func(*task, R) (A, error)) (message.Reply, error) {
	c, is := any(r).(*message.Compute)
	ofModel := is && c.What == message.OfPlaces && e.model != nil && len(c.Record) == 0 // its map
	if err := e.ready(); err != nil && !ofModel {
		return nil, err
	}
	e.paused = false
	t := e.newTask(post)
	t.ended = &e.paused
	alone, err := e.single(t)
	if err == nil {
		t.alone = alone
		var reply A
		if reply, err = answer(t, r); err == nil {
			return reply, nil
		}
	}
	if e.paused {
		return nil, failf(message.CodeCancelled, "cancelled")
	}
	if e.input == nil {
		return nil, err
	}
	return nil, e.input.unreadable(err)
}

// The least times from one Progress of a stage to the next, and from one look at light requests to the next.
const (
	progressTime = 50 * time.Millisecond
	lightTime    = 100 * time.Millisecond
)

// showProgress says how far a stage is, unless the page has just heard of it.
func (t *task) showProgress(stage string, done, total int) {
	if stage != t.stage || done >= total || time.Since(t.shown) >= progressTime {
		t.stage, t.shown = stage, time.Now()
		t.post(&message.Progress{Stage: stage, Done: done, Total: total})
	}
	if time.Since(t.served) >= lightTime {
		t.serveLight()
	}
}

// serveLight answers all light requests that wait, and notes the time.
func (t *task) serveLight() {
	e := t.engine
	for number, light, ok := e.host.Waiting(); ok; number, light, ok = e.host.Waiting() {
		e.Handle(number, light)
	}
	t.served = time.Now()
}

package message

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Port is a running worker.
type Port interface {
	// Post sends an encoded message, with the file of that number unless 0.
	Post(data []byte, file int)
	// Terminate ends the worker at once.
	Terminate()
}

// A Spawn starts a worker. receive gets its messages; died is called, at most once, with a reason
// if it ends by itself. Neither is called before Spawn returns or after Terminate.
type Spawn func(receive func(data []byte), died func(reason string)) Port

// A Client is the page's side: it numbers requests, distributes answers, and replaces a cancelled
// or dead worker, which gets the same model and input before the next request that needs them.
//
// Methods return at once, on any goroutine. Callbacks come one at a time, from the goroutine of the
// worker's messages, and must not wait for another message.
type Client struct {
	spawn Spawn

	mu     sync.Mutex
	port   Port // nil after a worker died
	life   int  // number of the worker
	number uint32
	calls  map[uint32]*call
	// The latest accepted model and input, and whether the present worker has them.
	model, input         Request
	sentModel, sentInput bool
}

type call struct {
	request Request
	on      func(Event)
	done    func(Reply)
}

// NewClient starts a worker.
func NewClient(spawn Spawn) *Client {
	c := &Client{spawn: spawn, calls: map[uint32]*call{}}
	c.start()
	return c
}

// start starts a worker. c.mu is held, or nobody else knows c.
func (c *Client) start() {
	c.life++
	c.sentModel, c.sentInput = false, false
	life := c.life
	c.port = c.spawn(
		func(data []byte) { c.receive(life, data) },
		func(reason string) { c.end(life, &Failed{Code: CodeDied, Text: reason}, false) },
	)
}

// Do sends a request. on, unless nil, gets its events, and done its reply, or a [*Failed], exactly once.
func (c *Client) Do(r Request, on func(Event), done func(Reply)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, piece := r.(*Piece); piece && c.port == nil {
		go done(&Failed{Code: CodeDied, Text: "the worker that shared the input died"})
		return
	}
	if c.port == nil {
		c.start()
	}
	model, input := needs(r)
	if model && !c.sentModel && c.model != nil {
		c.send(c.model, on, func(Reply) {})
	}
	if input && !c.sentInput && c.input != nil {
		c.send(c.input, nil, func(Reply) {})
	}
	c.send(r, on, done)
}

// needs returns what a request requires.
func needs(r Request) (model, input bool) {
	switch r.(type) {
	case *Hello, *LoadModel, *Open, *Share, *Piece, *Pause:
		return false, false
	case *Train:
		return false, true
	}
	return true, true
}

// send posts a request. The worker handles requests in order. c.mu is held.
func (c *Client) send(r Request, on func(Event), done func(Reply)) {
	c.number++
	data, err := Encode(c.number, r)
	if err != nil {
		go done(&Failed{Code: CodeInternal, Text: err.Error()})
		return
	}
	file := 0
	switch r := r.(type) {
	case *LoadModel:
		c.sentModel = true
	case *Open:
		c.sentInput, file = true, r.File
	case *Share:
		file = r.Input.File
	case *Compare:
		file = r.With.File
	}
	c.calls[c.number] = &call{r, on, done}
	c.port.Post(data, file)
}

func (c *Client) receive(life int, data []byte) {
	number, m, err := Decode(data)
	if err != nil {
		c.end(life, &Failed{Code: CodeInternal, Text: fmt.Sprintf("the worker was not understood: %v", err)}, false)
		return
	}
	c.mu.Lock()
	known := c.calls[number]
	if life != c.life || known == nil {
		c.mu.Unlock()
		return
	}
	reply, last := m.(Reply)
	if last {
		delete(c.calls, number)
		c.accepted(known.request, reply)
	}
	c.mu.Unlock()
	if last {
		known.done(reply)
	} else if e, ok := m.(Event); ok && known.on != nil {
		known.on(e)
	}
}

// accepted records what later workers need. A failed model keeps the previous one, a failed input
// leaves none. c.mu is held.
func (c *Client) accepted(r Request, reply Reply) {
	_, failed := reply.(*Failed)
	switch r := r.(type) {
	case *LoadModel:
		if !failed {
			c.model = r
		}
	case *Open:
		again := *r
		again.Ahead = false
		c.input = &again
		if failed {
			c.input = nil
		}
	}
}

// Cancel ends the worker's work. It answers all requests with Failed, code [CodeCancelled], before
// it returns, and starts another worker.
func (c *Client) Cancel() {
	c.mu.Lock()
	life := c.life
	c.mu.Unlock()
	c.end(life, &Failed{Code: CodeCancelled, Text: "cancelled"}, true)
}

// Close ends the worker for good, without answers.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.life++
	c.calls = map[uint32]*call{}
	if c.port != nil {
		c.port.Terminate()
	}
	c.port = nil
}

// end ends the worker of that life, and starts another now or with the next request: one that
// cannot start must not loop.
func (c *Client) end(life int, why *Failed, again bool) {
	c.mu.Lock()
	if life != c.life {
		c.mu.Unlock()
		return
	}
	calls := c.calls
	c.calls = map[uint32]*call{}
	if c.port != nil {
		c.port.Terminate()
	}
	c.port = nil
	if again {
		c.start()
	} else {
		c.life++
	}
	c.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(calls)) {
		calls[number].done(why)
	}
}

// Busy reports an unanswered request.
func (c *Client) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}

// An Answer is what the worker said last to a question, or why it did not.
type Answer[T any] struct {
	Value   *T // stays after a failure
	Failure *Failed
}

// Take takes a reply, and reports whether it is no failure.
func (a *Answer[T]) Take(r Reply) bool {
	if value, ok := any(r).(*T); ok {
		a.Value, a.Failure = value, nil
		return true
	}
	a.Failure = FailureOf(r)
	return false
}

// None reports that there is no answer yet.
func (a *Answer[T]) None() bool { return a.Value == nil && a.Failure == nil }

func (a *Answer[T]) Forget() { *a = Answer[T]{} }

// FailureOf makes a failure of an unexpected reply.
func FailureOf(r Reply) *Failed {
	if f, ok := r.(*Failed); ok {
		return f
	}
	return &Failed{Code: CodeInternal, Text: "the worker gave an answer of another kind"}
}

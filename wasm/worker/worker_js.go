package worker

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	"baca/wasm/message"
	"baca/wasm/worker/engine"
	"baca/wasm/worker/gpu"
	"baca/wasm/worker/promise"
)

// RunPage is Run with what only the page needs.
func RunPage() {
	engine.Publishing()
	Run()
}

// Run answers the page's messages and does not return.
func Run() {
	// WebAssembly memory never shrinks, so a smaller heap is worth some time.
	debug.SetGCPercent(50)
	h := newHost()
	e := engine.New(h)
	h.listen(e)
	for {
		if len(h.queue) == 0 {
			<-h.wake
			continue
		}
		r := h.queue[0]
		h.queue = h.queue[1:]
		e.Handle(r.number, r.request)
	}
}

type request struct {
	number  uint32
	request message.Request
}

// A host is the browser's worker around the engine, on one thread.
type host struct {
	self  js.Value
	queue []request
	wake  chan struct{} // signals new requests
	// A message to itself returns after earlier ones, sooner than a timer.
	echo js.Value
	back chan struct{}
	gpu.Chooser
}

func newHost() *host {
	h := &host{self: js.Global(), wake: make(chan struct{}, 1), back: make(chan struct{}, 1)}
	channel := h.self.Get("MessageChannel").New()
	h.echo = channel.Get("port2")
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		h.back <- struct{}{}
		return nil
	}))
	return h
}

// listen receives requests, also those that worker.js kept until now. They wait in the queue, except for a Pause, which is
// handled at once, during another request.
func (h *host) listen(e *engine.Engine) {
	receive := func(buffer js.Value) {
		number, m, err := message.Decode(bytesOf(h.self.Get("Uint8Array").New(buffer)))
		r, ok := m.(message.Request)
		switch {
		case err != nil:
			h.Post(number, &message.Failed{Code: message.CodeInternal, Text: err.Error()})
		case !ok:
			h.Post(number, &message.Failed{Code: message.CodeInternal, Text: fmt.Sprintf("%T is no request", m)})
		default:
			if _, pause := r.(*message.Pause); pause {
				e.Handle(number, r)
				return
			}
			h.queue = append(h.queue, request{number, r})
			select {
			case h.wake <- struct{}{}:
			default:
			}
		}
	}
	h.self.Call("listen", js.FuncOf(func(_ js.Value, args []js.Value) any {
		receive(args[0])
		return nil
	}))
}

// Post implements engine.Host.
func (h *host) Post(number uint32, m any) {
	data, err := message.Encode(number, m)
	if err != nil {
		if data, err = message.Encode(number, &message.Failed{Code: message.CodeInternal, Text: err.Error()}); err != nil {
			panic(err) // a Failed always has a form
		}
	}
	buffer := arrayOf(data).Get("buffer")
	h.self.Call("postMessage", buffer, []any{buffer})
}

// Yield implements engine.Host.
func (h *host) Yield() {
	h.echo.Call("postMessage", js.Null())
	<-h.back
}

// Waiting implements engine.Host.
func (h *host) Waiting() (uint32, message.Request, bool) {
	h.Yield()
	if len(h.queue) == 0 || !engine.Light(h.queue[0].request) {
		return 0, nil, false
	}
	r := h.queue[0]
	h.queue = h.queue[1:]
	return r.number, r.request, true
}

// Fetch implements engine.Host.
func (h *host) Fetch(name string) ([]byte, error) {
	array, err := promise.Await(h.self.Get("baca").Call("read", name))
	if err != nil {
		return nil, fmt.Errorf("%s could not be fetched: %w", name, err)
	}
	return bytesOf(array), nil
}

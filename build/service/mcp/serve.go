package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/algo/dataset"
	"baca/build/service"
)

const maxMessage = 16 << 20 // the longest message in bytes

// Codes of JSON-RPC.
const (
	notJSON     = -32700
	notAMessage = -32600
)

// Serve answers the messages on r, one on each line, until r ends and all are answered. It refuses a malformed line and
// reads on.
func Serve(ctx context.Context, s *service.Service, r io.Reader, w io.Writer) error {
	c := &conversation{w: w, lines: make(chan line), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{},
		answered: make(chan struct{}, 1)}
	go readLines(r, c.lines, c.closed)
	err := New(s).Run(ctx, c)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("a message of more than %d bytes", maxMessage)
	}
	return err
}

// A conversation is both directions of a server. The SDK's own transport would end at a malformed line, and drop work at
// the end of the input.
type conversation struct {
	w      io.Writer
	lines  chan line // nil after the last line
	closed chan struct{}
	close  sync.Once
	end    error // why the input ended

	mu       sync.Mutex
	open     map[jsonrpc.ID]bool // questions without an answer so far
	answered chan struct{}
}

type line struct {
	text []byte
	err  error
}

func (c *conversation) Connect(context.Context) (sdk.Connection, error) { return c, nil }
func (c *conversation) SessionID() string                               { return "" }

// Close leaves both streams open.
func (c *conversation) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// readLines sends the lines of r until r fails or closed is closed. Reading may block, which Close must not.
func readLines(r io.Reader, lines chan<- line, closed <-chan struct{}) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxMessage)
	for more := true; more; {
		more = s.Scan()
		l := line{text: bytes.Clone(bytes.TrimSpace(s.Bytes()))}
		if !more {
			l.err = cmp.Or(s.Err(), io.EOF)
		}
		select {
		case lines <- l:
		case <-closed:
			return
		}
	}
}

// Read returns the next message. At the end of the input it waits until all requests are answered, and returns why the input
// ended. It also ends with ctx, and with io.EOF after Close.
func (c *conversation) Read(ctx context.Context) (jsonrpc.Message, error) {
	for c.end == nil || c.waits() {
		select {
		case l := <-c.lines:
			c.end = l.err
			if c.end != nil {
				c.lines = nil // receives nothing any more
			}
			if len(l.text) == 0 {
				continue
			}
			if m, err := c.message(l.text); m != nil || err != nil {
				return m, err
			}
		case <-c.answered:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
	return nil, c.end
}

// waits reports whether a question has no answer yet.
func (c *conversation) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

// message returns the request in a line. If the line has none, it answers with an error and returns nil. It also returns nil for an
// answer, since the server asks nothing. An error is one of writing.
func (c *conversation) message(text []byte) (jsonrpc.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, c.refuse(nil, notJSON, "no JSON: "+err.Error()+": want messages of the Model Context Protocol, one on each line")
	}
	var m struct{ ID, Method, Result, Error any }
	json.Unmarshal(text, &m) // other values have none of these
	if m.Method == nil && (m.Result != nil || m.Error != nil) {
		return nil, nil
	}
	exact := true // the id keeps its value when it is decoded
	switch id := m.ID.(type) {
	case string:
	case float64:
		exact = id == math.Trunc(id) && math.Abs(id) < 1<<53 // the decoder takes 1.5 for 1
	default:
		m.ID = nil
	}
	decoded, err := jsonrpc.DecodeMessage(text)
	q, ok := decoded.(*jsonrpc.Request)
	if err != nil || !ok || !exact {
		return nil, c.refuse(m.ID, notAMessage,
			`no message of JSON-RPC: want "jsonrpc": "2.0", a method, and an id that is text or a whole number`)
	}
	if err := twice(text); err != nil {
		return nil, c.refuse(m.ID, notAMessage, err.Error())
	}
	if q.IsCall() && c.open[q.ID] {
		return nil, c.refuse(m.ID, notAMessage, "another question with this id has no answer yet")
	}
	if q.IsCall() {
		c.open[q.ID] = true
	}
	return q, nil
}

// twice returns an error if a message, its params or their arguments repeat a key.
func twice(text []byte) error {
	for _, next := range []string{"params", "arguments", ""} {
		if _, err := dataset.Twice(text, "jsonrpc", "id", "method", "params", "name", "arguments", "smiles", "model",
			"alpha", "by"); err != nil {
			return err
		}
		var object map[string]json.RawMessage
		json.Unmarshal(text, &object) // other values have no keys
		text = object[next]
	}
	return nil
}

// Write sends a message. A response closes its request.
func (c *conversation) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := m.(*jsonrpc.Response); ok {
		delete(c.open, a.ID)
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return c.write(text)
}

// write sends a line.
func (c *conversation) write(text []byte) error {
	_, err := c.w.Write(append(text, '\n'))
	return err
}

// refuse answers a question with an error. id is nil if it is unknown.
func (c *conversation) refuse(id any, code int, why string) error {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	return c.write(text)
}

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/algo/dataset"
	"baca/build/service"
)

const maxMessage = 16 << 20 // bytes of one message

// Codes of JSON-RPC.
const (
	notJSON     = -32700
	notAMessage = -32600
)

// Serve answers the messages on r, one a line, until it ends and all are answered. A malformed line
// is refused, and reading continues.
func Serve(ctx context.Context, s *service.Service, r io.Reader, w io.Writer) error {
	c := &conversation{w: w, lines: make(chan line), closed: make(chan struct{}), open: map[jsonrpc.ID]*batch{}, answered: make(chan struct{}, 1)}
	go c.readLines(bufio.NewReader(r))
	err := New(s).Run(ctx, c)
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// A conversation is both directions of a server, which by itself would end at a malformed line, and
// drop work at the end of input.
type conversation struct {
	w      io.Writer
	lines  chan line
	closed chan struct{}
	close  sync.Once
	queue  []jsonrpc.Message // read, not yet forwarded
	end    error             // of the input

	mu       sync.Mutex
	open     map[jsonrpc.ID]*batch // unanswered questions, nil for one on its own line
	answered chan struct{}
}

type line struct {
	text []byte
	err  error
}

// A batch is several questions on one line, answered on one line.
type batch struct {
	open    int
	answers [][]byte
}

func (c *conversation) Connect(context.Context) (sdk.Connection, error) { return c, nil }
func (c *conversation) SessionID() string                               { return "" }

// Close leaves both streams open.
func (c *conversation) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}

// readLines reads until an error. It may block, which Close must not.
func (c *conversation) readLines(r *bufio.Reader) {
	for {
		l := readLine(r)
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads a line, of a too long one only enough to show that.
func readLine(r *bufio.Reader) (l line) {
	for {
		piece, err := r.ReadSlice('\n')
		if len(l.text) <= maxMessage {
			l.text = append(l.text, piece...)
		}
		if err != bufio.ErrBufferFull {
			l.err = err
			return l
		}
	}
}

func (c *conversation) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		if c.end != nil {
			return nil, c.wait(ctx)
		}
		select {
		case l := <-c.lines:
			c.end = l.err
			if err := c.queueLine(l.text); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	return m, nil
}

// wait returns why the input ended, after the last answer.
func (c *conversation) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		open := len(c.open)
		c.mu.Unlock()
		if open == 0 {
			return c.end
		}
		select {
		case <-c.answered:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.closed:
			return io.EOF
		}
	}
}

// queueLine queues a line's messages, and refuses others.
func (c *conversation) queueLine(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(text) > maxMessage {
		return c.write(refusal(nil, notAMessage, fmt.Sprintf("a message of more than %d bytes", maxMessage)))
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return c.write(refusal(nil, notJSON, "no JSON: "+err.Error()+": want messages of the Model Context Protocol, one on each line"))
	}
	if text[0] != '[' {
		if refused := c.queueMessage(text, nil); refused != nil {
			return c.write(refused)
		}
		return nil
	}
	var messages []json.RawMessage
	json.Unmarshal(text, &messages)
	if len(messages) == 0 {
		return c.write(refusal(nil, notAMessage, "an empty batch"))
	}
	b := &batch{}
	for _, m := range messages {
		if refused := c.queueMessage(m, b); refused != nil {
			b.answers = append(b.answers, refused)
		}
	}
	return c.writeBatch(b)
}

// queueMessage queues a message, or returns its refusal. Answers are ignored, since nothing is
// asked.
func (c *conversation) queueMessage(text []byte, b *batch) (refused []byte) {
	var m struct{ ID, Method, Result, Error any }
	json.Unmarshal(text, &m) // other values have none of these
	if m.Method == nil && (m.Result != nil || m.Error != nil) {
		return nil
	}
	switch m.ID.(type) {
	case string, float64:
	default:
		m.ID = nil
	}
	decoded, err := jsonrpc.DecodeMessage(text)
	q, ok := decoded.(*jsonrpc.Request)
	if err != nil || !ok {
		return refusal(m.ID, notAMessage, `no message of JSON-RPC: want "jsonrpc": "2.0", a method, and an id that is text or a number`)
	}
	if err := twice(text); err != nil {
		return refusal(m.ID, notAMessage, err.Error())
	}
	if q.IsCall() {
		if _, twice := c.open[q.ID]; twice {
			return refusal(m.ID, notAMessage, "another question with this id has no answer yet")
		}
		c.open[q.ID] = b
		if b != nil {
			b.open++
		}
	}
	c.queue = append(c.queue, q)
	return nil
}

// twice reports a repeated key.
func twice(text []byte) error {
	for _, next := range []string{"params", "arguments", ""} {
		if _, err := dataset.Twice(text, "jsonrpc", "id", "method", "params", "name", "arguments", "smiles", "model", "alpha", "by"); err != nil {
			return err
		}
		var object map[string]json.RawMessage
		json.Unmarshal(text, &object) // other values have no keys
		text = object[next]
	}
	return nil
}

func (c *conversation) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.write(text)
	}
	b := c.open[a.ID]
	delete(c.open, a.ID)
	select {
	case c.answered <- struct{}{}:
	default:
	}
	if b == nil {
		return c.write(text)
	}
	b.open--
	b.answers = append(b.answers, text)
	return c.writeBatch(b)
}

// writeBatch writes a batch's answers after the last one; notifications alone have none.
func (c *conversation) writeBatch(b *batch) error {
	if b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	return c.write([]byte("[" + string(bytes.Join(b.answers, []byte(","))) + "]"))
}

func (c *conversation) write(text []byte) error {
	_, err := c.w.Write(append(text, '\n'))
	return err
}

// refusal answers the question id, nil if unknown.
func refusal(id any, code int, why string) []byte {
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		Version string  `json:"jsonrpc"`
		ID      any     `json:"id"`
		Error   failure `json:"error"`
	}{"2.0", id, failure{code, why}})
	if err != nil {
		panic(err) // ids come from JSON
	}
	return text
}

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
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/build/service"
)

const (
	maxMessage = 16 << 20 // bytes of one message
	lastAnswer = time.Minute
)

// Serve answers the messages on r, one on each line, until it ends and all are answered.
func Serve(ctx context.Context, s *service.Service, r io.Reader, w io.Writer) error {
	c := &conversation{ctx: ctx, r: bufio.NewReader(r), w: w, answered: make(chan struct{}, 1)}
	err := New(s).Run(ctx, &sdk.IOTransport{Reader: c, Writer: c})
	if c.err != nil {
		return c.err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	if bad := new(json.SyntaxError); errors.As(err, &bad) {
		return fmt.Errorf("standard input: %w: want messages of the Model Context Protocol, one on each line", err)
	}
	return err
}

// A conversation is both directions. A reader that ends would end what is under way, so its end
// waits for the answers.
type conversation struct {
	ctx  context.Context
	r    *bufio.Reader
	w    io.Writer
	rest []byte // of a message that is read
	err  error  // of the reader

	mu       sync.Mutex
	open     int // questions without an answer
	answered chan struct{}
}

// A message is what tells questions from answers and notes.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (c *conversation) Read(b []byte) (int, error) {
	for len(c.rest) == 0 {
		line, err := readMessage(c.r)
		if err != nil && !errors.Is(err, io.EOF) {
			c.err = err
			return 0, err
		}
		if err != nil && len(line) == 0 {
			c.wait()
			return 0, io.EOF
		}
		var m message
		if json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method != "" {
			c.count(1)
		}
		c.rest = line
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func readMessage(r *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxMessage {
			return nil, fmt.Errorf("a message of more than %d bytes", maxMessage)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (c *conversation) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	for line := range bytes.Lines(b) {
		var m message
		if json.Unmarshal(line, &m) == nil && m.ID != nil && m.Method == "" {
			c.count(-1)
		}
	}
	return n, err
}

func (c *conversation) count(n int) {
	c.mu.Lock()
	c.open += n
	c.mu.Unlock()
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// wait waits for the last answer.
func (c *conversation) wait() {
	late := time.After(lastAnswer)
	for {
		c.mu.Lock()
		open := c.open
		c.mu.Unlock()
		if open <= 0 {
			return
		}
		select {
		case <-c.answered:
		case <-c.ctx.Done():
			return
		case <-late:
			return
		}
	}
}

// Close leaves both sides to who opened them.
func (c *conversation) Close() error { return nil }

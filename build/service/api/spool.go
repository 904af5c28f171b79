package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

// Limits of what waits for a client: in memory, then in a file.
const (
	spoolMemory = 1 << 20
	spoolFile   = 4 << 30
	spoolPiece  = 64 << 10
)

// A spool sends an answer while it is written, and stores what the client has not read: many
// clients send everything first.
type spool struct {
	folder  string
	w       http.ResponseWriter
	control *http.ResponseController
	gone    func() // ends the work once the client is gone

	mu       sync.Mutex
	changed  sync.Cond
	memory   []byte // precedes the file's content
	file     *os.File
	from, to int64 // unread part of the file
	sending  chan struct{}
	closed   bool
	err      error
}

func newSpool(folder string, control *http.ResponseController, w http.ResponseWriter, gone context.CancelFunc) *spool {
	s := &spool{folder: folder, w: w, control: control, gone: gone}
	s.changed.L = &s.mu
	return s
}

// begin sends the header. Rows then follow while records come.
func (s *spool) begin(mediaType string) {
	s.control.EnableFullDuplex() // not earlier: the server fails on the unread body of a failed request
	s.w.Header().Set("Content-Type", mediaType)
	s.sending = make(chan struct{})
	go s.send()
}

// begun reports whether the header was sent.
func (s *spool) begun() bool { return s.sending != nil }

// Write waits only for a full file.
func (s *spool) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && s.to-s.from > spoolFile {
		s.changed.Wait()
	}
	if s.err != nil {
		return 0, s.err
	}
	defer s.changed.Broadcast()
	if s.from == s.to && len(s.memory)+len(b) <= spoolMemory {
		s.memory = append(s.memory, b...)
		return len(b), nil
	}
	if s.file == nil {
		if s.file, s.err = os.CreateTemp(s.folder, "baca-rows-"); s.err != nil {
			return 0, s.err
		}
		os.Remove(s.file.Name()) // where possible, so that it ends with the process
	}
	n, err := s.file.WriteAt(b, s.to)
	if s.to += int64(n); err != nil {
		s.err = fmt.Errorf("rows that wait for the client: %w", err)
	}
	return n, s.err
}

// send sends everything written.
func (s *spool) send() {
	defer close(s.sending)
	var piece []byte
	for {
		piece = s.next(piece[:0])
		if len(piece) == 0 {
			return
		}
		_, err := s.w.Write(piece)
		if err == nil {
			err = s.control.Flush()
		}
		if err != nil {
			s.mu.Lock()
			s.err = err
			s.changed.Broadcast()
			s.mu.Unlock()
			s.gone()
			return
		}
	}
}

// next waits for more and returns it in b, nothing at the end.
func (s *spool) next(b []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.memory) == 0 && s.from == s.to && !s.closed && s.err == nil {
		s.changed.Wait()
	}
	defer s.changed.Broadcast()
	if s.err != nil {
		return nil
	}
	if len(s.memory) > 0 {
		b = append(b, s.memory...)
		s.memory = s.memory[:0]
		return b
	}
	if s.from == s.to {
		return nil
	}
	b = append(b, make([]byte, min(spoolPiece, s.to-s.from))...)
	n, err := s.file.ReadAt(b, s.from)
	if s.from += int64(n); n < len(b) {
		s.err = fmt.Errorf("rows that wait for the client: %w", err)
		return nil
	}
	if s.from == s.to {
		s.from, s.to = 0, 0
		s.file.Truncate(0)
	}
	return b
}

// finish waits until all is sent.
func (s *spool) finish() error {
	s.mu.Lock()
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
	<-s.sending
	return s.err
}

// drop ends the sending and removes the file.
func (s *spool) drop() {
	s.mu.Lock()
	s.closed, s.err = true, cmp.Or(s.err, context.Canceled)
	s.changed.Broadcast()
	s.mu.Unlock()
	if s.begun() {
		<-s.sending
	}
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

var _ io.Writer = (*spool)(nil)

// mustJSON marshals values that cannot fail.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

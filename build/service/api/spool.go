package api

import (
	"context"
	"net/http"

	"baca/build/internal/spool"
)

// Limits of an answer, in bytes. It waits in memory up to the first, and in a file up to the second.
const (
	spoolMemory = 1 << 20
	spoolFile   = 4 << 30
)

// A reply is sent when it is complete. So a problem can have a status of its own, clients may send everything before they
// read, and a slow client does not hold a turn.
type reply struct {
	spool.Spool
	ctx   context.Context // of the request
	notes []string        // sentences on what is not read
}

// Write keeps part of an answer. It fails when the request has ended and beyond spoolFile bytes.
func (h *reply) Write(b []byte) (int, error) {
	if err := context.Cause(h.ctx); err != nil {
		return 0, err
	}
	if h.Size()+int64(len(b)) > spoolFile {
		return 0, problemf(http.StatusRequestEntityTooLarge,
			"an answer of more than %d bytes: send fewer records at once", int64(spoolFile))
	}
	return h.Spool.Write(b)
}

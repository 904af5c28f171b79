package api

import (
	"context"
	"net/http"

	"baca/build/internal/spool"
)

// Limits of an answer: in memory, then in a file.
const (
	spoolMemory = 1 << 20
	spoolFile   = 4 << 30
)

// A reply waits until it is complete. So a problem has a status of its own, clients may send everything before they
// read, and a slow one keeps nobody's turn.
type reply struct {
	spool.Spool
	ctx   context.Context // of the request
	notes []string        // about what is not read
}

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

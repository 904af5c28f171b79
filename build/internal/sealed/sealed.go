// Package sealed keeps values as JSON with a checksum, so that a file which was edited
// or cut short is told from one that a program wrote.
package sealed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrBroken is that of a file which is not as it was written.
var ErrBroken = errors.New("it was edited or cut short")

// file is what is written: an object of the value and the SHA-256, in hex, of the
// bytes of the value.
type file struct {
	SHA256 string          `json:"sha256"`
	Value  json.RawMessage `json:"value"`
}

// Write writes a value and its checksum.
func Write(w io.Writer, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(file{sum(value), value})
}

// Read reads what Write wrote.
func Read(data []byte, v any) error {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if got := sum(f.Value); got != f.SHA256 {
		return fmt.Errorf("%w: its checksum is %.12s…, it names %.12s…", ErrBroken, got, f.SHA256)
	}
	return json.Unmarshal(f.Value, v)
}

func sum(value []byte) string {
	s := sha256.Sum256(value)
	return hex.EncodeToString(s[:])
}

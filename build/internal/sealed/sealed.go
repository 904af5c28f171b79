// Package sealed stores JSON with a checksum, to detect edited or truncated files.
package sealed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrBroken is the error for a wrong checksum.
var ErrBroken = errors.New("it was edited or cut short")

// file is the stored object: the value and the SHA-256, in hex, of its bytes.
type file struct {
	SHA256 string          `json:"sha256"`
	Value  json.RawMessage `json:"value"`
}

// Write writes v as JSON, with its checksum.
func Write(w io.Writer, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(file{sum(value), value})
}

// Read reads into v what Write wrote. It fails with [ErrBroken] if data are no such JSON or the checksum differs.
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

// sum returns the SHA-256 of value in hexadecimal.
func sum(value []byte) string {
	s := sha256.Sum256(value)
	return hex.EncodeToString(s[:])
}

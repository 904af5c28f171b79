// Package pretty writes JSON that people can read.
package pretty

import (
	"encoding/json"
	"io"
)

// JSON writes a value, indented and with <, > and & as they are.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

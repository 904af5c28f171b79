// Package pretty writes readable JSON.
package pretty

import (
	"encoding/json"
	"io"
)

// JSON writes a value, indented, without escaping <, > and &.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

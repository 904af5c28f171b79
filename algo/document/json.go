package document

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
)

// An Object is written as JSON with its fields in order.
type Object []struct {
	Name  string
	Value any
}

// MarshalJSON writes numbers that are not finite as null.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		e.Encode(f.Name) // to memory
		b.WriteByte(':')
		if x, ok := f.Value.(float64); ok {
			f.Value = Known(x)
		}
		if err := e.Encode(f.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Known returns x, or nil if it is not finite.
func Known(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// WriteJSON writes a value as indented JSON. It does not escape <, > and &.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

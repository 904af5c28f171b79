package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
)

// An object is written as JSON with its fields in order.
type object []struct {
	name  string
	value any
}

// MarshalJSON writes numbers that are not finite as null.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i, f := range o {
		b.WriteByte("{,"[min(i, 1)])
		e.Encode(f.name) // to memory
		b.WriteByte(':')
		if x, ok := f.value.(float64); ok {
			f.value = known(x)
		}
		if err := e.Encode(f.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// known is x, or nil if it is not finite.
func known(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// filled is a text, or nil if empty.
func filled(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

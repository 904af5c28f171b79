package table

import (
	"encoding/json"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

func TestNumber(t *testing.T) {
	zero := 0.0
	for _, test := range []struct {
		x    float64
		want string
	}{
		{1.0 / 3, "0.333333"}, {-2.5, "-2.5"}, {-zero, "0"}, {-1 * zero, "0"}, {1e-9, "1e-09"}, {123456789, "1.23457e+08"},
		{zero / zero, ""}, {1 / zero, ""},
	} {
		got := Number(test.x)
		if got != test.want {
			t.Errorf("Number(%g) = %q, want %q", test.x, got, test.want)
		}
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("Number(%g) = %s is not JSON", test.x, got)
		}
	}
}

// written are rows as a sink writes them.
func written(to string, text Text, header bool, columns []Field, rows ...Scored) string {
	var b strings.Builder
	w := NewSink(&b, to, text, header, columns)
	w.Add(rows...)
	must.Do(w.Flush())
	must.Do(w.Close())
	return b.String()
}

package sealed

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"baca/build/internal/try"
)

type value struct {
	Rows  int
	Names []string
}

// What was written is read. No byte may change and none be missing, but for the line end.
func TestBroken(t *testing.T) {
	want := value{3, []string{"<a> & b", "\"é\u2028\"", ""}}
	var b bytes.Buffer
	try.Check(Write(&b, want))
	var v value
	if err := Read(b.Bytes(), &v); err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("%+v, %v; want %+v", v, err, want)
	}
	whole := bytes.TrimSpace(b.Bytes())
	for i, c := range whole {
		if err := Read(whole[:i], &v); !errors.Is(err, ErrBroken) {
			t.Errorf("the first %d bytes: %v", i, err)
		}
		changed := bytes.Clone(whole)
		changed[i] = c ^ 1
		if err := Read(changed, &v); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", changed, err)
		}
	}
}

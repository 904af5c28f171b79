package device

import (
	"context"
	"errors"
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/algo/wgsl"
)

func TestParse(t *testing.T) {
	for value, want := range map[string]Choice{
		"cpu": {}, "auto": {auto: true}, "gpu": {gpu: true}, "gpu:0": {gpu: true}, "gpu:3": {gpu: true, number: 3},
	} {
		if got, err := Parse(value); err != nil || got != want {
			t.Errorf("%q: %+v and error %v, want %+v", value, got, err, want)
		}
	}
	for _, value := range []string{"", "GPU", "gpu:", "gpu:-1", "gpu:x", "gpu:1:2", "gpu:99999999999999999999", "cpu:1", "auto:1"} {
		if _, err := Parse(value); err == nil || !strings.Contains(err.Error(), "gpu:N") {
			t.Errorf("%q: error %v, want one that says what may stand there", value, err)
		}
	}
}

// Without a GPU, only those who ask for one get an error.
func TestOpenWithout(t *testing.T) {
	broken := errors.New("no adapter")
	none := func(int) (wgsl.GPU, error) { return nil, broken }
	for _, c := range []struct {
		value string
		open  GPUs
		err   error
		says  string
	}{
		{"cpu", nil, nil, "3 workers"}, {"auto", nil, nil, "3 workers"}, {"gpu", nil, ErrNoGPU, ""},
		{"cpu", none, nil, "3 workers"}, {"auto", none, nil, "no adapter"}, {"gpu", none, broken, ""}, {"gpu:2", none, broken, ""},
	} {
		choice, err := Parse(c.value)
		if err != nil {
			t.Fatal(err)
		}
		d, says, err := choice.Open(context.Background(), c.open, 3, gin.Default(9))
		if !errors.Is(err, c.err) || d != nil || !strings.Contains(says, c.says) {
			t.Errorf("%s: device %v, %q and error %v, want the processor, %q and %v", c.value, d, says, err, c.says, c.err)
		}
	}
}

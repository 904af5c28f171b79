package device

import (
	"context"
	"errors"
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/algo/wgsl"
	"baca/build/internal/try"
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

// pretender is a GPU in software.
type pretender struct{ wgsl.GPU }

func (pretender) String() string      { return "software" }
func (pretender) Software() bool      { return true }
func (pretender) Limits() wgsl.Limits { return wgsl.Limits{Binding: 1 << 27, Buffer: 1 << 28} }

// Software is taken by those who ask for it alone.
func TestOpenSoftware(t *testing.T) {
	gpus := &GPUs{Open: func(int) (wgsl.GPU, error) { return pretender{}, nil }}
	for value, want := range map[string]struct {
		gpu  bool
		says string
	}{"cpu": {false, "3 workers"}, "auto": {false, "gpu:0 is the processor too: software"}, "gpu": {true, "software"}} {
		choice := try.To(Parse(value))
		d, says, err := choice.Open(context.Background(), gpus, 3, gin.Default(9), true)
		if err != nil || (d != nil) != want.gpu || !strings.Contains(says, want.says) {
			t.Errorf("%s: device %v, %q and error %v, want a GPU: %v, and %q", value, d, says, err, want.gpu, want.says)
		}
	}
}

// Without a GPU, only those who ask for one get an error.
func TestOpenWithout(t *testing.T) {
	broken := errors.New("no adapter")
	none := &GPUs{Open: func(int) (wgsl.GPU, error) { return nil, broken }}
	for _, c := range []struct {
		value string
		gpus  *GPUs
		err   error
		says  string
	}{
		{"cpu", nil, nil, "3 workers"}, {"auto", nil, nil, "3 workers"}, {"gpu", nil, ErrNoGPU, ""},
		{"cpu", none, nil, "3 workers"}, {"auto", none, nil, "no adapter"}, {"gpu", none, broken, ""}, {"gpu:2", none, broken, ""},
	} {
		choice := try.To(Parse(c.value))
		d, says, err := choice.Open(context.Background(), c.gpus, 3, gin.Default(9), true)
		if !errors.Is(err, c.err) || d != nil || !strings.Contains(says, c.says) {
			t.Errorf("%s: device %v, %q and error %v, want the processor, %q and %v", c.value, d, says, err, c.says, c.err)
		}
	}
}

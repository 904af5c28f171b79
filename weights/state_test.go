package weights

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"baca/algo/attention"
	"baca/algo/dictionary"
)

var stateModel = strings.Repeat("ef", 32)

// testState is one of two entries on one side, and none on the other.
func testState() *attention.State {
	rng := rand.New(rand.NewPCG(9, 0))
	list := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32()
		}
		return v
	}
	s := &attention.State{Dim: 3, Width: 2, Random: [2]uint64{1 << 63, 7}, Drawn: [2]int{5, 0}, Step: 4}
	for k := range s.Weights {
		s.Weights[k], s.M[k], s.V[k] = list(6), list(6), list(6)
	}
	for i, order := range []int{1, 0} {
		s.Queues[0] = append(s.Queues[0], dictionary.Queued{
			Entry: dictionary.Entry{Key: list(3), Score: float64(i) - 0.25, Origin: dictionary.Synthetic, Index: 4 - i}, Order: order,
		})
	}
	return s
}

func saveState(t testing.TB, s *attention.State) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SaveState(&b, s, stateModel); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loadStateTwice(data []byte) error {
	s, err := LoadState(data, stateModel)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := SaveState(&b, s, stateModel); err != nil {
		return fmt.Errorf("saving what was loaded: %v", err)
	}
	again, err := LoadState(b.Bytes(), stateModel)
	if err != nil {
		return fmt.Errorf("loading what was saved: %v", err)
	}
	if !reflect.DeepEqual(s, again) {
		return errors.New("the second state differs from the first")
	}
	return nil
}

func TestStateRoundTrip(t *testing.T) {
	fresh := testState()
	fresh.Step, fresh.Queues[0], fresh.Drawn[0] = 0, nil, 0
	fresh.M, fresh.V = [3][]float32{}, [3][]float32{}
	for name, s := range map[string]*attention.State{"trained": testState(), "fresh": fresh} {
		got, err := LoadState(saveState(t, s), stateModel)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", s) {
			t.Errorf("%s: %+v, want %+v", name, got, s)
		}
	}
}

// A state that contradicts itself, or belongs to another model, is refused.
func TestStateErrors(t *testing.T) {
	if _, err := LoadState(saveState(t, testState()), strings.Repeat("00", 32)); !errors.Is(err, ErrModel) {
		t.Errorf("another model: %v", err)
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		spoil func(s *attention.State)
		want  error
	}{
		"wide":            {func(s *attention.State) { s.Width = 4 }, ErrRows},
		"order twice":     {func(s *attention.State) { s.Queues[0][0].Order = 0 }, ErrRows},
		"not drawn":       {func(s *attention.State) { s.Queues[0][0].Index = 5 }, ErrRows},
		"short key":       {func(s *attention.State) { s.Queues[0][1].Key = s.Queues[0][1].Key[:2] }, ErrRows},
		"short moments":   {func(s *attention.State) { s.M[1] = s.M[1][:5] }, ErrRows},
		"no moments":      {func(s *attention.State) { s.M[1], s.V[1] = nil, nil }, ErrRows},
		"weight":          {func(s *attention.State) { s.Weights[2][0] = nan }, ErrNumber},
		"key":             {func(s *attention.State) { s.Queues[0][0].Key[0] = nan }, ErrNumber},
		"negative square": {func(s *attention.State) { s.V[0][3] = -1 }, ErrNumber},
	} {
		s := testState()
		c.spoil(s)
		if err := SaveState(new(bytes.Buffer), s, stateModel); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

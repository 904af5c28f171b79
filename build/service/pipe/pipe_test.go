package pipe

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/build/service"
)

// A client is the other side of a Serve under way.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *io.PipeReader
	served chan error
}

func serve(t *testing.T) *client {
	t.Helper()
	r, in := io.Pipe()
	out, w := io.Pipe()
	c := &client{t: t, in: in, out: out, served: make(chan error, 1)}
	go func() {
		c.served <- Serve(context.Background(), service.New(1), r, w)
		w.Close()
	}()
	return c
}

func (c *client) ask(header map[string]any, body []byte) {
	c.t.Helper()
	try.Check(writeFrame(c.in, header, body))
}

// read reads an answer with another reader of frames than that of the package.
func (c *client) read() (answer, []byte) {
	c.t.Helper()
	var lengths [2]uint32
	try.Check(binary.Read(c.out, binary.LittleEndian, &lengths))
	text, body := make([]byte, lengths[0]), make([]byte, lengths[1])
	try.To(io.ReadFull(c.out, text))
	try.To(io.ReadFull(c.out, body))
	var a answer
	try.Check(json.Unmarshal(text, &a))
	return a, body
}

// molecules is the body of a list.
func molecules(texts ...string) []byte {
	var b []byte
	for _, text := range texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	return append(b, strings.Join(texts, "")...)
}

func TestServe(t *testing.T) {
	c := serve(t)
	c.ask(map[string]any{"id": 1, "op": "models"}, nil)
	if a, _ := c.read(); a.ID != 1 || len(a.Models) == 0 {
		t.Errorf("models: %+v", a)
	}
	list := map[string]any{"id": 2, "op": "score", "model": "bbbp", "alpha": 0.05, "kind": "molecules", "rows": 3, "first": 5}
	c.ask(list, molecules("CCO", "C(", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"))
	a, body := c.read()
	if a.ID != 2 || len(body) != 3*17 || body[48] != 0 || body[49] != noVerdict || a.Verdicts[body[50]] != "outside" {
		t.Fatalf("%+v with %v", a, body)
	}
	if x := math.Float64frombits(binary.LittleEndian.Uint64(body[8:])); !math.IsNaN(x) {
		t.Errorf("score of a refused row: %g", x)
	}
	if want := []note{{6.0, "character 2: the branch is never closed"}}; !reflect.DeepEqual(a.Refused, want) {
		t.Errorf("refused %v, want %v", a.Refused, want)
	}
	list["op"] = "explain"
	c.ask(list, molecules("CCO", "C(", "C"))
	if a, body := c.read(); a.Error != "" || bytes.Count(body, []byte("\n")) != 3 || !bytes.Contains(body, []byte(`"atoms":[`)) {
		t.Errorf("explain: %+v\n%s", a, body)
	}
	list["op"], list["neighbors"] = "neighbors", 2
	c.ask(list, molecules("CCO", "C(", "C"))
	if a, body := c.read(); a.Error != "" || bytes.Count(body, []byte("\n")) != 3 || !bytes.Contains(body, []byte(`"nearest_smiles":["`)) || bytes.Contains(body, []byte(`"atoms"`)) {
		t.Errorf("neighbors: %+v\n%s", a, body)
	}
	for head, want := range map[string]int{"n,structure\n1,c1ccccc1O\n2,CCO\n": 1, "a,b\n1,2\n": -1} {
		c.ask(map[string]any{"op": "column"}, []byte(head))
		if a, _ := c.read(); a.Column == nil || *a.Column != want {
			t.Errorf("column of %q: %+v, want %d", head, a, want)
		}
	}
	c.ask(map[string]any{"op": "q_values"}, appendNumbers(nil, []float64{0.01, 0.5}))
	if _, body := c.read(); !bytes.Equal(body, appendNumbers(nil, []float64{0.02, 0.5})) {
		t.Errorf("q-values %v", body)
	}
	c.in.Close()
	if err := <-c.served; err != nil {
		t.Errorf("at the end: %v", err)
	}
}

// What cannot be answered gets an error, and the next question an answer.
func TestServeErrors(t *testing.T) {
	c := serve(t)
	score := func(change map[string]any) map[string]any {
		q := map[string]any{"op": "score", "model": "bbbp", "alpha": 0.05, "kind": "molecules", "rows": 1}
		for k, v := range change {
			q[k] = v
		}
		return q
	}
	for name, bad := range map[string]struct {
		header  map[string]any
		body    []byte
		unknown bool
	}{
		"op":            {map[string]any{"op": "guess", "model": "bbbp"}, nil, false},
		"model":         {score(map[string]any{"model": "nobody"}), molecules("C"), true},
		"kind":          {score(map[string]any{"kind": "dreams"}), molecules("C"), false},
		"rows":          {score(map[string]any{"rows": 2}), molecules("C"), false},
		"negative rows": {score(map[string]any{"rows": -1}), molecules("C"), false},
		"many rows":     {score(map[string]any{"rows": 1 << 40}), molecules("C"), false},
		"length":        {score(nil), []byte{9, 0, 0, 0, 'C'}, false},
		"more text":     {score(nil), []byte{0, 0, 0, 0, 'C'}, false},
		"graphs":        {score(map[string]any{"kind": "graphs"}), []byte{1, 0, 0, 0, 1, 0, 0, 0}, false},
		"alpha":         {score(map[string]any{"alpha": 0}), molecules("C"), false},
		"open":          {map[string]any{"op": "open"}, []byte("no model"), false},
		"numbers":       {map[string]any{"op": "q_values"}, []byte("123"), false},
		"values":        {score(map[string]any{"op": "trust"}), molecules("C"), false},
		"other values":  {score(map[string]any{"op": "trust", "values": []string{"luck"}}), append(appendNumbers(nil, []float64{1}), molecules("C")...), false},
		"no errors":     {score(map[string]any{"op": "trust", "values": []string{"predicted"}}), append(appendNumbers(nil, []float64{1}), molecules("C")...), false},
		"training":      {map[string]any{"op": "train", "kind": "molecules", "rows": 1, "epochs": 1}, molecules("C"), false},
	} {
		c.ask(bad.header, bad.body)
		if a, _ := c.read(); a.Error == "" || a.Unknown != bad.unknown {
			t.Errorf("%s: %+v", name, a)
		}
	}
	c.ask(score(nil), molecules("C"))
	if a, body := c.read(); a.Error != "" || len(body) != 17 {
		t.Errorf("after the errors: %+v", a)
	}
}

// Nobody reads an answer before all questions are asked, and the pipes hold nothing.
func TestAhead(t *testing.T) {
	c := serve(t)
	for i := range Ahead {
		c.ask(map[string]any{"id": i, "op": "score", "model": "bbbp", "alpha": 0.05, "kind": "molecules", "rows": 1}, molecules(strings.Repeat("C", i+1)))
	}
	for i := range Ahead {
		if a, _ := c.read(); a.ID != uint64(i) {
			t.Errorf("answer %d to question %d", a.ID, i)
		}
	}
}

func TestBrokenFrames(t *testing.T) {
	for name, text := range map[string]string{
		"cut lengths": "\x01\x00", "cut header": "\x09\x00\x00\x00\x00\x00\x00\x00{", "no JSON": "\x01\x00\x00\x00\x00\x00\x00\x00x",
		"too long": "\xff\xff\xff\xff\x00\x00\x00\x00", "cut body": "\x02\x00\x00\x00\x05\x00\x00\x00{}C",
	} {
		if err := Serve(context.Background(), service.New(1), strings.NewReader(text), io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A training that nobody waits for any more ends.
func TestGone(t *testing.T) {
	c := serve(t)
	var smiles []string
	for i := range 80 {
		smiles = append(smiles, strings.Repeat("C", 1+i)+"O")
	}
	list := molecules(smiles...)
	c.ask(map[string]any{"op": "train", "kind": "molecules", "rows": 80, "epochs": 1 << 19, "seed": 1, "name": "gone"}, list)
	if a, _ := c.read(); a.Progress == nil || a.Progress.Epochs != 1<<19 {
		t.Fatalf("%+v", a)
	}
	c.in.Close()
	go io.Copy(io.Discard, c.out)
	if err := <-c.served; err != nil {
		t.Error(err)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add(append([]byte("\x1d\x00\x00\x00\x05\x00\x00\x00"), `{"kind":"molecules","rows":1}`+"\x01\x00\x00\x00C"...))
	f.Add(append([]byte("\x1a\x00\x00\x00\x08\x00\x00\x00"), `{"kind":"graphs","rows":1}`+"\x01\x00\x00\x00\x00\x00\x00\x00"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := readFrame(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, names := range [][]string{nil, {"predicted"}, {"observed", "uncertainty"}} {
			want := 0
			if q.Values = names; names != nil {
				want = q.Rows
			}
			if values, l, err := q.list(); err == nil && (l.Len() != q.Rows || len(values) != want) {
				t.Errorf("%d records and %d values of %v, want %d and %d", l.Len(), len(values), names, q.Rows, want)
			}
		}
	})
}

package message

import (
	"fmt"
	"slices"
	"testing"
)

// A fake is a worker that answers when it is told to.
type fake struct {
	t       *testing.T
	receive func([]byte)
	died    func(string)
	got     []uint32 // numbers of requests
	kinds   []string
	files   []int // that came with them, 0 for none
	over    bool
}

func (f *fake) Post(data []byte, file int) {
	number, m, err := Decode(data)
	if err != nil {
		f.t.Fatal(err)
	}
	f.got, f.kinds, f.files = append(f.got, number), append(f.kinds, fmt.Sprintf("%T", m)), append(f.files, file)
}

func (f *fake) Terminate() { f.over = true }

func (f *fake) say(number uint32, m any) {
	f.t.Helper()
	data, err := Encode(number, m)
	if err != nil {
		f.t.Fatal(err)
	}
	f.receive(data)
}

// start returns a client and the workers that it starts.
func start(t *testing.T) (*Client, *[]*fake) {
	workers := new([]*fake)
	return NewClient(func(receive func([]byte), died func(string)) Port {
		f := &fake{t: t, receive: receive, died: died}
		*workers = append(*workers, f)
		return f
	}), workers
}

// note returns callbacks that write down what they see.
func note() (*[]string, func(Event), func(Reply)) {
	seen := new([]string)
	return seen,
		func(e Event) { *seen = append(*seen, fmt.Sprintf("%T", e)) },
		func(r Reply) {
			text := fmt.Sprintf("%T", r)
			if f, ok := r.(*Failed); ok {
				text = f.Code
			}
			*seen = append(*seen, text)
		}
}

func TestClientHandsOutWhatComes(t *testing.T) {
	c, workers := start(t)
	first, on1, done1 := note()
	second, on2, done2 := note()
	c.Do(&Open{}, on1, done1)
	c.Do(&Hello{}, on2, done2)
	w := (*workers)[0]
	w.say(w.got[1], &Welcome{})
	w.say(w.got[0], &Progress{})
	w.say(w.got[0], &Opened{})
	w.say(w.got[0], &Progress{})     // too late
	w.say(w.got[1]+100, &Progress{}) // of nothing
	if want := []string{"*message.Progress", "*message.Opened"}; !slices.Equal(*first, want) {
		t.Errorf("the first request saw %v, want %v", *first, want)
	}
	if want := []string{"*message.Welcome"}; !slices.Equal(*second, want) {
		t.Errorf("the second request saw %v, want %v", *second, want)
	}
	if c.Busy() {
		t.Error("busy after all replies")
	}
}

func TestCancelGivesTheNextWorkerModelAndInput(t *testing.T) {
	c, workers := start(t)
	_, on, done := note()
	c.Do(&LoadModel{Name: "a"}, on, done)
	c.Do(&Open{Data: []byte("C")}, on, done)
	w := (*workers)[0]
	w.say(w.got[0], &Model{})
	w.say(w.got[1], &Opened{})
	seen, on, done := note()
	c.Do(&Score{}, on, done)
	w.say(w.got[2], &Progress{})
	c.Cancel()
	w.say(w.got[2], &Scored{}) // of a worker that is gone
	if want := []string{"*message.Progress", CodeCancelled}; !slices.Equal(*seen, want) {
		t.Errorf("the cancelled request saw %v, want %v", *seen, want)
	}
	if !w.over || len(*workers) != 2 {
		t.Fatalf("%d workers, the first has ended: %v", len(*workers), w.over)
	}
	next := (*workers)[1]
	if len(next.kinds) > 0 {
		t.Errorf("the new worker was asked for %v before anything needs it", next.kinds)
	}
	seen, on, done = note()
	c.Do(&Score{}, on, done)
	if want := []string{"*message.LoadModel", "*message.Open", "*message.Score"}; !slices.Equal(next.kinds, want) {
		t.Errorf("the new worker was asked for %v, want %v", next.kinds, want)
	}
	next.say(next.got[1], &Records{})
	for i, r := range []any{&Model{}, &Opened{}, &Scored{}} {
		next.say(next.got[i], r)
	}
	if want := []string{"*message.Scored"}; !slices.Equal(*seen, want) {
		t.Errorf("the request saw %v, want %v", *seen, want)
	}
	c.Do(&Detail{}, nil, done)
	if n := len(next.kinds); n != 4 {
		t.Errorf("%d requests, want 4: model and input are there", n)
	}
}

func TestInputThatFailsIsNotGivenAgain(t *testing.T) {
	c, workers := start(t)
	_, on, done := note()
	c.Do(&Open{Data: []byte("C")}, on, done)
	(*workers)[0].say(1, &Opened{})
	c.Do(&Open{Data: []byte("?")}, on, done)
	(*workers)[0].say(2, &Failed{Code: CodeBadInput})
	c.Cancel()
	c.Do(&Score{}, on, done)
	if got := (*workers)[1].kinds; !slices.Equal(got, []string{"*message.Score"}) {
		t.Errorf("the new worker was asked for %v, want the score alone", got)
	}
}

func TestWorkerThatDies(t *testing.T) {
	c, workers := start(t)
	seen, on, done := note()
	c.Do(&Hello{}, on, done)
	(*workers)[0].died("out of memory")
	if !slices.Equal(*seen, []string{CodeDied}) {
		t.Errorf("the request saw %v, want %s", *seen, CodeDied)
	}
	if len(*workers) != 1 {
		t.Fatal("a worker that died was replaced before anybody asked, which may never end")
	}
	c.Do(&Hello{}, on, done)
	if len(*workers) != 2 || len((*workers)[1].got) != 1 {
		t.Errorf("%d workers", len(*workers))
	}
	(*workers)[1].receive([]byte("nonsense"))
	if !slices.Equal(*seen, []string{CodeDied, CodeInternal}) || !(*workers)[1].over {
		t.Errorf("after nonsense the requests saw %v", *seen)
	}
}

// A file travels beside each message that names it, also to the worker after one
// that was cancelled.
func TestFilesTravelBesideMessages(t *testing.T) {
	c, workers := start(t)
	_, on, done := note()
	c.Do(&Open{File: 7}, on, done)
	c.Do(&Share{Input: Open{File: 8}}, on, done)
	c.Do(&Hello{}, on, done)
	w := (*workers)[0]
	if want := []int{7, 8, 0}; !slices.Equal(w.files, want) {
		t.Errorf("files %v, want %v", w.files, want)
	}
	w.say(w.got[0], &Opened{})
	c.Cancel()
	c.Do(&Score{}, on, done)
	if next := (*workers)[1]; !slices.Equal(next.files, []int{7, 0}) {
		t.Errorf("the next worker has %v with the files %v", next.kinds, next.files)
	}
}

func TestCloseIsTheEnd(t *testing.T) {
	c, workers := start(t)
	seen, on, done := note()
	c.Do(&Hello{}, on, done)
	c.Close()
	w := (*workers)[0]
	w.say(w.got[0], &Welcome{})
	w.died("too late")
	if !w.over || len(*seen) > 0 || len(*workers) != 1 || c.Busy() {
		t.Errorf("after Close: ended %v, seen %v, %d workers", w.over, *seen, len(*workers))
	}
}

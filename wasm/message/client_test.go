package message

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// A fake is a worker that answers when it is told to.
type fake struct {
	t       *testing.T
	receive func([]byte)
	died    func(string)
	got     []uint32 // numbers of requests
	asked   []string // their kinds, with the file that came with them
	over    bool
}

func (f *fake) Post(data []byte, file int) {
	number, m, err := Decode(data)
	if err != nil {
		f.t.Fatal(err)
	}
	kind := reflect.TypeOf(m).Elem().Name()
	if file != 0 {
		kind += fmt.Sprintf("+file%d", file)
	}
	if o, open := m.(*Open); open && o.Ahead {
		kind += "+ahead"
	}
	f.got, f.asked = append(f.got, number), append(f.asked, kind)
}

func (f *fake) Terminate() { f.over = true }

// A play has a client, the workers that it starts, and what each request has seen.
type play struct {
	t       *testing.T
	client  *Client
	workers []*fake
	seen    [][]string
}

func newPlay(t *testing.T) *play {
	p := &play{t: t}
	p.client = NewClient(func(receive func([]byte), died func(string)) Port {
		f := &fake{t: t, receive: receive, died: died}
		p.workers = append(p.workers, f)
		return f
	})
	return p
}

// do plays a step: `do KIND FILE` sends a request, `say W N KIND` has worker W answer its request N,
// both from 1, and `die W` and `rave W` end it.
func (p *play) do(step string) {
	p.t.Helper()
	words := append(strings.Fields(step), "", "", "")
	number := func(k int) int {
		n, _ := strconv.Atoi(words[k])
		return n
	}
	switch words[0] {
	case "do":
		at := len(p.seen)
		p.seen = append(p.seen, []string{words[1]})
		see := func(what string) { p.seen[at] = append(p.seen[at], what) }
		p.client.Do(requestOf(words[1], number(2)), func(e Event) { see(reflect.TypeOf(e).Elem().Name()) }, func(r Reply) {
			if f, ok := r.(*Failed); ok {
				see(f.Code)
			} else {
				see(reflect.TypeOf(r).Elem().Name())
			}
		})
	case "say":
		f, of := p.workers[number(1)-1], uint32(1000)
		if n := number(2); n <= len(f.got) {
			of = f.got[n-1]
		}
		f.receive(written(p.t, of, reflect.New(kinds[words[3]]).Interface()))
	case "die":
		p.workers[number(1)-1].died("out of memory")
	case "rave":
		p.workers[number(1)-1].receive([]byte("nonsense"))
	case "cancel":
		p.client.Cancel()
	case "close":
		p.client.Close()
	default:
		p.t.Fatalf("no step %q", step)
	}
}

// requestOf is a request of a kind, with a file unless 0.
func requestOf(kind string, file int) Request {
	r := reflect.New(kinds[kind]).Interface().(Request)
	switch r := r.(type) {
	case *Open:
		r.File, r.Ahead = file, file > 0
	case *Share:
		r.Input.File = file
	case *Compare:
		r.With.File = file
	}
	return r
}

// state names what requests have seen, and what workers were asked for.
func (p *play) state() string {
	var list []string
	for _, seen := range p.seen {
		list = append(list, strings.Join(seen, " "))
	}
	for i, w := range p.workers {
		word := fmt.Sprintf("worker %d", i+1)
		if w.over {
			word = fmt.Sprintf("ended %d", i+1)
		}
		list = append(list, strings.Join(append([]string{word}, w.asked...), " "))
	}
	if p.client.Busy() {
		list = append(list, "busy")
	}
	return strings.Join(list, ", ")
}

func TestClient(t *testing.T) {
	for name, scenes := range map[string][][2]string{
		"answers go where they belong": {
			{"do Open | do Hello | say 1 2 Welcome | say 1 1 Progress", "Open Progress, Hello Welcome, worker 1 Open Hello, busy"},
			{"say 1 1 Opened | say 1 1 Progress | say 1 9 Progress", "Open Progress Opened, Hello Welcome, worker 1 Open Hello"},
		},
		"after a cancellation the next worker gets model and input once something needs them": {
			{"do LoadModel | do Open 7 | say 1 1 Model | say 1 2 Opened | do Score | say 1 3 Progress | cancel | say 1 3 Scored",
				"LoadModel Model, Open Opened, Score Progress cancelled, ended 1 LoadModel Open+file7+ahead Score, worker 2"},
			{"do Score | say 2 2 Records | say 2 1 Model | say 2 2 Opened | say 2 3 Scored | do Detail",
				"LoadModel Model, Open Opened, Score Progress cancelled, Score Scored, Detail, ended 1 LoadModel Open+file7+ahead Score, worker 2 LoadModel Open+file7 Score Detail, busy"},
		},
		"a search, too, has the input again": {
			{"do LoadModel | say 1 1 Model | do Open | say 1 2 Opened | cancel | do Pause | do Train | do Compute",
				"LoadModel Model, Open Opened, Pause, Train, Compute, ended 1 LoadModel Open, worker 2 Pause Open Train LoadModel Compute, busy"},
		},
		"an input that fails is not given again, and a model that fails keeps the one before": {
			{"do LoadModel | say 1 1 Model | do LoadModel | say 1 2 Failed | do Open | say 1 3 Opened | do Open | say 1 4 Failed | cancel | do Score",
				"LoadModel Model, LoadModel , Open Opened, Open , Score, ended 1 LoadModel LoadModel Open Open, worker 2 LoadModel Score, busy"},
		},
		// One that is replaced at once may die for ever.
		"a worker that dies is replaced by the next request": {
			{"do Hello | die 1", "Hello died, ended 1 Hello"},
			{"do Hello | rave 2", "Hello died, Hello internal, ended 1 Hello, ended 2 Hello"},
		},
		"files travel beside the messages that name them": {
			{"do Open 7 | do Share 8 | do Compare 9 | do Hello", "Open, Share, Compare, Hello, worker 1 Open+file7+ahead Share+file8 Compare+file9 Hello, busy"},
		},
		"nothing comes after the end": {
			{"do Hello | close | say 1 1 Welcome | die 1", "Hello, ended 1 Hello"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			for _, scene := range scenes {
				for step := range strings.SplitSeq(scene[0], " | ") {
					p.do(step)
				}
				if got := p.state(); got != scene[1] {
					t.Errorf("after %s:\n%s, want\n%s", scene[0], got, scene[1])
				}
			}
		})
	}
}

package app

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"baca/app/run"
	"baca/app/store"
	"baca/wasm/message"
)

// memory keeps what a browser would.
type memory map[string][]byte

func (m memory) Put(name string, f *store.File, then func(string)) {
	m[name] = bytes.Clone(f.Data)
	then("")
}
func (m memory) Get(name string, then func(*store.File)) {
	if data, ok := m[name]; ok {
		then(store.NewFile(name, data))
		return
	}
	then(nil)
}
func (m memory) All(prefix string, then func(map[string][]byte, string)) {
	all := map[string][]byte{}
	for name, value := range m {
		if strings.HasPrefix(name, prefix) {
			all[name] = value
		}
	}
	then(all, "")
}
func (m memory) Last()                         {}
func (m memory) Release()                      {}
func (m memory) Claim(_ bool, then func(bool)) { then(true) }
func (m memory) Drop(name string, then func()) { delete(m, name); then() }

// What was chosen for a training is known after a reload.
func TestTrainingKeepsItsRecipe(t *testing.T) {
	p := newStage(t)
	p.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte("CCO\nCC")), Library: true})
	p.settle()
	want := message.Train{Name: "mine", Epochs: 10, Structures: true, Observed: "y", Predicted: "yhat", HeldOut: true}
	p.Training.Recipe = want
	p.Training.Start()
	p.f.next(-1)
	p.reload("")
	p.Training.Resume()
	p.f.next(-1)
	want.Checkpoint, want.Seconds = []byte("two"), 5
	if got, ok := p.f.last().(*message.Train); !ok || !reflect.DeepEqual(*got, want) {
		t.Errorf("went on with %+v, want %+v", p.f.last(), want)
	}
}

// A shared store grants a training to one of its tabs.
type shared struct {
	memory
	taken   *bool
	waiting *[]func()
	mine    *bool
}

func (s shared) Claim(patient bool, then func(bool)) {
	switch {
	case !*s.taken || *s.mine:
		*s.taken, *s.mine = true, true
		then(true)
	case patient:
		*s.waiting = append(*s.waiting, func() { s.Claim(true, then) })
	default:
		then(false)
	}
}

func (s shared) Release() {
	if !*s.mine {
		return
	}
	*s.taken, *s.mine = false, false
	for len(*s.waiting) > 0 && !*s.taken {
		next := (*s.waiting)[0]
		*s.waiting = (*s.waiting)[1:]
		next()
	}
}

// One tab trains at a time. The others see what it has paused, and can go on with it.
func TestOneTabTrains(t *testing.T) {
	all := shared{memory{}, new(bool), new([]func()), nil}
	tab := func() *stage {
		own := all
		own.mine = new(bool)
		p := newStageOf(t, "", own, all.memory)
		p.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte("CCO\nCC")), Library: true})
		p.settle()
		return p
	}
	first := tab()
	first.play("train 10")
	first.f.next(-1)
	second := tab()
	if second.Training.Library != nil {
		t.Errorf("another tab shows %+v", second.Training)
	}
	for _, step := range []struct {
		on            *stage
		event         string
		first, second string // how far the training is in both tabs
	}{
		{second, "train 20", "true 2", "false 0 refused"},
		{first, "paused 3", "false 3", "false 3"},
		{second, "resume", "false 3", "true 2"},
		{first, "resume", "false 3 refused", "true 2"},
		{first, "drop", "false 0", "true 2"}, // what this tab throws away stays the other's
		{second, "paused 5", "false 5", "false 5"},
	} {
		step.on.play(step.event)
		step.on.f.next(-1)
		for p, want := range map[*stage]string{first: step.first, second: step.second} {
			got := fmt.Sprint(p.Training.On, " ", p.Training.At)
			if p.Training.Made.Failure != nil {
				got += " refused"
			}
			if got != want {
				t.Errorf("after %q a tab has %s, want %s", step.event, got, want)
			}
		}
	}
	if len(all.memory) != 2 || !strings.Contains(string(all.memory["training"]), `"Epochs":10`) {
		t.Errorf("kept %q", all.memory)
	}
}

// After a reload the model comes in while the library is being opened again.
func TestModelThatComesLateLeavesTheTraining(t *testing.T) {
	f := newFake(t)
	s := newDesk(message.NewClient(f.spawn))
	s.Models.Start("", memory{})
	s.Training.Recall(memory{"training": []byte(`{"Name":"mine","Epochs":10,"Library":"mine.smi","At":2,"Checkpoint":"dHdv"}`), "library": []byte("CCO\nCC\n")})
	s.Training.Resume()
	f.next(-1)
	if s.Models.Used.Value == nil || !s.Training.On || s.Phase != run.Unstarted {
		t.Fatalf("model %v, training %v, phase %v: want one, true, unstarted", s.Models.Used.Value, s.Training.On, s.Phase)
	}
	if slices.ContainsFunc(f.asked, func(r any) bool { return reflect.TypeOf(r) == reflect.TypeFor[*message.Score]() }) {
		t.Error("the library was scored")
	}
}

// A file of the browser is only named to the worker.
func TestFilesOfTheBrowserAreNamed(t *testing.T) {
	p := newStage(t)
	p.Input.Give(run.Given{File: &store.File{Name: "b.csv", Size: 1 << 40, Number: 7}})
	p.pass()
	if r, ok := p.f.last().(*message.Open); !ok || r.File != 7 || r.Data != nil || r.Name != "b.csv" {
		t.Errorf("asked for %+v", p.f.last())
	}
}

package session

import (
	"encoding/json"
	"time"

	"baca/wasm/message"
)

// A Training makes a model of the open input.
type Training struct {
	session *Session
	store   Store

	On     bool // the worker trains
	Ending bool // and was told to pause
	Recipe
	// Library is what it trains on, kept so that it can go on after a reload.
	Library *File
	begun   time.Time
	from    int // epoch that it began with

	Latest     message.Epoch
	Packing    bool      // all epochs are done, and the model is told from a background
	Loss       []float64 // by epoch, from 1
	checkpoint []byte
	At         int // epoch of the checkpoint
	Made       *message.Trained
	Failure    *message.Failed
	Gone       *Training // that was thrown away last, nil for none
}

// A Recipe is what the user asks for.
type Recipe struct {
	Name   string
	Epochs int // in all; 0 is as many as suit the library, until the worker says how many
	// Structures has the training molecules kept in the model's file.
	Structures bool
	// Observed and Predicted are columns of the library, empty for none. HeldOut is the user's
	// promise that predictions were made without their molecules.
	Observed, Predicted string
	HeldOut             bool
}

// A Store keeps values by name in the browser. Get calls back with nil for what is
// not there, Put and All with a problem unless it is empty; All with what has a name
// that begins with a prefix, and Drop when it is done.
type Store interface {
	Put(name string, value []byte, then func(problem string))
	Get(name string, then func([]byte))
	All(prefix string, then func(values map[string][]byte, problem string))
	PutFile(name string, f *File)
	GetFile(name string, then func(*File)) // its name may be another one
	Drop(name string, then func())
	Last() // asks the browser not to clear it
	// Claim gives one tab at a time the right to a training, since all tabs share the store. It
	// calls back at once, or with patience when the right is free. Release gives it up.
	Claim(patient bool, then func(granted bool))
	Release()
}

// What is kept of a training: this as JSON, the library and the checkpoint.
type keptTraining struct {
	Recipe
	Library string // name of the file
	At      int    // epoch of the checkpoint
	Loss    []float64
}

// Start starts training on what is open.
func (t *Training) Start(r Recipe) {
	t.store.Claim(false, func(granted bool) {
		if t.session.Opened == nil || t.Library != nil {
			return
		}
		t.session.Rev.State++
		if !granted {
			t.Failure = &message.Failed{Code: message.CodeNotReady, Text: "Another tab of this page trains, or has paused. Let it end, throw it away there, or close that tab."}
			return
		}
		input := &t.session.Input
		library := input.File
		if library == nil {
			library = NewFile("pasted.smi", []byte(input.Text))
		}
		*t = Training{session: t.session, store: t.store, Recipe: r, Library: library}
		t.store.Drop("checkpoint", func() {})
		t.keepLibrary()
		t.session.keepInput()
		t.run()
	})
}

// keepLibrary keeps what a training begins with.
func (t *Training) keepLibrary() {
	t.store.PutFile("library", t.Library)
	t.keep()
}

// keep writes how far it is.
func (t *Training) keep() {
	kept, err := json.Marshal(keptTraining{t.Recipe, t.Library.Name, t.At, t.Loss})
	if err == nil {
		t.store.Put("training", kept, ignore)
	}
}

// ignore is for what the store says that nobody waits for.
func ignore(string) {}

// run trains from the checkpoint, if there is one.
func (t *Training) run() {
	s := t.session
	s.EndTask() // the worker does one thing at a time
	if s.Phase == Calibrating {
		s.Cancel()
	}
	t.On, t.Ending, t.Packing, t.Failure, t.Made = true, false, false, nil, nil
	t.begun, t.from = time.Now(), t.At
	t.Loss = t.Loss[:min(len(t.Loss), t.At)]
	s.Rev.State++
	s.ask(&message.Train{
		Name: t.Name, Epochs: t.Epochs, Checkpoint: t.checkpoint, Structures: t.Structures,
		Observed: t.Observed, Predicted: t.Predicted, HeldOut: t.HeldOut,
	}, t.event, t.end)
}

// event takes what the worker tells of a training.
func (t *Training) event(e message.Event) {
	t.session.Rev.State++
	switch e := e.(type) {
	case *message.Epoch:
		t.Latest, t.Epochs = *e, e.Of
		if e.Epoch > 0 {
			for len(t.Loss) < e.Epoch-1 {
				t.Loss = append(t.Loss, e.Loss) // no event is left out, but for what a reload lost
			}
			t.Loss = append(t.Loss[:e.Epoch-1], e.Loss)
		}
	case *message.Progress:
		t.Packing = true
	case *message.Checkpoint:
		t.keepCheckpoint(e.Epoch, e.Data)
	}
}

// end takes the model, or what there is to go on from.
func (t *Training) end(r message.Reply) {
	t.On, t.Ending = false, false
	t.session.Rev.State++
	switch r := r.(type) {
	case *message.Trained:
		t.Made = r
		t.session.Models.remember(r.Model, r.Data)
		t.forget()
	case *message.Paused:
		if r.Data != nil {
			t.keepCheckpoint(r.Epoch, r.Data)
		}
	default:
		if f := failureOf(r); f.Code != message.CodeCancelled {
			t.Failure = f
		}
	}
}

func (t *Training) keepCheckpoint(epoch int, data []byte) {
	t.At, t.checkpoint = epoch, data
	t.store.Put("checkpoint", data, ignore)
	t.keep()
}

// Pause ends it after the epoch under way.
func (t *Training) Pause() {
	if t.On && !t.Ending {
		t.Ending = true
		t.session.Rev.State++
		t.session.pauseWorker()
	}
}

// Resume goes on, with the library opened again if another input was in between.
func (t *Training) Resume() {
	if t.On || t.Library == nil {
		return
	}
	s := t.session
	s.stop()
	s.Run++
	s.clear()
	s.Input.Text, s.Input.File, s.Input.Unscored = "", t.Library, true
	s.read(s.Input.open(t.Library.request()), t.run, func(f *message.Failed) { t.Failure = f })
}

// Recall looks in the store for a training that a reload has interrupted, once no other tab
// has it.
func (t *Training) Recall(store Store) {
	t.store = store
	store.Claim(true, func(bool) {
		store.Get("training", func(meta []byte) {
			var kept keptTraining
			if meta == nil || json.Unmarshal(meta, &kept) != nil || kept.Epochs < 0 {
				t.release()
				return
			}
			store.GetFile("library", func(library *File) {
				if library == nil || t.Library != nil {
					t.release()
					return
				}
				library.Name = kept.Library
				store.Get("checkpoint", func(checkpoint []byte) { t.restore(kept, library, checkpoint) })
			})
		})
	})
}

// release lets another tab train, unless this one does.
func (t *Training) release() {
	if t.Library == nil || t.Made != nil {
		t.store.Release()
	}
}

func (t *Training) restore(kept keptTraining, library *File, checkpoint []byte) {
	*t = Training{session: t.session, store: t.store, Recipe: kept.Recipe, Library: library, Loss: kept.Loss}
	if checkpoint != nil {
		t.checkpoint, t.At = checkpoint, kept.At
	}
	t.session.Rev.All()
}

// Drop forgets it. One that has not ended can be brought back until the tab closes.
func (t *Training) Drop() {
	if t.On {
		t.session.client.Cancel()
	}
	gone := *t
	*t = Training{session: t.session, store: t.store}
	if gone.Made == nil && gone.Library != nil {
		gone.On, gone.Ending, gone.Packing, gone.Failure, gone.Gone = false, false, false, nil, nil
		t.Gone = &gone
	}
	t.forget()
	t.session.Rev.All()
}

// TakeBack brings back the training that was thrown away, paused at its checkpoint.
func (t *Training) TakeBack() {
	t.store.Claim(true, func(bool) {
		if t.Gone == nil || t.Library != nil {
			t.release()
			return
		}
		*t = *t.Gone
		t.keepLibrary()
		if t.checkpoint != nil {
			t.store.Put("checkpoint", t.checkpoint, ignore)
		}
		t.session.Rev.All()
	})
}

// forget leaves nothing of it in the store, and then lets another tab train.
func (t *Training) forget() {
	names := []string{"training", "library", "checkpoint"}
	left := len(names)
	for _, name := range names {
		t.store.Drop(name, func() {
			if left--; left == 0 {
				t.release()
			}
		})
	}
}

// timeLeft estimates how long it still takes, 0 before that is known.
func (t *Training) timeLeft() time.Duration {
	epochs := t.Latest.Epoch - t.from
	if !t.On || epochs < 2 {
		return 0
	}
	return max(time.Since(t.begun)/time.Duration(epochs)*time.Duration(t.Epochs-t.Latest.Epoch), 1)
}

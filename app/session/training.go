package session

import (
	"encoding/json"
	"time"

	"baca/wasm/message"
)

// A Training trains a model on the open input.
type Training struct {
	session *Session
	store   Store

	On     bool // the worker trains
	Ending bool // told to pause
	Recipe
	// Library is its training file, stored to survive a reload.
	Library *File
	begun   time.Time
	from    int // first epoch

	Latest     message.Epoch
	Packing    bool      // all epochs are done, and the background is fitted
	Loss       []float64 // by epoch, from 1
	checkpoint []byte
	At         int // epoch of the checkpoint
	Made       *message.Trained
	Failure    *message.Failed
	Gone       *Training // last discarded, or nil
}

type Recipe struct {
	Name   string
	Epochs int // 0 for the default
	// Structures stores the training molecules in the model.
	Structures bool
	// Observed and Predicted are value columns, or empty. HeldOut promises that predictions were
	// made without their molecules.
	Observed, Predicted string
	HeldOut             bool
}

// A Store keeps values by name in the browser. Get calls back with nil for missing values, Put and
// All with a problem or "", All with the values of a prefix, Drop when done.
type Store interface {
	Put(name string, value []byte, then func(problem string))
	Get(name string, then func([]byte))
	All(prefix string, then func(values map[string][]byte, problem string))
	PutFile(name string, f *File)
	GetFile(name string, then func(*File)) // its name may differ
	Drop(name string, then func())
	Last() // asks the browser for persistence
	// Claim gives one tab at a time the right to train. It calls back at once, or if patient when
	// the right is free. Release returns it.
	Claim(patient bool, then func(granted bool))
	Release()
}

// A stored training: this as JSON, the library and the checkpoint.
type keptTraining struct {
	Recipe
	Library string // file name
	At      int    // epoch of the checkpoint
	Loss    []float64
}

// Start trains on the open input.
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

// keepLibrary stores the start of a training.
func (t *Training) keepLibrary() {
	t.store.PutFile("library", t.Library)
	t.keep()
}

// keep stores its progress.
func (t *Training) keep() {
	kept, err := json.Marshal(keptTraining{t.Recipe, t.Library.Name, t.At, t.Loss})
	if err == nil {
		t.store.Put("training", kept, ignore)
	}
}

// ignore ignores the store's answer.
func ignore(string) {}

// run trains from the checkpoint, if any.
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

func (t *Training) event(e message.Event) {
	t.session.Rev.State++
	switch e := e.(type) {
	case *message.Epoch:
		t.Latest, t.Epochs = *e, e.Of
		if e.Epoch > 0 {
			for len(t.Loss) < e.Epoch-1 {
				t.Loss = append(t.Loss, e.Loss) // events are complete, except after a reload
			}
			t.Loss = append(t.Loss[:e.Epoch-1], e.Loss)
		}
	case *message.Progress:
		t.Packing = true
	case *message.Checkpoint:
		t.keepCheckpoint(e.Epoch, e.Data)
	}
}

// end handles the model or checkpoint.
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

// Pause ends it after the current epoch.
func (t *Training) Pause() {
	if t.On && !t.Ending {
		t.Ending = true
		t.session.Rev.State++
		t.session.pauseWorker()
	}
}

// Resume continues, reopening the library if needed.
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

// Recall looks for an interrupted training, once no other tab has it.
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

// release allows other tabs to train, unless this one does.
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

// Drop discards it. An unfinished one can be restored until the tab closes.
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

// TakeBack restores the discarded training, paused.
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

// forget clears the store, and then allows other tabs to train.
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

// timeLeft estimates the rest, 0 if unknown.
func (t *Training) timeLeft() time.Duration {
	epochs := t.Latest.Epoch - t.from
	if !t.On || epochs < 2 {
		return 0
	}
	return max(time.Since(t.begun)/time.Duration(epochs)*time.Duration(t.Epochs-t.Latest.Epoch), 1)
}

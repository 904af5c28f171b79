package run

import (
	"encoding/json"
	"time"

	"baca/app/store"
	"baca/wasm/message"
)

// A Training trains a model on the open input.
type Training struct {
	session *Session
	store   store.Store

	progress
	On     bool // the worker trains
	Ending bool // told to pause
	// Library is its training file, stored to survive a reload.
	Library *store.File
	begun   time.Time
	From    int // first epoch

	Latest  message.Epoch
	Packing bool // all epochs are done, and the background is fitted
	Made    Answer[message.Trained]
	Gone    *Training // last discarded, or nil
}

// progress is stored as JSON, beside the library and the checkpoint.
type progress struct {
	message.Train
	File string    `json:"Library"` // name of the library
	At   int       // epoch of the checkpoint
	Loss []float64 // by epoch, from 1
}

func (t *Training) Start(r message.Train) {
	t.store.Claim(false, func(granted bool) {
		if t.session.Opened == nil || t.Library != nil {
			return
		}
		t.session.Rev.State++
		if !granted {
			t.Made.Failure = &message.Failed{Code: message.CodeNotReady, Text: "Another tab of this page trains, or has paused. Let it end, throw it away there, or close that tab."}
			return
		}
		input := &t.session.Input
		library := input.File
		if library == nil {
			library = store.NewFile("pasted.smi", []byte(input.Text))
		}
		*t = Training{session: t.session, store: t.store, progress: progress{Train: r, File: library.Name}, Library: library}
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

func (t *Training) keep() {
	p := t.progress
	p.Checkpoint = nil
	if kept, err := json.Marshal(p); err == nil {
		t.store.Put("training", kept, ignore)
	}
}

func ignore(string) {}

// run trains from the checkpoint, if any.
func (t *Training) run() {
	s := t.session
	s.EndTask() // the worker does one thing at a time
	if s.Phase == Calibrating {
		s.Cancel()
	}
	t.On, t.Ending, t.Packing, t.Made = true, false, false, Answer[message.Trained]{}
	t.begun, t.From = time.Now(), t.At
	t.Loss = t.Loss[:min(len(t.Loss), t.At)]
	s.Rev.State++
	r := t.Train
	s.ask(&r, t.event, t.end)
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
	switch paused, ok := r.(*message.Paused); {
	case ok && paused.Data != nil:
		t.keepCheckpoint(paused.Epoch, paused.Data)
	case ok:
	case t.Made.Take(r):
		t.session.Models.Add(t.Made.Value.Model, t.Made.Value.Data)
		t.forget()
	case t.Made.Failure.Code == message.CodeCancelled:
		t.Made.Failure = nil
	}
}

func (t *Training) keepCheckpoint(epoch int, data []byte) {
	t.At, t.Checkpoint = epoch, data
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
	s.Input.Given = Given{File: t.Library, Library: true}
	s.read(s.Input.Open(t.Library), t.run)
}

// Recall looks for an interrupted training, once no other tab has it.
func (t *Training) Recall(from store.Store) {
	t.store = from
	from.Claim(true, func(bool) {
		from.Get("training", func(meta []byte) {
			var kept progress
			if meta == nil || json.Unmarshal(meta, &kept) != nil || kept.Epochs < 0 {
				t.release()
				return
			}
			from.GetFile("library", func(library *store.File) {
				if library == nil || t.Library != nil {
					t.release()
					return
				}
				library.Name = kept.File
				from.Get("checkpoint", func(checkpoint []byte) { t.restore(kept, library, checkpoint) })
			})
		})
	})
}

// release allows other tabs to train, unless this one does.
func (t *Training) release() {
	if t.Library == nil || t.Made.Value != nil {
		t.store.Release()
	}
}

func (t *Training) restore(kept progress, library *store.File, checkpoint []byte) {
	*t = Training{session: t.session, store: t.store, progress: kept, Library: library}
	if t.Checkpoint = checkpoint; checkpoint == nil {
		t.At = 0
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
	if gone.Made.Value == nil && gone.Library != nil {
		gone.On, gone.Ending, gone.Packing, gone.Made.Failure, gone.Gone = false, false, false, nil, nil
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
		if t.Checkpoint != nil {
			t.store.Put("checkpoint", t.Checkpoint, ignore)
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

// TimeLeft estimates the rest, 0 if unknown.
func (t *Training) TimeLeft() time.Duration {
	epochs := t.Latest.Epoch - t.From
	if !t.On || epochs < 2 {
		return 0
	}
	return max(time.Since(t.begun)/time.Duration(epochs)*time.Duration(t.Epochs-t.Latest.Epoch), 1)
}

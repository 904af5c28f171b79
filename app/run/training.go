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
	Made    message.Answer[message.Trained]
	Gone    *Training // last discarded, or nil

	Recipe message.Train // of the next one, as far as it is chosen
	Kept   time.Time     // when the last checkpoint was stored, zero for not in this visit
	Unkept string        // why it could not be stored
}

// progress is stored as JSON, beside the library.
type progress struct {
	message.Train           // with the checkpoint
	File          string    `json:"Library"` // name of the library
	At            int       // epoch of the checkpoint
	Loss          []float64 // by epoch, from 1
}

// checkpointSeconds is how much of a training a reload loses at most, besides an epoch.
const checkpointSeconds = 5

// Start trains on the open input by the recipe.
func (t *Training) Start() {
	t.claim(func() bool { return t.session.Opened != nil && t.Library == nil }, func() {
		r := t.Recipe
		r.HeldOut = r.HeldOut && r.Observed != "" && r.Predicted != ""
		input := &t.session.Input
		library := input.File
		if library == nil {
			library = store.NewFile("pasted.smi", []byte(input.Text))
		}
		r.Seconds = checkpointSeconds
		*t = Training{session: t.session, store: t.store, progress: progress{Train: r, File: library.Name}, Library: library, On: true}
		t.keepLibrary()
		t.session.keepInput()
		t.run()
	})
}

// claim calls then if no other tab trains and may agrees. First it takes over a training that another tab left in the store.
func (t *Training) claim(may func() bool, then func()) {
	t.store.Claim(false, func(granted bool) {
		t.session.Rev.State++
		t.Made.Failure = nil
		if granted {
			t.load(func() {
				if may() {
					then()
				} else {
					t.release()
				}
			})
			return
		}
		t.Made.Failure = &message.Failed{Code: message.CodeNotReady,
			Text: "Another tab of this page trains. Pause it there, or let it end."}
		t.Recall(t.store)
	})
}

// release allows other tabs to train, unless this one is training.
func (t *Training) release() {
	if !t.On {
		t.store.Release()
	}
}

// keepLibrary stores the start of a training.
func (t *Training) keepLibrary() {
	t.store.Put("library", t.Library, func(string) {})
	t.keep()
}

// keep stores how far it is.
func (t *Training) keep() {
	then := func(problem string) {
		t.Unkept = problem
		if problem == "" {
			t.Kept = time.Now()
		}
		t.release()
	}
	kept, err := json.Marshal(t.progress)
	if err != nil { // of a loss that is no number
		then(err.Error())
		return
	}
	t.store.Put("training", store.NewFile("", kept), then)
}

// run trains from the checkpoint, if any.
func (t *Training) run() {
	s := t.session
	s.EndTask() // the worker does one thing at a time
	if s.Phase == Calibrating {
		s.Cancel()
	}
	t.On, t.Ending, t.Packing = true, false, false
	t.Made.Forget()
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
		t.release()
	default:
		t.release()
	}
}

func (t *Training) keepCheckpoint(epoch int, data []byte) {
	t.At, t.Checkpoint = epoch, data
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
	t.claim(func() bool { return !t.On && t.Library != nil }, func() {
		s := t.session
		s.stop()
		s.Run++
		s.clear()
		s.Input.put(Given{File: t.Library, Library: true})
		s.read(s.Input.Open(t.Library), t.run)
	})
}

// Recall looks for an interrupted training, once no other tab trains.
func (t *Training) Recall(from store.Store) {
	t.store = from
	from.Claim(true, func(bool) { t.load(t.release) })
}

// load takes the training that is stored if it is further than this tab's, and then calls back.
func (t *Training) load(then func()) {
	from := t.store
	from.Get("training", func(meta *store.File) {
		var kept progress
		if meta == nil || json.Unmarshal(meta.Data, &kept) != nil || kept.Epochs < 0 || t.Library != nil && kept.At <= t.At {
			then()
			return
		}
		from.Get("library", func(library *store.File) {
			if library == nil || t.On {
				then()
				return
			}
			library.Name = kept.File
			if kept.Checkpoint == nil {
				kept.At = 0
			}
			*t = Training{session: t.session, store: t.store, progress: kept, Library: library}
			t.session.Rev.All()
			then()
		})
	})
}

// Drop discards the training. An unfinished one can be restored until the tab closes.
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
	t.session.Rev.All()
	t.store.Claim(false, func(granted bool) {
		if granted { // else another tab has gone on with it
			t.forget()
		}
	})
}

// TakeBack restores the discarded training, paused.
func (t *Training) TakeBack() {
	t.claim(func() bool { return t.Gone != nil && t.Library == nil }, func() {
		*t = *t.Gone
		t.keepLibrary()
		t.session.Rev.All()
	})
}

// forget removes the training and then its library from the store. After that it allows other tabs to train.
func (t *Training) forget() {
	t.store.Drop("training", func() {
		t.store.Drop("library", t.release)
	})
}

// Use selects the trained model, and brings back the list that its library took the place of.
func (t *Training) Use() {
	s, made := t.session, t.Made.Value
	s.Models.Load(made.Model.Name, made.Data)
	t.Drop()
	if s.Input.Library {
		s.Input.TakeBack()
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

package app

import (
	"encoding/json"
	"time"

	"baca/wasm/message"
)

// A training makes a model of the open input.
type training struct {
	on     bool // the worker trains
	ending bool // and was told to pause
	name   string
	epochs int
	// canonical is how molecules are read. Trainings of earlier versions of the page that
	// were paused read them as they are written, and go on so.
	canonical bool
	// library is what it trains on, kept so that it can go on after a reload.
	library *file
	begun   time.Time
	from    int // epoch that it began with

	latest     message.Epoch
	packing    bool      // all epochs are done, and the model is told from a background
	loss       []float64 // by epoch, from 1
	checkpoint []byte
	at         int // epoch of the checkpoint
	made       *message.Trained
	failure    *message.Failed
}

// A keeper keeps values by name in the browser. Get calls back with nil for what is
// not there.
type keeper interface {
	put(name string, value []byte)
	get(name string, then func([]byte))
	putFile(name string, f *file)
	getFile(name string, then func(*file)) // its name may be another one
	drop(name string)
}

// What is kept of a training: this as JSON, the library and the checkpoint.
type keptTraining struct {
	Name      string
	Epochs    int
	Library   string // name of the file
	Canonical bool
	At        int // epoch of the checkpoint
	Loss      []float64
}

const defaultEpochs = 100

// trainOn starts training on what is open.
func (s *session) trainOn(name string, epochs int, k keeper) {
	if s.opened == nil || s.train.on {
		return
	}
	library := s.file
	if library == nil {
		library = held("pasted.smi", []byte(s.text))
	}
	s.train = training{name: name, epochs: epochs, canonical: true, library: library}
	k.putFile("library", library)
	k.drop("checkpoint")
	s.keepTraining(k)
	s.runTraining(k)
}

// keepTraining writes how far it is.
func (s *session) keepTraining(k keeper) {
	t := &s.train
	meta, err := json.Marshal(keptTraining{t.name, t.epochs, t.library.name, t.canonical, t.at, t.loss})
	if err == nil {
		k.put("training", meta)
	}
}

// runTraining trains from the checkpoint, if there is one.
func (s *session) runTraining(k keeper) {
	t := &s.train
	s.endTask() // the worker does one thing at a time
	if s.phase == calibrating {
		s.cancel()
	}
	t.on, t.ending, t.packing, t.failure, t.made = true, false, false, nil, nil
	t.begun, t.from = s.now(), t.at
	t.loss = t.loss[:min(len(t.loss), t.at)]
	s.rev.train++
	s.rev.head++
	s.ask(&message.Train{Name: t.name, Epochs: t.epochs, Canonical: t.canonical, Checkpoint: t.checkpoint}, func(e message.Event) {
		s.rev.train++
		s.rev.head++
		switch e := e.(type) {
		case *message.Epoch:
			t.latest = *e
			if e.Epoch > 0 {
				for len(t.loss) < e.Epoch-1 {
					t.loss = append(t.loss, e.Loss) // no event is left out, but for what a reload lost
				}
				t.loss = append(t.loss[:e.Epoch-1], e.Loss)
			}
		case *message.Progress:
			t.packing = true
		case *message.Checkpoint:
			s.hold(e.Epoch, e.Data, k)
		}
	}, func(r message.Reply) {
		t.on, t.ending = false, false
		s.rev.train++
		s.rev.head++
		switch r := r.(type) {
		case *message.Trained:
			t.made = r
			s.remember(r.Model, r.Data)
			for _, name := range []string{"training", "library", "checkpoint"} {
				k.drop(name)
			}
		case *message.Paused:
			if r.Data != nil {
				s.hold(r.Epoch, r.Data, k)
			}
		default:
			if f := failed(r); f.Code != message.CodeCancelled {
				t.failure = f
			}
		}
	})
}

// hold keeps a checkpoint.
func (s *session) hold(epoch int, data []byte, k keeper) {
	s.train.at, s.train.checkpoint = epoch, data
	k.put("checkpoint", data)
	s.keepTraining(k)
}

// pauseTraining ends it after the epoch under way.
func (s *session) pauseTraining() {
	if s.train.on && !s.train.ending {
		s.train.ending = true
		s.rev.train++
		s.ask(&message.Pause{}, nil, func(message.Reply) {})
	}
}

// goOn resumes, with the library opened again if another input was in between.
func (s *session) goOn(k keeper) {
	t := &s.train
	if t.on || t.library == nil {
		return
	}
	s.stop()
	s.run++
	s.clear()
	s.text, s.file, s.unscored = "", t.library, true
	s.read(t.library.request(), func() { s.runTraining(k) }, func(f *message.Failed) { t.failure = f })
}

// recall looks for a training that a reload has interrupted.
func (s *session) recall(k keeper) {
	k.get("training", func(meta []byte) {
		var kept keptTraining
		if meta == nil || json.Unmarshal(meta, &kept) != nil || kept.Epochs < 1 {
			return
		}
		k.getFile("library", func(library *file) {
			if library == nil || s.train.on {
				return
			}
			library.name = kept.Library
			k.get("checkpoint", func(checkpoint []byte) {
				t := training{name: kept.Name, epochs: kept.Epochs, canonical: kept.Canonical, library: library, loss: kept.Loss}
				if checkpoint != nil {
					t.checkpoint, t.at = checkpoint, kept.At
				}
				s.train = t
				s.rev.all()
			})
		})
	})
}

// dropTraining forgets it.
func (s *session) dropTraining(k keeper) {
	if s.train.on {
		s.client.Cancel()
	}
	s.train = training{}
	for _, name := range []string{"training", "library", "checkpoint"} {
		k.drop(name)
	}
	s.rev.all()
}

// left estimates how long training still takes.
func (t *training) left(now time.Time) (time.Duration, bool) {
	done := t.latest.Epoch - t.from
	if !t.on || done < 2 {
		return 0, false
	}
	return time.Duration(float64(now.Sub(t.begun)) / float64(done) * float64(t.epochs-t.latest.Epoch)), true
}

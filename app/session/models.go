package session

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// Models are those that there are, and the one that is used.
type Models struct {
	session *Session

	Welcome *message.Welcome // what the worker has, nil before it has said so
	Used    *message.Model   // nil before the first is loaded
	Own     []OwnModel       // from files or trained here
	Gone    *Deleted         // the one of these that was deleted last
	Failure *message.Failed  // of the latest one that was to be loaded
	store   Store            // nil where none is
	wanted  string           // key of the one to begin with
	// Loading names the model that is being loaded, with done and total bytes.
	Loading        string
	Loaded, ToLoad int
}

// Extensions are those of the files that can be opened, and more, for a dialog of the
// browser; empty, which is any, until the worker has said them.
func (m *Models) Extensions(more ...string) string {
	if m.Welcome == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Welcome.Extensions, more), ",")
}

// Start greets the worker and loads a model by its key, the default one for a key that is
// not known. The store, unless nil, has models that are kept.
func (m *Models) Start(key string, store Store) {
	if m.wanted == "" {
		m.wanted = key
	}
	m.Loading = "the model"
	recalled, begun := store == nil, false
	begin := func() {
		// One that is built in needs no store.
		if m.Welcome != nil && !begun && (recalled || !strings.Contains(m.wanted, "@")) {
			begun = true
			m.first()
		}
	}
	if store != nil {
		m.Recall(store, func() {
			recalled = true
			begin()
		})
	}
	m.session.ask(&message.Hello{}, nil, func(r message.Reply) {
		m.session.Rev.All()
		welcome, ok := r.(*message.Welcome)
		if !ok {
			m.Failure, m.Loading = failureOf(r), ""
			return
		}
		m.Welcome = welcome
		if list := welcome.Models; len(list) > 0 { // the first is the default
			slices.SortStableFunc(list[1:], func(a, b message.Model) int { return rank(a.Name) - rank(b.Name) })
		}
		begin()
	})
}

// first loads the model that the page begins with.
func (m *Models) first() {
	key := m.wanted
	if i := m.ownBy(key); i >= 0 {
		name := m.Own[i].Card.Name
		m.File(i, func(data []byte) {
			if data == nil {
				name = m.defaultName()
			}
			m.load(name, data)
		})
		return
	}
	if !m.isBuiltIn(key) {
		if key != "" {
			m.missing(key)
		}
		key = m.defaultName()
	}
	m.Load(key, nil)
}

// missing says that a model that was asked for is not here.
func (m *Models) missing(key string) {
	m.session.Tell("Another model is used", "The model "+words.Shorten(key, 60)+" is not in this browser. If you have its file, load it under Models.")
}

func (m *Models) isBuiltIn(name string) bool {
	return m.Welcome != nil && slices.ContainsFunc(m.Welcome.Models, func(o message.Model) bool { return o.Name == name })
}

// defaultName is the model to begin with, empty where there is none.
func (m *Models) defaultName() string {
	if len(m.Welcome.Models) == 0 {
		return ""
	}
	return m.Welcome.Models[0].Name
}

// Load makes a model the one that is used: a built-in one, or with data a file.
func (m *Models) Load(name string, data []byte) {
	m.Failure = nil
	m.load(name, data)
}

// load is Load, and leaves what is said of the model before.
func (m *Models) load(name string, data []byte) {
	s := m.session
	if s.Phase == Scoring || s.Phase == Calibrating {
		s.stop()
	}
	s.EndTask()
	m.Loading, m.Loaded, m.ToLoad = name, 0, 0
	s.Rev.All()
	s.ask(&message.LoadModel{Name: name, Data: data}, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok {
			m.Loaded, m.ToLoad = p.Done, p.Total
			s.Rev.State++
		}
	}, func(r message.Reply) {
		m.Loading = ""
		s.Rev.All()
		model, ok := r.(*message.Model)
		switch {
		case ok:
			plain := m.Used == nil && m.wanted == "" // the address of a first visit stays as it is
			m.Used = model
			if data != nil {
				m.remember(*model, data)
			}
			if !plain {
				m.moved()
			}
		default:
			m.Failure = failureOf(r)
			if m.Used == nil {
				return
			}
			// The model before is still there.
		}
		s.scoreAgain()
	})
}

// A Note on a built-in model says what it is not for, in plain words, and how well models
// trained in this way tell a pair of sets apart, in percent AUROC. What is inside its description
// says. Figures come from build/results/README.md; TestCardsHaveTheMeasuredFigures compares them.
type Note struct {
	Name, Title, Bad string
	ID, OOD          string
	Alone, Batch     float64
}

//go:embed notes.json
var notesFile []byte

// notes are those on the built-in models, in the order in which these are shown.
var notes = func() (list []Note) {
	if err := json.Unmarshal(notesFile, &list); err != nil {
		panic(err)
	}
	return list
}()

// Measured says how good a model is, in one sentence.
func (n Note) Measured() string {
	if n.ID == "" {
		return ""
	}
	return fmt.Sprintf("Models trained in this way tell %s from %s with an AUROC of %.1f\u00a0%% by each graph alone, and of %.1f\u00a0%% as a batch of which half is foreign (five seeds).", n.ID, n.OOD, n.Alone, n.Batch)
}

// NoteOn is the note on a model; one of the user has its name alone.
func NoteOn(m *message.Model) Note {
	if i := rank(m.Name); i < len(notes) && m.BuiltIn {
		return notes[i]
	}
	return Note{Title: m.Name}
}

// rank is the place of a built-in model among all, behind them for one without a note.
func rank(name string) int {
	if i := slices.IndexFunc(notes, func(n Note) bool { return n.Name == name }); i >= 0 {
		return i
	}
	return len(notes)
}

// ModelFacts are what a model was made of.
func ModelFacts(m *message.Model) []string {
	facts := []string{"reads " + cmp.Or(m.Reads, "graphs"), "trained on " + words.Count(m.Train) + " for " + words.Plural(m.Epochs, "epoch", "epochs")}
	if m.BackgroundGraphs > 0 {
		facts = append(facts, "background: "+words.Count(m.BackgroundGraphs)+" of "+m.Background)
	}
	if m.Residuals > 0 {
		facts = append(facts, "knows the errors of "+words.Count(m.Residuals)+" predictions")
	}
	kept := "kept"
	if m.HoldoutFile != "" {
		kept = "of " + words.Shorten(m.HoldoutFile, 40)
	}
	return append(facts, words.Count(m.Holdout)+" "+kept+" for p-values, so p is "+words.Number(m.SmallestP)+" at least", words.Size(m.Bytes))
}

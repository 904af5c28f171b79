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

// Models are the available models and the used one.
type Models struct {
	session *Session

	Welcome *message.Welcome // nil until it arrives
	Used    *message.Model   // nil before the first is loaded
	Own     []OwnModel       // from files or trained here
	Gone    *OwnModel        // last deleted own model
	Failure *message.Failed  // of the last load
	store   Store            // nil where none is
	wanted  string           // key of the first model
	// Loading names the model being loaded, with progress in bytes.
	Loading        string
	Loaded, ToLoad int
}

// Extensions are those of readable files, for a file dialog; empty, meaning any, until known.
func (m *Models) Extensions(more ...string) string {
	if m.Welcome == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Welcome.Extensions, more), ",")
}

// Start greets the worker and loads a model by key, or the default. The store, unless nil, has
// models.
func (m *Models) Start(key string, store Store) {
	if m.wanted == "" {
		m.wanted = key
	}
	m.Loading = "the model"
	recalled, begun := store == nil, false
	begin := func() {
		// A built-in model needs no store.
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

// first loads the first model.
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

// missing reports a model that is not here.
func (m *Models) missing(key string) {
	m.session.Tell("Another model is used", "The model "+words.Shorten(key, 60)+" is not in this browser. If you have its file, load it under Models.")
}

func (m *Models) isBuiltIn(name string) bool {
	return m.Welcome != nil && slices.ContainsFunc(m.Welcome.Models, func(o message.Model) bool { return o.Name == name })
}

// defaultName is the first model's name, or empty.
func (m *Models) defaultName() string {
	if len(m.Welcome.Models) == 0 {
		return ""
	}
	return m.Welcome.Models[0].Name
}

// Load selects a built-in model, or the model file data.
func (m *Models) Load(name string, data []byte) {
	m.Failure = nil
	m.load(name, data)
}

// load is Load, keeping messages about the previous model.
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
			plain := m.Used == nil && m.wanted == "" // a first visit's address stays
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
			// The previous model stays.
		}
		s.scoreAgain()
	})
}

// A Note says what a built-in model is not for, and the AUROC in percent of such models on a pair
// of sets. Figures come from build/results/README.md; TestCardsHaveTheMeasuredFigures compares
// them.
type Note struct {
	Name, Title, Bad string
	ID, OOD          string
	Alone, Batch     float64
}

//go:embed notes.json
var notesFile []byte

// notes are in display order.
var notes = func() (list []Note) {
	if err := json.Unmarshal(notesFile, &list); err != nil {
		panic(err)
	}
	return list
}()

// Measured states the AUROC.
func (n Note) Measured() string {
	if n.ID == "" {
		return ""
	}
	return fmt.Sprintf("Models trained in this way tell %s from %s with an AUROC of %.1f\u00a0%% by each graph alone, and of %.1f\u00a0%% as a batch of which half is foreign (five seeds).", n.ID, n.OOD, n.Alone, n.Batch)
}

// NoteOn is a model's note; an own one has only its name.
func NoteOn(m *message.Model) Note {
	if i := rank(m.Name); i < len(notes) && m.BuiltIn {
		return notes[i]
	}
	return Note{Title: m.Name}
}

// rank is a model's position, after the others without a note.
func rank(name string) int {
	if i := slices.IndexFunc(notes, func(n Note) bool { return n.Name == name }); i >= 0 {
		return i
	}
	return len(notes)
}

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

// HoldoutFile is the file that p-values compare with, empty for graphs kept from training.
func (m *Models) HoldoutFile() string {
	if m.Used == nil {
		return ""
	}
	return m.Used.HoldoutFile
}

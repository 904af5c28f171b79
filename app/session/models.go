package session

import (
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
	Failure *message.Failed  // of the latest one that was to be loaded
	// Loading names the model that is being loaded, with done and total bytes.
	Loading        string
	Loaded, ToLoad int
}

// An OwnModel is not built in.
type OwnModel struct {
	Card message.Model
	Data []byte // the file
}

// Extensions are those of the files that can be opened, and more, for a dialog of the
// browser; empty, which is any, until the worker has said them.
func (m *Models) Extensions(more ...string) string {
	if m.Welcome == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Welcome.Extensions, more), ",")
}

// Start greets the worker and loads a model, the default one for a name that is not known.
func (m *Models) Start(name string) {
	m.Loading = name
	m.session.ask(&message.Hello{}, nil, func(r message.Reply) {
		m.session.Rev.All()
		welcome, ok := r.(*message.Welcome)
		if !ok {
			m.Failure, m.Loading = failureOf(r), ""
			return
		}
		m.Welcome = welcome
		known := func(o message.Model) bool { return o.Name == name }
		if !slices.ContainsFunc(welcome.Models, known) && len(welcome.Models) > 0 {
			name = welcome.Models[0].Name
		}
		m.Load(name, nil)
	})
}

// Load makes a model the one that is used: a built-in one, or with data a file.
func (m *Models) Load(name string, data []byte) {
	s := m.session
	if s.Phase == Scoring || s.Phase == Calibrating {
		s.stop()
	}
	s.EndTask()
	m.Loading, m.Loaded, m.ToLoad, m.Failure = name, 0, 0, nil
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
			m.Used = model
			if data != nil {
				m.remember(*model, data)
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

// remember keeps a model that is not built in, so that it can be chosen again.
func (m *Models) remember(card message.Model, data []byte) {
	same := func(o OwnModel) bool { return o.Card.SHA256 == card.SHA256 }
	if i := slices.IndexFunc(m.Own, same); i >= 0 {
		m.Own[i] = OwnModel{card, data}
		return
	}
	m.Own = append(m.Own, OwnModel{card, data})
}

// A Note on a built-in model says what it is for, in plain words, and how well models
// trained in this way tell a pair of sets apart, in percent AUROC. The figures are
// those of the table in README.md, which names the command; a test compares them.
type Note struct {
	Title, Good, Bad string
	ID, OOD          string
	Alone, Batch     float64
}

//go:embed notes.json
var notesFile []byte

// notes are those on the built-in models, by name.
var notes = func() (list map[string]Note) {
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
	return fmt.Sprintf("Models trained in this way tell %s from %s with an AUROC of %.1f %% by each graph alone, and of %.1f %% as a batch of which half is foreign (five seeds).", n.ID, n.OOD, n.Alone, n.Batch)
}

// NoteOn is the note on a model; one of the user has its name alone.
func NoteOn(m *message.Model) Note {
	if n, ok := notes[m.Name]; ok && m.BuiltIn {
		return n
	}
	return Note{Title: m.Name}
}

// ModelFacts are what a model was made of.
func ModelFacts(m *message.Model) []string {
	reads := "reads molecules"
	if !m.Molecules {
		reads = "reads plain graphs"
	}
	facts := []string{reads, "trained on " + words.Count(m.Train) + " for " + words.Plural(m.Epochs, "epoch", "epochs")}
	if m.BackgroundGraphs > 0 {
		facts = append(facts, "background: "+words.Count(m.BackgroundGraphs)+" of "+m.Background)
	}
	kept := "kept"
	if m.HoldoutFile != "" {
		kept = "of " + words.Shorten(m.HoldoutFile, 40)
	}
	return append(facts, words.Count(m.Holdout)+" "+kept+" for p-values, so p is "+words.Number(m.SmallestP)+" at least", words.Size(m.Bytes))
}

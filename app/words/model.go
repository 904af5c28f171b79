package words

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"baca/wasm/message"
)

// A Note says what a built-in model is not for, and the AUROC in percent of such models on a pair
// of sets. Figures come from build/research/results/README.md; TestCardsHaveTheMeasuredFigures compares
// them.
type Note struct {
	Name, Title  string
	Inside       string // what is inside, in a few words
	Bad          string
	ID, OOD      string
	Alone, Batch float64
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

// Measured returns a sentence with the AUROC, or "" if none was measured.
func (n Note) Measured() string {
	if n.ID == "" {
		return ""
	}
	return fmt.Sprintf("Models trained in this way tell %s from %s with an AUROC of %.1f\u00a0%% by each graph alone, and of %.1f\u00a0%% as a batch of which half is foreign (five seeds).", n.ID, n.OOD, n.Alone, n.Batch)
}

// NoteOn returns the note on a built-in model. For any other it makes one of its name and what it was trained on.
func NoteOn(m *message.Model) Note {
	if i := rank(m.Name); i < len(notes) && m.BuiltIn {
		return notes[i]
	}
	whose := "your own"
	if m.Published != nil {
		whose = "published " + m.Published.Date
	}
	return Note{Title: m.Name, Inside: whose + ", trained on " + Count(m.Train)}
}

// SortModels sorts models by their notes, others last.
func SortModels(list []message.Model) {
	slices.SortStableFunc(list, func(a, b message.Model) int { return rank(a.Name) - rank(b.Name) })
}

// rank returns the place of a model's note. Models without a note come last.
func rank(name string) int {
	if i := slices.IndexFunc(notes, func(n Note) bool { return n.Name == name }); i >= 0 {
		return i
	}
	return len(notes)
}

// Encoder says how a model's encoder was trained.
func Encoder(m *message.Model) string {
	if m.Epochs == 0 {
		return "encoder not trained"
	}
	return Plural(m.Epochs, "epoch", "epochs")
}

// trainedFor is how a model's encoder was trained, to be appended to a sentence.
func trainedFor(m *message.Model) string {
	if m.Epochs == 0 {
		return ", encoder not trained"
	}
	return " for " + Encoder(m)
}

// ModelFacts lists what a user should know about a model: what it reads, its training, its background and known
// errors if it has them, its p-values, and the size of its file.
func ModelFacts(m *message.Model) []string {
	facts := []string{"reads " + cmp.Or(m.Reads, "graphs"), "trained on " + Count(m.Train) + trainedFor(m)}
	if m.BackgroundGraphs > 0 {
		facts = append(facts, "background: "+Count(m.BackgroundGraphs)+" of "+m.Background)
	}
	if m.Residuals > 0 {
		facts = append(facts, "knows the errors of "+Count(m.Residuals)+" predictions")
	}
	kept := "kept"
	if m.HoldoutFile != "" {
		kept = "of " + Shorten(m.HoldoutFile, 40)
	}
	return append(facts, Count(m.Holdout)+" "+kept+" for p-values, so p is "+Number(m.SmallestP)+" at least", Size(m.Bytes))
}

package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"baca/algo/decide"
	"baca/app/words"
	"baca/wasm/message"
)

// Announcement is what a screen reader is told of.
func Announcement(s *Session) string {
	if i := s.Inspector.Record; i >= 0 && i < s.Rows.Len() {
		return s.Rows.Name(i) + ": " + s.Rows.Verdict[i].Word()
	}
	switch s.Phase {
	case Done:
		return summary(&s.Rows)
	case Stopped:
		return "Cancelled"
	case Broken:
		return FailureLine(s.Failure)
	case Scoring:
		return "Scoring"
	case Reading:
		return "Reading"
	}
	return ""
}

// Line is what the header says of the model.
func (m *Models) Line() string {
	switch {
	case m.Loading != "" && m.ToLoad > 0:
		return "loading " + m.Loading + ", " + words.Percent(float64(m.Loaded)/float64(m.ToLoad))
	case m.Loading != "" || m.Used == nil && m.Failure == nil:
		return "loading …"
	case m.Used == nil:
		return "none could be loaded"
	}
	return NoteOn(m.Used).Title
}

// summary is a run in one sentence.
func summary(r *Rows) string {
	n := r.Counts
	judged := r.Judged()
	if judged == 0 {
		return ""
	}
	return words.Plural(n[Outside], "record", "records") + " of " + words.Count(judged) + " outside, " + words.Count(n[Borderline]) + " borderline"
}

// Foreign says that more of the list is outside than a model is for, see decide.Counts.
func (s *Session) Foreign() string {
	if s.Phase != Done {
		return ""
	}
	n := s.Rows.Counts
	return decide.Counts{Outside: n[Outside], Borderline: n[Borderline], Inside: n[Inside], Undecided: n[Undecided]}.Foreign()
}

// Line names the library and says what is made of it.
func (t *Training) Line() string {
	line := t.Library.Name
	if t.Latest.Train > 0 {
		line += ": " + words.Count(t.Latest.Train) + " to learn from, " + words.Count(t.Latest.Holdout) + " kept for p-values"
		if t.Latest.Refused > 0 {
			line += ", " + words.Count(t.Latest.Refused) + " refused"
		}
	}
	return line
}

// of is how many epochs there are in all, once that is known.
func (t *Training) of() string {
	if t.Epochs == 0 {
		return ""
	}
	return " of " + strconv.Itoa(t.Epochs)
}

// ShortLine says in a few words how far a training is.
func (t *Training) ShortLine() string {
	if t.On {
		return "Training: epoch " + strconv.Itoa(t.Latest.Epoch) + t.of()
	}
	return "Training paused at " + strconv.Itoa(t.At) + t.of()
}

// ProgressLine says how far a training is.
func (t *Training) ProgressLine() string {
	of := t.of()
	switch {
	case !t.On:
		return "Paused at epoch " + strconv.Itoa(t.At) + of
	case t.Packing:
		return "All epochs are done: the model learns what tells your library from chemistry at large"
	}
	line := "Epoch " + strconv.Itoa(max(t.Latest.Epoch, t.from)) + of
	switch left := t.timeLeft(); {
	case left >= 10*time.Second:
		line += ", about " + words.Duration(left) + " left"
	case left > 0:
		line += ", a few seconds left"
	}
	if t.Ending {
		line += ", pausing after this one …"
	}
	return line
}

// leastLibrary is how many graphs a model can be made of.
const leastLibrary = 20

// LibraryLine says what there is to train on, and whether it is enough.
func (r *Result) LibraryLine() (line string, ready bool) {
	if r.Opened == nil {
		return "No library yet.", false
	}
	line = words.Count(r.Graphs()) + " graphs in the input"
	if r.Opened.Name != "" {
		line += ", from " + r.Opened.Name
	}
	if r.Graphs() < leastLibrary {
		return line + ": at least 20 are needed.", false
	}
	return line + ".", true
}

// ReadLine says how much of the input was read.
func ReadLine(s *Session) string {
	n, refused := s.Rows.Len(), len(s.Rows.Refused)
	switch {
	case s.Phase == Empty:
		return "or drop a file anywhere"
	case s.Phase == Waiting:
		return "…"
	case n == 0 && s.Phase == Reading:
		return "reading …"
	case refused > 0:
		return words.Count(n-refused) + " read, " + words.Count(refused) + " refused"
	}
	return words.Count(n) + " read"
}

// RefusedLine heads the reasons why records were refused.
func RefusedLine(s *Session) string {
	line := words.Plural(len(s.Rows.Refused), "line is", "lines are") + " refused"
	if len(s.Rows.Refused) < s.Rows.Len() {
		line += "; the others go on"
	}
	return line
}

// A Part of a score, in deviations.
type Part struct {
	Name  string
	Value float64
	Under bool // the one before it
}

// PartsOf are the parts of the score of a record, those of a part behind it.
func PartsOf(d *message.Detailed, things string) []Part {
	list := []Part{
		{"How far from the nearest training " + things, d.Distance, false},
		{"by embedding", d.Embedding, true}, {"by subtrees", d.Subtrees, true}, {"by subtrees with counts", d.Counts, true},
	}
	if !math.IsNaN(d.Nodes) {
		list = append(list, Part{"by ℓ_n, which weighs little", d.Nodes, true})
	}
	if !math.IsNaN(d.Ratio) {
		list = append(list, Part{"How much more like the background than like the training set", d.Ratio, false})
	}
	return list
}

// Trained says whether it was likely trained on.
func Trained(m *message.Model, d *message.Detailed) string {
	switch {
	case !m.Knows:
		return "not known to this model"
	case d.Known:
		return "likely"
	}
	return "no, for certain"
}

// Basis says what the scores of a batch rest on.
func Basis(f *message.Fitted) string {
	if f.Sample {
		return "by a sample of " + words.Count(f.Graphs)
	}
	return "among " + words.Count(f.Graphs)
}

// A Neighbor is one line of what a record resembles.
type Neighbor struct {
	Name, About, Value string
	Record             int // of the input, −1 for others
}

// mostNeighbors of a kind are shown.
const mostNeighbors = 4

// NeighborsOf are the first lines of a list, the heaviest first where they have weights.
func NeighborsOf(list []message.Neighbor) []Neighbor {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b message.Neighbor) int { return cmp.Compare(b.Weight, a.Weight) })
	var lines []Neighbor
	for _, n := range list[:min(len(list), mostNeighbors)] {
		line := Neighbor{Name: "synthetic graph", About: "from a mixture of graphons", Value: words.Percent(n.Weight), Record: -1}
		switch n.Origin {
		case "test":
			line.Name, line.About, line.Record = n.ID, "of this input", n.Row
			if n.ID == "" {
				line.Name = words.Shorten(n.SMILES, 40)
			}
		case "training":
			line.Name, line.About = "training graph", ""
			switch {
			case n.ID != "":
				line.Name = n.ID
			case n.Row >= 0:
				line.Name += fmt.Sprintf(" %d", n.Row+1)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// StageCount is the number beside a stage: how far it is now, or what it came to.
func StageCount(p message.Progress, now bool) string {
	switch {
	case p.Stage == message.StageParse:
		return words.Count(p.Records)
	case p.Total <= 1:
		return ""
	case p.Stage == message.StageAttention && now:
		return "t = " + words.Count(p.Done) + " / " + words.Count(p.Total)
	case p.Stage == message.StageAttention:
		return "T = " + words.Count(p.Total)
	case now && p.Done < p.Total:
		return words.Count(p.Done) + " / " + words.Count(p.Total)
	}
	return words.Count(p.Total)
}

// RunLine is what a run has come to.
func (s *Session) RunLine() string {
	line := words.Count(s.Rows.Len()) + " in " + words.Duration(s.Elapsed)
	if s.Scored != nil && s.Scored.Workers > 1 {
		line += " by " + words.Count(s.Scored.Workers) + " workers"
	}
	if s.Scored != nil && s.Scored.Device != "" {
		line += " on the " + s.Scored.Device
	}
	if s.Calibrated() {
		line += ", the batch in " + words.Duration(s.BatchTime)
	}
	if auc := s.AUC(); auc > 0 {
		line += ", AUC " + words.Number(auc)
	}
	return line
}

// CalibratingLine says how far the batch is.
func (s *Session) CalibratingLine() string {
	for _, w := range StageWords() {
		if w.Stage == s.Stage {
			line := "The batch is being calibrated: " + w.Name
			if count := StageCount(s.Progress[w.Stage], true); count != "" {
				line += ", " + count
			}
			return line + ". The verdicts above stay as they are."
		}
	}
	return "The batch is being calibrated …"
}

// Knows is how most headlines end.
const Knows = " what the model knows"

// Headline says in one sentence what was found, nothing before there is a verdict.
func Headline(s *Session) string {
	n := s.Rows.Counts
	judged := s.Rows.Judged()
	switch {
	case judged == 0 && n[Undecided] == 1:
		return "It is undecided"
	case judged == 0 && n[Undecided] > 1:
		return "All " + words.Count(n[Undecided]) + " are undecided"
	case judged == 0:
		return ""
	case judged == 1 && n[Borderline] == 1:
		return oneOf(s) + " is borderline"
	case judged == 1 && n[Inside] == 1:
		return oneOf(s) + " lies inside" + Knows
	case judged == 1:
		return oneOf(s) + " lies outside" + Knows
	case n[Outside] == 0:
		return "None of " + words.Count(judged) + " lies outside" + Knows
	case n[Outside] == judged:
		return "All " + words.Count(judged) + " lie outside" + Knows
	case n[Outside] == 1:
		return "1 of " + words.Count(judged) + " lies outside" + Knows
	}
	return words.Count(n[Outside]) + " of " + words.Count(judged) + " lie outside" + Knows
}

// oneOf names the one record that has a verdict: by its name if it is alone.
func oneOf(s *Session) string {
	if s.Rows.Len() == 1 {
		if name := s.Rows.Name(0); name != "1" { // its number: it has no name
			return words.Shorten(name, 40)
		}
		return words.Shorten(s.Rows.SMILES[0], 40)
	}
	return "It"
}

// DecidedBy says in a few words what the verdicts follow from.
func DecidedBy(s *Session) string {
	if s.Rows.Judged()+s.Rows.Counts[Undecided] == 0 {
		return ""
	}
	by := [Deciders]string{"Each by itself", "The batch decides", "S_BaCa decides"}[s.Deciding()]
	if s.Rule().ByRate {
		return by + ", at most " + words.Percent(s.FDR) + " false discoveries"
	}
	return by + ", α = " + words.Percent(s.Alpha)
}

// HowToRead says what the picture of the scores shows, and where its line is.
func HowToRead(s *Session) (about string) {
	if s.Rows.Judged() == 0 {
		return ""
	}
	if len(s.Reference) > 0 {
		about = "Grey: " + words.Count(len(s.Reference)) + " " + s.Things() + " of the known kind. " + words.Percent(s.Alpha) + " of such lie right of the line. Drag it."
	}
	switch {
	case s.Rule().ByRate:
		about = "Of those called outside at most " + words.Percent(s.FDR) + " are expected to be ordinary. Borderline: p of at most " + words.Percent(s.Alpha) + "."
	case s.FDR > 0:
		about = "Judged by α alone: the rate of false discoveries needs the p-values of all."
	}
	switch by := s.Deciding(); {
	case by == TheBatch:
		about += " The batch decides; outside also needs p of at most " + words.Number(s.Rule().Guard) + " by itself, which bounds false alarms in the worst company."
	case by == ThePaper:
		about += " S_BaCa decides, which learns from the list as a whole."
	case s.By != EachAlone && s.Phase == Calibrating:
		about = "Each by itself, until the batch is calibrated."
	}
	return about
}

// KnownAbout says what the mark of a record that was likely trained on means.
func (s *Session) KnownAbout() string {
	m := s.Models.Used
	if m == nil || !m.Knows {
		return ""
	}
	aside := ""
	if s.Things() == "molecules" {
		aside = ", stereochemistry and the way of writing aside"
	}
	return s.Say("Its salted hash is that of a molecule the model was trained on" + aside + "; about " + words.Percent(m.FalseMatches) + " of other molecules match, too")
}

// WaitingFor is what stands where the distribution will be.
func WaitingFor(s *Session) string {
	switch {
	case s.Phase == Unstarted && s.Models.Used == nil:
		return "Waiting for the model …"
	case s.Busy() || s.Phase == Waiting:
		return "The distribution appears with the first scores …"
	}
	return ""
}

// VerdictReason says why a verdict is what it is. It says what is known and no more: how
// many in-distribution graphs that were kept from training score at least as high, with the graph itself,
// as p has it.
func VerdictReason(v Verdict, p float64, r decide.Rule, things, list string) string {
	switch {
	case r.Holdout == 0 || math.IsNaN(p):
		return "The model keeps no held-out " + things + " to compare with."
	case v == Undecided:
		return TooFewHeld(r, things) + " Its p is " + words.Number(p) + "."
	}
	kind := " " + things + " like those the model was trained on"
	if list != "" {
		kind = " " + things + " of " + words.Shorten(list, 40)
	}
	reason, score := "", "score"
	if v == Outside {
		reason = "Only "
	}
	if p*float64(r.Holdout+1) < 1.5 {
		score = "scores"
	}
	return reason + decide.CountedIn(p, r.Holdout, kind) + ", " + score + " this high (p\u00a0" + words.PEquals(p) + ")."
}

// TooFewHeld says that a model keeps too few graphs for α.
func TooFewHeld(r decide.Rule, things string) string {
	return "This model keeps too few " + things + " to compare with for α\u00a0=\u00a0" + words.Percent(r.Alpha) + ": with " + words.Count(r.Holdout) + ", p is " + words.Number(1/float64(r.Holdout+1)) + " at least."
}

// Guarded says why a record that the batch finds outside is borderline.
func Guarded(alone float64, r decide.Rule) string {
	return "By itself it is not unusual enough (p\u00a0" + words.PEquals(alone) + "): outside by the batch needs p of at most " + words.Number(r.Guard) + " by itself, too."
}

// StageWords are the stages of a run, in their order.
func StageWords() []struct{ Stage, Name string } {
	return []struct{ Stage, Name string }{
		{message.StageParse, "parsed"},
		{message.StageScore, "scored"},
		{message.StageSample, "sampled"},
		{message.StageEncode, "encoded"},
		{message.StageEstimate, "graphons"},
		{message.StageMixup, "mixup"},
		{message.StageAttention, "attention"},
		{message.StageRatio, "density ratio"},
		{message.StageCompare, "compared"},
	}
}

// FailureWords says what went wrong and what to do.
func FailureWords(f *message.Failed) (headline, what string) {
	switch f.Code {
	case message.CodeDied:
		return "The worker stopped", "The part of the page that computes ended by itself (" + strings.TrimSuffix(words.Shorten(f.Text, 160), ".") + "). Your input is still here."
	case message.CodeCancelled:
		return "Cancelled", "Cancelled."
	case message.CodeMemory:
		return "Not enough memory", f.Text
	case message.CodeBadInput:
		return "This input cannot be read", f.Text
	case message.CodeBadModel:
		return "The model does not fit", f.Text
	case message.CodeBadOption:
		return "A setting is out of range", f.Text
	}
	return "That did not work", f.Text
}

// FailureLine says it in one line.
func FailureLine(f *message.Failed) string {
	headline, what := FailureWords(f)
	return headline + ". " + what
}

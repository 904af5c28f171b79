package app

import (
	"math"
	"strconv"
	"strings"
	"time"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// announcement is what a screen reader is told of.
func announcement(s *desk) string {
	if i := s.Inspector.Record; i >= 0 && i < s.Rows.Len() {
		return s.Rows.Name(i) + ": " + wordOf(s.Rows.Class(i))
	}
	switch s.Phase {
	case run.Done:
		return headline(s)
	case run.Broken:
		return words.FailureLine(s.Failure)
	}
	return map[run.Phase]string{run.Stopped: "Cancelled", run.Scoring: "Scoring", run.Reading: "Reading"}[s.Phase]
}

// dropLine says what a dropped file is for.
func dropLine(s *desk) string {
	if s.Phase == run.Empty {
		return "Drop the file on one of the two"
	}
	return "Drop the file to score it"
}

// modelLine is what the header says of the model.
func modelLine(m *run.Models) string {
	switch {
	case m.Loading != "" && m.ToLoad > 0:
		return "loading " + m.Loading + ", " + words.Percent(float64(m.Loaded)/float64(m.ToLoad))
	case m.Loading != "" || m.Used.None():
		return "loading …"
	case m.Used.Value == nil:
		return "none could be loaded"
	}
	return words.NoteOn(m.Used.Value).Title
}

// foreign says that more of the list is outside than a model is for, see decide.Counts.
func foreign(s *desk) string {
	if s.Phase != run.Done {
		return ""
	}
	return words.Grouped(s.Rows.Counts.Foreign())
}

// libraryName names the library and says what is made of it.
func libraryName(t *run.Training) string {
	line := t.Library.Name
	if t.Latest.Train > 0 {
		line += ": " + words.Count(t.Latest.Train) + " to learn from, " + words.Count(t.Latest.Holdout) + " kept for p-values"
		if t.Latest.Refused > 0 {
			line += ", " + words.Count(t.Latest.Refused) + " refused"
		}
	}
	return line
}

// epochs is how many epochs there are in all, once that is known.
func epochs(t *run.Training) string {
	if t.Epochs == 0 {
		return ""
	}
	return " of " + strconv.Itoa(t.Epochs)
}

// shortLine says in a few words how far a training is.
func shortLine(t *run.Training) string {
	if t.On && t.Epochs == 0 {
		return "Training"
	}
	if t.On {
		return "Training: epoch " + strconv.Itoa(t.Latest.Epoch) + epochs(t)
	}
	return "Training paused at " + strconv.Itoa(t.At) + epochs(t)
}

// progressLine says how far a training is.
func progressLine(t *run.Training) string {
	of := epochs(t)
	switch {
	case !t.On:
		return "Paused at epoch " + strconv.Itoa(t.At) + of
	case t.Packing:
		return "The model learns how your library differs from chemistry at large"
	case t.Epochs == 0:
		return "Reading your library"
	}
	line := "Epoch " + strconv.Itoa(max(t.Latest.Epoch, t.From)) + of
	switch left := t.TimeLeft(); {
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

// checkpointLine says what of a training outlasts the tab.
func checkpointLine(t *run.Training) string {
	switch {
	case t.Unkept != "":
		return "This browser keeps no checkpoint (" + strings.TrimSuffix(t.Unkept, ".") + "): the training ends with the tab."
	case t.At == 0:
		return "The first checkpoint comes within seconds. From then on you may close the tab, and training continues from there."
	}
	kept := "Epoch " + strconv.Itoa(t.At) + " is kept in this browser"
	if t.On && !t.Kept.IsZero() {
		kept += ", since " + t.Kept.Format("15:04:05")
	}
	return kept + ". You may close the tab: training continues from there, here or in another tab."
}

// leastLibrary is how many graphs a model can be made of.
const leastLibrary = 20

// libraryLine says what there is to train on, and whether it is enough.
func libraryLine(s *desk) (line string, ready bool) {
	if s.Opened == nil {
		return "None yet.", false
	}
	line = words.Count(s.Graphs()) + " " + s.Things() + " in the input"
	if s.Opened.Name != "" {
		line = words.Count(s.Graphs()) + " " + s.Things() + " in " + s.Opened.Name
	}
	if s.Graphs() < leastLibrary {
		return line + ": at least 20 are needed.", false
	}
	return line + ".", true
}

// keptLine says that a list waits for the model that is trained.
func keptLine(s *desk) string {
	if list := s.Input.Undo; s.Input.Library && list != nil {
		return "Your list (" + words.Shorten(list.Title(), 40) + ") is kept, and comes back with the model."
	}
	return ""
}

// useWords says what using a trained model does.
func useWords(s *desk) string {
	if keptLine(s) != "" {
		return "Use it on " + words.Shorten(s.Input.Undo.Title(), 30)
	}
	return "Use it"
}

// readLine says how much of the input was read.
func readLine(s *desk) string {
	n, refused := s.Rows.Len(), len(s.Rows.Refused)
	switch {
	case s.Phase == run.Empty:
		return "or drop a file here"
	case s.Phase == run.Waiting:
		return "…"
	case n == 0 && s.Phase == run.Reading:
		return "reading …"
	case refused > 0:
		return words.Count(n-refused) + " read, " + words.Count(refused) + " refused"
	}
	return words.Count(n) + " read"
}

// refusedLine heads the reasons why records were refused.
func refusedLine(s *desk) string {
	line := words.Plural(len(s.Rows.Refused), "line is", "lines are") + " refused"
	if len(s.Rows.Refused) < s.Rows.Len() {
		line += "; the others are scored"
	}
	return line
}

// runLine says how many records were scored in what time, by which workers or device, and with which AUC if the input
// has labels.
func runLine(s *desk) string {
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

// calibratingLine says how far the batch is.
func calibratingLine(s *desk) string {
	name := words.Stages[s.Stage]
	if name == "" {
		return "The batch is being calibrated …"
	}
	if count := words.StageCount(s.Progress[s.Stage], true); count != "" {
		name += ", " + count
	}
	return "The batch is being calibrated: " + name + ". The verdicts above stay as they are."
}

// runningLine says what is done before there is a verdict.
func runningLine(s *desk) string {
	switch n := s.Rows.Len(); {
	case s.Phase == run.Reading && n > 0:
		return "Reading: " + words.Count(n) + " so far …"
	case s.Phase == run.Reading:
		return "Reading …"
	case s.Phase == run.Scoring:
		return "Scoring " + words.Plural(n, strings.TrimSuffix(s.Things(), "s"), s.Things()) + " …"
	}
	return ""
}

// domain names what records are inside or outside of.
func domain(s *desk) string {
	if m := s.Models.Used.Value; m != nil {
		return words.Shorten(words.NoteOn(m).Title, 30)
	}
	return "the model"
}

// headline says in one sentence what was found, nothing before there is a verdict.
func headline(s *desk) string {
	n, judged := s.Rows.Counts, s.Rows.Judged()
	switch {
	case judged == 0 && n.Undecided == 0:
		return ""
	case judged == 0 && n.Undecided == 1:
		return "It is undecided"
	case judged == 0:
		return "All " + words.Count(n.Undecided) + " are undecided"
	case judged == 1 && n.Borderline == 1:
		return oneOf(s) + " is borderline"
	case judged == 1 && n.Inside == 1:
		return oneOf(s) + " lies inside " + domain(s)
	case judged == 1:
		return oneOf(s) + " lies outside " + domain(s)
	}
	some := words.Count(n.Outside) + " of " + words.Count(judged) + " lie"
	switch n.Outside {
	case 0:
		some = "None of " + words.Count(judged) + " lies"
	case judged:
		some = "All " + words.Count(judged) + " lie"
	case 1:
		some += "s"
	}
	return some + " outside " + domain(s)
}

// oneOf is the subject of a sentence about the one record that has a verdict: its name or SMILES if the input has no
// other record, or else "It".
func oneOf(s *desk) string {
	if s.Rows.Len() == 1 {
		if s.Rows.Named(0) {
			return words.Shorten(s.Rows.Name(0), 40)
		}
		return words.Shorten(s.Rows.SMILES(0), 40)
	}
	return "It"
}

// decidedBy says in a few words what the verdicts follow from.
func decidedBy(s *desk) string {
	if s.Rows.Judged()+s.Rows.Counts.Undecided == 0 {
		return ""
	}
	by := [table.Deciders]string{"each by itself", "by the batch", "by S_BaCa"}[s.Deciding()]
	if s.Rule().ByRate {
		return by + ", at most " + words.Percent(s.FDR) + " false discoveries"
	}
	return by + ", α = " + words.Percent(s.Alpha)
}

// howToRead says what the picture of the scores shows, and where its line is.
func howToRead(s *desk) (about string) {
	if s.Rows.Judged() == 0 {
		return ""
	}
	if n := len(s.Reference()); n > 0 {
		about = "Grey: " + words.Count(n) + " " + s.Things() + " kept from training. " +
			words.Percent(s.Alpha) + " of them lie right of the line, which can be dragged."
	}
	switch {
	case s.Rule().ByRate:
		about = "At most " + words.Percent(s.FDR) + " of those called outside are expected to be ordinary. Borderline: p is at most " +
			words.Percent(s.Alpha) + "."
	case s.FDR > 0:
		about = "Judged by α until all are scored: a false-discovery rate needs the p-values of all."
	}
	switch by := s.Deciding(); {
	case by == table.ThePaper:
		about += " S_BaCa learns from this list: for each fifth of it, from the other four."
		fallthrough
	case by == table.TheBatch:
		about += " Outside also needs p of at most " + words.Number(s.Rule().Guard) + " by itself, or that hardly any training " +
			strings.TrimSuffix(s.Things(), "s") + " is as much like this list; others stand left of the line."
	case s.By != table.EachAlone && s.Phase == run.Calibrating:
		about = "Each is judged by itself until the batch is calibrated."
	}
	return about
}

// knownAbout says what the mark of a record that was trained on means.
func knownAbout(s *desk) string {
	aside := ""
	if s.Things() == "molecules" {
		aside = ", apart from stereochemistry and the way of writing"
	}
	return s.Say("The model was trained on a molecule with the same surroundings of all atoms" + aside)
}

// waitingFor is what stands where the distribution will be.
func waitingFor(s *desk) string {
	switch {
	case s.Phase == run.Unstarted && s.Models.Used.Value == nil:
		return "Waiting for the model …"
	case s.Busy() || s.Phase == run.Waiting:
		return "The distribution appears with the first scores …"
	}
	return ""
}

// howUnusual says in words what p is: the share of in-distribution graphs, kept from training, that score at least as
// high, with the graph itself. Without a p-value or a verdict it says why.
func howUnusual(v decide.Verdict, p float64, r decide.Rule, things, list string) string {
	switch {
	case r.Holdout == 0 || math.IsNaN(p):
		return "The model keeps no held-out " + things + " to compare with."
	case v == decide.Undecided:
		return tooFewHeld(r, things) + " Its p is " + words.Number(p) + "."
	}
	of := things + " that were kept from training"
	if list != "" {
		of = things + " of " + words.Shorten(list, 40)
	}
	number := " (p\u00a0" + words.PEquals(p) + ")."
	if p*float64(r.Holdout+1) < 1.5 {
		return "More unusual than all " + words.Count(r.Holdout) + " " + of + number
	}
	return "As unusual as the top " + words.Percent(p) + " of the " + of + number
}

// tooFewHeld says that a model keeps too few graphs for α.
func tooFewHeld(r decide.Rule, things string) string {
	return "This model keeps too few " + things + " to compare with for α\u00a0=\u00a0" + words.Percent(r.Alpha) + ": with " + words.Count(r.Holdout) + ", p is " + words.Number(1/float64(r.Holdout+1)) + " at least."
}

// guarded says why a record that the batch finds outside is borderline.
func guarded(alone float64, things string) string {
	return "By itself it is not unusual enough (p\u00a0" + words.PEquals(alone) + "), and some training " + things +
		" resemble this list as much."
}

// nothingRead says why an input without an error has no molecule.
func nothingRead(s *desk) string {
	if s.Rows.Len() == 0 {
		return "No structure was found in it. Give SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file."
	}
	return words.Plural(s.Rows.Len(), "record was refused; the reason is", "records were refused; the reasons are") + " beside the input."
}

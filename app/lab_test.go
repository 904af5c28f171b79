package app

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/app/lab"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// told is a session whose lab has a calibrated batch. Records 0 to 2 are taken for outside
// and 3 for inside; 4 is in the middle.
func told(t *testing.T) (*desk, *fake, *[]func()) {
	t.Helper()
	s, f, later := decided(t, lengths)
	on(f, func(r *message.Detail, say func(any)) {
		d := detailed(r.Record)
		if s.Calibrated() {
			d.IDKeys = []message.Key{{Origin: "test", Row: 3, Weight: 0.75, Value: 0.5}, {Origin: "training", Row: 8, Weight: 0.25, Value: 0.1}}
			d.OODKeys = []message.Key{{Origin: "synthetic", Row: -1, Weight: 1, Value: 0.25, Nodes: 2, Edges: message.Ints{0, 1}}}
			d.AttnID, d.AttnOOD = 0.4, 0.25
		}
		say(d)
	})
	return s, f, later
}

// The story opens with a record, and what needs a batch has it calibrated once.
func TestLabCalibrates(t *testing.T) {
	s, f, _ := told(t)
	s.Lab.Open(lab.SceneGraph)
	f.next(-1)
	if s.Phase != run.Done || s.Inspector.Record != 2 || s.Lab.Trace.Value == nil || s.Lab.Trace.Value.Record != 2 {
		t.Fatalf("phase %v, record %d, trace %v: want the one with the longest text, and no batch", s.Phase, s.Inspector.Record, s.Lab.Trace.Value)
	}
	shows(t, s, "idc is a graph of 2 nodes and 1 edge.", `data-scene="graph"`)
	trace := s.Lab.Trace.Value
	trace.Atoms, trace.Bonds = append(trace.Atoms, "Na"), append(trace.Bonds, message.Bond{From: 1, To: 0})
	shows(t, s, "2 edges. The model leaves out 1 atom.")
	s.Lab.Open(lab.SceneParts)
	f.next(2)
	shows(t, s, "The batch is being calibrated: encoded, 6")
	f.next(-1)
	if s.Lab.Pair.Value == nil || s.Lab.Pair.Value.RecordI != 2 || s.Lab.Pair.Value.Side != "OOD" || s.Deciding() != table.EachAlone {
		t.Errorf("the graphons are %+v", s.Lab.Pair.Value)
	}
	shows(t, s, "idc has S_Pre = 50.0, one of the 3 highest: it is of the high part.")
	if b, _ := f.batches(); b != 1 {
		t.Errorf("%d batches were calibrated, want 1", b)
	}
}

// A scene that is opened before there is something to see is whole once there is.
func TestWholeOnceItIsThere(t *testing.T) {
	s, f, _ := told(t)
	s.Lab.Open(lab.SceneKeys)
	f.next(-1)
	if s.Lab.Beat != 2 || !s.Lab.Whole() {
		t.Errorf("beat %d of two keys", s.Lab.Beat)
	}
	// Whoever scrubs stays there.
	at, _ := s.Lab.Timeline()
	s.Lab.Scrub(at - 1)
	s.EndTask()
	s.Report(func(*message.Exported) {})
	f.next(-1)
	if s.Lab.Beat != 1 {
		t.Errorf("beat %d, want the first key", s.Lab.Beat)
	}
}

// Each scene has a headline with the record's name and a picture that no other has.
func TestSixScenes(t *testing.T) {
	s, f, _ := told(t)
	s.Inspector.Show(0)
	f.next(-1)
	s.Lab.Open(lab.SceneParts)
	f.next(-1)
	lines, scenes := map[string]bool{}, map[string]bool{}
	for _, c := range lab.Scenes() {
		if s.Lab.Stage != c.Key {
			s.Lab.Open(c.Key)
			f.next(-1)
		}
		line := s.Lab.Line()
		if lines[line] || !strings.Contains(line, "ida") {
			t.Errorf("%s says %q", c.Key, line)
		}
		lines[line] = true
		_, text, _ := strings.Cut(htmlOf(t, s), `class="scene scene-`)
		text, _, _ = strings.Cut(text, `class="player"`)
		if scenes[text] || !strings.Contains(text, "<svg") || !strings.Contains(text, "ida") {
			t.Errorf("%s shows %.300s", c.Key, text)
		}
		scenes[text] = true
	}
	for _, want := range []string{"S_BaCa calls ida borderline (p = 0.0833)", "By itself it is borderline, too (p = 0.0833)"} {
		if got := strings.ReplaceAll(s.Lab.Line(), "\u00a0", " "); !strings.Contains(got, want) {
			t.Errorf("the decision is %q, want %q in it", got, want)
		}
	}
	if pre, attn, sum := lab.Terms(s.Session, 0); pre != 2 || attn != -1 || sum != 1 {
		t.Errorf("terms %g and %g make %g, want 2, −1 and 1", pre, attn, sum)
	}
	s.Lab.Open(lab.SceneKeys)
	if got := s.Lab.Line(); got != "ida is more like the inside keys: S_Attn = 0.250 − 0.400 = −0.150." {
		t.Errorf("of the keys it says %q", got)
	}
	// Another record passes through as soon as it is chosen.
	s.Lab.Neighbour(1)
	f.next(-1)
	if s.Inspector.Record == 0 || s.Lab.Trace.Value == nil || s.Lab.Trace.Value.Record != s.Inspector.Record {
		t.Errorf("record %d, trace %+v", s.Inspector.Record, s.Lab.Trace.Value)
	}
	if !s.Lab.InStory() {
		t.Error("the lab has closed")
	}
	// Plain graphs have no atoms.
	s.Opened.Molecules = false
	for _, c := range lab.Scenes() {
		if got := s.Say(c.About); strings.Contains(got, "atom") || strings.Contains(got, "bond") || strings.Contains(got, "nodes are nodes") {
			t.Errorf("of plain graphs %s says %q", c.Key, got)
		}
	}
	s.Lab.Close()
	if s.Lab.Stage != "" {
		t.Error("the lab has not closed")
	}
}

// A new input while the story is open has a record of its own pass through.
func TestNewInputInTheStory(t *testing.T) {
	s, f, later := told(t)
	s.Lab.Open(lab.SceneDecision)
	f.next(-1)
	f.scores("CCO\nCCCC\nCCCCC")
	s.Input.Give(run.Given{Text: "CCO\nCCCC\nCCCCC"})
	if s.Inspector.Record >= 0 || s.Lab.Trace.Value != nil {
		t.Errorf("record %d of the input before", s.Inspector.Record)
	}
	htmlOf(t, s)
	for range 9 {
		pass1(later)
		f.next(1)
		htmlOf(t, s)
	}
	f.next(-1)
	f.settle()
	if s.Inspector.Record != 2 || s.Lab.Trace.Value == nil || !strings.Contains(s.Lab.Line(), "idc") {
		t.Errorf("record %d, trace %v, %q", s.Inspector.Record, s.Lab.Trace.Value, s.Lab.Line())
	}
	// One of which nothing can be read has no story.
	s.Input.Give(run.Given{Text: "x"})
	f.settle()
	pass(later)
	shows(t, s, "Nothing is scored yet.")
	if s.Inspector.Record >= 0 {
		t.Errorf("record %d of an input of which nothing is read", s.Inspector.Record)
	}
}

// stages are those that a play goes through until it stops. It never goes back, and needs no more than 200 turns.
func stages(t *testing.T, s *desk, f *fake, later *[]func()) (seen []string) {
	t.Helper()
	f.next(-1)
	for last, turns := 0, 0; ; turns++ {
		if len(seen) == 0 || s.Lab.Stage != seen[len(seen)-1] {
			seen = append(seen, s.Lab.Stage)
		}
		at, _ := s.Lab.Timeline()
		if !s.Lab.Playing {
			return seen
		}
		if at < last || turns > 200 {
			t.Fatalf("after %d turns the play goes from %d to %d, through %v", turns, last, at, seen)
		}
		last = at
		pass1(later)
		f.next(-1)
	}
}

// The play goes through all beats to the end, waits for what is not there, and stops.
func TestPlayToTheEnd(t *testing.T) {
	s, f, later := told(t)
	var paces []time.Duration
	after := s.After
	s.After = func(d time.Duration, g func()) { paces = append(paces, d); after(d, g) }
	s.Lab.Play(false)
	seen := stages(t, s, f, later)
	at, of := s.Lab.Timeline()
	if want := []string{lab.SceneGraph, lab.SceneViews, lab.SceneParts, lab.SceneMixup, lab.SceneKeys, lab.SceneDecision}; !slices.Equal(seen, want) || at != of-1 {
		t.Errorf("the play goes through %v and ends at %d of %d", seen, at, of)
	}
	if slices.Contains(paces, 0) || s.Lab.Lambda != 1 {
		t.Errorf("paces %v, λ = %g at the end", paces, s.Lab.Lambda)
	}
	// At the end it begins anew; a pause leaves no tick behind.
	s.Lab.Play(false)
	if s.Lab.Stage != lab.SceneGraph || s.Lab.Beat != 0 {
		t.Errorf("it begins anew at beat %d of %s", s.Lab.Beat, s.Lab.Stage)
	}
	s.Lab.Pause()
	pass(later)
	if s.Lab.Beat != 0 || s.Lab.Playing {
		t.Errorf("beat %d after a pause", s.Lab.Beat)
	}
	// Without motion scenes are whole.
	s.Lab.Play(true)
	for _, want := range []string{lab.SceneViews, lab.SceneParts} {
		pass1(later)
		f.next(-1)
		if s.Lab.Stage != want || !s.Lab.Whole() {
			t.Errorf("beat %d of %s, want all of %s", s.Lab.Beat, s.Lab.Stage, want)
		}
	}
	s.Lab.Pause()
}

// pass1 runs what waits now, and not what comes to wait by it.
func pass1(later *[]func()) {
	now := *later
	*later = nil
	for _, g := range now {
		g()
	}
}

func TestScrub(t *testing.T) {
	s, f, _ := told(t)
	s.Lab.Open(lab.SceneParts)
	f.next(-1)
	_, of := s.Lab.Timeline()
	s.Lab.Scrub(0)
	places := []int{0} // of one step after the other
	for at := 0; at < of-1; {
		s.Lab.Scrub(at + 1)
		at, _ = s.Lab.Timeline()
		places = append(places, at)
	}
	if !slices.IsSorted(places) || len(slices.Compact(slices.Clone(places))) != len(places) {
		t.Fatalf("steps forward come to the places %v", places)
	}
	for _, want := range slices.Backward(places[:len(places)-1]) {
		at, _ := s.Lab.Timeline()
		s.Lab.Scrub(at - 1)
		if got, _ := s.Lab.Timeline(); got != want {
			t.Fatalf("a step back from %d comes to %d, want %d", at, got, want)
		}
	}
	s.Lab.SetLambda(0.33)
	s.Lab.Open(lab.SceneMixup)
	f.next(-1)
	s.Lab.SetLambda(0.1)
	s.Lab.SetLambda(0.2)
	asked := len(f.asked)
	s.Lab.SetLambda(0.33)
	if len(f.asked) != asked || s.Lab.Beat != 7 {
		t.Errorf("%d questions while one is open, beat %d", len(f.asked)-asked, s.Lab.Beat)
	}
	f.next(-1)
	if g := s.Lab.Pair.Value; g == nil || math.Abs(g.Lambda-0.33) > 1e-12 {
		t.Errorf("the samples are of %+v, want those of the last λ", g)
	}
}

// Of a few molecules there is no batch: the story says so and tells what it can.
func TestStoryOfTwo(t *testing.T) {
	s, f, later := decided(t, "CCO\nCCCCCCCC\nx")
	s.Lab.Play(false)
	if seen, want := stages(t, s, f, later), []string{lab.SceneGraph, lab.SceneViews, lab.SceneDecision}; !slices.Equal(seen, want) {
		t.Errorf("the play goes through %v, want %v", seen, want)
	}
	shows(t, s, "A batch needs at least 3 molecules", "By itself idb is")
	if b, _ := f.batches(); b != 0 {
		t.Errorf("%d batches of two molecules", b)
	}
}

func TestAtomsInWords(t *testing.T) {
	m := traced(0)
	var pieces []string
	for _, p := range words.Pieces(m) {
		pieces = append(pieces, p.Text)
	}
	if !slices.Equal(pieces, []string{"[O-]", "C"}) {
		t.Errorf("pieces %q", pieces)
	}
	m.SMILES, m.From, m.To = "C.[O-]1", message.Ints{0, 2}, message.Ints{1, 6}
	if got := words.Pieces(m); len(got) != 4 || got[1] != (words.Piece{Text: ".", Atom: -1}) || got[2] != (words.Piece{Text: "[O-]", Atom: 1}) || got[3] != (words.Piece{Text: "1", Atom: -1}) {
		t.Errorf("pieces %v", got)
	}
	facts := words.AtomFacts(m, 0)
	if facts[0].Value != "O, number 8" || facts[3].Value != "−1" || facts[6].Value != "sp³" || facts[8].Value != "no" {
		t.Errorf("facts %v", facts)
	}
	if got := words.WalksOf(m, 0); !slices.Equal(got, []float32{0, 1}) {
		t.Errorf("walks %v", got)
	}
	m.Node[0] = -1
	if words.AtomFacts(m, 0) != nil || words.WalksOf(m, 0) != nil || words.AtomFacts(m, 9) != nil {
		t.Error("an atom that is not read has facts")
	}
	m.Node, m.Features, m.X = message.Ints{0, 1}, 1, message.Ints{1, 1}
	if got := words.AtomFacts(m, 1); len(got) != 1 || got[0].Value != "1" {
		t.Errorf("a bare node has the facts %v", got)
	}
}

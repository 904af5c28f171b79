package app

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/app/lab"
	"baca/wasm/message"
)

// told is a stage with a scored list. In its batch records 0 to 2 are taken for outside and 3 for inside; 4 is in the middle.
func told(t *testing.T) *stage {
	t.Helper()
	p := newStage(t)
	p.play("type LENGTHS", "settle")
	return p
}

// Each scene has a headline with the record's name and a picture that no other has.
func TestSixScenes(t *testing.T) {
	s := told(t)
	s.Inspector.Show(0)
	s.f.next(-1)
	s.Lab.Open(lab.SceneParts)
	s.f.next(-1)
	lines, scenes := map[string]bool{}, map[string]bool{}
	for _, c := range lab.Scenes() {
		if s.Lab.Stage != c.Key {
			s.Lab.Open(c.Key)
			s.f.next(-1)
		}
		line := s.Lab.Line()
		if lines[line] || !strings.Contains(line, "ida") {
			t.Errorf("%s says %q", c.Key, line)
		}
		lines[line] = true
		_, text, _ := strings.Cut(htmlOf(t, s.desk), `class="scene scene-`)
		text, _, _ = strings.Cut(text, `class="player"`)
		if scenes[text] || !strings.Contains(text, "<svg") || !strings.Contains(text, "ida") {
			t.Errorf("%s shows %.300s", c.Key, text)
		}
		scenes[text] = true
	}
	for _, want := range []string{"S_BaCa calls ida borderline (p = 0.0833)", "By itself it is borderline (p = 0.0833), too."} {
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
	s.f.next(-1)
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
	s.Opened.Molecules = true
	s.Lab.Open(lab.SceneGraph)
	trace := s.Lab.Trace.Value
	trace.Atoms, trace.Bonds = append(trace.Atoms, "Na"), append(trace.Bonds, message.Bond{From: 1, To: 0})
	s.shows("2 edges. The model leaves out 1 atom.")
}

// stages are those that a play goes through until it stops. It never goes back, and needs no more than 200 turns.
func stages(t *testing.T, s *stage) (seen []string) {
	t.Helper()
	s.f.next(-1)
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
		s.pass1()
		s.f.next(-1)
	}
}

// The play goes through all beats to the end, waits for what is not there, and stops. Of two molecules there is no batch.
func TestPlayToTheEnd(t *testing.T) {
	s := told(t)
	var paces []time.Duration
	after := s.After
	s.After = func(d time.Duration, g func()) { paces = append(paces, d); after(d, g) }
	s.Lab.Play(false)
	seen := stages(t, s)
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
	s.pass()
	if s.Lab.Beat != 0 || s.Lab.Playing {
		t.Errorf("beat %d after a pause", s.Lab.Beat)
	}
	// Without motion scenes are whole.
	s.Lab.Play(true)
	for _, want := range []string{lab.SceneViews, lab.SceneParts} {
		s.pass1()
		s.f.next(-1)
		if s.Lab.Stage != want || !s.Lab.Whole() {
			t.Errorf("beat %d of %s, want all of %s", s.Lab.Beat, s.Lab.Stage, want)
		}
	}
	s.Lab.Pause()
	s.play("type CCO;CCCCCCCC;x", "settle")
	s.Lab.Close()
	s.Lab.Play(false)
	if seen, want := stages(t, s), []string{lab.SceneGraph, lab.SceneViews, lab.SceneDecision}; !slices.Equal(seen, want) {
		t.Errorf("of two the play goes through %v, want %v", seen, want)
	}
}

func TestScrub(t *testing.T) {
	s := told(t)
	s.Lab.Open(lab.SceneParts)
	s.f.next(-1)
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
	// One question about samples is open at a time, the last one is asked again.
	s.Lab.Open(lab.SceneMixup)
	s.f.next(-1)
	s.Lab.SetLambda(0.1)
	asked := len(s.f.asked)
	s.Lab.SetLambda(0.2)
	s.Lab.SetLambda(0.33)
	if len(s.f.asked) != asked || s.Lab.Beat != 7 {
		t.Errorf("%d questions while one is open, beat %d", len(s.f.asked)-asked, s.Lab.Beat)
	}
	s.f.next(-1)
	if g := s.Lab.Pair.Value; g == nil || math.Abs(g.Lambda-0.33) > 1e-12 {
		t.Errorf("the samples are of %+v, want those of the last λ", g)
	}
}

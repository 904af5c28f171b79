package session

import (
	"slices"
	"time"

	"baca/wasm/message"
)

// A Lab tells the way of one record, the one of the inspector, through the method: a story
// of scenes, each of a few beats. Beside it the lab has the test for drift, compares lists, says
// what to measure next, and how well judgements of predictions held.
type Lab struct {
	session *Session

	Stage   string // the scene that is open, message.StageDrift, StageLists, StageChoose or StageTrust; empty for none
	Beat    int    // of the scene
	Atom    int    // that is lit
	Playing bool
	Frame   int  // counts what only the lab draws anew
	rests   bool // the scene stands as it is when it is opened
	still   bool // scenes are played as wholes, for those who want no motion
	play    int  // number of the latest Play; the ticks of earlier ones are dropped

	// What was asked for of the record, and what came.
	asked        traceKey
	Trace        *message.Traced
	TraceFailure *message.Failed
	// Graphons of a side: what was asked for, and what came.
	Side    string
	i, j    int
	Lambda  float64
	mixing  int // the run for which an answer is awaited, −1 for none
	again   bool
	Pair    *message.GraphonPair
	Failure *message.Failed
	// What the test for drift found.
	Drift        *message.Drifted
	DriftFailure *message.Failed
	// How the input differs from another list.
	Compared       *message.Compared
	CompareFailure *message.Failed
	// What to measure next.
	Wish           Wish
	Suggested      *message.Suggested
	SuggestFailure *message.Failed
}

// A traceKey is what a Trace depends on.
type traceKey struct {
	run, record int
	batch       bool
}

func (l *Lab) forget() {
	l.Drift, l.DriftFailure = nil, nil
	l.Compared, l.CompareFailure = nil, nil
	l.Suggested, l.SuggestFailure = nil, nil
	l.asked, l.Trace, l.TraceFailure = traceKey{}, nil, nil
	l.forgetBatch()
}

func (l *Lab) forgetBatch() { l.Pair, l.Failure, l.mixing, l.again = nil, nil, -1, false }

// OfBatch tells whether a stage is one of calibrating the batch.
func OfBatch(stage string) bool {
	switch stage {
	case message.StageSample, message.StageEncode, message.StageEstimate, message.StageMixup, message.StageAttention, message.StageRatio, message.StageCompare:
		return true
	}
	return false
}

// InStory tells whether a scene is open.
func (l *Lab) InStory() bool {
	return !slices.Contains([]string{"", message.StageDrift, message.StageLists, message.StageChoose, message.StageTrust}, l.Stage)
}

// Open shows a scene or what is beside the story, or closes the lab if that is shown already. What
// needs a batch has it calibrated.
func (l *Lab) Open(stage string) {
	l.Pause()
	l.session.Rev.State++
	if l.Stage == stage {
		l.Stage = ""
		return
	}
	l.enter(stage)
	l.settle(true)
	if stage == message.StageDrift && l.Drift == nil {
		l.WatchDrift()
	}
}

// Close closes the lab.
func (l *Lab) Close() {
	if l.Stage != "" {
		l.Open(l.Stage)
	}
}

// enter makes a scene the one that is shown, from its first beat.
func (l *Lab) enter(stage string) {
	s := l.session
	l.Stage, l.Beat, l.Atom, s.declined = stage, 0, 0, false
	if l.InStory() {
		l.choose()
	}
	if stage == SceneMixup {
		l.Lambda = 0.5
	}
	s.proceed()
	s.Rev.All() // the drawings of keys are wanted, too
}

// choose has a record pass through the story if none does: of the ten most unusual ones that
// with the longest text, since there is most to see of it.
func (l *Lab) choose() {
	s := l.session
	if r := s.Inspector.Record; r >= 0 && s.Rows.Problem(r) == nil {
		return
	}
	if first := s.Furthest(10); len(first) > 0 {
		longest := slices.MaxFunc(first, func(a, b int32) int { return len(s.Rows.Picture(int(a))) - len(s.Rows.Picture(int(b))) })
		s.Inspector.Show(int(longest))
		return
	}
	for r := range s.Rows.Len() {
		if s.Rows.Problem(r) == nil {
			s.Inspector.Show(r)
			return
		}
	}
}

// follow has another record pass through, the one of the inspector.
func (l *Lab) follow() {
	l.Trace, l.TraceFailure, l.Pair, l.Atom = nil, nil, nil, 0
	if l.InStory() {
		l.refresh()
		l.settle(true)
	}
}

// settle has the scene stand as it is when it is opened, from now on or if it does so
// already: more of it may have come.
func (l *Lab) settle(now bool) {
	if l.rests = l.rests || now; l.rests {
		l.Beat = l.rest()
	}
}

// Neighbour shows the record so many places further down the table.
func (l *Lab) Neighbour(by int) {
	l.Pause()
	s := l.session
	at := slices.Index(s.Order, int32(s.Inspector.Record))
	for at += by; at >= 0 && at < len(s.Order); at += by {
		if r := int(s.Order[at]); s.Rows.Problem(r) == nil {
			s.Inspector.Show(r)
			return
		}
	}
}

// refresh asks for what the story needs and has not got.
func (l *Lab) refresh() {
	s := l.session
	record := s.Inspector.Record
	if l.InStory() && record < 0 && s.Phase == Done {
		l.choose() // of a new input
		return
	}
	if !l.InStory() || record < 0 || s.Rows.Problem(record) != nil || s.Opened == nil || s.Models.Used == nil || s.Phase == Broken {
		return
	}
	if key := (traceKey{s.Run, record, s.Calibrated()}); key != l.asked {
		l.asked = key
		s.askInRun(&message.Trace{Record: record}, nil, func(r message.Reply) {
			if key != l.asked {
				return
			}
			s.Rev.State++
			if t, ok := r.(*message.Traced); ok {
				l.Trace, l.TraceFailure = t, nil
				l.settle(false)
				return
			}
			l.TraceFailure = failureOf(r)
		})
	}
	if s.Calibrated() && l.Pair == nil && l.Failure == nil {
		l.pair()
	}
}

// PartOf is the part of the batch that a record was taken for, "ID", "OOD" or neither, and
// its place there.
func (r *Result) PartOf(record int) (side string, place int) {
	if r.Parted == nil {
		return "", -1
	}
	if i := slices.Index(r.Parted.Inside, int32(record)); i >= 0 {
		return "ID", i
	}
	if i := slices.Index(r.Parted.Outside, int32(record)); i >= 0 {
		return "OOD", i
	}
	return "", -1
}

// pair mixes the record with another one of its part.
func (l *Lab) pair() {
	side, i := l.session.PartOf(l.session.Inspector.Record)
	if side == "" {
		side, i = l.Side, 0
	}
	l.Side, l.i, l.j = side, i, i+1
	l.mix()
}

// ShowSide mixes two records of a side, the present one first if it is there.
func (l *Lab) ShowSide(side string) {
	l.Pause()
	l.Side, l.i = side, 0
	if its, i := l.session.PartOf(l.session.Inspector.Record); its == side {
		l.i = i
	}
	l.j = l.i + 1
	l.mix()
}

// samples are the graphs that are drawn from a mixture.
const samples = 6

// mix asks for the present mixture, once for all that changes before the answer comes.
func (l *Lab) mix() {
	s := l.session
	l.Frame++
	if l.mixing == s.Run {
		l.again = true
		return
	}
	if !s.Calibrated() {
		return
	}
	if parts := s.Parted; parts != nil {
		// The partner of the last one is the first one.
		l.j %= max(len(map[string]message.Ints{"ID": parts.Inside, "OOD": parts.Outside}[l.Side]), 1)
	}
	l.mixing, l.again = s.Run, false
	s.askInRun(&message.Graphons{Side: l.Side, I: l.i, J: l.j, Lambda: l.Lambda, Seed: 1, Samples: samples}, nil, func(r message.Reply) {
		l.mixing = -1
		l.Frame++
		if l.again {
			l.mix()
		}
		if pair, ok := r.(*message.GraphonPair); ok {
			l.Pair, l.Failure = pair, nil
			return
		}
		l.Pair, l.Failure = nil, failureOf(r)
	})
}

// SetLambda mixes anew.
func (l *Lab) SetLambda(lambda float64) {
	l.Pause()
	l.Lambda, l.rests = lambda, false
	l.Beat = min(max(int(lambda*(lambdas-1)+0.5), 0), lambdas-1)
	l.mix()
}

// NextPartner mixes with another record of the side.
func (l *Lab) NextPartner() {
	if g := l.Pair; g != nil && g.Graphs > 2 {
		if l.j = (l.j + 1) % g.Graphs; l.j == l.i {
			l.j = (l.j + 1) % g.Graphs
		}
		l.mix()
	}
}

// Light lights an atom.
func (l *Lab) Light(atom int) {
	if t := l.Trace; t != nil && atom >= 0 && atom < len(t.Atoms) && atom != l.Atom {
		l.Pause()
		l.rests = false
		l.Atom, l.Beat = atom, atom*l.beats(SceneGraph)/len(t.Atoms)
		l.Frame++
	}
}

// WantedKeys are the records among the keys, whose drawings a scene shows.
func (l *Lab) WantedKeys() (records []int32) {
	if d := l.session.Inspector.Detail; d != nil && l.Stage == SceneKeys {
		for _, k := range slices.Concat(d.IDKeys, d.OODKeys) {
			if k.Origin == "test" && k.Row >= 0 {
				records = append(records, int32(k.Row))
			}
		}
	}
	return records
}

// WatchDrift runs the test for drift.
func (l *Lab) WatchDrift() {
	l.DriftFailure = nil
	l.session.beginTask("Drift", &message.Drift{}, func(r message.Reply) {
		if d, ok := r.(*message.Drifted); ok {
			l.Drift = d
			return
		}
		l.DriftFailure = failureOf(r)
	})
}

// The scenes of the story, in their order.
const (
	SceneGraph    = "graph"
	SceneViews    = "views"
	SceneParts    = "graphons"
	SceneMixup    = "mixup"
	SceneKeys     = "dictionaries"
	SceneDecision = "decision"
)

// needsBatch tells whether a scene is about the batch.
func needsBatch(scene string) bool {
	return scene == SceneParts || scene == SceneMixup || scene == SceneKeys || scene == SceneDecision
}

// playable are the scenes that there is something to see of.
func (l *Lab) playable() []string {
	if l.session.Unfit() != "" {
		return []string{SceneGraph, SceneViews, SceneDecision}
	}
	return []string{SceneGraph, SceneViews, SceneParts, SceneMixup, SceneKeys, SceneDecision}
}

const (
	mostLit = 48 // beats of a molecule, which lights that many atoms at most
	reveals = 3  // beats of a scene that is shown piece by piece
	lambdas = 21 // places of λ, from 0 to 1
)

// beats is how many a scene has.
func (l *Lab) beats(scene string) int {
	switch s := l.session; scene {
	case SceneGraph:
		if l.Trace != nil {
			return min(max(len(l.Trace.Atoms), 1), mostLit)
		}
	case SceneViews, SceneParts:
		return reveals
	case SceneMixup:
		return lambdas
	case SceneKeys:
		if d := s.Inspector.Detail; d != nil {
			return max(len(d.IDKeys), len(d.OODKeys)) + 1
		}
	case SceneDecision:
		return max(len(s.Iterations), 1)
	}
	return 1
}

// rest is the beat at which a scene that is not played stands.
func (l *Lab) rest() int {
	switch l.Stage {
	case SceneGraph:
		return 0
	case SceneMixup:
		return (lambdas - 1) / 2
	}
	return l.beats(l.Stage) - 1
}

// Whole tells whether a scene shows all of itself, and not up to the present beat.
func (l *Lab) Whole() bool { return l.Beat >= l.beats(l.Stage)-1 }

// Timeline is the present place among all beats of the story, and how many there are.
func (l *Lab) Timeline() (at, of int) {
	for _, scene := range l.playable() {
		if scene == l.Stage {
			at = of + min(l.Beat, l.beats(scene)-1)
		}
		of += l.beats(scene)
	}
	return at, of
}

// Scrub goes to a place of the timeline.
func (l *Lab) Scrub(at int) {
	l.Pause()
	for _, scene := range l.playable() {
		n := l.beats(scene)
		if at < n {
			l.goTo(scene, max(at, 0))
			return
		}
		at -= n
	}
}

// Step goes to the scene so many places further.
func (l *Lab) Step(by int) {
	l.Pause()
	scenes := l.playable()
	at := slices.Index(scenes, l.Stage) + by
	if at >= 0 && at < len(scenes) {
		l.enter(scenes[at])
		l.settle(true)
	}
}

// goTo shows a beat of a scene.
func (l *Lab) goTo(scene string, beat int) {
	if scene != l.Stage {
		l.enter(scene)
	}
	l.Beat, l.rests = beat, false
	l.Frame++
	switch scene {
	case SceneGraph:
		if t := l.Trace; t != nil {
			l.Atom = beat * len(t.Atoms) / l.beats(scene)
		}
	case SceneMixup:
		l.Lambda = float64(beat) / (lambdas - 1)
		l.mix()
	}
}

// Play goes on from here, or from the beginning if the end is reached. A scene that stands
// whole is played from its own beginning. For those who want no motion, scenes are shown
// whole, one after the other.
func (l *Lab) Play(still bool) {
	s := l.session
	scenes := l.playable()
	last := scenes[len(scenes)-1]
	l.Playing, l.still = true, still
	l.play++
	switch {
	case l.Stage == last && l.Whole() || !slices.Contains(scenes, l.Stage):
		l.enter(scenes[0])
		l.rests = false
	case l.rests:
		l.goTo(l.Stage, 0)
	}
	if l.still {
		l.settle(true)
	}
	s.declined = false
	s.Calibrate() // later scenes need it
	s.Rev.State++
	l.wait()
}

// Pause stops the play.
func (l *Lab) Pause() {
	if l.Playing {
		l.Playing = false
		l.Frame++
	}
}

// wait has the next beat come in its time.
func (l *Lab) wait() {
	play := l.play
	l.session.After(l.pace(), func() {
		if l.Playing && play == l.play {
			l.tick()
		}
	})
}

// hold is how long the last beat of a scene stays.
const hold = 3500 * time.Millisecond

// pace is how long the present beat stays.
func (l *Lab) pace() time.Duration {
	if l.Whole() || l.still {
		return hold
	}
	switch l.Stage {
	case SceneGraph:
		return 220 * time.Millisecond
	case SceneMixup:
		return 300 * time.Millisecond
	case SceneKeys:
		return 800 * time.Millisecond
	case SceneDecision:
		return max(6*time.Second/time.Duration(l.beats(SceneDecision)), 60*time.Millisecond)
	}
	return 1600 * time.Millisecond
}

// waits tells whether the scene is not there yet.
func (l *Lab) waits() bool {
	s := l.session
	if l.TraceFailure != nil || s.Phase == Broken || s.Phase == Stopped {
		return false
	}
	return l.Trace == nil || needsBatch(l.Stage) && s.Unfit() == "" && !s.Calibrated() && s.Phase == Calibrating ||
		l.Stage == SceneKeys && s.Calibrated() && s.Inspector.Failure == nil && (s.Inspector.Detail == nil || s.Inspector.Detail.IDKeys == nil)
}

// tick goes to the next beat, or the next scene.
func (l *Lab) tick() {
	scenes := l.playable()
	at := slices.Index(scenes, l.Stage)
	switch {
	case at < 0:
		l.Pause()
		return
	case l.waits():
		// Until it is there.
	case !l.still && !l.Whole():
		l.goTo(l.Stage, l.Beat+1)
	case at+1 < len(scenes):
		l.goTo(scenes[at+1], 0)
		if l.still {
			l.settle(true)
		}
	default:
		l.Pause()
		return
	}
	l.wait()
}

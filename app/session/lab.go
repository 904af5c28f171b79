package session

import (
	"slices"
	"time"

	"baca/wasm/message"
)

// A Lab tells the inspected record's way through the method: a story of scenes with beats. It also
// opens the tools.
type Lab struct {
	session *Session

	Stage   string // the open scene or tool; empty for none
	Beat    int    // of the scene
	Atom    int    // that is lit
	Playing bool
	Frame   int  // counts redraws of the lab
	rests   bool // the scene rests
	still   bool // whole scenes, for reduced motion
	play    int  // number of the latest Play; earlier ticks are dropped

	// Requested data of the record, and what arrived.
	asked traceKey
	Trace Answer[message.Traced]
	// Requested graphons, and what arrived.
	Lambda float64
	mixing int // the run of the awaited answer, −1 for none
	again  bool
	Pair   Answer[message.GraphonPair]
	found  map[string]*Answer[message.Found] // by tool, see Found
	Wish   Wish                              // of suggestions
}

// A traceKey identifies a Trace.
type traceKey struct {
	run, record int
	batch       bool
}

func (l *Lab) forget() {
	l.found = nil
	l.Trace.forget()
	l.asked = traceKey{}
	l.forgetBatch()
}

func (l *Lab) forgetBatch() {
	l.Pair.forget()
	l.mixing, l.again = -1, false
}

// OfBatch reports a stage of the batch.
func OfBatch(stage string) bool {
	switch stage {
	case message.StageSample, message.StageEncode, message.StageEstimate, message.StageMixup, message.StageAttention, message.StageRatio, message.StageCompare:
		return true
	}
	return false
}

// InStory reports an open scene, not a tool.
func (l *Lab) InStory() bool {
	return l.Stage != "" && l.Tool() == nil
}

// Open opens a scene or tool, or closes the open one. It calibrates the batch if needed.
func (l *Lab) Open(stage string) {
	l.Pause()
	l.session.Rev.State++
	if l.Stage == stage {
		l.Stage = ""
		return
	}
	l.enter(stage)
	l.settle(true)
	if stage == message.StageDrift && l.Found(stage).Value == nil {
		l.WatchDrift()
	}
}

func (l *Lab) Close() {
	if l.Stage != "" {
		l.Open(l.Stage)
	}
}

// enter shows a scene from its first beat.
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
	s.Rev.All() // key drawings are wanted
}

// choose picks a record for the story, of the ten most unusual ones the longest.
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

// follow shows the inspected record.
func (l *Lab) follow() {
	l.Trace.forget()
	l.Pair.Value, l.Atom = nil, 0
	if l.InStory() {
		l.refresh()
		l.settle(true)
	}
}

// settle moves a resting scene, or with now any scene, to its rest: more may have arrived.
func (l *Lab) settle(now bool) {
	if l.rests = l.rests || now; l.rests {
		l.Beat = l.rest()
	}
}

// Neighbour moves down the table.
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

// refresh requests missing data of the story.
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
			if l.Trace.take(r) {
				l.settle(false)
			}
		})
	}
	if s.Calibrated() && l.Pair.Value == nil && l.Pair.Failure == nil {
		l.mix()
	}
}

// PartOf is a record's part of the batch, "ID", "OOD" or neither, and its index.
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

// samples is the number of graphs drawn from a mixture.
const samples = 6

// mix requests the mixture of the record and the next one of its part, coalescing changes. A record
// of no part leaves that to the first two inside.
func (l *Lab) mix() {
	s := l.session
	l.Frame++
	if l.mixing == s.Run {
		l.again = true
		return
	}
	if !s.Calibrated() || s.Parted == nil {
		return
	}
	side, i := s.PartOf(s.Inspector.Record)
	part := s.Parted.Inside
	switch side {
	case "":
		side, i = "ID", 0
	case "OOD":
		part = s.Parted.Outside
	}
	l.mixing, l.again = s.Run, false
	r := &message.Graphons{Side: side, I: i, J: (i + 1) % max(len(part), 1), Lambda: l.Lambda, Seed: 1, Samples: samples}
	s.askInRun(r, nil, func(r message.Reply) {
		l.mixing = -1
		l.Frame++
		if l.again {
			l.mix()
		}
		if !l.Pair.take(r) {
			l.Pair.Value = nil
		}
	})
}

func (l *Lab) SetLambda(lambda float64) {
	l.Pause()
	l.Lambda, l.rests = lambda, false
	l.Beat = min(max(int(lambda*(lambdas-1)+0.5), 0), lambdas-1)
	l.mix()
}

// Light highlights an atom.
func (l *Lab) Light(atom int) {
	if t := l.Trace.Value; t != nil && atom >= 0 && atom < len(t.Atoms) && atom != l.Atom {
		l.Pause()
		l.rests = false
		l.Atom, l.Beat = atom, atom*l.beats(SceneGraph)/len(t.Atoms)
		l.Frame++
	}
}

// WantedKeys are the shown keys' records.
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

// Scenes in order.
const (
	SceneGraph    = "graph"
	SceneViews    = "views"
	SceneParts    = "graphons"
	SceneMixup    = "mixup"
	SceneKeys     = "dictionaries"
	SceneDecision = "decision"
)

// needsBatch reports scenes of the batch.
func needsBatch(scene string) bool {
	return scene == SceneParts || scene == SceneMixup || scene == SceneKeys || scene == SceneDecision
}

// playable scenes have something to show.
func (l *Lab) playable() []string {
	if l.session.Unfit() != "" {
		return []string{SceneGraph, SceneViews, SceneDecision}
	}
	return []string{SceneGraph, SceneViews, SceneParts, SceneMixup, SceneKeys, SceneDecision}
}

const (
	mostLit = 48 // beats of a molecule, at most
	reveals = 3  // beats of a scene shown in pieces
	lambdas = 21 // values of λ from 0 to 1
)

// beats is a scene's number of beats.
func (l *Lab) beats(scene string) int {
	switch s := l.session; scene {
	case SceneGraph:
		if l.Trace.Value != nil {
			return min(max(len(l.Trace.Value.Atoms), 1), mostLit)
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

// rest is the beat of a scene at rest.
func (l *Lab) rest() int {
	switch l.Stage {
	case SceneGraph:
		return 0
	case SceneMixup:
		return (lambdas - 1) / 2
	}
	return l.beats(l.Stage) - 1
}

// Whole reports a completely shown scene.
func (l *Lab) Whole() bool { return l.Beat >= l.beats(l.Stage)-1 }

// Timeline is the position among all beats, and their number.
func (l *Lab) Timeline() (at, of int) {
	for _, scene := range l.playable() {
		if scene == l.Stage {
			at = of + min(l.Beat, l.beats(scene)-1)
		}
		of += l.beats(scene)
	}
	return at, of
}

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

// Step moves by scenes.
func (l *Lab) Step(by int) {
	l.Pause()
	scenes := l.playable()
	at := slices.Index(scenes, l.Stage) + by
	if at >= 0 && at < len(scenes) {
		l.enter(scenes[at])
		l.settle(true)
	}
}

func (l *Lab) goTo(scene string, beat int) {
	if scene != l.Stage {
		l.enter(scene)
	}
	l.Beat, l.rests = beat, false
	l.Frame++
	switch scene {
	case SceneGraph:
		if t := l.Trace.Value; t != nil {
			l.Atom = beat * len(t.Atoms) / l.beats(scene)
		}
	case SceneMixup:
		l.Lambda = float64(beat) / (lambdas - 1)
		l.mix()
	}
}

// Play continues, or starts over at the end. A resting scene plays from its start. still shows
// whole scenes.
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

func (l *Lab) Pause() {
	if l.Playing {
		l.Playing = false
		l.Frame++
	}
}

// wait schedules the next beat.
func (l *Lab) wait() {
	play := l.play
	l.session.After(l.pace(), func() {
		if l.Playing && play == l.play {
			l.tick()
		}
	})
}

// lastBeat is the duration of a scene's last beat.
const lastBeat = 3500 * time.Millisecond

// pace is the present beat's duration.
func (l *Lab) pace() time.Duration {
	if l.Whole() || l.still {
		return lastBeat
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

// waits reports missing data of the scene.
func (l *Lab) waits() bool {
	s := l.session
	if l.Trace.Failure != nil || s.Phase == Broken || s.Phase == Stopped {
		return false
	}
	return l.Trace.Value == nil || needsBatch(l.Stage) && s.Unfit() == "" && !s.Calibrated() && s.Phase == Calibrating ||
		l.Stage == SceneKeys && s.Calibrated() && s.Inspector.Failure == nil && (s.Inspector.Detail == nil || s.Inspector.Detail.IDKeys == nil)
}

// tick moves to the next beat or scene.
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

// Package lab is the page's lab, without a browser (Lab): the story of a record in six scenes, and the tools.
package lab

import (
	"cmp"
	"slices"
	"time"

	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// A Lab tells the inspected record's way through the method: a story of scenes with beats. It also opens the tools.
type Lab struct {
	session *run.Session

	Stage   string // the open scene or tool; empty for none
	Beat    int    // of the scene
	Atom    int    // that is lit
	Playing bool
	Frame   int  // counts redraws of the lab
	rests   bool // the scene rests
	still   bool // whole scenes, for reduced motion
	play    int  // number of the latest Play; earlier ticks are dropped

	run, record int // that are told of
	// Requested data of the record, and what arrived.
	asked traceKey
	Trace message.Answer[message.Traced]
	// Requested graphons, and what arrived.
	Lambda float64
	mixing int // the run of the awaited answer, −1 for none
	again  bool
	Pair   message.Answer[message.GraphonPair]
	found  map[string]*message.Answer[message.Found] // by tool, see Found
	Wish   Wish                                      // of suggestions
}

// New returns the lab of a session, and follows it.
func New(s *run.Session) *Lab {
	l := &Lab{session: s, record: -1, Lambda: 0.5, mixing: -1}
	s.WantsBatch = func() bool { return l.scene().batch && l.hasPaper() }
	s.Watchers = append(s.Watchers, l.follow)
	return l
}

type traceKey struct {
	run, record int
	batch       bool
}

// follow follows the session: another run or record, and what has arrived.
func (l *Lab) follow() {
	s := l.session
	if l.run != s.Run && s.Scored == nil {
		l.found, l.asked = nil, traceKey{}
		l.Trace.Forget()
	}
	l.run = s.Run
	if l.record != s.Inspector.Record {
		l.record, l.Atom, l.rests = s.Inspector.Record, 0, l.rests || l.InStory()
		l.Trace.Forget()
		l.Pair.Value = nil
	}
	if !s.Calibrated() {
		l.Pair.Forget()
		l.mixing, l.again = -1, false
	}
	if l.InStory() {
		l.refresh()
	}
	l.settle(false)
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
	if t := l.Tool(); t != nil && t.Button != "" && l.Found(stage).Value == nil {
		l.Ask()
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
	l.Stage, l.Beat, l.Atom = stage, 0, 0
	if l.InStory() {
		l.choose()
	}
	if stage == SceneMixup {
		l.Lambda = 0.5
	}
	s.Resume()
	s.Rev.All() // key drawings are wanted
}

// choose picks a record for the story: that of an example, or of the ten most unusual ones the longest.
func (l *Lab) choose() {
	s := l.session
	if r := s.Inspector.Record; r >= 0 && s.Rows.Problem(r) == nil {
		return
	}
	for _, e := range run.Examples() {
		for r := range s.Rows.Len() {
			if e.Name == s.Input.Name && e.Story == s.Rows.Name(r) {
				s.Inspector.Show(r)
				return
			}
		}
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

// settle moves a resting scene, or with now any scene, to its rest: more may have arrived.
func (l *Lab) settle(now bool) {
	l.rests = l.rests || now
	if l.rests {
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
	if record < 0 && s.Phase == run.Done {
		l.choose() // of a new input
		return
	}
	if record < 0 || s.Rows.Problem(record) != nil || s.Opened == nil || s.Models.Used.Value == nil || s.Phase == run.Broken {
		return
	}
	if key := (traceKey{s.Run, record, s.Calibrated()}); key != l.asked {
		l.asked = key
		run.Ask(s, &l.Trace, &message.Trace{Record: record}, func() bool { return key == l.asked }, func() {})
	}
	if s.Calibrated() && l.hasPaper() && l.Pair.None() && l.mixing != s.Run {
		l.mix()
	}
}

// PartOf is a record's part of the batch, "ID", "OOD" or neither, and its index.
func PartOf(parted *message.Parted, record int) (side string, place int) {
	if parted == nil {
		return "", -1
	}
	if i := slices.Index(parted.Inside, int32(record)); i >= 0 {
		return "ID", i
	}
	if i := slices.Index(parted.Outside, int32(record)); i >= 0 {
		return "OOD", i
	}
	return "", -1
}

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
	side, i := PartOf(s.Parted, s.Inspector.Record)
	part := s.Parted.Inside
	switch side {
	case "":
		side, i = "ID", 0
	case "OOD":
		part = s.Parted.Outside
	}
	l.mixing, l.again = s.Run, false
	r := &message.Graphons{Side: side, I: i, J: (i + 1) % max(len(part), 1), Lambda: l.Lambda}
	at := s.Run
	run.Ask(s, &l.Pair, r, func() bool { return at == l.mixing }, func() {
		l.mixing = -1
		l.Frame++
		if l.again {
			l.mix()
		}
		if l.Pair.Failure != nil {
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

// Light highlights an atom of the graph, and pauses the story at its beat. It ignores atoms that do not exist.
func (l *Lab) Light(atom int) {
	if t := l.Trace.Value; t != nil && atom >= 0 && atom < len(t.Atoms) && atom != l.Atom {
		l.Pause()
		l.rests = false
		l.Atom, l.Beat = atom, atom*l.beats(SceneGraph)/len(t.Atoms)
		l.Frame++
	}
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

// scene is the open scene; zero for none.
func (l *Lab) scene() Scene { return sceneOf(l.Stage) }

// sceneOf returns the scene of a key, or one of a single beat if there is none.
func sceneOf(key string) Scene {
	for _, c := range Scenes() {
		if c.Key == key {
			return c
		}
	}
	return Scene{beats: func(*Lab) int { return 1 }}
}

// hasPaper reports that the paper's method can run on the list.
func (l *Lab) hasPaper() bool { return l.session.UnfitFor(table.ThePaper) == "" }

// playable returns the keys of the scenes that can be shown: all, or without the paper's method those that need no batch, and
// the decision, which says then why it is missing.
func (l *Lab) playable() []string {
	var list []string
	for _, c := range Scenes() {
		if l.hasPaper() || !c.batch || c.Key == SceneDecision {
			list = append(list, c.Key)
		}
	}
	return list
}

const (
	mostLit = 48 // beats of a molecule, at most
	reveals = 3  // beats of a scene shown in pieces
	lambdas = 21 // values of λ from 0 to 1
)

// beats is a scene's number of beats.
func (l *Lab) beats(scene string) int { return sceneOf(scene).beats(l) }

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

// A stop is a beat of a scene, and its place in the timeline.
type stop struct {
	scene       string
	beat, place int
}

// sceneWidth is the number of places of a scene in the timeline: all scenes take as long.
const sceneWidth = 101

// stops lists the beats of all scenes, and says which one is shown.
func (l *Lab) stops() (list []stop, now int) {
	for k, scene := range l.playable() {
		last := l.beats(scene) - 1
		for beat := range last + 1 {
			if scene == l.Stage && beat <= l.Beat {
				now = len(list)
			}
			list = append(list, stop{scene, beat, k*sceneWidth + (beat*(sceneWidth-1)+last/2)/max(last, 1)})
		}
	}
	return list, now
}

// Timeline is the place of the story, and the number of places.
func (l *Lab) Timeline() (at, of int) {
	stops, now := l.stops()
	return stops[now].place, stops[len(stops)-1].place + 1
}

// Scrub goes to the stop that is nearest to a place of the timeline: from another place to another stop.
func (l *Lab) Scrub(at int) {
	l.Pause()
	stops, now := l.stops()
	away := func(k int) int { return max(stops[k].place-at, at-stops[k].place) }
	to := 0
	for k := range stops {
		if away(k) < away(to) {
			to = k
		}
	}
	if to == now {
		to = min(max(now+cmp.Compare(at, stops[now].place), 0), len(stops)-1)
	}
	l.goTo(stops[to].scene, stops[to].beat)
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

// goTo shows a beat of a scene, with the atom or the λ that belongs to it.
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

// Play continues, or starts over at the end. A resting scene plays from its start. still shows whole scenes.
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
	s.Calibrate() // later scenes need it
	s.Rev.State++
	l.wait()
}

// Pause stops the story at the present beat.
func (l *Lab) Pause() {
	if l.Playing {
		l.Playing = false
		l.Frame++
	}
}

// wait plays the next beat after the present one has lasted its time, unless Pause or Play was called meanwhile.
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

// pace is the present beat's duration: a scene takes about six seconds.
func (l *Lab) pace() time.Duration {
	if l.Whole() || l.still {
		return lastBeat
	}
	return min(max(6*time.Second/time.Duration(l.beats(l.Stage)), 60*time.Millisecond), 1600*time.Millisecond)
}

// waits reports whether the story has to wait for data of the scene that are on their way:
//
//   - the graph of the record,
//   - the batch, while it is calibrated, if the scene needs it,
//   - in the scene of the dictionaries, the keys of the record.
//
// It never waits for data that failed, or after the worker stopped.
func (l *Lab) waits() bool {
	s := l.session
	if l.Trace.Failure != nil || s.Phase == run.Broken || s.Phase == run.Stopped {
		return false
	}
	return l.Trace.Value == nil || l.scene().batch && l.hasPaper() && !s.Calibrated() && s.Phase == run.Calibrating ||
		l.Stage == SceneKeys && s.Calibrated() && s.Inspector.Detail.Failure == nil &&
			(s.Inspector.Detail.Value == nil || s.Inspector.Detail.Value.IDKeys == nil)
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

package app

import (
	"math"
	"slices"
	"strings"
	"time"

	"baca/wasm/message"
)

// A phase is what the session is doing with its input.
type phase uint8

const (
	empty       phase = iota // there is no input
	waiting                  // for the user to stop typing
	reading                  // records are parsed
	scoring                  // records are scored, each by itself
	calibrating              // that is done, and the batch is looked at as a whole
	done                     // all that can be is scored
	stopped                  // cancelled by the user
	broken                   // ended with an error, see session.failure
	unstarted                // read, but there is no model to score with
)

// A session is all that the page knows, and what it does next. It knows no browser:
// the components draw it, and tests drive it with a client that answers at once.
// All of it runs on the page's goroutine.
type session struct {
	client *message.Client // nil where there is no browser
	// post has a function called on the page's goroutine; after does that later.
	post  func(func())
	after func(time.Duration, func())
	now   func() time.Time

	pending bool // rows have come that are not judged yet

	// rev counts what changed, so that components draw again only for that.
	rev revisions

	welcome *message.Welcome
	model   *message.Model
	// loading names the model that is being loaded, with done and total bytes.
	loading        string
	loaded, toLoad int
	modelFailure   *message.Failed
	customModels   []customModel // from files or trained here

	// What is scored: text from the input pane, or a file.
	text string
	file *file
	undo *undo

	unscored bool // the input is a library, to be opened and not scored

	run     int // number of the run; what belongs to an earlier one is dropped
	phase   phase
	failure *message.Failed
	opened  *message.Opened
	rows    rows
	started time.Time
	took    time.Duration

	by         decider // that the user chose, see deciding
	declined   bool    // the user has ended the calibration of this batch
	alpha      float64
	fdr        float64             // rate of false discoveries that decides, 0 for α
	levels     levels              // q-values, once all records are scored and these are to decide
	references [deciders]reference // of the scores that each of them goes by
	reference  reference           // of what decides
	fitted     *message.Fitted     // nil before the batch is calibrated
	batchTook  time.Duration
	scored     *message.Scored
	warnings   []string
	exported   string // a note on the latest download

	view  view
	order []int32

	// Drawings by SMILES. One that failed is there and nil.
	drawings map[string]*thumb

	// What the stages have come to.
	stage      string
	progress   map[string]message.Progress
	parted     *message.Parted
	iterations []message.Iteration

	selected int // record, −1 for none
	detail   *message.Detailed
	detailOf int // record that detail or detailFailure is of
	trouble  *message.Failed
	reason   int      // of the detail, whose atoms are marked, −1 for those of what was never seen
	gradient bool     // atoms are coloured by it
	sketched *drawing // of sketchOf, by springs
	sketchOf *message.Detailed

	lab   lab
	train training
	task  *task // what the worker does beside, nil for nothing
}

// Revisions of the parts of a session.
type revisions struct {
	head, input, strip, table, inspector, lab, train int
}

// all has everything drawn again.
func (r *revisions) all() {
	r.head++
	r.input++
	r.strip++
	r.table++
	r.inspector++
	r.lab++
	r.train++
}

// A file is an input that is not in the text area: bytes, or a file of the browser
// that never passes through the memory of the page.
type file struct {
	name   string
	size   int // in bytes
	data   []byte
	number int // of the browser's, 0 for data
}

// held is a file of the given bytes.
func held(name string, data []byte) *file { return &file{name: name, size: len(data), data: data} }

// request asks for it to be opened.
func (f *file) request() *message.Open {
	return &message.Open{Name: f.name, Data: f.data, File: f.number}
}

// An undo brings back the input that was there before.
type undo struct {
	text string
	file *file
	what string
}

type customModel struct {
	card message.Model
	data []byte
}

func newSession(c *message.Client) *session {
	return &session{
		client:   c,
		post:     func(f func()) { f() },
		after:    func(_ time.Duration, f func()) { f() },
		now:      time.Now,
		alpha:    0.05,
		selected: -1,
		detailOf: -1,
		reason:   -1,
		progress: map[string]message.Progress{},
		drawings: map[string]*thumb{},
		lab:      lab{side: "ID", lambda: 0.5},
	}
}

// ask sends a request. What comes back is handed over on the page's goroutine.
func (s *session) ask(r message.Request, on func(message.Event), done func(message.Reply)) {
	s.client.Do(r,
		func(e message.Event) {
			if on != nil {
				s.post(func() { on(e) })
			}
		},
		func(reply message.Reply) { s.post(func() { done(reply) }) },
	)
}

// start greets the worker and loads a model, the default one for an empty name.
func (s *session) start(model string) {
	s.loading = model
	s.ask(&message.Hello{}, nil, func(r message.Reply) {
		s.rev.all()
		w, ok := r.(*message.Welcome)
		if !ok {
			s.modelFailure, s.loading = failed(r), ""
			return
		}
		s.welcome = w
		known := false
		for _, m := range w.Models {
			known = known || m.Name == model
		}
		if !known {
			model = ""
		}
		if model == "" && len(w.Models) > 0 {
			model = w.Models[0].Name
		}
		s.loadModel(model, nil)
	})
}

// failed makes a failure of a reply that is not what was asked for.
func failed(r message.Reply) *message.Failed {
	if f, ok := r.(*message.Failed); ok {
		return f
	}
	return &message.Failed{Code: message.CodeInternal, Text: "the worker gave an answer of another kind"}
}

// loadModel makes a model the one that is used: a built-in one, or with data a file.
func (s *session) loadModel(name string, data []byte) {
	if s.phase == scoring || s.phase == calibrating {
		s.stop()
	}
	s.endTask()
	s.loading, s.loaded, s.toLoad, s.modelFailure = name, 0, 0, nil
	s.rev.all()
	s.ask(&message.LoadModel{Name: name, Data: data}, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok {
			s.loaded, s.toLoad = p.Done, p.Total
			s.rev.head++
		}
	}, func(r message.Reply) {
		s.loading = ""
		s.rev.all()
		m, ok := r.(*message.Model)
		if !ok {
			s.modelFailure = failed(r)
			if s.model != nil {
				s.again() // the model before is still there
			}
			return
		}
		s.model = m
		if data != nil {
			s.remember(*m, data)
		}
		s.again()
	})
}

// remember keeps a model that is not built in, so that it can be chosen again.
func (s *session) remember(m message.Model, data []byte) {
	for i := range s.customModels {
		if s.customModels[i].card.SHA256 == m.SHA256 {
			s.customModels[i] = customModel{m, data}
			return
		}
	}
	s.customModels = append(s.customModels, customModel{m, data})
}

// The input. Typing is waited for; a file or an example is read at once.
const pause = 350 * time.Millisecond

func (s *session) typed(text string) {
	if text == s.text {
		return
	}
	s.file, s.text, s.unscored = nil, text, false
	s.begin(pause)
}

// give replaces the input as a whole, and remembers the one before.
func (s *session) give(text string, f *file, what string) {
	s.unscored = false
	s.replace(text, f, what)
}

func (s *session) replace(text string, f *file, what string) {
	if s.text != "" || s.file != nil {
		s.undo = &undo{s.text, s.file, what}
	}
	s.text, s.file = text, f
	s.begin(0)
}

// takeBack undoes the latest give.
func (s *session) takeBack() {
	if u := s.undo; u != nil {
		s.undo = nil
		s.text, s.file, s.unscored = u.text, u.file, false
		s.begin(0)
	}
}

// begin starts a run of the present input.
func (s *session) begin(wait time.Duration) {
	s.stop()
	s.run++
	s.clear()
	if s.file == nil && strings.TrimSpace(s.text) == "" {
		s.phase = empty
		return
	}
	s.phase = waiting
	run := s.run
	s.after(wait, func() {
		if run == s.run {
			s.open()
		}
	})
}

// stop ends what the worker does for the run before.
func (s *session) stop() {
	if s.busy() || s.task != nil {
		s.run++
		s.phase, s.task = waiting, nil
		s.client.Cancel()
	}
}

// busy tells whether the worker reads, scores or calibrates.
func (s *session) busy() bool {
	return s.phase == reading || s.phase == scoring || s.phase == calibrating
}

// cancel is the user's: what is there stays. Without a batch each record decides for
// itself.
func (s *session) cancel() {
	if s.phase == calibrating {
		s.run++
		s.phase, s.stage, s.by, s.declined = done, "", eachAlone, true
		s.client.Cancel()
		s.forgetBatch()
		if s.selected >= 0 && s.detail == nil {
			s.inspect() // it was asked for, and the worker has gone
		}
	} else if s.busy() {
		s.run++
		s.phase = stopped
		s.took = s.now().Sub(s.started)
		s.client.Cancel()
		s.rev.all()
	}
}

// clear forgets all results.
func (s *session) clear() {
	s.rows, s.order = rows{}, nil
	s.opened, s.failure = nil, nil
	s.view.only, s.view.search, s.view.known = [verdicts]bool{}, "", false
	s.choose(-1)
	s.clearScores()
}

func (s *session) clearScores() {
	s.references, s.reference, s.fitted, s.scored, s.levels = [deciders]reference{}, nil, nil, nil, levels{}
	s.warnings, s.exported, s.took, s.batchTook, s.declined = nil, "", 0, 0, false
	s.stage, s.parted, s.iterations = "", nil, nil
	s.progress = map[string]message.Progress{}
	s.lab.forget()
	s.rev.all()
}

// open has the input parsed, and then scored.
func (s *session) open() {
	if s.train.on {
		s.pauseTraining() // the worker does one thing at a time
	}
	request := s.file.request
	if s.file == nil {
		text := []byte(s.text)
		if !strings.HasSuffix(s.text, "\n") {
			text = append(text, '\n')
		}
		request = held("", text).request
	}
	s.read(request(), s.score, func(*message.Failed) {})
}

// read has an input parsed. Then, unless another one has taken its place, it calls
// one of both.
func (s *session) read(r *message.Open, opened func(), not func(*message.Failed)) {
	run := s.run
	s.phase, s.started = reading, s.now()
	s.rev.all()
	s.ask(r, func(e message.Event) {
		if run != s.run {
			return
		}
		switch e := e.(type) {
		case *message.Records:
			s.rows.add(e)
			s.soon()
		case *message.Progress:
			s.goes(e)
		}
	}, func(r message.Reply) {
		if run != s.run {
			return
		}
		o, ok := r.(*message.Opened)
		if !ok {
			s.fail(failed(r))
			not(s.failure)
			return
		}
		s.opened, s.phase = o, unstarted
		s.progress[message.StageParse] = message.Progress{Stage: message.StageParse, Done: 1, Total: 1, Records: o.Records, Refused: o.Refused}
		s.rejudge()
		s.rev.all()
		opened()
	})
}

// again scores what is open with another model.
func (s *session) again() {
	switch {
	case s.phase == empty || s.phase == reading || s.unscored || s.train.on:
		// What is being read will be scored with it, and a library not at all.
	case s.opened == nil:
		s.begin(0)
	default:
		s.run++
		parse := s.progress[message.StageParse]
		s.forgetScores()
		s.clearScores()
		s.progress[message.StageParse] = parse
		s.score()
	}
}

// forgetScores makes all rows unscored.
func (s *session) forgetScores() {
	for _, column := range [][]float64{s.rows.alone, s.rows.aloneP} {
		for i := range column {
			column[i] = math.NaN()
		}
	}
	s.rows.batch = nil
	s.rows.decide(eachAlone)
	clear(s.rows.scored)
	clear(s.rows.known)
	s.rows.knows = 0
	s.rejudge()
}

// score has the open input scored.
func (s *session) score() {
	switch {
	case s.opened.Records == s.opened.Refused:
		s.phase = done
		s.took = s.now().Sub(s.started)
		return
	case s.model == nil || s.loading != "" || s.unscored:
		s.phase = unstarted // until the model is there, or the user asks for it
		return
	case s.model.Molecules != s.opened.Molecules:
		s.fail(&message.Failed{Code: message.CodeBadModel, Text: mismatch(s.model, s.opened)})
		return
	}
	s.phase, s.failure = scoring, nil
	s.warnings = slices.Clone(s.opened.Warnings)
	s.started = s.now()
	s.rev.all()
	s.askScore(&message.Score{}, s.event, func(scored *message.Scored) {
		s.scored, s.phase, s.stage = scored, done, ""
		s.warn(scored.Warnings)
		s.took = s.now().Sub(s.started)
		s.settle()
		if s.detail != nil || s.trouble != nil {
			s.inspect() // it may be by another model
		}
		s.proceed()
	})
}

// askScore asks for scores in this run. What comes after its end is dropped.
func (s *session) askScore(r *message.Score, on func(message.Event), done func(*message.Scored)) {
	run := s.run
	s.ask(r, func(e message.Event) {
		if run == s.run {
			on(e)
		}
	}, func(r message.Reply) {
		if run != s.run {
			return
		}
		if scored, ok := r.(*message.Scored); ok {
			done(scored)
		} else {
			s.fail(failed(r))
		}
	})
}

// warn adds warnings that have not been given yet.
func (s *session) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
}

func mismatch(m *message.Model, o *message.Opened) string {
	if m.Molecules {
		return "this model reads molecules, and the input holds plain graphs"
	}
	return "this model reads plain graphs, and the input holds molecules"
}

// event takes what a scoring tells.
func (s *session) event(e message.Event) {
	switch e := e.(type) {
	case *message.Progress:
		s.goes(e)
	case *message.Parted:
		s.parted = e
		s.rev.lab++
	case *message.Iteration:
		s.iterations = append(s.iterations, *e)
		s.goes(&message.Progress{Stage: message.StageAttention, Done: e.Step, Total: e.Of})
		s.rev.lab++
	case *message.Reference:
		s.references[eachAlone] = newReference(e.Score)
		s.reference = s.references[s.deciding()]
	case *message.Fitted:
		s.fitted = e
		s.warn(e.Warnings)
		s.rev.lab++
	case *message.Rows:
		s.rows.fill(e)
		s.soon()
	}
}

// goes notes how far a stage has come.
func (s *session) goes(p *message.Progress) {
	s.stage = p.Stage
	s.progress[p.Stage] = *p
	s.rev.lab++
}

// soon judges and draws what has come, once for all that comes within a moment.
func (s *session) soon() {
	if s.pending {
		return
	}
	s.pending = true
	s.after(moment, func() {
		s.pending = false
		s.rejudge()
		s.rev.input++
	})
}

const moment = 120 * time.Millisecond

// fail ends a run.
func (s *session) fail(f *message.Failed) {
	if f.Code == message.CodeDied && strings.Contains(f.Text, "out of memory") {
		f = &message.Failed{Code: message.CodeMemory, Text: s.room()}
	}
	s.phase, s.failure, s.stage = broken, f, ""
	if f.Code == message.CodeCancelled {
		s.phase, s.failure = stopped, nil
	}
	s.took = s.now().Sub(s.started)
	s.rev.all()
}

// room says how many records there was memory for.
func (s *session) room() string {
	n := s.rows.len()
	if n == 0 {
		return "The browser gives this tab too little to read even the first record. Close other tabs, and try again."
	}
	// Half of what was there leaves room for what scoring takes.
	return "The browser gave this tab no more after " + things(n, "record", "records") + ". About " + count(max(n/2, 1)) + " at a time should fit: give the input in parts, or close other tabs."
}

// setAlpha judges all records anew. Nothing is scored again.
func (s *session) setAlpha(alpha float64) {
	s.alpha = min(max(alpha, leastAlpha/10), 1)
	s.another()
}

// setFDR has a rate of false discoveries decide, or with 0 the rate of false alarms.
func (s *session) setFDR(rate float64) {
	s.fdr = rate
	s.level()
	if rate == 0 && s.view.by == byQ {
		s.view.by = byP
	}
	s.another()
}

// rule is what decides at present. q-values need all records.
func (s *session) rule() rule {
	r := s.own(s.deciding())
	if s.fdr > 0 && len(s.levels.p) > 0 {
		r.fdr, r.cut = true, s.levels.cut(s.fdr)
	}
	return r
}

// own is the rule of a decider for each record by α.
func (s *session) own(by decider) rule {
	r := rule{alpha: s.alpha, held: len(s.references[by])}
	if s.model != nil {
		r.list = s.model.HoldoutFile
	}
	if by == theBatch && s.welcome != nil {
		r.guard = s.welcome.Guard
	}
	return r
}

// threshold is the score from which on records are called outside, NaN for none.
func (s *session) threshold() float64 {
	most, _ := s.rule().limits()
	return s.reference.threshold(most)
}

// q are the q-values if they decide.
func (s *session) q() levels {
	if s.rule().fdr {
		return s.levels
	}
	return levels{}
}

// another judges all records by another rule.
func (s *session) another() {
	s.rows.judge(s.rule())
	s.rev.strip++
	s.rev.table++
	if s.view.by == byVerdict || slices.Contains(s.view.only[:], true) {
		s.arrange() // other orders do not depend on verdicts
	}
	s.rev.head++
	s.rev.inspector++
	s.rev.lab++
}

// rejudge sets verdicts, counts and the order of the table.
func (s *session) rejudge() {
	s.rows.judge(s.rule())
	s.rev.strip++
	s.arrange()
}

// arrange orders the table.
func (s *session) arrange() {
	s.order = s.rows.order(s.view)
	s.rev.table++
}

// sortBy sorts by a column, or turns the order around. What is unusual comes first.
func (s *session) sortBy(c column) {
	switch {
	case s.view.by != c:
		s.view.by, s.view.descending = c, c == byScore || c == byVerdict || c == byPre || c == byAttn || c == byBaCa
	default:
		s.view.descending = !s.view.descending
	}
	s.arrange()
}

// filter sets the text that rows must contain.
func (s *session) filter(search string) {
	s.view.search = search
	s.arrange()
}

// toggle shows the records of a verdict alone, beside others that are shown so, or
// not any more.
func (s *session) toggle(v verdict) {
	s.view.only[v] = !s.view.only[v]
	s.arrange()
}

// toggleKnown shows the records that were likely trained on alone, or not any more.
func (s *session) toggleKnown() {
	s.view.known = !s.view.known
	s.arrange()
}

// choose opens the inspector for a record, −1 closes it.
func (s *session) choose(record int) {
	if record == s.selected {
		return
	}
	s.selected = record
	s.detail, s.trouble, s.detailOf, s.reason = nil, nil, -1, -1
	s.rev.inspector++
	s.rev.strip++
	s.rev.table++
	s.rev.lab++
	if record >= 0 && s.rows.problem[record] == nil {
		s.inspect()
	}
}

// step selects the row so many places further down the table.
func (s *session) step(by int) {
	at := -1
	for i, r := range s.order {
		if int(r) == s.selected {
			at = i
		}
	}
	if n := len(s.order); n > 0 {
		s.choose(int(s.order[min(max(at+by, 0), n-1)]))
	}
}

// inspect asks what made the scores of the selected record.
func (s *session) inspect() {
	record, run := s.selected, s.run
	if s.model == nil || s.opened == nil || s.phase == broken {
		return
	}
	s.ask(&message.Detail{Record: record}, nil, func(r message.Reply) {
		if run != s.run || record != s.selected {
			return
		}
		s.detailOf = record
		s.rev.inspector++
		s.rev.lab++
		if d, ok := r.(*message.Detailed); ok {
			s.detail, s.trouble = d, nil
			return
		}
		s.trouble = failed(r)
	})
}

// export asks for a file of the rows that are shown, or all of them in the order of
// the input, and hands it to save.
func (s *session) export(format string, all bool, save func(*message.Exported)) {
	order := s.order
	if all {
		order = s.rows.order(view{})
	}
	s.ask(&message.Export{Format: format, Rows: s.rows.columns(order, s.q(), s.own(theBatch))}, nil, func(r message.Reply) {
		s.saved(r, things(len(order), "row", "rows"), save)
	})
}

// saved hands a file to save, and notes what it holds.
func (s *session) saved(r message.Reply, what string, save func(*message.Exported)) {
	s.rev.table++
	e, ok := r.(*message.Exported)
	if !ok {
		s.exported = "Not saved: " + failed(r).Text
		if failed(r).Code == message.CodeCancelled {
			s.exported = "Cancelled"
		}
		return
	}
	if s.opened != nil && s.opened.Name != "" {
		e.Name = stem(s.opened.Name) + "-" + e.Name
	}
	save(e)
	s.exported = what + " saved as " + e.Name
}

// An example is one of the one-click inputs, some of the classes of the built-in
// file or all of them.
type example struct {
	name, about string
	classes     []string
	most        int // of a class, 0 for all
}

var examples = []example{
	{"Medicines and explosives", "21 molecules: drugs that reach the brain, and what should never be near one", []string{"CNS drug", "explosive"}, 0},
	{"Five to begin with", "one each of five kinds, judged one by one", []string{"CNS drug", "other drug", "sugar", "explosive", "organometallic"}, 1},
	{"A mixed shelf", "158 molecules of 20 kinds, from amino acids to dyes", nil, 0},
}

// useExample gives molecules of the built-in file.
func (s *session) useExample(e example) {
	if s.welcome != nil {
		s.give(e.text(s.welcome.Examples), nil, "the input before")
	}
}

// text is lines of SMILES and name.
func (e example) text(csv []byte) string {
	var b strings.Builder
	taken := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(csv)), "\n") {
		cells := strings.SplitN(strings.TrimSpace(line), ",", 3)
		if i == 0 || len(cells) != 3 || e.classes != nil && !slices.Contains(e.classes, cells[1]) {
			continue
		}
		if taken[cells[1]]++; e.most > 0 && taken[cells[1]] > e.most {
			continue
		}
		b.WriteString(cells[2] + " " + cells[0] + "\n")
	}
	return b.String()
}

// A thumb is a drawing and the small picture of it, made once.
type thumb struct {
	drawing *drawing // nil where there is none
	small   string
}

// mostThumbs bounds what is kept of drawings.
const mostThumbs = 3000

// drawn takes a drawing that was asked for, or the news that there is none.
func (s *session) drawn(smiles, text, problem string) {
	if len(s.drawings) >= mostThumbs {
		clear(s.drawings)
	}
	t := &thumb{}
	if problem == "" {
		if d, err := parseDrawing(text); err == nil {
			t.drawing = d
			t.small = d.depict(thumbWidth, thumbHeight, 22, nil, nil, "", false)
		}
	}
	s.drawings[smiles] = t
	s.rev.table++
	s.rev.inspector++
}

// undrawn lists the pictures that those records still lack, without repetition.
func (s *session) undrawn(records []int32) []string {
	var list []string
	seen := map[string]bool{}
	for _, r := range records {
		if int(r) < 0 || int(r) >= s.rows.len() {
			continue
		}
		p := s.rows.picture(int(r))
		if p == "" || seen[p] || s.drawings[p] != nil || strings.ContainsAny(p, "\n\r") {
			continue
		}
		seen[p] = true
		list = append(list, p)
	}
	return list
}

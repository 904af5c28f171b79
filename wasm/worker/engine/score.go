package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/calibrate"
	"baca/algo/decide"
	"baca/algo/dictionary"
	"baca/algo/graphon"
	"baca/algo/metric"
	"baca/algo/table"
	"baca/wasm/message"
)

// scored is what is remembered of the last Score.
type scored struct {
	scorer *algo.Scorer
	alpha  float64
	alone  bool  // the batch was too small to teach anything
	places []int // records of the graphs of the batch, from 0
	// The ids and SMILES of these records, once their rows are out.
	ids, smiles []string
}

// find returns the index in the batch of a record, or −1.
func (s *scored) find(record int) int {
	if i, ok := slices.BinarySearch(s.places, record); ok {
		return i
	}
	return -1
}

// graphs is how many the input has.
func (e *Engine) graphs() int { return e.input.opened.Records - e.input.opened.Refused }

func (e *Engine) ready() error {
	switch {
	case e.model == nil:
		return failf(message.CodeNotReady, "no model is loaded")
	case e.input == nil:
		return failf(message.CodeNotReady, "no input is open")
	case e.card.Molecules != e.input.opened.Molecules:
		kind := map[bool]string{true: "molecules", false: "plain graphs"}
		return failf(message.CodeBadModel, "model %s reads %s, %s holds %s", e.card.Name, kind[e.card.Molecules], e.input.title(), kind[e.input.opened.Molecules])
	}
	return nil
}

// options are those of a request, checked.
func (e *Engine) options(r *message.Score) (algo.Options, error) {
	o := algo.DefaultOptions()
	o.Workers = 1
	if r.Calibrator != "" {
		o.Calibrator = r.Calibrator
	}
	if r.Alpha != 0 {
		o.Alpha = r.Alpha
	}
	if r.Seed != 0 {
		o.Seed = r.Seed
	}
	if !slices.Contains(algo.Calibrators, o.Calibrator) {
		return o, failf(message.CodeBadOption, "calibrator %q: want one of %v", o.Calibrator, algo.Calibrators)
	}
	if err := decide.CheckAlpha(o.Alpha, e.model.References()); err != nil {
		return o, failf(message.CodeBadOption, "%w", err)
	}
	if r.Workers < 0 || r.Workers > maxWorkers {
		return o, failf(message.CodeBadOption, "%d workers: want 0 to %d", r.Workers, maxWorkers)
	}
	return o, nil
}

func (e *Engine) score(r *message.Score, post func(message.Event)) (*message.Scored, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	o, err := e.options(r)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	p := newPulse(e.host)
	run := &run{engine: e, request: r, post: post, now: &scored{alpha: o.Alpha}, tally: decide.NewTally()}
	defer run.dismiss()
	o.Watch = run.watch()
	at := place{name: processor}
	if e.graphs() >= e.minScored {
		if at = e.place(p, e.model.Encoder.Config, algo.DeviceChunk, false); at.device != nil {
			// Single graphs, which the page asks about later, stay here.
			e.model.Encoder.Device = at.device
			defer func() { e.model.Encoder.Device = nil }()
		}
	}
	alone, err := e.single(p)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	o.Near = alone.Near()
	if run.now.scorer, err = algo.NewScorer(e.model, o); err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	e.last = nil
	run.total = message.Scored{Model: e.card.Name, Calibrator: o.Calibrator, Alpha: o.Alpha, Seed: o.Seed, Workers: 1}
	all := func() (iter.Seq2[table.Unread, error], func(), error) {
		return e.input.records(e.card.Canonical), func() {}, nil
	}
	records, _, _ := all()
	err = table.Score(p, run.now.scorer, table.Input{Records: records, Again: all}, table.Options{
		Graphs: e.batch, Seed: o.Seed, Workers: 1, Fitting: run.fitting, Fitted: run.fitted,
		Reading: func(records int) { run.progress(message.StageSample, records, e.input.opened.Records) },
	}, run.emit)
	if err == errSpread {
		err = run.spread(p)
	}
	if err != nil {
		var failed *message.Failed
		if errors.As(err, &failed) {
			return nil, failed
		}
		return nil, failf(message.CodeBadInput, "%s: %w", e.input.title(), err)
	}
	run.flush()
	run.total.AUC = auc(run.scores, run.labels)
	run.total.P, run.total.Q = levels(run.tally)
	run.total.Device, run.total.Warnings = at.name, append(run.total.Warnings, at.warnings()...)
	run.total.Milliseconds = float64(time.Since(begin).Microseconds()) / 1e3
	return &run.total, nil
}

// A run is one Score.
type run struct {
	engine  *Engine
	request *message.Score
	post    func(message.Event)
	total   message.Scored
	now     *scored

	fit   *table.Fit // nil before
	team  *team      // that shares the work; nil for a short input
	tally *decide.Tally
	chunk message.Rows
	stage string
	shown time.Time // the last Progress
	sent  time.Time // the last Rows
	// Of the graphs whose label is known.
	scores []float64
	labels []bool
}

// auc is NaN unless there are both kinds of labels.
func auc(scores []float64, labels []bool) float64 {
	if !slices.Contains(labels, true) || !slices.Contains(labels, false) {
		return math.NaN()
	}
	return metric.AUROC(scores, labels)
}

// label returns the label of a record, from 0, if it has one.
func (r *run) label(record int) (ood, known bool) {
	l := r.engine.input.labels
	return record < len(l) && l[record] == 1, record < len(l) && l[record] >= 0
}

// between is the least time from one Progress of a stage to the next.
const between = 50 * time.Millisecond

// watch tells the page how far a batch has come.
func (r *run) watch() *algo.Watch {
	w := &algo.Watch{}
	w.Stage = func(s calibrate.Stage, done, total int) { r.progress(string(s), done, total) }
	w.Parted = func(inside, outside []int, steps [2]int) {
		r.post(&message.Parted{
			Inside: r.records(inside), Outside: r.records(outside),
			StepsInside: steps[0], StepsOutside: steps[1],
		})
	}
	w.Every = max(0, r.request.Every)
	steps := algo.DefaultOptions().Attention.Steps
	w.Step = func(it calibrate.Iteration) {
		var scores []float64
		var labels []bool
		for i, s := range it.Test {
			if ood, known := r.label(r.now.places[i]); known {
				scores, labels = append(scores, s), append(labels, ood)
			}
		}
		a := r.now.scorer.Attention()
		r.post(&message.Iteration{
			Step: it.Step, Of: steps, Loss: it.Loss, KL: it.KL, AUC: auc(scores, labels),
			ID: contents(a.Dictionary(dictionary.ID)), OOD: contents(a.Dictionary(dictionary.OOD)),
		})
	}
	if r.request.Preview {
		w.Preview = func(rows []algo.Row, holdout []float64) {
			m := &message.Preview{Holdout: holdout, Threshold: limit(holdout, r.now.alpha)}
			for i, row := range rows {
				m.Record = append(m.Record, int32(r.now.places[i]))
				m.Score, m.P = append(m.Score, row.Score), append(m.P, row.P)
				m.Verdict = append(m.Verdict, string(row.Verdict))
			}
			r.post(m)
		}
	}
	return w
}

// progress says how far a stage is, unless the page has just heard of it.
func (r *run) progress(stage string, done, total int) {
	if stage == r.stage && done < total && time.Since(r.shown) < between {
		return
	}
	r.stage, r.shown = stage, time.Now()
	r.post(&message.Progress{Stage: stage, Done: done, Total: total})
}

// limit is the score from which on a graph is called OOD, NaN without one.
func limit(holdout []float64, alpha float64) float64 {
	if at, ok := decide.Threshold(holdout, alpha); ok {
		return at
	}
	return math.NaN()
}

// batch are the records that are scored together.
func (r *run) batch() message.Ints {
	list := make(message.Ints, len(r.now.places))
	for k, place := range r.now.places {
		list[k] = int32(place)
	}
	return list
}

// records turns indices of the batch into numbers of records.
func (r *run) records(index []int) message.Ints {
	list := make(message.Ints, len(index))
	for k, i := range index {
		list[k] = int32(r.now.places[i])
	}
	return list
}

// contents counts the keys of a dictionary.
func contents(d *dictionary.Dictionary) message.Contents {
	c := message.Contents{Front: math.NaN(), Mean: math.NaN()}
	for i := range d.Len() {
		switch d.Entry(i).Origin {
		case dictionary.Training:
			c.Training++
		case dictionary.Test:
			c.Test++
		case dictionary.Synthetic:
			c.Synthetic++
		}
	}
	q := d.Queue()
	if n := q.Len(); n > 0 {
		c.Front, c.Mean = q.Entry(q.Front()).Score, 0
		for i := range n {
			c.Mean += q.Entry(i).Score / float64(n)
		}
	}
	return c
}

// fitting is told which graphs are scored together.
func (r *run) fitting(f *table.Fit) {
	r.now.places = slices.Clone(f.Records)
	r.now.ids, r.now.smiles = make([]string, len(f.Records)), make([]string, len(f.Records))
	if f.Sample {
		r.recruit(f)
	}
}

// fitted tells the page what was learned.
func (r *run) fitted(f *table.Fit) error {
	r.fit, r.engine.last = f, r.now
	r.now.alone = f.Alone
	r.total.Warnings = f.Warnings
	m := &message.Fitted{
		Graphs: len(f.Graphs), Total: r.engine.graphs(), Sample: f.Sample,
		Evidence: f.Evidence, Weight: f.Weight, Alone: f.Alone, Warnings: f.Warnings,
	}
	for _, row := range f.Holdout {
		add(&m.Holdout, row)
	}
	if len(f.Holdout) == 0 {
		m.Holdout.Score = r.engine.model.Reference // of a model made for sharing
	}
	m.Threshold = limit(m.Holdout.Score, r.now.alpha)
	r.post(m)
	if r.team != nil {
		return errSpread
	}
	return nil
}

// add appends the scores of a row, but for its p-value.
func add(s *message.Scores, row algo.Row) {
	s.Pre, s.Attn, s.BaCa, s.Score = append(s.Pre, row.Pre), append(s.Attn, row.Attn), append(s.BaCa, row.BaCa), append(s.Score, row.Score)
}

// refused stands for the scores of a record that has none.
var refused = algo.Row{Pre: math.NaN(), Attn: math.NaN(), BaCa: math.NaN(), Score: math.NaN(), P: math.NaN()}

// The size of a Rows: so many, or all of so long. In between light requests have
// their turn.
const (
	rowsChunk = 1024
	rowsTime  = 100 * time.Millisecond
)

// appendRow appends a record with its scores, or if it was refused without.
func (e *Engine) appendRow(c *message.Columns, s table.Scored) {
	row, text := refused, ""
	if s.Err != nil {
		text = s.Err.Error()
	} else {
		row = *s.Scores
	}
	c.ID, c.SMILES, c.Error, c.Verdict = append(c.ID, s.ID), append(c.SMILES, s.SMILES), append(c.Error, text), append(c.Verdict, string(row.Verdict))
	add(&c.Scores, row)
	c.Scores.P = append(c.Scores.P, row.P)
	if e.card.Knows {
		c.Known = append(c.Known, e.known(s.Graph))
	}
}

// levels are the p-values of a tally, ascending, and the q-value of each.
func levels(t *decide.Tally) (p, q message.Floats) {
	of := t.QValues()
	p = slices.Sorted(maps.Keys(of))
	for _, v := range p {
		q = append(q, of[v])
	}
	return p, q
}

// emit takes rows.
func (r *run) emit(rows []table.Scored) error {
	first := len(r.chunk.Rows.ID)
	for _, s := range rows {
		r.engine.appendRow(&r.chunk.Rows, s)
	}
	return r.took(first)
}

// took counts the rows of the chunk from the given one on, which are new, and
// sends the chunk when it is large or old enough.
func (r *run) took(first int) error {
	t, c := &r.total, &r.chunk.Rows
	for i := first; i < len(c.ID); i++ {
		record := t.Records
		t.Records++
		if c.Error[i] != "" {
			t.Refused++
			continue
		}
		r.tally.Add(c.Scores.P[i], 1)
		switch decide.Verdict(c.Verdict[i]) {
		case decide.Outside:
			t.Outside++
		case decide.Borderline:
			t.Borderline++
		case decide.Inside:
			t.Inside++
		default:
			t.Unknown++
		}
		if k := r.now.find(record); k >= 0 {
			r.now.ids[k], r.now.smiles[k] = c.ID[i], c.SMILES[i]
		}
		if ood, known := r.label(record); known {
			r.scores, r.labels = append(r.scores, c.Scores.Score[i]), append(r.labels, ood)
		}
	}
	if len(c.ID) < rowsChunk && time.Since(r.sent) < rowsTime {
		return nil
	}
	r.flush()
	if r.fit != nil && r.fit.Sample {
		r.progress(message.StageScore, t.Records, r.engine.input.opened.Records)
	}
	r.engine.others()
	return nil
}

// others answers the light requests that wait.
func (e *Engine) others() {
	for {
		n, light, ok := e.host.Waiting()
		if !ok {
			return
		}
		e.Handle(n, light)
	}
}

// flush sends the rows that wait.
func (r *run) flush() {
	if len(r.chunk.Rows.ID) > 0 {
		m := r.chunk
		r.post(&m)
	}
	r.chunk, r.sent = message.Rows{From: r.total.Records}, time.Now()
}

// sideOf reads the name of a side.
func sideOf(name string) (dictionary.Side, error) {
	for _, s := range []dictionary.Side{dictionary.ID, dictionary.OOD} {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, failf(message.CodeBadOption, "side %q: want %s or %s", name, dictionary.ID, dictionary.OOD)
}

// pictureStream is the second half of the seed of what is drawn for pictures.
const pictureStream = 0xba1a_0010

func (e *Engine) graphons(r *message.Graphons) (*message.GraphonPair, error) {
	side, err := sideOf(r.Side)
	if err != nil {
		return nil, err
	}
	if !(r.Lambda >= 0 && r.Lambda <= 1) {
		return nil, failf(message.CodeBadOption, "λ = %g: want 0 to 1", r.Lambda)
	}
	if e.last == nil {
		return nil, failf(message.CodeNotReady, "nothing is scored yet, so there are no graphons")
	}
	members, graphons := e.last.scorer.Attention().Members(side)
	if len(members) == 0 {
		return nil, failf(message.CodeNotReady, "the batch could not be parted, so there are no graphons")
	}
	rng := rand.New(rand.NewPCG(r.Seed, pictureStream))
	pick := func(i int) int {
		if i < 0 {
			return rng.IntN(len(members))
		}
		return min(i, len(members)-1)
	}
	i, j := pick(r.I), pick(r.J)
	if r.J < 0 && j == i && len(members) > 1 {
		j = (j + 1) % len(members)
	}
	wi, wj := graphons[i], graphons[j]
	mix := graphon.Mix(r.Lambda, wi, wj)
	m := &message.GraphonPair{
		Side: r.Side, Graphs: len(members), I: i, J: j, RecordI: e.last.places[members[i]], RecordJ: e.last.places[members[j]],
		N: wi.N, WI: singles(wi.W), WJ: singles(wj.W), Mix: singles(mix.W), Lambda: r.Lambda,
	}
	// One graphon mixed with itself is the mixture; the draw is that of the method.
	mixup, err := graphon.NewMixup([]*graphon.Graphon{mix}, algo.DefaultOptions().Attention.Mixup)
	if err != nil {
		return nil, err
	}
	if s, ok := mixup.Draw(rng); ok {
		m.Nodes = s.Graph.N()
		for a := range m.Nodes {
			for _, b := range s.Graph.Row(a) {
				if int(b) > a {
					m.Edges = append(m.Edges, int32(a), b)
				}
			}
		}
	}
	return m, nil
}

func singles(x []float64) message.Singles {
	s := make(message.Singles, len(x))
	for i, v := range x {
		s[i] = float32(v)
	}
	return s
}

func (e *Engine) dictionary(r *message.Dictionary) (*message.Entries, error) {
	side, err := sideOf(r.Side)
	if err != nil {
		return nil, err
	}
	if e.last == nil {
		return nil, failf(message.CodeNotReady, "nothing is scored yet, so the dictionaries are empty")
	}
	d, bank := e.last.scorer.Attention().Dictionary(side), e.model.BankRows()
	m := &message.Entries{Side: r.Side, Bank: d.BankLen()}
	for i := range d.Len() {
		entry := d.Entry(i)
		m.Origin, m.Score = append(m.Origin, int32(entry.Origin)), append(m.Score, entry.Score)
		m.Row = append(m.Row, int32(e.rowOf(entry, bank)))
	}
	return m, nil
}

// rowOf is the row of a key, as in message.Neighbor, by the rows of the bank.
func (e *Engine) rowOf(entry dictionary.Entry, bank []int) int {
	switch entry.Origin {
	case dictionary.Training:
		return bank[entry.Index]
	case dictionary.Test:
		return e.last.places[entry.Index]
	}
	return -1
}

// export makes a file of rows.
func export(r *message.Export) (*message.Exported, error) {
	if err := even(r.Rows); err != nil {
		return nil, err
	}
	return write(r.Format, r.Rows, nil, nil)
}

// even reports columns of rows that are not equally long.
func even(c message.Columns) error {
	n, s := len(c.ID), c.Scores
	for _, k := range []int{len(c.SMILES), len(c.Verdict), len(c.Error), len(s.Pre), len(s.Attn), len(s.BaCa), len(s.Score), len(s.P)} {
		if k != n {
			return failf(message.CodeBadOption, "a column of %d rows beside one of %d", k, n)
		}
	}
	if k := len(c.Q); k != n && k != 0 {
		return failf(message.CodeBadOption, "a column of %d q-values beside one of %d", k, n)
	}
	return nil
}

// rowAt is a row that has no error.
func rowAt(c *message.Columns, i int) algo.Row {
	s := &c.Scores
	return algo.Row{Pre: s.Pre[i], Attn: s.Attn[i], BaCa: s.BaCa[i], Score: s.Score[i], P: s.P[i], Verdict: decide.Verdict(c.Verdict[i])}
}

// write makes a file of even rows, with further columns of these names, of which
// cells has the values of each row.
func write(format string, c message.Columns, names []string, cells [][]any) (*message.Exported, error) {
	n := len(c.ID)
	if len(c.Q) > 0 {
		names = append([]string{"q_value"}, names...)
	}
	var b bytes.Buffer
	out := &message.Exported{}
	var w table.Writer
	switch format {
	case "csv":
		w, out.Name, out.Type = table.NewCSV(&b, true, names...), "baca.csv", "text/csv"
	case "jsonl":
		w, out.Name, out.Type = table.NewJSONLines(&b, names...), "baca.jsonl", "application/jsonl"
	case "json":
		w, out.Name, out.Type = table.NewJSONLines(&b, names...), "baca.json", "application/json"
	default:
		return nil, failf(message.CodeBadOption, "format %q: want csv, json or jsonl", format)
	}
	for i := range n {
		record := table.Record{ID: c.ID[i], SMILES: c.SMILES[i]}
		if c.Error[i] != "" {
			record.Err = errors.New(c.Error[i])
			w.Write(record, nil)
			continue
		}
		var more []any
		if len(c.Q) > 0 {
			more = append(more, c.Q[i])
		}
		if cells != nil {
			more = append(more, cells[i]...)
		}
		row := rowAt(&c, i)
		w.Write(record, &row, more...)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	out.Data = b.Bytes()
	if format == "json" {
		list := "[\n" + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", ",\n") + "\n]\n"
		if !json.Valid([]byte(list)) {
			return nil, fmt.Errorf("the list of %d rows is not JSON", n)
		}
		out.Data = []byte(list)
	}
	return out, nil
}

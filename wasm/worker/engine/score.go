package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/metric"
	"baca/algo/run"
	"baca/algo/table"
	"baca/wasm/message"
)

// calibrated is the state of the last batch.
type calibrated struct {
	scorer *algo.Scorer
	places []int // records of its graphs, from 0
	// IDs and SMILES of these records, after their rows.
	ids, smiles []string
	steps       []step
	newest      [2]int // indices of the newest synthetic keys, by side
	keys        *plane // a map of them, nil until used
}

// A step is a recorded training step.
type step struct {
	attn            []float32 // of the graphs of the batch
	inside, outside float64   // medians of the parts
}

func (e *Engine) graphs() int { return e.input.opened.Records - e.input.opened.Refused }

// ready returns an error unless there are a model and an input that it can read.
func (e *Engine) ready() error {
	switch {
	case e.model == nil:
		return failf(message.CodeNotReady, "no model is loaded")
	case e.input == nil:
		return failf(message.CodeNotReady, "no input is open")
	case e.card.Molecules != e.input.opened.Molecules:
		kind := map[bool]string{true: "molecules", false: "plain graphs"}
		return failf(message.CodeBadModel, "model %s reads %s, %s holds %s", e.card.Name, kind[e.card.Molecules],
			e.input.title(), kind[e.input.opened.Molecules])
	}
	return nil
}

// options returns a request's checked options.
func (e *Engine) options(r *message.Score) (algo.Options, error) {
	o := algo.DefaultOptions()
	o.Workers, o.Alpha = 1, cmp.Or(r.Alpha, o.Alpha)
	return o, coded(message.CodeBadOption, decide.CheckAlpha(o.Alpha))
}

// score scores the open input, each graph by itself or also as a batch. The page gets the rows as events.
func (e *Engine) score(r *message.Score, post func(message.Event)) (*message.Scored, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	o, err := e.options(r)
	if err != nil {
		return nil, err
	}
	pass := &pass{task: e.newTask(post), request: r, now: &calibrated{}, sheet: sheet(false)}
	defer e.dismiss()
	if r.Batch {
		if e.model.Shared > 0 {
			return nil, failf(message.CodeBadModel,
				"model %s was made for sharing and holds no single graphs, which a batch is compared with", e.card.Name)
		}
		e.last = nil
		o.Watch, o.PaperP = pass.watch(), e.card.Paper
	}
	at := place{name: processor}
	if e.graphs() >= e.minScored {
		at = e.place(pass, e.model.Encoder.Config, algo.DeviceChunk, false)
		if at.device != nil {
			// Single graphs, requested later, stay on the processor.
			e.model.Encoder.Device = at.device
			defer func() { e.model.Encoder.Device = nil }()
		}
	}
	alone, err := e.single(pass)
	if err != nil {
		return nil, err
	}
	o.Single, e.alpha = alone, o.Alpha
	plan := pass.plan(o)
	if pass.Run, err = run.New(pass, plan); err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	pass.now.scorer = pass.Scorer
	post(&message.Reference{Score: alone.Holdout()})
	pass.total.Workers = 1
	if e.team != nil && e.team.alpha != o.Alpha || r.Batch {
		e.dismiss()
	}
	if !r.Batch {
		e.recruit(e.input, o.Alpha)
	}
	if e.team != nil {
		err = pass.spread(e.team)
	} else {
		err = pass.Do(pass)
	}
	if err != nil {
		return nil, e.input.unreadable(err)
	}
	pass.flush()
	pass.showRows()
	pass.total.AUC = auc(pass.alone, pass.labels)
	pass.total.BatchAUC = auc(pass.batch, pass.labels)
	pass.total.PaperAUC = auc(pass.paper, pass.labels)
	pass.total.Device, pass.total.Warnings = at.name, append(pass.total.Warnings, at.warnings()...)
	return &pass.total, nil
}

// A pass is a scoring of the open input.
type pass struct {
	*task
	*run.Run
	request *message.Score
	total   message.Scored
	rows    int // that came, with refused ones
	now     *calibrated

	sheet   *table.Sheet   // columns of rows
	batched bool           // rows have batch columns
	sampled bool           // the batch was a sample
	graphs  []*graph.Graph // of the batch, until it is partitioned
	chunk   message.Rows
	sent    time.Time // the last Rows
	// Of labelled graphs.
	alone, batch, paper []float64
	labels              []bool
}

// plan returns the plan of a run over the open input, whose results go to the pass.
func (r *pass) plan(o algo.Options) run.Plan {
	e := r.engine
	p := run.Plan{
		Model: e.model, Options: o, Batch: r.request.Batch, Graphs: e.batch, Fitting: r.fitting, Fitted: r.fitted, Rows: r.emit,
		Reading: func(records int) { r.showProgress(message.StageSample, records, e.input.opened.Records) },
	}
	p.Input = run.Input{Records: e.input.records(nil, p.Form()), Again: e.openAgain}
	return p
}

// auc returns the AUROC of scores for the labels outside (true) and inside. It is NaN without scores or without both
// labels.
func auc(scores []float64, labels []bool) float64 {
	if len(scores) == 0 || !slices.Contains(labels, true) || !slices.Contains(labels, false) {
		return math.NaN()
	}
	return metric.AUROC(scores, labels)
}

// label returns a record's label, from 0, if any.
func (r *pass) label(record int) (ood, known bool) {
	l := r.engine.input.labels
	return record < len(l) && l[record] == 1, record < len(l) && l[record] >= 0
}

// watch reports a batch's progress, and answers light requests meanwhile.
func (r *pass) watch() *attention.Watch {
	w := &attention.Watch{}
	w.Stage = func(s attention.Stage, done, total int) {
		r.showProgress(string(s), done, total)
	}
	w.Parted = func(inside, outside []int, steps [2]int) {
		r.post(&message.Parted{
			Inside: r.records(inside), Outside: r.records(outside),
			InsideMean: r.mean(inside, steps[0]), OutsideMean: r.mean(outside, steps[1]), InsideSteps: steps[0], OutsideSteps: steps[1],
		})
		r.graphs = nil
	}
	w.Every = max(0, r.request.Every)
	steps := algo.DefaultOptions().Attention.Steps
	w.Step = func(it attention.Iteration) {
		var scores []float64
		var labels []bool
		for i, s := range it.Test {
			if ood, known := r.label(r.now.places[i]); known {
				scores, labels = append(scores, s), append(labels, ood)
			}
		}
		r.record(it)
		a := r.now.scorer.Attention()
		r.post(&message.Iteration{
			Step: it.Step, Of: steps, Loss: it.Loss, KL: it.KL, AUC: auc(scores, labels),
			ID: contents(a.Dictionary(dictionary.ID), &r.now.newest[0]), OOD: contents(a.Dictionary(dictionary.OOD), &r.now.newest[1]),
		})
	}
	return w
}

// record stores S_Attn of the batch after a step.
func (r *pass) record(it attention.Iteration) {
	s := step{attn: singles(it.Test)}
	median := func(index []int) float64 {
		values := make([]float64, len(index))
		for k, i := range index {
			values[k] = it.Test[i]
		}
		return metric.Percentile(values, 50)
	}
	s.inside, s.outside = median(it.Inside), median(it.Outside)
	r.now.steps = append(r.now.steps, s)
}

// mean is the graphon of a part.
func (r *pass) mean(index []int, steps int) message.Singles {
	part := make([]*graph.Graph, len(index))
	for k, i := range index {
		part[k] = r.graphs[i]
	}
	return singles(graphon.Mean(part, steps).W)
}

// records maps batch indices to record numbers.
func (r *pass) records(index []int) message.Ints {
	list := make(message.Ints, len(index))
	for k, i := range index {
		list[k] = int32(r.now.places[i])
	}
	return list
}

// contents counts keys. newest is one more than the highest index of a synthetic one.
func contents(d *dictionary.Dictionary, newest *int) (c message.Contents) {
	before := *newest
	for i := range d.Len() {
		switch e := d.Entry(i); e.Origin {
		case dictionary.Training:
			c.Training++
		case dictionary.Test:
			c.Test++
		case dictionary.Synthetic:
			c.Synthetic++
			if e.Index >= before {
				c.Newer++
			}
			*newest = max(*newest, e.Index+1)
		}
	}
	return c
}

// fitting receives the batch.
func (r *pass) fitting(f *run.Fit) {
	r.now.places, r.graphs = slices.Clone(f.Records), f.Graphs
	r.now.ids, r.now.smiles = make([]string, len(f.Records)), make([]string, len(f.Records))
}

// fitted reports the fitted batch.
func (r *pass) fitted(f *run.Fit) error {
	r.total.Warnings = f.Warnings
	m := &message.Fitted{
		Graphs: len(f.Graphs), Sample: f.Sample,
		Evidence: f.Evidence, P: f.P, Weight: f.Weight, Few: f.Few, Differences: f.Differences, Warnings: f.Warnings,
	}
	r.batched, r.sampled = !f.Few, f.Sample
	if r.batched {
		m.Whole = []string{batch.Whole("this list", f.Evidence, f.P)}
		if len(f.Differences) > 0 {
			m.Whole = append(m.Whole, batch.MakesTheDifference(f.Differences))
		}
		r.engine.last = r.now
		if sum, ok := r.now.scorer.Paper(); ok {
			pre, attn, beta := sum.Parts()
			m.Paper = message.Sum{Beta: beta, PreMean: pre.Mean, PreDeviation: pre.Deviation, AttnMean: attn.Mean,
				AttnDeviation: attn.Deviation}
		}
		m.Holdout = holdoutOf(f.Holdout)
		r.sheet = sheet(true)
	}
	r.post(m)
	return nil
}

// holdoutOf has the held-out graphs' scores.
func holdoutOf(rows []algo.Row) (list message.Columns) {
	for _, f := range table.Fields(table.OfBatch) {
		if f.Score == nil {
			continue
		}
		c := table.NumberColumn(f.Name, make([]float64, len(rows)))
		for i := range rows {
			c.Numbers[i] = f.Score(&rows[i])
		}
		list = append(list, c)
	}
	return list
}

// Size of a Rows message: a number of rows, or bytes. Light requests run in between.
const (
	rowsChunk = 1024
	rowsTime  = 100 * time.Millisecond
)

func (r *pass) emit(rows []table.Row) error {
	return r.add(r.engine.part(r.sheet, rows))
}

// add collects rows, and sends them when there are many or some time has passed.
func (r *pass) add(part message.Part) error {
	rows := part.Rows
	ids, texts := rows.Texts("id"), rows.Texts("smiles")
	for i, refused := range rows.Texts("error") {
		record := r.rows
		r.rows++
		if refused != "" {
			continue
		}
		if k := run.InBatch(r.now.places, record); k >= 0 {
			r.now.ids[k], r.now.smiles[k] = ids[i], texts[i]
		}
		if ood, known := r.label(record); known {
			r.labels = append(r.labels, ood)
			if r.batched {
				r.alone = append(r.alone, rows.Numbers("alone")[i])
				r.batch = append(r.batch, rows.Numbers("batch")[i])
				r.paper = append(r.paper, rows.Numbers("s_baca")[i])
			} else {
				r.alone = append(r.alone, rows.Numbers("score")[i])
			}
		}
	}
	r.chunk.Rows.Append(rows)
	r.chunk.Known = append(r.chunk.Known, part.Known...)
	if table.Rows(r.chunk.Rows) < rowsChunk && time.Since(r.sent) < rowsTime {
		return nil
	}
	r.flush()
	r.showRows()
	r.serveLight()
	return nil
}

// flush posts the rows that were not posted yet, if any.
func (r *pass) flush() {
	if table.Rows(r.chunk.Rows) > 0 {
		m := r.chunk
		if r.request.New {
			m.Rows = slices.DeleteFunc(m.Rows, func(c table.Column) bool { return slices.Contains(message.Told, c.Name) })
		}
		r.post(&m)
	}
	r.chunk, r.sent = message.Rows{From: r.rows}, time.Now()
}

// showRows reports the number of sent rows.
func (r *pass) showRows() {
	done, total := r.rows, r.engine.input.opened.Records
	switch {
	case r.sampled:
		r.showProgress(message.StageCompare, done, total)
	case !r.batched:
		r.showProgress(message.StageScore, done, total)
	}
}

// sideOf returns the side of a name. Another name is an error.
func sideOf(name string) (dictionary.Side, error) {
	for _, s := range []dictionary.Side{dictionary.ID, dictionary.OOD} {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, failf(message.CodeBadOption, "side %q: want %s or %s", name, dictionary.ID, dictionary.OOD)
}

// pictureStream is the PCG stream of pictures, samples how many graphs are drawn.
const (
	pictureStream = 0xba1a_0010
	samples       = 6
)

// graphons returns the graphons of two records of one part of the batch, and graphs drawn from their mixture.
func (e *Engine) graphons(r *message.Graphons) (*message.GraphonPair, error) {
	side, err := sideOf(r.Side)
	if err != nil {
		return nil, err
	}
	if !(r.Lambda >= 0 && r.Lambda <= 1) {
		return nil, failf(message.CodeBadOption, "λ = %g: want 0 to 1", r.Lambda)
	}
	if e.last == nil {
		return nil, failf(message.CodeNotReady, "no batch is calibrated yet, so there are no graphons")
	}
	members, graphons := e.last.scorer.Attention().Members(side)
	if len(members) == 0 {
		return nil, failf(message.CodeNotReady, "the batch could not be parted, so there are no graphons")
	}
	if n := len(members); min(r.I, r.J) < 0 || max(r.I, r.J) >= n {
		return nil, failf(message.CodeBadOption, "graphons %d and %d: want two of 0 to %d", r.I, r.J, n-1)
	}
	wi, wj := graphons[r.I], graphons[r.J]
	return &message.GraphonPair{
		Side: r.Side, RecordI: e.last.places[members[r.I]], RecordJ: e.last.places[members[r.J]],
		N: wi.N, WI: singles(wi.W), WJ: singles(wj.W), Lambda: r.Lambda, Samples: drawn(graphon.Mix(r.Lambda, wi, wj)),
	}, nil
}

// drawn samples a mixture, each graph with its own random stream, so that small changes of the mixture change little.
func drawn(mix *graphon.Graphon) []message.Sample {
	// One graphon mixed with itself is the mixture; the draw is the method's.
	mixup := graphon.NewMixup([]*graphon.Graphon{mix}, algo.DefaultOptions().Attention.Mixup)
	list := make([]message.Sample, samples)
	for k := range list {
		if s, ok := mixup.Draw(rand.New(rand.NewPCG(uint64(1+k), pictureStream))); ok {
			list[k] = message.Sample{Nodes: s.Graph.N(), Edges: edges(s.Graph)}
		}
	}
	return list
}

// edges are pairs of nodes.
func edges(g *graph.Graph) (list message.Ints) {
	for _, e := range g.Edges() {
		list = append(list, e[0], e[1])
	}
	return list
}

// singles rounds numbers to float32.
func singles(x []float64) message.Singles {
	s := make(message.Singles, len(x))
	for i, v := range x {
		s[i] = float32(v)
	}
	return s
}

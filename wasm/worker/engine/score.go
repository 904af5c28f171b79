package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/decide"
	"baca/algo/dictionary"
	"baca/algo/graphon"
	"baca/algo/metric"
	"baca/algo/table"
	"baca/wasm/message"
)

// calibrated is what is remembered of the last batch.
type calibrated struct {
	scorer *algo.Scorer
	places []int // records of the graphs of the batch, from 0
	// The ids and SMILES of these records, once their rows are out.
	ids, smiles []string
}

// find returns the index in the batch of a record, or −1.
func (s *calibrated) find(record int) int {
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
	if r.By != "" {
		o.By = r.By
	}
	if r.Alpha != 0 {
		o.Alpha = r.Alpha
	}
	if r.Seed != 0 {
		o.Seed = r.Seed
	}
	if !slices.Contains(algo.Deciders(), o.By) {
		return o, failf(message.CodeBadOption, "decide by %q: want one of %v", o.By, algo.Deciders())
	}
	if err := decide.CheckAlpha(o.Alpha); err != nil {
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
	batch := r.Batch || o.By != algo.ByAlone
	run := &run{engine: e, request: r, post: post, now: &calibrated{}}
	defer run.dismiss()
	if batch {
		if e.model.Shared > 0 {
			return nil, failf(message.CodeBadModel, "model %s was made for sharing and holds no single graphs, which a batch is compared with", e.card.Name)
		}
		e.last = nil
		o.Watch = run.watch()
	}
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
	o.Single, e.alpha = alone, o.Alpha
	if run.now.scorer, err = algo.NewScorer(p, e.model, o); err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	post(&message.Reference{Score: alone.Holdout()})
	run.total = message.Scored{Model: e.card.Name, By: o.By, Alpha: o.Alpha, Seed: o.Seed, Workers: 1}
	if !batch {
		run.recruit()
	}
	if run.team != nil {
		err = run.spread(p)
	} else {
		all := func() (iter.Seq2[table.Unread, error], func(), error) {
			return e.input.records(e.form()), func() {}, nil
		}
		records, _, _ := all()
		err = table.Score(p, run.now.scorer, table.Input{Records: records, Again: all}, table.Options{
			Batch: batch, Graphs: e.batch, Seed: o.Seed, Workers: 1, Fitting: run.fitting, Fitted: run.fitted,
			Reading: func(records int) { run.progress(message.StageSample, records, e.input.opened.Records) },
		}, run.emit)
	}
	if err != nil {
		var failed *message.Failed
		if errors.As(err, &failed) {
			return nil, failed
		}
		return nil, failf(message.CodeBadInput, "%s: %w", e.input.title(), err)
	}
	run.flush()
	run.behind()
	run.total.AUC, run.total.BatchAUC, run.total.PaperAUC = auc(run.alone, run.labels), auc(run.batch, run.labels), auc(run.paper, run.labels)
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
	now     *calibrated

	batched bool  // a batch was calibrated, so that rows have its columns
	sampled bool  // which was a sample
	team    *team // that shares the work; nil for a short input
	chunk   message.Rows
	stage   string
	shown   time.Time // the last Progress
	sent    time.Time // the last Rows
	served  time.Time // the last light requests
	// Of the graphs whose label is known.
	alone, batch, paper []float64
	labels              []bool
}

// auc is NaN without scores, and unless there are both kinds of labels.
func auc(scores []float64, labels []bool) float64 {
	if len(scores) == 0 || !slices.Contains(labels, true) || !slices.Contains(labels, false) {
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

// watch tells the page how far a batch has come, and has light requests answered
// meanwhile.
func (r *run) watch() *attention.Watch {
	w := &attention.Watch{}
	w.Stage = func(s attention.Stage, done, total int) {
		r.progress(string(s), done, total)
		if time.Since(r.served) >= rowsTime {
			r.engine.others()
			r.served = time.Now()
		}
	}
	w.Parted = func(inside, outside []int, steps [2]int) {
		r.post(&message.Parted{
			Inside: r.records(inside), Outside: r.records(outside),
			StepsInside: steps[0], StepsOutside: steps[1],
		})
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
		a := r.now.scorer.Attention()
		r.post(&message.Iteration{
			Step: it.Step, Of: steps, Loss: it.Loss, KL: it.KL, AUC: auc(scores, labels),
			ID: contents(a.Dictionary(dictionary.ID)), OOD: contents(a.Dictionary(dictionary.OOD)),
		})
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
	if n := d.Len() - d.BankLen(); n > 0 {
		c.Front, c.Mean = d.Entry(d.Front()).Score, 0
		for i := d.BankLen(); i < d.Len(); i++ {
			c.Mean += d.Entry(i).Score / float64(n)
		}
	}
	return c
}

// fitting is told which graphs are calibrated together.
func (r *run) fitting(f *table.Fit) {
	r.now.places = slices.Clone(f.Records)
	r.now.ids, r.now.smiles = make([]string, len(f.Records)), make([]string, len(f.Records))
}

// fitted tells the page what was learned.
func (r *run) fitted(f *table.Fit) error {
	r.total.Warnings = f.Warnings
	m := &message.Fitted{
		Graphs: len(f.Graphs), Total: r.engine.graphs(), Sample: f.Sample,
		Evidence: f.Evidence, P: f.P, Weight: f.Weight, Few: f.Few, Differences: f.Differences, Warnings: f.Warnings,
	}
	if r.batched, r.sampled = !f.Few, f.Sample; r.batched {
		r.engine.last = r.now
		s := &m.Holdout
		for _, row := range f.Holdout {
			s.Alone, s.Batch = append(s.Alone, row.Alone), append(s.Batch, row.Batch)
			s.Pre, s.Attn, s.BaCa = append(s.Pre, row.Pre), append(s.Attn, row.Attn), append(s.BaCa, row.BaCa)
		}
	}
	r.post(m)
	return nil
}

// refused stands for the scores of a record that has none.
var refused = algo.Row{
	Score: math.NaN(), P: math.NaN(), Alone: math.NaN(), AloneP: math.NaN(),
	Pre: math.NaN(), Attn: math.NaN(), BaCa: math.NaN(), Batch: math.NaN(), BatchP: math.NaN(),
}

// The size of a Rows: so many, or all of so long. In between light requests have
// their turn.
const (
	rowsChunk = 1024
	rowsTime  = 100 * time.Millisecond
)

// appendRow appends a record with its scores, those of a batch if there was one, or
// if it was refused without.
func (e *Engine) appendRow(c *message.Columns, s table.Scored, batched bool) {
	row, text := refused, ""
	if s.Err != nil {
		text = s.Err.Error()
	} else {
		row = *s.Scores
	}
	c.ID, c.SMILES, c.Error, c.Verdict = append(c.ID, s.ID), append(c.SMILES, s.SMILES), append(c.Error, text), append(c.Verdict, string(row.Verdict))
	to := &c.Scores
	to.Score, to.P = append(to.Score, row.Score), append(to.P, row.P)
	if batched {
		to.Alone, to.AloneP = append(to.Alone, row.Alone), append(to.AloneP, row.AloneP)
		to.Pre, to.Attn, to.BaCa = append(to.Pre, row.Pre), append(to.Attn, row.Attn), append(to.BaCa, row.BaCa)
		to.Batch, to.BatchP = append(to.Batch, row.Batch), append(to.BatchP, row.BatchP)
		c.BatchVerdict = append(c.BatchVerdict, string(row.BatchVerdict))
	}
	if e.card.Knows {
		c.Known = append(c.Known, e.known(s.Graph))
	}
}

// emit takes rows.
func (r *run) emit(rows []table.Scored) error {
	first := len(r.chunk.Rows.ID)
	for _, s := range rows {
		r.engine.appendRow(&r.chunk.Rows, s, r.batched)
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
		switch decide.Verdict(c.Verdict[i]) {
		case decide.Outside:
			t.Outside++
		case decide.Borderline:
			t.Borderline++
		case decide.Inside:
			t.Inside++
		default:
			t.Undecided++
		}
		if k := r.now.find(record); k >= 0 {
			r.now.ids[k], r.now.smiles[k] = c.ID[i], c.SMILES[i]
		}
		if ood, known := r.label(record); known {
			r.labels = append(r.labels, ood)
			if s := c.Scores; r.batched {
				r.alone, r.batch, r.paper = append(r.alone, s.Alone[i]), append(r.batch, s.Batch[i]), append(r.paper, s.BaCa[i])
			} else {
				r.alone = append(r.alone, s.Score[i])
			}
		}
	}
	if len(c.ID) < rowsChunk && time.Since(r.sent) < rowsTime {
		return nil
	}
	r.flush()
	r.behind()
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

// behind says how many rows are out, where they come one after the other.
func (r *run) behind() {
	done, total := r.total.Records, r.engine.input.opened.Records
	switch {
	case r.sampled:
		r.progress(message.StageCompare, done, total)
	case !r.batched:
		r.progress(message.StageScore, done, total)
	}
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
		return nil, failf(message.CodeNotReady, "no batch is calibrated yet, so there are no graphons")
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
		return nil, failf(message.CodeNotReady, "no batch is calibrated yet, so the dictionaries are empty")
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
	columns := []int{len(c.SMILES), len(c.Verdict), len(c.Error), len(s.Score), len(s.P)}
	if batched(c) {
		columns = append(columns, len(s.Alone), len(s.AloneP), len(s.Pre), len(s.Attn), len(s.BaCa), len(s.BatchP), len(c.BatchVerdict))
	}
	for _, k := range columns {
		if k != n {
			return failf(message.CodeBadOption, "a column of %d rows beside one of %d", k, n)
		}
	}
	if k := len(c.Q); k != n && k != 0 {
		return failf(message.CodeBadOption, "a column of %d q-values beside one of %d", k, n)
	}
	return nil
}

// batched tells whether rows have the columns of a calibrated batch.
func batched(c message.Columns) bool { return len(c.Scores.Batch) > 0 }

// rowAt is a row that has no error.
func rowAt(c *message.Columns, i int) algo.Row {
	row, s := refused, &c.Scores
	row.Score, row.P, row.Verdict = s.Score[i], s.P[i], decide.Verdict(c.Verdict[i])
	row.Alone, row.AloneP = row.Score, row.P
	if batched(*c) {
		row.Alone, row.AloneP, row.Pre, row.Attn, row.BaCa = s.Alone[i], s.AloneP[i], s.Pre[i], s.Attn[i], s.BaCa[i]
		row.Batch, row.BatchP, row.BatchVerdict = s.Batch[i], s.BatchP[i], decide.Verdict(c.BatchVerdict[i])
	}
	return row
}

// write makes a file of even rows, with further columns of these names, of which
// cells has the values of each row.
func write(format string, c message.Columns, names []string, cells [][]any) (*message.Exported, error) {
	n := len(c.ID)
	if len(c.Q) > 0 {
		names = append([]string{"q_value"}, names...)
	}
	if batched(c) {
		names = slices.Concat(table.BatchColumns, names)
	}
	var b bytes.Buffer
	out := &message.Exported{}
	var w table.Writer
	switch format {
	case "csv":
		w, out.Name, out.Type = table.NewCSV(&b, table.Text{SpreadsheetSafe: true}, true, names...), "baca.csv", "text/csv"
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
		row := rowAt(&c, i)
		var more []any
		if batched(c) {
			more = table.BatchCells(&row)
		}
		if len(c.Q) > 0 {
			more = append(more, c.Q[i])
		}
		if cells != nil {
			more = append(more, cells[i]...)
		}
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

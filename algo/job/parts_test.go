package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/dictionary"
	"baca/algo/feature/domain"
	"baca/algo/feature/drift"
	"baca/algo/feature/trust"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/job"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/algo/report"
	"baca/algo/run"
	"baca/algo/table"
	"baca/weights"
)

// recordsOf reads a table, with the cells of columns.
func recordsOf(text string, columns ...string) iter.Seq2[dataset.Record, error] {
	o := dataset.Options{Name: "a.csv", Form: molecule.UnorderedParent, Cells: columns}
	return dataset.Parse(context.Background(), 1, dataset.Records(strings.NewReader(text), o))
}

func rowsOf(text string, columns ...string) (rows []dataset.Record) {
	for r, err := range recordsOf(text, columns...) {
		must.Do(err)
		rows = append(rows, r)
	}
	return rows
}

const header = "smiles,id,y,yhat,u\n"

// chains are a table of rings with chains of carbon, and two more rows: one that cannot be read, and one that is a molecule that
// was there, in other words.
var chains = sync.OnceValue(func() string {
	var text strings.Builder
	text.WriteString(header)
	for k, ring := range []string{"c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccsc1"} {
		for n := range 16 {
			fmt.Fprintf(&text, "%s%s,m%d,%d,%d.5,%d\n", strings.Repeat("C", n+1), ring, 16*k+n, n*k%7, k+n, n%5)
		}
	}
	return text.String() + "C1CC,,1,1,1\nc1ccccc1C,twin,,0,0\n"
})

// newTraining takes the chains.
func newTraining() *job.Training {
	columns := model.ValueColumns{Observed: "y", Predicted: "yhat", Uncertainty: "u"}
	labels := &job.Labels{ValueColumns: columns}
	refused := 0
	set := must.Have(job.Sources(context.Background(), 2, recordsOf(chains(), labels.Columns()...), labels, func(error) { refused++ }))
	if len(set) != 81 || refused != 1 || set[80].Name != "twin" || set[80].SMILES != "c1ccccc1C" || set[17].Values.Predicted != 2.5 {
		panic(fmt.Sprint(len(set), refused, set[80]))
	}
	t := &job.Training{
		Workers: 1, Save: weights.SaveMeasured, ValueColumns: columns,
		Split: func(n int, seed uint64) (train, holdout []int) { return dataset.Part(n, n-24, seed) },
		Card: model.Card{Schema: model.OGBParent, Dataset: "A.csv", DatasetSHA256: strings.Repeat("ab", 32), Seed: 3, Epochs: 3,
			Background: "acids"},
	}
	t.Take(set, true, true)
	for n := range 60 {
		t.Outside = append(t.Outside, must.Have(smiles.ParseGraph(strings.Repeat("C", n)+"C(=O)O")))
	}
	return t
}

// run trains to the end, and returns the file.
func finished(t *job.Training, from pretrain.State, loss pretrain.Loss, interval time.Duration, epoch, save func() error) ([]byte, error) {
	must.Do(t.Prepare())
	if err := t.Begin(context.Background(), from, loss); err != nil {
		return nil, err
	}
	if err := t.Run(context.Background(), interval, epoch, save); err != nil {
		return nil, err
	}
	_, file := must.Both(t.Pack(context.Background()))
	return file, nil
}

func nothing() error { return nil }

// chainModel is a model of the chains.
var chainModel = sync.OnceValue(func() *model.Model {
	return must.Have(weights.Load(must.Have(finished(newTraining(), pretrain.State{}, pretrain.Loss{}, time.Hour, nothing, nil))))
})

func chainAlone(t *testing.T) *alone.Scorer {
	t.Helper()
	return must.Have(alone.New(t.Context(), chainModel(), 1))
}

// Without epochs a model has the encoder that its seed draws, which scores lists but not by the paper's method.
func TestUntrained(t *testing.T) {
	training := newTraining()
	training.Card.Epochs = 0
	training.Device = func(context.Context, pretrain.Options, int) (gin.Device, error) { panic("no device is needed") }
	never := func() error { return errors.New("an epoch") }
	m := must.Have(weights.Load(must.Have(finished(training, pretrain.State{}, pretrain.Loss{}, 0, never, never))))
	o := must.Have(job.TrainingOptions(model.OGBParent, 3))
	if c := m.Card; c.Epochs != 0 || c.Loss != 0 || !slices.Equal(m.Encoder.Params, pretrain.Untrained(o).Fixed().Params) {
		t.Errorf("card %+v, and perhaps other parameters", c)
	}
	options := batch.DefaultOptions()
	for _, by := range batch.Deciders() {
		options.By = by
		s, err := batch.NewScorer(t.Context(), m, options)
		if by == batch.ByAttention {
			if err == nil || !strings.Contains(err.Error(), "encoder of model a is not trained") || !strings.Contains(err.Error(), "baca train --for attention") {
				t.Errorf("by %s: %v", by, err)
			}
		} else if r := must.Have(must.Have(s, err).Batch(t.Context(), training.Graphs)); math.IsNaN(r.Rows[0].Score) || r.Few {
			t.Errorf("by %s: %+v", by, r.Rows[0])
		}
	}
}

func TestCheckLength(t *testing.T) {
	for _, c := range []struct {
		purpose string
		epochs  int
		want    string
	}{
		{"", 0, ""}, {"", job.MaxEpochs, ""}, {batch.ByAttention, 0, ""},
		{"", -1, "-1 epochs: want 1 to 1000000"}, {"", job.MaxEpochs + 1, "1000001 epochs: want"}, {"batch", 0, `a model for "batch": want attention`},
	} {
		if err := job.CheckLength(c.purpose, c.epochs); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %d epochs: %v, want %q", c.purpose, c.epochs, err, c.want)
		}
	}
}

// A model is the same whether its training is interrupted or not, and goes on without a device that fails.
func TestTraining(t *testing.T) {
	whole, epochs, saved := newTraining(), 0, 0
	var state pretrain.State
	var loss pretrain.Loss
	want := must.Have(finished(whole, state, loss, 0, func() error {
		if epochs++; epochs != whole.State.Epoch || whole.Loss.Total == loss.Total {
			t.Errorf("epoch %d is %d of loss %g", epochs, whole.State.Epoch, whole.Loss.Total)
		}
		loss = whole.Loss
		if epochs == 1 {
			state = pretrain.State{Epoch: 1, Step: whole.State.Step, Params: slices.Clone(whole.State.Params)}
			state.M, state.V = slices.Clone(whole.State.M), slices.Clone(whole.State.V)
		}
		return nil
	}, func() error { saved++; return nil }))
	if c := whole.Card; epochs != 3 || saved != 2 || c.Name != "a" || c.Description != "Trained on A.csv for 3 epochs." ||
		c.Loss != loss.Total ||
		!slices.Equal(c.Repeats, []int{80}) || len(whole.Train) != 56 || len(whole.Holdout) != 24 || c.Batch != whole.Options.Batch ||
		c.Batch == 0 {
		t.Errorf("%d epochs, saved %d times, %d and %d graphs: %+v", epochs, saved, len(whole.Train), len(whole.Holdout), c)
	}
	if n := whole.State.Step; n != 3*job.StepsPerEpoch(56) {
		t.Errorf("%d steps", n)
	}
	resumed := must.Have(finished(newTraining(), state, loss, time.Hour, nothing, func() error { return errors.New("saved too soon") }))
	moved, failed := newTraining(), 0
	moved.Device = func(_ context.Context, _ pretrain.Options, graphs int) (gin.Device, error) {
		if graphs != 56 {
			t.Errorf("a device for %d graphs", graphs)
		}
		return &failing{CPU: pretrain.NewCPU(1)}, nil
	}
	moved.DeviceFailed = func(error) { failed++ }
	if file := must.Have(finished(moved, pretrain.State{}, loss, time.Hour, nothing, nil)); !bytes.Equal(resumed, want) ||
		!bytes.Equal(file, want) || failed != 1 {
		t.Errorf("a resumed training gives the same: %t, one on a device that failed %d times: %t", bytes.Equal(resumed, want), failed,
			bytes.Equal(file, want))
	}
	enough := errors.New("enough")
	stop := func() error { return enough }
	if _, err := finished(newTraining(), state, loss, 0, stop, nil); err != enough {
		t.Errorf("%v, want the error of epoch", err)
	}
	if _, err := finished(newTraining(), state, loss, 0, nothing, stop); err != enough {
		t.Errorf("%v, want the error of save", err)
	}
	if m := chainModel(); m.Background == nil || m.Residuals == nil || m.Structures == nil || m.Card.BackgroundGraphs != 60 {
		t.Errorf("a model without a background, errors or structures: %+v", m.Card)
	}
	// What cannot be packed is told before the first epoch.
	blind := newTraining()
	blind.Values = make([]*model.Values, 81)
	if _, err := finished(blind, pretrain.State{}, loss, 0, stop, nil); err == nil || err == enough {
		t.Errorf("without values: %v", err)
	}
	moved.Device = func(context.Context, pretrain.Options, int) (gin.Device, error) { return nil, enough }
	if err := moved.Begin(t.Context(), state, loss); err != enough {
		t.Errorf("%v, want the error of Device", err)
	}
}

// failing is the processor until the second epoch, when its steps fail.
type failing struct {
	pretrain.CPU
	gin.Training
	finished int
}

func (f *failing) Train(e *gin.Encoder, rate float64, from gin.Moments) (_ gin.Training, err error) {
	f.Training, err = f.CPU.Train(e, rate, from)
	return f, err
}

func (f *failing) Finish(ctx context.Context) (gin.Losses, gin.Moments, error) {
	losses, moments, err := f.Training.Finish(ctx)
	if f.finished++; f.finished > 1 {
		err = errors.New("the device is lost")
	}
	return losses, moments, err
}

// A model needs twenty graphs that differ, and warns where it cannot call any outside.
func TestFewToTrainOn(t *testing.T) {
	few := newTraining()
	few.Graphs = append(few.Graphs[:19:19], few.Graphs[80])
	if err := few.Prepare(); err == nil || err.Error() != "A.csv: 19 graphs to train on: want at least 20" {
		t.Errorf("%v", err)
	}
	few.Split, few.Graphs = dataset.Split, newTraining().Graphs[:20]
	must.Do(few.Prepare())
	for n, want := range map[int]string{
		19: "",
		18: "only 18 graphs are kept from training, so no p-value is below 1/19; score with an alpha of that or more, or train on more graphs",
	} {
		if few.Holdout = make([]int, n); few.Warning() != want {
			t.Errorf("%d held out: %q", n, few.Warning())
		}
	}
	if first, repeats := job.Distinct(newTraining().Graphs, model.OGB); len(first) != 81 || repeats != nil {
		t.Errorf("molecules of benchmarks: %d, %d repeats", len(first), len(repeats))
	}
	var text strings.Builder
	for n := range 50 {
		text.WriteString(strings.Repeat("C", n+1) + "\n")
	}
	o, told := dataset.Options{Format: dataset.SMI, Form: molecule.UnorderedParent}, 0
	gs, refused, err := job.ReadBackground(t.Context(), strings.NewReader(text.String()+"CCC\nC1\n"), o, func(n int) { told = n })
	if err != nil || len(gs) != 50 || refused != 1 || told != 51 {
		t.Errorf("%d graphs, %d refused, %d told, %v", len(gs), refused, told, err)
	}
	_, _, err = job.ReadBackground(t.Context(), strings.NewReader(text.String()[2:]+"CCC\n"), o, nil)
	if err == nil || err.Error() != "49 molecules: want at least 50" {
		t.Errorf("%v", err)
	}
}

// Rows are split as their values, scaffolds and copies say. The third row cannot be read, the sixth has no value; the ninth is a copy
// of the second in other words, the tenth of the fourth.
func TestSplitting(t *testing.T) {
	const text = "smiles,date\nCCO,2020\nCCCCO,2024-07-02\nC1CC,2020\nc1ccccc1C,2022-12-31T23:59:59Z\nCc1ccccc1O,2021-05\nCCCO,soon\n" +
		"C1CCNCC1,2019-01-01\nC1CCNCC1C,2023-01-01 12:00:00\nOCCCC,2024.5\nCc1ccccc1,-1e3\n"
	const train, test = job.TrainPart, job.TestPart
	for _, c := range []struct {
		s    job.Splitting
		want []string
	}{
		{job.Splitting{By: job.ByTime, Values: "date", Share: 0.5}, []string{train, test, "", train, test, "", train, test, test, train}},
		{job.Splitting{By: job.ByTime, Values: "date", Share: 0.37}, []string{train, test, "", train, train, "", train, train, test, train}},
		// Alcohols have 20.23 Å², piperidines 12.03, and toluene none.
		{job.Splitting{By: job.ByProperty, Values: "computed_tpsa", Share: 0.56},
			[]string{test, test, "", train, test, test, train, train, test, train}},
		{job.Splitting{By: job.ByScaffold, Share: 0.34, Seed: 1}, nil}, {job.Splitting{By: job.ByCluster, Share: 0.34, Seed: 2}, nil},
		{job.Splitting{By: job.ByRandom, Share: 0.34, Seed: 3}, nil},
	} {
		rows := rowsOf(text, c.s.Columns()...)
		parts := must.Have(c.s.Split(t.Context(), rows))
		if c.want != nil && !slices.Equal(parts, c.want) || c.s.Sorted() != (c.want != nil) {
			t.Errorf("%+v: %q, want %q", c.s, parts, c.want)
		}
		together := [][]int{{1, 8}, {3, 9}}
		if c.s.By == job.ByScaffold {
			together = [][]int{{0, 1, 5, 8}, {3, 4, 9}, {6, 7}}
		}
		for _, rows := range together {
			for _, i := range rows {
				if parts[i] != parts[rows[0]] {
					t.Errorf("%+v: rows %v are %q", c.s, rows, parts)
				}
			}
		}
		tested := job.Part(rows, parts, test)
		if n := len(job.Part(rows, parts, train)); n == 0 || len(tested) == 0 || float64(len(tested)) > c.s.Share*9 ||
			n+len(tested)+len(job.Part(rows, parts, "")) != 10 {
			t.Errorf("%+v: %d to train on, %d to test", c.s, n, len(tested))
		}
		if c.s.By == job.ByTime && fmt.Sprint(rows[5].Err) != `a.csv:7:6: column date: "soon", want a number, or a date such as 2024-05-31` {
			t.Errorf("%v", rows[5].Err)
		}
	}
	none := job.Splitting{By: job.ByRandom, Share: 0.1}
	if _, err := none.Split(t.Context(), rowsOf(text)); err == nil ||
		!strings.Contains(err.Error(), "no molecule is left to train on or to test, of 9 by random") {
		t.Errorf("%v", err)
	}
	if parts, err := none.Split(t.Context(), rowsOf("smiles\nC1\n")); err != nil || !slices.Equal(parts, []string{""}) {
		t.Errorf("%q, %v", parts, err)
	}
}

// A report on substances says what its model, its holdout and its input say.
func TestDomain(t *testing.T) {
	m, alone := chainModel(), chainAlone(t)
	q := domain.New(report.Domain{Model: m, Alpha: 0.1, Confidence: 0.9}, alone, "my model.msgpack", 2)
	q.Title += "!"
	if q.Title != "Applicability domain: a!" || q.References != 24 || len(q.Ranges) != 6 || math.Abs(q.Ranges[0].Quantiles[0]-93.129) > 1e-9 {
		t.Errorf("%s: %d references, %+v", q.Title, q.References, q.Ranges)
	}
	const methanol = "methanol\n\n\n  2  1  0  0  0  0            999 V2000\n" +
		"    0.0000    0.0000    0.0000 O   0  0\n    1.0000    0.0000    0.0000 C   0  0\n  1  2  1  0\nM  END\n$$$$\n"
	o := dataset.Options{Name: "a.sdf", Form: molecule.Parent}
	rows := rowsOf("smiles,id\n[Na+].[O-]CCc1ccccc1,it's\nC1CC,\nCCCl,\"two\nlines\"\nO=[N+]([O-])c1ccncc1,n\n")
	rows = append(rows, rowsOf(chains())[m.Card.HoldoutRows[0]]) // which scores as high as itself
	for r, err := range dataset.Parse(t.Context(), 1, dataset.Records(strings.NewReader(methanol), o)) {
		must.Do(err)
		rows = append(rows, r)
	}
	for _, r := range rows {
		must.Do(q.Add(t.Context(), r))
	}
	if len(q.Substances) != 5 || !slices.Equal(q.Warnings, []string{"refused: a.csv:3:2: ring bond 1 is never closed"}) {
		t.Fatalf("%d substances, %q", len(q.Substances), q.Warnings)
	}
	const flags = " --model 'my model.msgpack' --format smi --alpha 0.1 --explain --neighbors 2 --to jsonl -"
	wants := []string{
		`it's [Na+].[O-]CCc1ccccc1 [O-]CCc1ccccc1.[Na+] C8H9NaO OCCc1ccccc1 false printf '%s\n' '[Na+].[O-]CCc1ccccc1 it'\''s' | baca score` +
			flags,
		"two\nlines CCCl CCCl C2H5Cl CCCl false printf '%s\\n' CCCl | baca score" + flags,
		`n O=[N+]([O-])c1ccncc1 O=[N+]([O-])c1ccncc1 C5H4N2O2 O=[N+]([O-])c1ccncc1 false printf '%s\n' 'O=[N+]([O-])c1ccncc1 n' | baca score` +
			flags,
	}
	for k, s := range q.Substances {
		got := fmt.Sprint(s.ID, " ", s.SMILES, " ", s.Canonical, " ", s.Formula, " ", s.Read, " ", s.Molfile, " ", s.Command)
		if k < len(wants) && got != wants[k] || k == 4 && got != "methanol CO CO CH4O CO true " {
			t.Errorf("%s\nwant\n%q", got, wants)
		}
		high := 0
		for _, x := range alone.Holdout() {
			if x >= s.Why.Score {
				high++
			}
		}
		low, top := decide.Interval(high, 24, 0.9)
		unmet, all := alone.Surroundings(s.Graph)
		if s.AsHigh != high || s.Low != low || s.High != top || s.Unmet != unmet || s.Surroundings != all || len(s.Nearest) != 2 {
			t.Errorf("%s: %d as high, want %d, %g to %g, %d neighbours", s.ID, s.AsHigh, high, s.Low, s.High, len(s.Nearest))
		}
	}
	input := []report.Flag{{Name: "--format", Value: "sdf", Usual: "auto"}, {Name: "--id", Value: ""}}
	q.Substances, q.Neighbors, q.Confidence = q.Substances[2:3], domain.Neighbors, domain.Confidence
	for got, want := range map[string]string{
		q.Repeat(input, "out.html", "-a.sdf"): "baca report --qprf --model 'my model.msgpack' --alpha 0.1 --format sdf --out out.html ./-a.sdf",
		q.Score(input, "a.sdf"): "baca score --model 'my model.msgpack' --format sdf --alpha 0.1 --explain --neighbors 5 --to" +
			" jsonl a.sdf",
		q.Piped("x"): `printf '%s\n' 'O=[N+]([O-])c1ccncc1 n' | baca report --qprf --model 'my model.msgpack' --format smi --alpha 0.1` +
			` --out x -`,
		q.ModelPage("o").Command: "baca report --qmrf --model 'my model.msgpack' --alpha 0.1 --out o", q.Title: "Applicability domain of model a",
	} {
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	plain := &model.Model{Card: model.Card{Name: "p", Schema: model.Constant}}
	if err := domain.Check(plain); err == nil || !strings.HasPrefix(err.Error(), "model p reads plain graphs:") ||
		domain.Check(m) != nil {
		t.Errorf("%v", err)
	}
}

// strangers are molecules unlike the chains.
const strangers = header + "FC(F)(F)F,f,,1,0\nO=[N+]([O-])c1ccc(Br)cc1,n,,2.5,4\nC1CC,bad,,3,3\nOB(O)c1ccccc1,b,,,1\nClC(Cl)Cl,c,,4,1\n" +
	"Oc1ccccc1,p,,3,\n[Na+].[O-]C=O,s,,3,2\n"

// Rows of a batch are explained by it, and a report judges them.
func TestBatchAndReport(t *testing.T) {
	alone := chainAlone(t)
	rows := chains() + strings.Repeat(strings.TrimPrefix(strangers, header), 5)
	for _, by := range []string{batch.ByAlone, batch.ByBatch, batch.ByAttention} {
		o := batch.DefaultOptions()
		o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic, o.Attention.TopK, o.By, o.Seed = 10, 8, 8, 6, by, 4
		o.Workers = 2
		r := job.NewReport(alone, o, 0.2)
		var all []table.Row
		scoring := must.Have(run.New(t.Context(), run.Plan{
			Model: chainModel(), Options: o, Batch: true, Columns: table.Usual | table.OfReasons | table.OfNeighbors | table.OfStructure, Neighbors: 3,
			Input: run.Input{Records: recordsOf(rows)}, Fitted: r.Fitted,
			Rows: func(some []table.Row) error { all = append(all, some...); return r.Add(some) },
		}))
		must.Do(scoring.Do(t.Context()))
		fit, scorer := scoring.Fit, scoring.Scorer
		named := 0
		drift := drift.New(alone, 4)
		var scores []float64
		var refused []string
		for i, row := range all {
			s, read := row.(*table.Scored)
			if !read {
				refused = append(refused, row.Input().Err.Error())
				continue
			}
			scores = append(scores, s.Scores.Score)
			drift.Add(s.Scores.Alone)
			own, _ := slices.BinarySearch(fit.Records, i)
			var want []float64
			for _, k := range scorer.Attention().Explain(must.Have(alone.Embedding(t.Context(), s.Graph)), own).OutKeys {
				entry := scorer.Attention().Dictionary(dictionary.OOD).Entry(k.Key)
				if entry.Origin == dictionary.Test {
					want = append(want, float64(all[fit.Records[entry.Index]].Input().Row))
				}
			}
			named = max(named, len(want))
			if want = want[:min(3, len(want))]; !slices.Equal(s.Why.LikeOutside, want) {
				t.Errorf("%s is like %v, want %v", s.ID, s.Why.LikeOutside, want)
			}
			if math.Abs(s.Why.Score-s.Scores.Alone) > 1e-9 || len(s.Nearest) != len(alone.Nearest(s.Graph, 3)) || len(s.Why.Atoms) < s.Graph.N() {
				t.Errorf("%s scores %g, %g if explained, with %d neighbours", s.ID, s.Scores.Alone, s.Why.Score, len(s.Nearest))
			}
		}
		last := all[len(all)-1].(*table.Scored)
		if x := last.Why; last.Structure != "O=CO" || len(x.Atoms) != 4 || !math.IsNaN(x.Atoms[0]) || x.Atoms[2] != x.Contributions[1] {
			t.Errorf("sodium formate is read as %s, with %v of %v", last.Structure, last.Why.Atoms, last.Why.Contributions)
		}
		if by != batch.ByAlone && named < 4 {
			t.Errorf("%d records are the most that one is like", named)
		}
		var asked []int
		must.Do(r.Finish(t.Context(), molecule.Parent, func(places []int) ([]*graph.Graph, error) {
			asked = places
			return lists.Map(places, func(p int) *graph.Graph { return all[p-1].(*table.Scored).Graph }), nil
		}))
		order := slices.Sorted(slices.Values(scores))
		slices.Reverse(order)
		got := lists.Map(r.Rows, func(e report.Entry) float64 { return e.Row.Score })
		if r.Read != len(all) || r.Refused != 6 || !slices.Equal(r.Refusals, refused) || !slices.Equal(got, order) ||
			!slices.Equal(r.Scores, scores) || !slices.Equal(r.Wealth, drift.Wealth) {
			t.Errorf("%s: %d read, %d refused, %q, %v", by, r.Read, r.Refused, r.Refusals, got)
		}
		if len(r.Top) != report.MaxTop || len(asked) != report.MaxTop || asked[3] != r.Rows[3].Place || r.Top[3].Why == nil ||
			r.Top[9].Place != asked[9] {
			t.Errorf("%s: %d on top, %v asked", by, len(r.Top), asked)
		}
		holdout := map[string][]float64{
			batch.ByAlone: alone.Holdout(), batch.ByBatch: lists.Map(fit.Holdout, func(row batch.Row) float64 { return row.Batch }),
			batch.ByAttention: lists.Map(fit.Holdout, func(row batch.Row) float64 { return row.BaCa }),
		}[by]
		if !slices.Equal(r.Holdout, holdout) || len(r.Alone) > 0 != (by == batch.ByBatch) ||
			r.Whole != report.Whole("this list", fit.Evidence, fit.P) || !slices.Equal(r.Differences, fit.Differences) {
			t.Errorf("%s: a holdout of %d, %d p-values alone, %q", by, len(r.Holdout), len(r.Alone), r.Whole)
		}
	}
	plain := []table.Row{&table.Scored{Record: dataset.Record{Graph: &graph.Graph{Offsets: []int32{0, 0}, X: []float32{1}, Features: 1}}}}
	if err := (&run.Explainer{Alone: alone}).Explain(t.Context(), 1, plain); err == nil {
		t.Error("a plain graph is explained by a model of molecules")
	}
	for batch, want := range map[int]int{2: 0, 5: 1, 9: 2, 1: -1, 6: -1, 10: -1} {
		if got := run.InBatch([]int{2, 5, 9}, batch); got != want {
			t.Errorf("record %d is %d of the batch, want %d", batch, got, want)
		}
	}
}

// A report keeps the rows furthest outside, the first of equal ones, and names the first refusals.
func TestLongReport(t *testing.T) {
	r := job.NewReport(chainAlone(t), batch.DefaultOptions(), 0)
	must.Do(r.Fitted(&run.Fit{Report: &batch.Report{Few: true, Warnings: []string{"few"}}}))
	const most = 4 * report.MaxRows
	for i := range most + 2 {
		if i == most && len(r.Rows) != most || i == most+1 && len(r.Rows) != report.MaxRows {
			t.Errorf("%d rows after %d", len(r.Rows), i)
		}
		r.AddEntry(report.Entry{Row: batch.Row{Score: float64(i % 1000), P: 0.5, Alone: 1}})
		r.Refuse(fmt.Sprint(i))
	}
	if e := r.Rows; e[0].Place != 1999 || e[1].Place != 3999 || e[2].Place != 1997 || e[499].Row.Score != 750 || !math.IsNaN(e[0].Q) {
		t.Errorf("rows %d, %d and %d are on top, %g is the last", e[0].Place, e[1].Place, e[2].Place, e[499].Row.Score)
	}
	if r.Read != 2*most+4 || r.Refused != most+2 || len(r.Refusals) != report.MaxRefused || r.Refusals[19] != "19" || r.Whole != "" ||
		r.Warnings[0] != "few" {
		t.Errorf("%d read, %d refused, %q, %q", r.Read, r.Refused, r.Refusals, r.Warnings)
	}
	m := job.Making{Name: "a.smi", By: batch.ByBatch, Seed: 7, Basis: report.Basis{Alone: true},
		Program: "1", ModelFormat: 3, ModelBytes: 9, ModelSHA256: "ff",
		Flags: []report.Flag{{Name: "--model", Value: "m"}}, Out: "o.html", Input: "a.smi"}
	for fdr, want := range map[float64][2]string{0: {"not asked for", ""}, 0.2: {"0.2", " --fdr 0.2"}} {
		about := &report.Report{Alpha: 0.01, FDR: fdr}
		m.Describe(about, chainModel())
		if c := "baca report --model m --by batch --alpha 0.01" + want[1] + " --seed 7 --out o.html a.smi"; about.Command != c ||
			about.Title != "Out-of-distribution report: a.smi" || about.Plain {
			t.Errorf("%s: %s, want %s", about.Title, about.Command, c)
		}
		if got := about.Settings[2].Value; got != want[0] || about.Settings[3].Value != "7" || about.Versions[2].Value != "3" ||
			about.Versions[0].Value != "baca 1" {
			t.Errorf("%+v, %+v", about.Settings, about.Versions)
		}
	}
}

// Predictions are judged one by one as together, those with a score and all that it takes.
func TestJudging(t *testing.T) {
	alone := chainAlone(t)
	for name, judged := range map[string]string{"score": "f n c p s", "": "f n c s"} {
		c := must.Have(alone.Trust(t.Context(), trust.Options{}, name))
		j := &run.Judging{Calibration: c, Alone: alone}
		list := must.Have(run.SampleOf(t.Context(), recordsOf(chains()), 1, 2))
		must.Do(j.Compare(t.Context(), list))
		if len(list.Graphs) != 81 || list.Sample || j.Shift == nil || len(j.Sentences()) != len(c.Sentences())+len(j.Shift.Sentences()) {
			t.Errorf("%d graphs, %t, give %v", len(list.Graphs), list.Sample, j.Shift)
		}
		labels := &job.Labels{ValueColumns: model.ValueColumns{Predicted: "yhat", Uncertainty: "u"}}
		scoring := must.Have(run.New(t.Context(), run.Plan{Model: chainModel(), Options: batch.DefaultOptions()}))
		rows := must.Have(scoring.Each(t.Context(), rowsOf(strangers, "yhat", "u")))
		var outcomes []trust.Outcome
		must.Do(j.Rows(t.Context(), rows, labels.Of, func(o trust.Outcome) { outcomes = append(outcomes, o) }))
		var ids []string
		for _, row := range rows {
			r, read := row.(*table.Scored)
			if !read || math.IsNaN(r.Trust.Predicted) {
				continue
			}
			v := labels.Of(&r.Entry)
			place := must.Have(alone.Places(t.Context(), []*graph.Graph{r.Graph}, []float64{r.Scores.Alone}))[0]
			p := trust.Prediction{Place: place, Value: v.Predicted, Uncertainty: v.Uncertainty}
			want := c.JudgePrediction(p)
			j.Shift.Judge(place, &want)
			if o := outcomes[len(ids)]; fmt.Sprint(r.Trust, o.Judgement) != fmt.Sprint(want, want) || o.Score != c.Doubt(p) {
				t.Errorf("%s: %+v, want %+v", r.ID, r.Trust, want)
			}
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != judged {
			t.Errorf("judged by %q: %s, want %s", name, got, judged)
		}
	}
	if f := must.Have(run.SampleOf(t.Context(), recordsOf("smiles\n"+strings.Repeat("CC\n", run.MaxGraphs+1)), 1, 2)); !f.Sample || len(f.Graphs) != run.MaxGraphs {
		t.Errorf("%d graphs, %t, of a longer list", len(f.Graphs), f.Sample)
	}
	low := slices.Repeat([]trust.Prediction{{Place: trust.Place{Distance: 1, Atoms: 5, Score: -1}}}, 30)
	j := &run.Judging{Calibration: must.Have(trust.Calibrate(trust.OrderNeighbors, low, make([]float64, 30), trust.Options{})), Alone: alone}
	trained := slices.DeleteFunc(newTraining().Graphs, func(g *graph.Graph) bool { return !alone.Duplicate(g) })
	if must.Do(j.Compare(t.Context(), &run.Fit{Graphs: trained, Sample: true})); len(trained) < trust.MinList || j.Shift.Farther || !j.Shift.Sample {
		t.Errorf("%d training graphs lie farther than held-out ones", len(trained))
	}
}

// Each record has the rows of all models, as if each had scored it alone.
func TestOtherModels(t *testing.T) {
	first, second := must.Have(weights.Open("bbbp")), chainModel()
	score := func(m *model.Model, others ...*model.Model) (rows []table.Row) {
		r := must.Have(run.New(t.Context(), run.Plan{
			Model: m, Options: batch.DefaultOptions(), Others: others, Input: run.Input{Records: recordsOf(strangers)},
			Rows: func(some []table.Row) error { rows = append(rows, some...); return nil },
		}))
		must.Do(r.Do(t.Context()))
		return rows
	}
	both, one, two := score(first, second, first), score(first), score(second)
	for i, row := range both {
		r, read := row.(*table.Scored)
		if read && fmt.Sprint(r.Scores, r.Others) != fmt.Sprint(one[i].(*table.Scored).Scores, []batch.Row{two[i].(*table.Scored).Scores, one[i].(*table.Scored).Scores}) {
			t.Errorf("%s: %+v", r.ID, r.Others)
		}
	}
	const whole, guard = "as a whole this list differs from the training set: AUC 0.75, p < 0.001",
		"note: outside by the batch also needs p <= 0.1 by itself, or that no training graph is as much like this list (batch_foreign)"
	for _, c := range []struct {
		f    *run.Fit
		by   string
		both bool
		want []string
	}{
		{nil, batch.ByBatch, true, nil}, {&run.Fit{}, batch.ByBatch, true, nil},
		{&run.Fit{Report: &batch.Report{Few: true}}, batch.ByBatch, true, nil},
		{&run.Fit{Report: &batch.Report{Few: true}}, batch.ByAlone, true,
			[]string{"note: fewer than 20 graphs are no batch, so there is no second answer"}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75}}, batch.ByBatch, false, []string{whole, guard}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75, Differences: []string{"More", "rings"}}, Graphs: make([]*graph.Graph, 3), Sample: true},
			batch.ByAlone, true,
			[]string{whole, "what makes the difference: More; rings", "note: an even sample of 3 graphs forms the batch", guard}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75}, Graphs: make([]*graph.Graph, 3), Sample: true, First: true}, batch.ByAlone, false,
			[]string{whole, "note: the first 3 graphs form the batch; from a file, a sample of all forms it instead"}},
	} {
		if got := c.f.Sentences(c.by, c.both); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

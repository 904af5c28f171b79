package engine

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/report"
	"baca/algo/table"
	"baca/algo/trust"
	"baca/wasm/message"
	"baca/weights"
)

// hydration is a set with observed values and cross-validated predictions: 500 molecules to train
// on, and the others.
func hydration(t *testing.T) (train, fresh string) {
	t.Helper()
	data, err := os.ReadFile("../../../build/baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(lines[:501], ""), lines[0] + strings.Join(lines[501:], "")
}

// valuesIn reads the values of a table of hydration energies.
func valuesIn(t *testing.T, text string) (list []*algo.Values) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	y, p := slices.Index(rows[0], "observed"), slices.Index(rows[0], "predicted")
	for _, row := range rows[1:] {
		v := &algo.Values{}
		if v.Observed, err = strconv.ParseFloat(row[y], 64); err == nil {
			v.Predicted, err = strconv.ParseFloat(row[p], 64)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// heldOut asks for a model that knows errors.
func heldOut() *message.Train {
	return &message.Train{Name: "h", Epochs: 1, Observed: "observed", Predicted: "predicted", HeldOut: true}
}

// The model knows the errors that `baca train --held-out` keeps, and its file is the same.
func TestTrainKeepsResiduals(t *testing.T) {
	train, _ := hydration(t)
	values := valuesIn(t, train)
	h := newHost(t)
	delete(h.files, "background")
	e := New(h)
	_, opened := must[*message.Opened](e, h, &message.Open{Name: "train.csv", Data: []byte(train)})
	_, got := must[*message.Trained](e, h, heldOut())

	var gs []*graph.Graph
	for u, err := range table.Molecules(strings.NewReader(train), dataset.Options{Format: dataset.CSV, Form: molecule.Parent}) {
		if err != nil {
			t.Fatal(err)
		}
		gs = append(gs, u().Graph)
	}
	direct := &job.Training{Graphs: gs, Workers: 1, Split: dataset.Hold, Save: weights.SaveMeasured, Card: algo.Card{
		Name: "h", Schema: algo.SchemaOf(molecule.Parent), Dataset: "train.csv", DatasetSHA256: opened.SHA256, Seed: 1, Epochs: 1,
		Description: job.ModelDescription("train.csv", 450, 1),
	}}
	if err := direct.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := direct.Begin(t.Context(), pretrain.State{}, pretrain.Loss{}); err != nil {
		t.Fatal(err)
	}
	if err := direct.Run(t.Context(), 0, func() error { return nil }, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	_, packed, err := direct.Pack(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := weights.Load(packed)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.KeepResiduals(values, "observed", "predicted"); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := weights.Save(&file, want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Data, file.Bytes()) {
		t.Errorf("the file has %d bytes, and that of the command %d; or they differ", len(got.Data), file.Len())
	}
	if m := got.Model; m.Residuals != 498 || m.Predicted != "predicted" || m.SHA256 == "" {
		t.Errorf("the card says %+v", m)
	}
	m, err := weights.Load(got.Data)
	if err != nil {
		t.Fatal(err)
	}
	for k, row := range m.Card.HoldoutRows {
		if y := values[row]; m.Residuals.Errors[k] != y.Observed-y.Predicted {
			t.Errorf("row %d has an error of %g, want %g", row+1, m.Residuals.Errors[k], y.Observed-y.Predicted)
		}
	}

	// Structures have the values beside them, and errors stay.
	both := heldOut()
	both.Structures = true
	_, with := must[*message.Trained](e, h, both)
	if m, err = weights.Load(with.Data); err != nil || m.Residuals.Known() != 498 {
		t.Fatalf("%v, %+v", err, m.Residuals)
	}
	if s := m.Structures; !s.HasValues() || s.Observed[0] != values[m.KnownRows()[0]].Observed {
		t.Errorf("%+v", s)
	}

	// Without the promise nothing is kept, and the reason is said.
	without := heldOut()
	without.HeldOut = false
	_, plain := must[*message.Trained](e, h, without)
	if m, err = weights.Load(plain.Data); err != nil || m.Residuals != nil || plain.Model.Residuals != 0 || !slices.Contains(plain.Warnings, algo.NoPromise) {
		t.Errorf("%v, residuals %+v, warnings %q", err, m.Residuals, plain.Warnings)
	}
}

func TestTrainRefusesValues(t *testing.T) {
	train, _ := hydration(t)
	h := newHost(t)
	e := New(h)
	must[*message.Opened](e, h, &message.Open{Name: "train.csv", Data: []byte(train)})
	with := func(change func(*message.Train)) *message.Train {
		r := heldOut()
		change(r)
		return r
	}
	fails(e, h, with(func(r *message.Train) { r.Predicted = "observed" }), message.CodeBadOption, "both from column observed: want two columns")
	fails(e, h, with(func(r *message.Train) { r.Observed = "" }), message.CodeBadOption, "want the columns of observed and of predicted values")
	fails(e, h, with(func(r *message.Train) { r.Observed = "nope" }), message.CodeBadInput, `no column "nope"`)
	fails(e, h, with(func(r *message.Train) { r.Observed = "name" }), message.CodeBadOption, "0 of 50 graphs kept from training have both values: want at least 20")
	// What is no number is named, and its molecule is trained on.
	lines := strings.SplitAfter(train, "\n")
	lines[3] = "x,CCO,abc,1\n"
	must[*message.Opened](e, h, &message.Open{Name: "bad.csv", Data: []byte(strings.Join(lines, ""))})
	_, got := must[*message.Trained](e, h, heldOut())
	if !slices.Contains(got.Warnings, `no value: bad.csv:4:7: column observed: "abc", want a finite number with a point for decimals`) || !slices.Contains(got.Warnings, job.TrainedAsOthers) || got.Model.Train+got.Model.Holdout != 497 {
		t.Errorf("%+v, warnings %q", got.Model, got.Warnings)
	}
	must[*message.Opened](e, h, &message.Open{Name: "mine.smi", Data: []byte(alkanes(64))})
	fails(e, h, heldOut(), message.CodeBadInput, `column "observed" of a file of format smi, which has no columns`)
}

// judging is an engine with a model that was trained on a table of values, and that model's calibration.
func judging(t *testing.T, table string, by trust.Order) (*Engine, *host, *trust.Calibration, *algo.SingleScorer) {
	t.Helper()
	h := newHost(t)
	e := New(h)
	must[*message.Opened](e, h, &message.Open{Name: "train.csv", Data: []byte(table)})
	_, trained := must[*message.Trained](e, h, heldOut())
	must[*message.Model](e, h, &message.LoadModel{Name: "h", Data: trained.Data})
	alone, err := algo.NewSingleScorer(t.Context(), e.model, 2)
	if err != nil {
		t.Fatal(err)
	}
	c, err := alone.Trust(t.Context(), trust.Options{}, by)
	if err != nil {
		t.Fatal(err)
	}
	return e, h, c, alone
}

// The page judges predictions as `baca trust` does, and audits them as its --observed.
func TestTrust(t *testing.T) {
	train, fresh := hydration(t)
	fresh += "broken,C1CC,1,1\n"
	e, h, c, alone := judging(t, train, trust.OrderNeighbors)
	must[*message.Opened](e, h, &message.Open{Name: "new.csv", Data: []byte(fresh)})
	events, _ := must[*message.Scored](e, h, &message.Score{})
	rows := join(events)
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: rows.Numbers("score")})

	// The same without the engine.
	own := &job.Judging{Calibration: c, Alone: alone, By: trust.OrderNeighbors}
	o := algo.DefaultOptions()
	o.Single = alone
	scorer, err := algo.NewScorer(t.Context(), e.model, o)
	if err != nil {
		t.Fatal(err)
	}
	values := valuesIn(t, fresh)
	read := func() iter.Seq2[table.Unread, error] {
		return table.Molecules(strings.NewReader(fresh), dataset.Options{Name: "new.csv", Form: e.form().Unordered()})
	}
	sample, err := job.SampleOf(t.Context(), job.Input{Again: func() (iter.Seq2[table.Unread, error], func(), error) { return read(), func() {}, nil }}, 1, 2)
	if err != nil || len(sample) != 142 {
		t.Fatal(len(sample), err)
	}
	if err := own.Compare(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	var outcomes []trust.Outcome
	var file bytes.Buffer
	w := table.NewSink(&file, "csv", table.Text{SpreadsheetSafe: true}, true, table.Fields(table.Usual|table.OfTrust))
	err = job.Score(t.Context(), scorer, job.Input{Records: read()}, job.ScoreOptions{}, func(list []table.Scored) error {
		doubts, err := own.Rows(t.Context(), list, func(i int) float64 {
			if list[i].Err != nil {
				return math.NaN()
			}
			return values[list[i].Row-1].Predicted
		})
		if err != nil {
			return err
		}
		for k, s := range list {
			i := s.Row - 1
			if s.Err != nil {
				w.Add(s)
				continue
			}
			j := *s.Trust
			w.Add(s)
			outcomes = append(outcomes, trust.Outcome{Score: doubts[k], Observed: values[i].Observed, Judgement: j})
		}
		return w.Flush()
	})
	if err != nil {
		t.Fatal(err)
	}
	want := trust.NewAudit(outcomes, c)
	if want.N != 142 || got.HTML != report.TrustHTML(own.Sentences(), c, want, trust.OrderNeighbors.Words(), nil) {
		t.Errorf("%d audited: %s", want.N, got.HTML)
	}
	if got.Coverage != 0.9 || got.Classes || len(got.Problems) > 0 || !slices.Equal(got.Sentences, own.Sentences()) {
		t.Errorf("%+v", got)
	}

	// Intervals hold what was asked for.
	_, narrow := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Coverage: 0.8, Scores: rows.Numbers("score")})
	c80, err := alone.Trust(t.Context(), trust.Options{Coverage: 0.8}, trust.OrderNeighbors)
	if err != nil {
		t.Fatal(err)
	}
	if j := c80.Judge(outcomes[0].Score, values[0].Predicted); narrow.Coverage != 0.8 || narrow.Rows.Numbers("interval_high")[0] != j.High || !(narrow.Rows.Numbers("interval_high")[0] < got.Rows.Numbers("interval_high")[0]) {
		t.Errorf("80 %%: up to %g, want %g, which is less than the %g of 90 %%", narrow.Rows.Numbers("interval_high")[0], j.High, got.Rows.Numbers("interval_high")[0])
	}
	fails(e, h, &message.Trust{Predicted: "predicted", Coverage: 1, Scores: rows.Numbers("score")}, message.CodeBadOption, "a coverage of 1")

	// The file is that of the command.
	if saved := fileOf(t, "csv", append(rows, got.Rows...)); saved != file.String() {
		t.Errorf("the page saves\n%.400s\nand the command\n%.400s", saved, file.String())
	}
	if text := fileOf(t, "jsonl", got.Rows); strings.Count(text, `"interval_low":`) != 143 || !strings.Contains(text, `"predicted":null,"expected_error":null,"interval_low":null,"interval_high":null,"trust":null,"interval_batch_low":null,"interval_batch_high":null,"trust_batch":null`) {
		t.Errorf("%.400s", text)
	}
}

// same tells whether numbers are equal, or both missing.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestTrustRefuses(t *testing.T) {
	train, _ := hydration(t)
	e, h, _, _ := judging(t, train, trust.OrderNeighbors)
	// A bad value is named, and its row keeps its score.
	bad := "smiles,predicted,observed\nCCO,1e400,x\nCCN,2,\nC((,3,3\n"
	must[*message.Opened](e, h, &message.Open{Name: "bad.csv", Data: []byte(bad)})
	scores := message.Floats{-1, -1, math.NaN()}
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Scores: scores})
	if !slices.Equal(got.Problems, []string{`no value: bad.csv:2:5: column predicted: "1e400", want a finite number with a point for decimals`, job.WithoutInterval}) ||
		!slices.Equal(got.Rows.Texts("trust"), []string{"", "trust", ""}) || !math.IsNaN(got.Rows.Numbers("interval_low")[0]) || got.Rows.Numbers("interval_low")[1] >= 2 || strings.Contains(got.HTML, "How many to keep") {
		t.Errorf("%+v", got)
	}
	_, got = must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: scores})
	if n := len(got.Problems); n != 5 || got.Problems[n-2] != job.DoNotCount || got.Problems[n-1] != trust.ErrNoValues.Error() || strings.Contains(got.HTML, "How many to keep") {
		t.Errorf("%q", got.Problems)
	}
	fails(e, h, &message.Trust{Scores: scores}, message.CodeBadOption, "want the column with predictions")
	fails(e, h, &message.Trust{Predicted: "predicted", Observed: "predicted", Scores: scores}, message.CodeBadOption, "want two columns")
	fails(e, h, &message.Trust{Predicted: "predicted", Scores: scores[1:]}, message.CodeBadOption, "2 scores: want one of each of 3 records")
	fails(e, h, &message.Trust{Predicted: "nope", Scores: scores}, message.CodeBadInput, `no column "nope"`)
	h.yield = e.Pause
	must[*message.Opened](e, h, &message.Open{Name: "long.csv", Data: []byte("smiles,predicted\n" + strings.Repeat("CCO,1\n", 300_000))})
	fails(e, h, &message.Trust{Predicted: "predicted", Scores: make(message.Floats, 300_000)}, message.CodeCancelled, "")
	h.yield = nil

	// What the model does not know.
	must[*message.Model](e, h, &message.LoadModel{Name: "bbbp"})
	must[*message.Opened](e, h, &message.Open{Name: "bad.csv", Data: []byte(bad)})
	fails(e, h, &message.Trust{Predicted: "predicted", Scores: scores}, message.CodeBadModel, "model bbbp knows no held-out errors of predictions: no interval and no verdict on trust")
}

// Predictions of classes are compared by their margin, as the command does without another order.
func TestTrustOfClasses(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("name,smiles,observed,predicted\n")
	for i := range 400 {
		p := float64(i*37%101) / 100
		fmt.Fprintf(&lines, "m%d,%s%s,%d,%g\n", i, strings.Repeat("C", 1+i%40), []string{"O", "N", "F", "Cl", "Br", "S", "C=O", "C#N", "C=C", "OC"}[i/40], i%3%2, p)
	}
	e, h, c, _ := judging(t, lines.String(), trust.OrderMargin)
	fresh := "smiles,observed,predicted\nCCO,1,0.9\nCCC,0,0.5\nCN,1,0.02\nCCCl,2,0.3\nCCBr,1,1.5\n"
	must[*message.Opened](e, h, &message.Open{Name: "new.csv", Data: []byte(fresh)})
	events, _ := must[*message.Scored](e, h, &message.Score{})
	scores := join(events).Numbers("score")
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: scores})

	for i, p := range []float64{0.9, 0.5, 0.02} {
		want := c.JudgeAt(trust.Place{Score: scores[i]}, 1-max(p, 1-p), p)
		if got.Rows.Texts("trust")[i] != string(want.Verdict) || !same(got.Rows.Numbers("expected_error")[i], want.Error) || !math.IsNaN(got.Rows.Numbers("interval_low")[i]) {
			t.Errorf("%g: %s, %g, want %+v", p, got.Rows.Texts("trust")[i], got.Rows.Numbers("expected_error")[i], want)
		}
	}
	// JSON lines have columns, too.
	_, opened := must[*message.Opened](e, h, &message.Open{Name: "new.jsonl", Data: []byte(`{"smiles":"CCO","y":1,"p":0.9}` + "\n" + `{"smiles":"CCC","y":0,"p":0.5}` + "\n")})
	_, again := must[*message.Trusted](e, h, &message.Trust{Predicted: "p", Observed: "y", Scores: []float64{0, 0}})
	if !slices.Equal(opened.Columns, []string{"p", "smiles", "y"}) || !slices.Equal(again.Rows.Texts("trust"), got.Rows.Texts("trust")[:2]) || !strings.Contains(again.HTML, "<td class=\"n\">100&nbsp;%</td><td class=\"n\">2</td>") {
		t.Errorf("of JSON lines, columns %q: %+v", opened.Columns, again)
	}
	if !got.Classes || !strings.Contains(got.HTML, "<td class=\"n\">100&nbsp;%</td><td class=\"n\">3</td>") || !strings.Contains(got.HTML, "distance to the nearer class up to") || len(got.Problems) != 3 || !strings.Contains(got.Problems[0], "want a class, 0 or 1") || !strings.Contains(got.Problems[1], "want the probability of class 1") {
		t.Errorf("%+v", got)
	}
}

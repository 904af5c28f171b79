package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/feature/trust"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/weights"
)

var ctx = context.Background()

var (
	alone     = How{Alpha: 0.05, By: algo.ByAlone}
	explained = How{Alpha: 0.05, By: algo.ByAlone, Explain: true}
)

func model(t *testing.T, s *Service, name string) *Model {
	t.Helper()
	return try.To(s.Model(ctx, name))
}

// scored are the rows of a list, and what is said of a batch.
func scored(m *Model, l List, how How) (rows []table.Row, whole *Whole, err error) {
	p := m.Plan(how)
	p.Rows = func(some []table.Row) error { rows = append(rows, some...); return nil }
	whole, err = m.Score(ctx, l, p)
	return rows, whole, err
}

// judged are the rows of a list with predictions.
func judged(m *Model, l List, values []algo.Values, o trust.Options, by string) (rows []table.Row, err error) {
	p := m.Plan(alone)
	p.Rows = func(some []table.Row) error { rows = append(rows, some...); return nil }
	j := Judging{Coverage: o.Coverage, Tolerance: o.Tolerance, LargeErrors: o.Rate, ErrorsBy: by}
	if err := j.Join(ctx, &p, l, values); err != nil {
		return nil, err
	}
	_, err = m.Score(ctx, l, p)
	return rows, err
}

// Rows are what the library says of the graphs, in the order of the list.
func TestScore(t *testing.T) {
	texts := []string{"CC(=O)Oc1ccccc1C(=O)O", "C(C", "", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "CCCCCCCCCCCC"}
	for range 7 {
		texts = append(texts, texts...)
	}
	m := model(t, New(2), "bbbp")
	rows, _, err := scored(m, List{SMILES: texts, First: 10}, alone)
	if err != nil || len(rows) != len(texts) {
		t.Fatalf("%d rows, %v; want %d", len(rows), err, len(texts))
	}
	single := try.To(algo.NewSingleScorer(ctx, m.Model, 1))
	for i, row := range rows {
		r := row.Input()
		if r.Row != 11+i || r.SMILES != texts[i] {
			t.Fatalf("row %d of %q, want %d of %q", r.Row, r.SMILES, 11+i, texts[i])
		}
		g, _, err := smiles.ParseIn(texts[i], molecule.Parent)
		found, has := row.(*table.Scored)
		if (err == nil && texts[i] != "") != (r.Err == nil) || (r.Err == nil) != has {
			t.Fatalf("%q: error %v and scores %t, the parser says %v", texts[i], r.Err, has, err)
		}
		if !has {
			continue
		}
		want := try.To(single.Scores(ctx, []*graph.Graph{g}))
		p, verdicts := single.Judge(want, 0.05)
		if s := found.Scores; s.Score != want[0] || s.P != p[0] || s.Verdict != verdicts[0] {
			t.Fatalf("%q: %g, %g, %s; want %g, %g, %s", texts[i], s.Score, s.P, s.Verdict, want[0], p[0], verdicts[0])
		}
	}
}

// A score is outside exactly where it reaches the threshold.
func TestAboutThreshold(t *testing.T) {
	m := model(t, New(1), "bbbp")
	about, err := m.About(0.05, 0)
	if err != nil || about.Threshold == nil || !about.Molecules || about.References != m.References() {
		t.Fatalf("%+v, %v", about, err)
	}
	at := *about.Threshold
	_, verdicts := m.single.Judge([]float64{math.Nextafter(at, math.Inf(-1)), at}, 0.05)
	if verdicts[0] == decide.Outside || verdicts[1] != decide.Outside {
		t.Errorf("verdicts below and at the threshold: %v", verdicts)
	}
	if about, err = m.About(1e-9, 0); err != nil || about.Threshold != nil {
		t.Errorf("with an alpha that is too small: %v, %v", about.Threshold, err)
	}
	if _, err = m.About(0, 0); err == nil {
		t.Error("alpha 0: no error")
	}
}

func TestLists(t *testing.T) {
	s := New(1)
	molecules, plain := model(t, s, "bbbp"), model(t, s, "ptc_mr")
	methane := List{SMILES: []string{"C"}}
	for name, c := range map[string]struct {
		m    *Model
		list List
		how  How
	}{
		"too many":            {molecules, List{SMILES: make([]string, MaxRecords+1)}, alone},
		"too many to explain": {molecules, List{SMILES: make([]string, MaxExplained+1)}, explained},
		"too many nodes":      {plain, List{Graphs: []Plain{{N: MaxNodes + 1}}}, alone},
		"alpha":               {molecules, methane, How{Alpha: 1, By: algo.ByAlone}},
		"by":                  {molecules, methane, How{Alpha: 0.05}},
	} {
		if _, _, err := scored(c.m, c.list, c.how); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A list that is scored as a batch has the rows of the library, whatever the form of its
// molecules, and fewer than a batch are scored one by one.
func TestBatch(t *testing.T) {
	var texts []string
	var graphs []*graph.Graph
	for n := range 30 {
		text := strings.Repeat("C", 1+n%15) + []string{"O", "N(=O)=O"}[n%2]
		g, _, err := smiles.ParseIn(text, molecule.Parent)
		try.Check(err)
		texts, graphs = append(texts, text), append(graphs, g)
	}
	m := model(t, New(2), "bbbp")
	for _, by := range []string{algo.ByBatch, algo.ByAttention} {
		how := How{Alpha: 0.05, By: by, Seed: 3}
		rows, whole, err := scored(m, List{SMILES: append([]string{"C("}, texts...)}, how)
		if err != nil || whole == nil || whole.Few || whole.AUC == nil || len(whole.Notes) == 0 {
			t.Fatalf("%s: %+v, %v", by, whole, err)
		}
		o := algo.DefaultOptions()
		o.By, o.Seed = by, 3
		s := try.To(batch.NewScorer(ctx, m.Model, o))
		want := try.To(s.Batch(ctx, graphs))
		if rows[0].Input().Err == nil || *whole.AUC != want.Evidence {
			t.Errorf("%s: the broken one has %v, AUC %g, want %g", by, rows[0].Input().Err, *whole.AUC, want.Evidence)
		}
		for i, row := range rows[1:] {
			r := row.(*table.Scored)
			if s, w := r.Scores, want.Rows[i]; s.Score != w.Score || s.P != w.P || s.Verdict != w.Verdict || r.Row != i+2 {
				t.Errorf("%s, row %d: %g, %g, %s; want %g, %g, %s", by, r.Row, s.Score, s.P, s.Verdict, w.Score, w.P, w.Verdict)
			}
		}
		few, whole, err := scored(m, List{SMILES: texts[:3]}, how)
		each, _, aerr := scored(m, List{SMILES: texts[:3]}, alone)
		if err != nil || aerr != nil || !whole.Few || whole.AUC != nil || len(whole.Notes) == 0 || few[2].(*table.Scored).Scores.Score != each[2].(*table.Scored).Scores.Score {
			t.Errorf("%s: of three %+v, %v, %v", by, whole, err, aerr)
		}
	}
}

// A model is kept while it is asked about, and forgotten when some others were.
func TestKept(t *testing.T) {
	s := New(1)
	file := try.To(weights.Bytes("ptc_mr"))
	m, err := s.Open(ctx, file)
	if err != nil || !bytes.Equal(m.File, file) {
		t.Fatal(err)
	}
	if again, err := s.Open(ctx, file); again != m || err != nil {
		t.Errorf("opened twice: %p and %p, %v", m, again, err)
	}
	for _, name := range []string{"ptc_mr", "enzymes", "aids", "bzr"}[:maxKept-1] {
		model(t, s, name)
	}
	if again, err := s.Model(ctx, m.Name); again != m || err != nil {
		t.Errorf("asked for again: %p, want %p, %v", again, m, err)
	}
	for _, name := range []string{"ptc_mr", "enzymes", "aids", "bzr"} {
		model(t, s, name)
	}
	if _, err := s.Model(ctx, m.Name); !errors.Is(err, ErrUnknown) {
		t.Errorf("forgotten model: %v, want %v", err, ErrUnknown)
	} else if strings.Count(err.Error(), "unknown") != 1 {
		t.Errorf("said twice: %v", err)
	}
	if len(s.kept) != maxKept {
		t.Errorf("%d models are kept, want %d", len(s.kept), maxKept)
	}
	if _, err := s.Open(ctx, []byte("no model")); !errors.Is(err, weights.ErrMagic) {
		t.Errorf("no model: %v", err)
	}
}

// Models of a folder are asked for by name, as built-in ones are, and nothing else there can be.
func TestOffer(t *testing.T) {
	file := try.To(weights.Bytes("ptc_mr"))
	folder := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			testset.Write(t, filepath.Join(dir, name), text)
		}
		return dir
	}
	dir := folder(map[string]string{"models/Mine.msgpack": string(file), "models/notes.txt": "", "models/sub.msgpack/x": "", "other.msgpack": string(file)})
	s := New(1)
	try.Check(s.Offer(filepath.Join(dir, "models")))
	list, err := s.Models()
	if last := list[len(list)-1]; err != nil || len(list) != len(weights.Names())+1 || last.Name != "Mine" || last.SHA256 != Sum(file) {
		t.Errorf("%+v, %v", list, err)
	}
	if m := model(t, s, "mine"); m.Card.Name != "ptc_mr" {
		t.Errorf("model %+v", m.Card)
	}
	for _, name := range []string{"", "other", "../other", "models/Mine", "Mine.msgpack", "notes", "sub", filepath.Join(dir, "other.msgpack")} {
		if _, err := s.Model(ctx, name); !errors.Is(err, ErrUnknown) || !strings.HasSuffix(err.Error(), "tox21, Mine") {
			t.Errorf("%q: %v, want the names that are known", name, err)
		}
	}
	testset.Write(t, filepath.Join(dir, "models", "Mine.msgpack"), string(file)+"x")
	if _, err := s.Model(ctx, "Mine"); err == nil || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "model Mine has changed") {
		t.Errorf("another file: %v", err)
	}
	for want, files := range map[string]map[string]string{
		"a.msgpack: not a BaCa file": {"a.msgpack": "x"}, "there is another model Drugs": {"Drugs.msgpack": string(file)}, "and there are none": {"x.txt": ""},
	} {
		if err := New(1).Offer(folder(files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A trained model has what was asked for, and refused records are told.
func TestTrain(t *testing.T) {
	var list List
	for i := range 40 {
		p := Plain{N: 4 + i%5}
		for k := range p.N - 1 {
			p.Edges = append(p.Edges, [2]int32{int32(k), int32(k + 1)})
		}
		list.Graphs = append(list.Graphs, p)
	}
	list.Graphs[7].Edges = append(list.Graphs[7].Edges, [2]int32{0, 99})
	s := New(1)
	var epochs []int
	question := Training{List: list, Recipe: Recipe{Name: "paths", Epochs: 3, Seed: 2}}
	trained := try.To(s.Train(ctx, question, func(p Progress) error { epochs = append(epochs, p.Epoch); return nil }))
	if !slices.Equal(epochs, []int{1, 2, 3}) || len(trained.Refused) != 1 || trained.Refused[0].Row != 8 || trained.Warning == "" {
		t.Errorf("epochs %v, refused %v, warning %q", epochs, trained.Refused, trained.Warning)
	}
	m, err := s.Open(ctx, trained.File)
	if err != nil || m.Card.Name != "paths" || m.Card.Graphs != 39 || m.Card.Seed != 2 || m.Card.Epochs != 3 || m.Card.Schema != algo.Constant {
		t.Errorf("%+v, %v", m.Card, err)
	}
	if again, err := New(2).Train(ctx, question, func(Progress) error { return nil }); err != nil || !bytes.Equal(again.File, trained.File) {
		t.Errorf("other bytes with two workers, %v", err)
	}
	stop := fmt.Errorf("enough")
	question.List.Graphs = slices.Repeat(list.Graphs[:5], 2000)
	question.Epochs = 0 // as many as the command takes, here of 71 steps
	for purpose, want := range map[string]int{"": 4, algo.ByAttention: 338} {
		question.For = purpose
		if _, err := s.Train(ctx, question, func(p Progress) error {
			if p.Epochs != want {
				t.Errorf("for %q %d epochs, want %d", purpose, p.Epochs, want)
			}
			return stop
		}); !errors.Is(err, stop) {
			t.Errorf("stopped at once: %v", err)
		}
	}
	question.KeepStructures = true
	if _, err := s.Train(ctx, question, nil); err == nil || !strings.Contains(err.Error(), "only molecules have structures") {
		t.Errorf("plain graphs: %v", err)
	}
}

// Errors are those of the records that were kept from training, whatever was refused before them, and
// rows have what these say of their predictions.
func TestTrust(t *testing.T) {
	var list List
	question := Training{Recipe: Recipe{Name: "errors", Epochs: 1, Seed: 3}, Columns: algo.ValueColumns{Observed: "y", Predicted: "p", Uncertainty: "u"}}
	for n := range 70 {
		for _, end := range []string{"O", "N", "C(=O)O", "("} {
			list.SMILES = append(list.SMILES, strings.Repeat("C", n+1)+end)
			i := float64(len(list.SMILES))
			question.Values = append(question.Values, algo.Values{Observed: 3 * i, Predicted: 2 * i, Uncertainty: i})
		}
	}
	question.Values[0].Observed = math.NaN()
	question.List = list
	s := New(2)
	trained, err := s.Train(ctx, question, func(Progress) error { return nil })
	if err != nil || len(trained.Refused) != 70 {
		t.Fatalf("%+v, %v", trained, err)
	}
	m := try.To(s.Open(ctx, trained.File))
	if m.Structures != nil {
		t.Error("the model has its molecules, which was not asked for") // where it is, package api looks for them
	}
	for k, row := range m.Card.HoldoutRows {
		want := float64(row + 1 + row/3) // three of four records are molecules
		if got := m.Residuals.Errors[k]; got != want && !(row == 0 && math.IsNaN(got)) {
			t.Errorf("held-out graph %d, row %d, has the error %g, want %g", k, row, got, want)
		}
	}
	uncertain := predictions(1, 2, 3, 4)
	uncertain[3].Uncertainty = 100
	sure, err := judged(m, List{SMILES: []string{"CCO", "CCO", "CCO", "CCO"}}, uncertain, trust.Options{}, "")
	verdict := func(r table.Row) trust.Verdict { return r.(*table.Scored).Trust.Verdict }
	if err != nil || verdict(sure[0]) != "" || verdict(sure[3]) == "" {
		t.Errorf("predictions with and without an uncertainty: %+v, %v", sure, err)
	}
	o := trust.Options{Coverage: 0.8, Tolerance: 200}
	c := try.To(trust.Learn(ctx, m.single, o, string(trust.OrderScore)))
	few := List{SMILES: []string{"CCO", "C(", "CCCCN", "C[Hg]C"}, First: 9}
	rows, err := judged(m, few, predictions(1, 2, math.NaN(), 4), o, string(trust.OrderScore))
	if err != nil || rows[1].Input().Err == nil || verdict(rows[2]) != "" {
		t.Fatalf("%+v, %v", rows, err)
	}
	for _, i := range []int{0, 3} {
		r := rows[i].(*table.Scored)
		if got, want := fmt.Sprint(r.Trust), fmt.Sprint(c.Judge(r.Scores.Alone, float64(i+1))); got != want {
			t.Errorf("%s: %s, want %s", few.SMILES[i], got, want)
		}
	}
	if verdict(rows[3]) != trust.DoNotUse {
		t.Errorf("dimethylmercury: %+v", rows[3])
	}

	for _, by := range []string{string(trust.OrderMargin), "size"} {
		if _, err := judged(m, few, predictions(1, 2, 3, 4), o, by); err == nil || !strings.Contains(err.Error(), "errors by") {
			t.Errorf("errors of numbers by %s: %v", by, err)
		}
	}
	if _, err := judged(m, few, predictions(1), o, ""); err == nil {
		t.Error("too few predictions: no error")
	}
	if _, err := judged(model(t, s, "bbbp"), few, predictions(1, 2, 3, 4), o, ""); err == nil || !strings.Contains(err.Error(), "knows no held-out errors") {
		t.Errorf("a model without errors: %v", err)
	}
	never := func(Progress) error { t.Error("trained in vain"); return nil }
	for i := range question.Values {
		question.Values[i].Predicted = math.NaN()
	}
	if _, err := s.Train(ctx, question, never); err == nil || !strings.Contains(err.Error(), "have both values") {
		t.Errorf("no values: %v", err)
	}
	question.Values = question.Values[1:]
	if _, err := s.Train(ctx, question, never); err == nil || !strings.Contains(err.Error(), "values for 279 records: want one for each of the 280") {
		t.Errorf("too few values: %v", err)
	}
}

// predictions have no uncertainty.
func predictions(list ...float64) []algo.Values {
	values := slices.Repeat([]algo.Values{*algo.NoValues()}, len(list))
	for i, y := range list {
		values[i].Predicted = y
	}
	return values
}

// Fingerprints count surroundings in the columns of their hashes. A refused record has zeros.
func TestFingerprints(t *testing.T) {
	var sums, refused []int
	var counts [][]byte
	list := List{SMILES: []string{"CCO", "OCC", "C(", strings.Repeat("C", 400), "c1ccccc1C", "Cc1ccc(cc1)CC", "C1CCCCC1CC1CC1"}}
	var scaffolds []uint32
	err := New(2).Fingerprints(t.Context(), list, func(r dataset.Record, row []byte, scaffold uint32) {
		counts = append(counts, row)
		scaffolds = append(scaffolds, scaffold)
		sum := 0
		for _, n := range row {
			sum += int(n)
		}
		if sums = append(sums, sum); r.Err != nil {
			refused = append(refused, len(sums))
		}
	})
	// Three heights of each of three atoms; of the chain 394 inner atoms have one surrounding of each height, which saturates.
	if err != nil || !slices.Equal(refused, []int{3}) || sums[0] != 9 || sums[2] != 0 || sums[3] != 3*255+2+4+6 ||
		!bytes.Equal(counts[0], counts[1]) {
		t.Errorf("sums %v, refused %v, %v", sums, refused, err)
	}
	if of := scaffolds; of[0] != of[3] || of[3] == of[4] || of[4] != of[5] || of[5] == of[6] {
		t.Errorf("scaffolds %v, want one of the chains, one of benzenes and another", of)
	}
}

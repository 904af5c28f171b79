package engine

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/feature/trust"
	"baca/algo/training"
	"baca/wasm/message"
	"baca/weights"
)

// hydration is a set with observed values and cross-validated predictions: 500 molecules to train on, and the others.
func hydration(t *testing.T) (train, fresh string) {
	t.Helper()
	data := have(os.ReadFile("../../../build/baca/testdata/hydration.csv"))
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(lines[:501], ""), lines[0] + strings.Join(lines[501:], "")
}

// heldOut asks for a model that knows errors.
func heldOut() *message.Train {
	return &message.Train{Name: "h", Epochs: 1, Observed: "observed", Predicted: "predicted", HeldOut: true, Structures: true}
}

// trainHeldOut trains the model of a table of values and uses it.
func trainHeldOut(e *Engine, h *host) (file string) {
	h.t.Helper()
	delete(h.files, "background")
	_, trained := must[*message.Trained](e, h, heldOut())
	must[*message.Model](e, h, &message.LoadModel{Name: "h", Data: trained.Data})
	return string(trained.Data)
}

// A model that knows errors says so; structures have the values beside them. Without the promise nothing is
// kept, and no structures unasked. That its bytes are the command's is tested in TestThePageIsTheCommand.
func TestTrainKeepsResiduals(t *testing.T) {
	train, _ := hydration(t)
	e, h := bare(t)
	delete(h.files, "background")
	must[*message.Opened](e, h, &message.Open{Name: "train.csv", Data: []byte(train)})
	without := heldOut()
	without.Structures, without.HeldOut = false, false
	_, with := must[*message.Trained](e, h, heldOut())
	m, err := weights.Load(with.Data)
	if err != nil || m.Residuals.Known() != 498 || with.Model.Residuals != 498 || with.Model.Predicted != "predicted" || with.Model.SHA256 == "" {
		t.Fatalf("%v, the card says %+v", err, with.Model)
	}
	// The first row that is known, as the table has it.
	row := strings.Split(strings.Split(train, "\n")[m.KnownRows()[0]+1], ",")
	if s := m.Structures; !s.HasValues() || !slices.Contains(row, fmt.Sprint(s.Observed[0])) {
		t.Errorf("%+v, the table has %q", s, row)
	}
	_, plain := must[*message.Trained](e, h, without)
	if m, err = weights.Load(plain.Data); err != nil || m.Residuals != nil || m.Structures != nil ||
		plain.Model.Residuals != 0 || !slices.Contains(plain.Warnings, algo.NoPromise) {
		t.Errorf("%v, residuals %+v, warnings %q", err, m.Residuals, plain.Warnings)
	}
}

func TestTrainRefusesValues(t *testing.T) {
	train, _ := hydration(t)
	e, h := bare(t)
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
	if !slices.Contains(got.Warnings, `no value: bad.csv:4:7: column observed: "abc", want a finite number with a point for decimals`) || !slices.Contains(got.Warnings, "1 row without a value: "+training.TrainedAsOthers) || got.Model.Train+got.Model.Holdout != 497 {
		t.Errorf("%+v, warnings %q", got.Model, got.Warnings)
	}
	must[*message.Opened](e, h, &message.Open{Name: "mine.smi", Data: []byte(alkanes(64))})
	fails(e, h, heldOut(), message.CodeBadInput, `column "observed" of a file of format smi, which has no columns`)
}

// judging is an engine with a model that was trained on a table of values.
func judging(t *testing.T, table string) (*Engine, *host) {
	t.Helper()
	e, h := bare(t)
	must[*message.Opened](e, h, &message.Open{Name: "train.csv", Data: []byte(table)})
	trainHeldOut(e, h)
	return e, h
}

// The page audits predictions as `baca trust --observed` does, and its intervals hold what was asked for.
func TestTrust(t *testing.T) {
	train, fresh := hydration(t)
	e, h := judging(t, train)
	must[*message.Opened](e, h, &message.Open{Name: "new.csv", Data: []byte(fresh)})
	rows, _ := rowsOfScore(e, h, message.Score{})
	scores := rows.Numbers("score")
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: scores})

	// The numbers of `baca trust --observed` for the command's model of the same table.
	text := strings.ReplaceAll(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(got.HTML, " "), "&nbsp;", " ")
	holds(t, text, "89.4 % of 142 observed values", "83.3–93.5 %", "4.33", "0.42", "0.718", "0.578")
	holds(t, got.Held, "measured values, errors are above", "; intervals hold 89 % of 142 (asked: 90 %)")
	if got.Coverage != 0.9 || got.Classes || len(got.Problems) > 0 {
		t.Errorf("%+v", got)
	}
	// Without predictions intervals are as wide, and what to do is the same.
	_, without := must[*message.Trusted](e, h, &message.Trust{Scores: scores})
	for i, half := range without.Rows.Numbers("interval_high") {
		width := got.Rows.Numbers("interval_high")[i] - got.Rows.Numbers("interval_low")[i]
		if math.Abs(width-2*half) > 1e-9 || math.IsNaN(width) != math.IsNaN(half) || !math.IsNaN(without.Rows.Numbers("predicted")[i]) {
			t.Errorf("row %d: an interval of %g, and ± %g without its prediction", i+1, width, half)
		}
	}
	if !without.Bare || got.Bare || !slices.Equal(without.Rows.Texts("trust"), got.Rows.Texts("trust")) {
		t.Errorf("%v without predictions, %v with them", without.Rows.Texts("trust"), got.Rows.Texts("trust"))
	}
	_, narrow := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Coverage: 0.8, Scores: scores})
	if wide := got.Rows.Numbers("interval_high")[0]; narrow.Coverage != 0.8 || !(narrow.Rows.Numbers("interval_high")[0] < wide) {
		t.Errorf("80 %%: up to %g, want less than the %g of 90 %%", narrow.Rows.Numbers("interval_high")[0], wide)
	}
	fails(e, h, &message.Trust{Predicted: "predicted", Coverage: 1, Scores: scores}, message.CodeBadOption, "a coverage of 1")
}

func TestTrustRefuses(t *testing.T) {
	train, _ := hydration(t)
	e, h := judging(t, train)
	// A bad value is named, and its row keeps its score.
	bad := "smiles,predicted,observed\nCCO,1e400,x\nCCN,2,\nC((,3,3\n"
	must[*message.Opened](e, h, &message.Open{Name: "bad.csv", Data: []byte(bad)})
	scores := message.Floats{-1, -1, math.NaN()}
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Scores: scores})
	if !slices.Equal(got.Problems, []string{`no value: bad.csv:2:5: column predicted: "1e400", want a finite number with a point for decimals`, "1 row without a value: " + training.WithoutInterval}) ||
		!slices.Equal(got.Rows.Texts("trust"), []string{"", "check", ""}) || !math.IsNaN(got.Rows.Numbers("interval_low")[0]) || got.Rows.Numbers("interval_low")[1] >= 2 || strings.Contains(got.HTML, "How many to keep") {
		t.Errorf("%+v", got)
	}
	_, got = must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: scores})
	if n := len(got.Problems); n != 5 || !strings.HasSuffix(got.Problems[n-2], "without a value: "+training.DoNotCount) || got.Problems[n-1] != trust.ErrNoValues.Error() || strings.Contains(got.HTML, "How many to keep") {
		t.Errorf("%q", got.Problems)
	}
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

// classes is a table of measured and predicted classes.
func classes() string {
	var lines strings.Builder
	lines.WriteString("name,smiles,observed,predicted\n")
	for i := range 400 {
		p := float64(i*37%101) / 100
		fmt.Fprintf(&lines, "m%d,%s%s,%d,%g\n", i, strings.Repeat("C", 1+i%40), []string{"O", "N", "F", "Cl", "Br", "S", "C=O", "C#N", "C=C", "OC"}[i/40], i%3%2, p)
	}
	return lines.String()
}

// newClasses are others, two of them with what is no class and no probability.
const newClasses = "smiles,observed,predicted\nCCO,1,0.9\nCCC,0,0.5\nCN,1,0.02\nCCCl,2,0.3\nCCBr,1,1.5\n"

// Predictions of classes are audited where both are given. JSON lines have columns, too.
func TestTrustOfClasses(t *testing.T) {
	e, h := judging(t, classes())
	must[*message.Opened](e, h, &message.Open{Name: "new.csv", Data: []byte(newClasses)})
	rows, _ := rowsOfScore(e, h, message.Score{})
	_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Observed: "observed", Scores: rows.Numbers("score")})
	if !got.Classes || !strings.Contains(got.HTML, "<td class=\"n\">100&nbsp;%</td><td class=\"n\">3</td>") || !strings.Contains(got.HTML, "distance to the nearer class up to") || len(got.Problems) != 3 || !strings.Contains(got.Problems[0], "want a class, 0 or 1") || !strings.Contains(got.Problems[1], "want the probability of class 1") {
		t.Errorf("%+v", got)
	}
	fails(e, h, &message.Trust{Scores: rows.Numbers("score")}, message.CodeBadOption, "want the column with predictions: classes have no intervals")
	_, opened := must[*message.Opened](e, h, &message.Open{Name: "new.jsonl", Data: []byte(`{"smiles":"CCO","y":1,"p":0.9}` + "\n" + `{"smiles":"CCC","y":0,"p":0.5}` + "\n")})
	_, again := must[*message.Trusted](e, h, &message.Trust{Predicted: "p", Observed: "y", Scores: []float64{0, 0}})
	if !slices.Equal(opened.Columns, []string{"p", "smiles", "y"}) || !slices.Equal(again.Rows.Texts("trust"), got.Rows.Texts("trust")[:2]) || !strings.Contains(again.HTML, "<td class=\"n\">100&nbsp;%</td><td class=\"n\">2</td>") {
		t.Errorf("of JSON lines, columns %q: %+v", opened.Columns, again)
	}
}

// A file with the model's column of uncertainties is judged by them, too; without it by the five nearest.
func TestTrustByUncertainty(t *testing.T) {
	train, _ := hydration(t)
	e, h := judging(t, train)
	known := e.model.Residuals
	known.Uncertainty = algo.Column{Name: "sd", Values: make([]float64, len(known.Errors)+len(known.Trained))}
	for file, want := range map[string]string{
		"smiles,predicted,sd\nCCO,-5,0\nCCN,-4,\n": "by uncertainty of the prediction",
		"smiles,predicted,p\nCCO,-5,0\nCCN,-4,1\n": "distance to the five nearest: ",
	} {
		must[*message.Opened](e, h, &message.Open{Name: "new.csv", Data: []byte(file)})
		_, got := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Scores: make(message.Floats, 2)})
		if judged := got.Rows.Texts("trust"); !strings.Contains(got.Sentences[0], want) || judged[0] == "" || (judged[1] == "") != strings.Contains(file, "sd") {
			t.Errorf("%q, verdicts %q, want %q", got.Sentences[0], judged, want)
		}
	}
}

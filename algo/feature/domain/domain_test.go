package domain_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/domain"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/training/trainingtest"
)

// A report on substances says what its model, its holdout and its input say.
func TestDomain(t *testing.T) {
	m, alone := trainingtest.Model(), must.Have(alone.New(t.Context(), trainingtest.Model(), 1))
	q := domain.New(domain.Domain{Model: m, Alpha: 0.1, Confidence: 0.9, Alone: alone, Name: "my model.msgpack", Neighbors: 2})
	q.Title += "!"
	if q.Title != "Applicability domain: a!" || q.References != 24 || len(q.Ranges) != 6 || math.Abs(q.Ranges[0].Quantiles[0]-93.129) > 1e-9 {
		t.Errorf("%s: %d references, %+v", q.Title, q.References, q.Ranges)
	}
	const methanol = "methanol\n\n\n  2  1  0  0  0  0            999 V2000\n" +
		"    0.0000    0.0000    0.0000 O   0  0\n    1.0000    0.0000    0.0000 C   0  0\n  1  2  1  0\nM  END\n$$$$\n"
	o := dataset.Options{Name: "a.sdf", Form: molecule.Parent}
	rows := trainingtest.RowsOf("smiles,id\n[Na+].[O-]CCc1ccccc1,it's\nC1CC,\nCCCl,\"two\nlines\"\nO=[N+]([O-])c1ccncc1,n\n")
	rows = append(rows, trainingtest.RowsOf(trainingtest.Table())[m.Card.HoldoutRows[0]]) // which scores as high as itself
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
	input := []document.Flag{{Name: "--format", Value: "sdf", Usual: "auto"}, {Name: "--id", Value: ""}}
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

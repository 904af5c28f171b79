package main

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/weights"
)

// Drugs that everyone knows, as someone would paste them.
var known = []struct{ name, smiles string }{
	{"imatinib", "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"},
	{"apixaban", "COc1ccc(cc1)-n1nc(C(N)=O)c2CCN(C(=O)c12)c1ccc(cc1)N1CCCCC1=O"},
	{"sitagliptin", "N[C@@H](CC(=O)N1CCn2c(C1)nnc2C(F)(F)F)Cc1cc(F)c(F)cc1F"},
	{"atorvastatin", "CC(C)c1c(C(=O)Nc2ccccc2)c(-c2ccccc2)c(-c2ccc(F)cc2)n1CC[C@@H](O)C[C@@H](O)CC(=O)O"},
	{"sildenafil", "CCCc1nn(C)c2c1nc([nH]c2=O)-c1cc(ccc1OCC)S(=O)(=O)N1CCN(C)CC1"},
	{"omeprazole", "COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
	{"erlotinib", "COCCOc1cc2ncnc(Nc3cccc(C#C)c3)c2cc1OCCOC"},
}

// likeKnown is the Tanimoto similarity of ECFP4 from which on a molecule is left out.
const likeKnown = 0.7

// A model of drugs that has seen neither the known ones, in any form, nor anything like them still
// calls most of them inside.
func TestKnownDrugsAreInsideUnseen(t *testing.T) {
	data := filepath.Join("..", "..", "..", "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		t.Skip("needs shared/data beside the project, which is not there")
	}
	out := t.TempDir()
	parents, err := drugs(data, out)
	if err == nil {
		err = bioactive(data, out, parents)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(out, "drugs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ecfp := func(text string) fingerprint.Print {
		m, err := smiles.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, _ := smiles.Parent(m)
		return baseline.ECFP(p, 2)
	}
	var prints []fingerprint.Print
	for _, d := range known {
		prints = append(prints, ecfp(d.smiles))
	}
	index := fingerprint.NewIndex(prints)
	ctx := context.Background()
	training := job.Training{Split: dataset.Hold, Save: weights.SaveMeasured, Card: algo.Card{
		Name: "unseen", Schema: algo.OGBParent, Dataset: "drugs.csv", Seed: 1, Epochs: 15, Background: "not-medicinal.smi",
	}}
	left := 0
	for _, r := range rows[1:] {
		if index.Nearest(fingerprint.Sets, ecfp(r[1]), 1)[0] >= likeKnown {
			left++
			continue
		}
		g, _, err := smiles.ParseCanonicalParent(r[1])
		if err != nil {
			t.Fatal(err)
		}
		training.Graphs = append(training.Graphs, g)
	}
	if left < len(known) {
		t.Errorf("%d molecules are left out: want at least the %d known drugs", left, len(known))
	}
	o := dataset.Options{Format: dataset.SMI, Form: molecule.Parent}
	outside, err := os.Open(filepath.Join(out, "not-medicinal.smi"))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	if training.Outside, _, err = job.ReadBackground(ctx, outside, o, nil); err != nil {
		t.Fatal(err)
	}
	if err := training.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := training.Begin(ctx, pretrain.State{}, pretrain.Loss{}); err != nil {
		t.Fatal(err)
	}
	nothing := func() error { return nil }
	if err := training.Run(ctx, 1<<62, nothing, nothing); err != nil {
		t.Fatal(err)
	}
	_, file, err := training.Pack(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m, err := weights.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	inside := 0
	for i, row := range verdicts(t, m, known[:]) {
		t.Logf("%s: score %.2f, p %.3f, %v", known[i].name, row.Score, row.P, row.Verdict)
		if row.Verdict == decide.Inside {
			inside++
		}
	}
	if inside < 5 {
		t.Errorf("%d of %d known drugs are inside: want 5", inside, len(known))
	}
}

// verdicts scores molecules by themselves.
func verdicts(t *testing.T, m *algo.Model, list []struct{ name, smiles string }) []algo.Row {
	t.Helper()
	s, err := algo.NewScorer(t.Context(), m, algo.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var gs []*graph.Graph
	for _, d := range list {
		g, _, err := smiles.ParseParent(d.smiles)
		if err != nil {
			t.Fatal(err)
		}
		gs = append(gs, g)
	}
	rows, err := s.Score(t.Context(), gs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The built-in model knows the drugs themselves in every form, and that explosives, nerve agents and
// inorganic compounds are none.
func TestBuiltInDrugs(t *testing.T) {
	m, err := weights.Open("drugs")
	if err != nil {
		t.Fatal(err)
	}
	forms := append(known[:len(known):len(known)], []struct{ name, smiles string }{
		{"imatinib mesylate", "CS(=O)(=O)O.Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"},
		{"omeprazole, the other tautomer", "COc1ccc2nc([nH]c2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
		{"atorvastatin calcium", "[Ca+2].CC(C)c1c(C(=O)Nc2ccccc2)c(-c2ccccc2)c(-c2ccc(F)cc2)n1CCC(O)CC(O)CC(=O)[O-].CC(C)c1c(C(=O)Nc2ccccc2)c(-c2ccccc2)c(-c2ccc(F)cc2)n1CCC(O)CC(O)CC(=O)[O-]"},
		{"tetrabenazine", "COc1cc2CCN3CC(CC(C)C)C(=O)CC3c2cc1OC"},
		{"deutetrabenazine", "[2H]C([2H])([2H])Oc1cc2CCN3CC(CC(C)C)C(=O)CC3c2cc1OC([2H])([2H])[2H]"},
	}...)
	for i, row := range verdicts(t, m, forms) {
		if row.Verdict != decide.Inside {
			t.Errorf("%s: score %.2f, p %.3f, %v: want inside", forms[i].name, row.Score, row.P, row.Verdict)
		}
	}
	strange := []struct{ name, smiles string }{
		{"TNT", "Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"picric acid", "Oc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"RDX", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"sarin", "CC(C)OP(C)(=O)F"},
		{"nickel tetracarbonyl", "[C-]#[O+].[C-]#[O+].[C-]#[O+].[C-]#[O+].[Ni]"},
		{"sodium chloride", "[Na+].[Cl-]"},
	}
	for i, row := range verdicts(t, m, strange) {
		t.Logf("%s: score %.2f, p %.3f, %v", strange[i].name, row.Score, row.P, row.Verdict)
		if row.Verdict == decide.Inside {
			t.Errorf("%s is inside", strange[i].name)
		}
	}
}

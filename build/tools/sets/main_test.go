package main

import (
	"cmp"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/baseline"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/algo/tanimoto"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/weights"
)

// The committed background holds what the grammar makes: molecules of each class, no parent twice.
func TestBackground(t *testing.T) {
	if !slices.Equal(strings.Split(strings.TrimSpace(string(try.To(io.ReadAll(weights.Background())))), "\n"), builtInBackground()) {
		t.Error("go run ./build/tools/sets writes another background")
	}
	count, parents := map[string]int{}, map[string]bool{}
	for _, line := range builtInBackground() {
		text, class, _ := strings.Cut(line, "\t")
		if count[class]++; class == "" {
			continue
		}
		m := try.To(smiles.Parse(text))
		if radical := slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool { return a.Radicals > 0 }); radical || parents[text] || parentText(text) != text {
			t.Errorf("%s: want a parent without radicals, once", line)
		}
		parents[text] = true
	}
	if count[""] != 5000 || len(count) != 1+len(classes) {
		t.Errorf("%v", count)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"cysteamine", "NCCS", "of fewer than 5 heavy atoms"},
		{"DMSO", "CS(C)=O", "counter-ions or solvents"},
		{"ammonium acetate", "[NH4+].CC(=O)[O-]", "counter-ions or solvents"},
		{"pamoic acid", "O=C(O)c1cc2ccccc2c(Cc2c3ccccc3cc(c2O)C(=O)O)c1O", "counter-ions or solvents"},
		{"meglumine", "CNCC(O)C(O)C(O)C(O)CO", "counter-ions or solvents"},
		{"urea, also a medicine", "NC(N)=O", "NC(N)=O"},
		{"nicotinic acid, the same", "[Na+].[O-]C(=O)c1cccnc1", "O=C(O)c1cnccc1"},
		{"a radical", "CC(C)(C)N([O])C(C)(C)C", "radicals"},
		{"sodium chloride", "[Na+].[Cl-]", "without organic carbon"},
		{"a peptide of 161 heavy atoms", strings.Repeat("NCC(=O)", 40) + "O", "of more than 150 heavy atoms"},
		{"the same with ketamine", strings.Repeat("NCC(=O)", 40) + "O.CNC1(CCCCC1=O)c1ccccc1Cl", "CNC1(CCCCC1=O)c1ccccc1Cl"},
		{"a salt", "CS(=O)(=O)O.CNC1(CCCCC1=O)c1ccccc1Cl", "CNC1(CCCCC1=O)c1ccccc1Cl"},
		{"a salt with a medicine", "NC(CCCNC(N)=N)C(=O)O.CC(C)Cc1ccc(cc1)C(C)C(=O)O", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"},
		{"co-trimoxazole", "COc1cc(Cc2cnc(N)nc2N)cc(OC)c1OC.Cc1cc(NS(=O)(=O)c2ccc(N)cc2)no1",
			"COc1cc(cc(OC)c1OC)Cc1cnc(N)nc1N Cc1cc(no1)NS(=O)(=O)c1ccc(N)cc1"},
		{"the monomers of sevelamer", "ClCC1CO1.C=CCN", "of fewer than 11 heavy atoms"},
		{"ferrocene", "[Fe+2].[cH-]1cccc1.[cH-]1cccc1", "without organic carbon"},
	} {
		list, got := clean(c.text)
		if len(list) > 0 {
			var parents []string
			for _, one := range list {
				parents = append(parents, one.key)
			}
			slices.Sort(parents)
			got = strings.Join(parents, " ")
		}
		if got != c.want {
			t.Errorf("%s: %s: want %s", c.name, got, c.want)
		}
	}
}

type drug struct{ name, smiles string }

// Drugs that everyone knows, as someone would paste them.
var known = []drug{
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

// made are the sets, written once for all tests.
var made = sync.OnceValues(func() (string, error) {
	data := filepath.Join("..", "..", "..", "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		return "", nil
	}
	out, err := os.MkdirTemp("", "sets")
	madeIn = out
	return out, cmp.Or(err, write(data, out))
})

var madeIn string // the folder of made

func TestMain(m *testing.M) {
	status := m.Run()
	if madeIn != "" {
		os.RemoveAll(madeIn)
	}
	os.Exit(status)
}

// written returns the SMILES of the drugs and the background of their model.
func written(t *testing.T) (texts []string, outside []*graph.Graph) {
	t.Helper()
	out := try.To(made())
	if out == "" {
		t.Skip("needs shared/data beside the project, which is not there")
	}
	for _, r := range read(filepath.Join(out, "drugs.csv")) {
		texts = append(texts, r.smiles)
	}
	f := try.To(os.Open(filepath.Join(out, "not-medicinal.smi")))
	defer f.Close()
	o := dataset.Options{Format: dataset.SMI, Form: molecule.Parent}
	outside, _, err := training.ReadBackground(t.Context(), f, o, nil)
	try.Check(err)
	return texts, outside
}

// graphs are those of molecules, as a form reads them.
func graphs(texts []string, form molecule.Form) (gs []*graph.Graph) {
	for _, text := range texts {
		g, _, err := smiles.ParseIn(text, form)
		try.Check(err)
		gs = append(gs, g)
	}
	return gs
}

// train makes a model of drugs. Its encoder is trained for a short time, which is enough for
// scores of single molecules.
func train(t *testing.T, texts []string, outside []*graph.Graph, seed uint64) *algo.Model {
	t.Helper()
	job := training.Training{Split: dataset.Hold, Save: weights.SaveMeasured, Outside: outside, Card: algo.Card{
		Name: "unseen", Schema: algo.OGBParent, Dataset: "drugs.csv", Seed: seed, Epochs: 15, Background: "not-medicinal.smi",
	}}
	job.Graphs = graphs(texts, molecule.Parent)
	try.Check(job.Prepare())
	try.Check(job.Begin(t.Context(), pretrain.State{}, pretrain.Loss{}))
	nothing := func() error { return nil }
	try.Check(job.Run(t.Context(), 1<<62, nothing, nothing))
	_, file, err := job.Pack(t.Context())
	try.Check(err)
	return try.To(weights.Load(file))
}

// A model of drugs that has seen neither the known ones, in any form, nor anything like them still
// calls most of them inside.
func TestKnownDrugsAreInsideUnseen(t *testing.T) {
	texts, outside := written(t)
	ecfp := func(text string) fingerprint.Print {
		m := try.To(smiles.Parse(text))
		p, _, _ := smiles.Parent(m)
		return baseline.ECFP(p, 2)
	}
	var prints [][]uint32
	for _, text := range smilesOf(known) {
		prints = append(prints, ecfp(text).Keys)
	}
	search, all := tanimoto.NewSearch(tanimoto.New(prints)), len(texts)
	texts = slices.DeleteFunc(texts, func(text string) bool { return search.Nearest(ecfp(text).Keys, -1) >= likeKnown })
	if left := all - len(texts); left < len(known) {
		t.Errorf("%d molecules are left out: want at least the %d known drugs", left, len(known))
	}
	inside := 0
	for i, row := range verdicts(t, train(t, texts, outside, 1), smilesOf(known)) {
		t.Logf("%s: score %.2f, p %.3f, %v", known[i].name, row.Score, row.P, row.Verdict)
		if row.Verdict == decide.Inside {
			inside++
		}
	}
	if inside < 5 {
		t.Errorf("%d of %d known drugs are inside: want 5", inside, len(known))
	}
}

// Of a tenth of the drugs, which neither training nor its p-values have seen, about as many are
// called outside as was asked for.
func TestFalseAlarmsOfUnseenDrugs(t *testing.T) {
	if os.Getenv("BACA_TEST") != "all" {
		t.Skip("trains five models: make test-all runs it")
	}
	texts, outside := written(t)
	var count, at5, at10 float64
	for seed := range uint64(5) {
		rest, tenth := dataset.Split(len(texts), seed+1)
		m := train(t, pick(texts, rest), outside, seed+1)
		for _, row := range verdicts(t, m, pick(texts, tenth)) {
			count++
			if row.P <= 0.05 {
				at5++
			}
			if row.P <= 0.1 {
				at10++
			}
		}
	}
	t.Logf("of %.0f drugs %.1f %% are outside at 5 %%, %.1f %% at 10 %%", count, 100*at5/count, 100*at10/count)
	if at5/count < 0.03 || at5/count > 0.07 || at10/count < 0.07 || at10/count > 0.13 {
		t.Error("want about 5 and 10 %")
	}
}

func pick(texts []string, index []int) (list []string) {
	for _, i := range index {
		list = append(list, texts[i])
	}
	return list
}

func smilesOf(list []drug) (texts []string) {
	for _, d := range list {
		texts = append(texts, d.smiles)
	}
	return texts
}

// verdicts scores molecules by themselves.
func verdicts(t *testing.T, m *algo.Model, texts []string) []algo.Row {
	t.Helper()
	s := try.To(batch.NewScorer(t.Context(), m, algo.DefaultOptions()))
	return try.To(s.Score(t.Context(), graphs(texts, molecule.UnorderedParent)))
}

// The built-in model knows the drugs themselves in every form, and that explosives, nerve agents and
// inorganic compounds are none.
func TestBuiltInDrugs(t *testing.T) {
	m := try.To(weights.Open("drugs"))
	forms := append(known[:len(known):len(known)], []drug{
		{"imatinib mesylate", "CS(=O)(=O)O.Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1"},
		{"omeprazole, the other tautomer", "COc1ccc2nc([nH]c2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
		{"atorvastatin calcium", "[Ca+2].CC(C)c1c(C(=O)Nc2ccccc2)c(-c2ccccc2)c(-c2ccc(F)cc2)n1CCC(O)CC(O)CC(=O)[O-].CC(C)c1c(C(=O)Nc2ccccc2)c(-c2ccccc2)c(-c2ccc(F)cc2)n1CCC(O)CC(O)CC(=O)[O-]"},
		{"tetrabenazine", "COc1cc2CCN3CC(CC(C)C)C(=O)CC3c2cc1OC"},
		{"deutetrabenazine", "[2H]C([2H])([2H])Oc1cc2CCN3CC(CC(C)C)C(=O)CC3c2cc1OC([2H])([2H])[2H]"},
	}...)
	list := append(forms[:len(forms):len(forms)], []drug{
		{"TNT", "Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"picric acid", "Oc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"RDX", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"},
		{"sarin", "CC(C)OP(C)(=O)F"},
		{"nickel tetracarbonyl", "[C-]#[O+].[C-]#[O+].[C-]#[O+].[C-]#[O+].[Ni]"},
		{"sodium chloride", "[Na+].[Cl-]"},
	}...)
	for i, row := range verdicts(t, m, smilesOf(list)) {
		if want := i < len(forms); want != (row.Verdict == decide.Inside) {
			t.Errorf("%s: score %.2f, p %.3f, %v: want inside: %t", list[i].name, row.Score, row.P, row.Verdict, want)
		}
	}
}

// Scores of a shared model say little on what it was trained on: of 1 500 molecules of ChEMBL that were and
// 1 500 that were not, by the score, and by how much lower it is than that of a model of 1 500 others.
func TestMembership(t *testing.T) {
	_, outside := written(t)
	out, _ := made()
	rows := read(filepath.Join(out, "bioactive.smi"))
	const in, never, given = 1500, 1500, 1667 // a tenth of those given is kept from training
	var texts []string
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(rows))[:2*given+never] {
		texts = append(texts, rows[i].smiles)
	}
	m, other := train(t, texts[:given], outside, 1), train(t, texts[given:2*given], outside, 2)
	var trained []string
	for i := range given {
		if !slices.Contains(m.Card.HoldoutRows, i) {
			trained = append(trained, texts[i])
		}
	}
	if len(trained) < in {
		t.Fatalf("trained on %d molecules: want %d", len(trained), in)
	}
	gs := graphs(append(trained, texts[2*given:]...), molecule.Parent)
	labels := append(make([]bool, len(trained)), slices.Repeat([]bool{true}, never)...)
	scores := func(m *algo.Model, k int) []float64 {
		s := try.To(alone.Share(t.Context(), 0, m, k))
		single := try.To(algo.NewSingleScorer(t.Context(), s, 0))
		return try.To(single.Scores(t.Context(), gs))
	}
	for _, c := range []struct {
		k                int
		most, calibrated float64
	}{{5, 0.58, 0.67}, {algo.DefaultShare, 0.55, 0.61}} {
		own := scores(m, c.k)
		lower := slices.Clone(own)
		for i, x := range scores(other, c.k) {
			lower[i] -= x
		}
		plain, calibrated := metric.AUROC(own, labels), metric.AUROC(lower, labels)
		t.Logf("k = %d: AUC %.3f by the score, %.3f beside another model", c.k, plain, calibrated)
		if plain > c.most || calibrated > c.calibrated {
			t.Errorf("k = %d: want at most %g and %g", c.k, c.most, c.calibrated)
		}
	}
}

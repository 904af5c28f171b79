package report

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// Verdicts, q-values and figures follow package decide.
func TestJudge(t *testing.T) {
	p := []float64{0.01, 0.2, 0.02, math.NaN(), 0.03, 0.5, 0.04, 0.9}
	for _, fdr := range []float64{0, 0.01, 0.1} {
		r := &Report{Alpha: 0.03, FDR: fdr, P: slices.Clone(p), Holdout: make([]float64, 99)}
		for i, v := range p {
			r.Rows = append(r.Rows, Entry{Place: i + 1, Row: batch.Row{P: v}})
		}
		r.Judge()
		q, n := decide.QValues(p), map[decide.Verdict]int{}
		for i, v := range p {
			want := decide.Judge(v, 0.03, 99)
			if fdr > 0 {
				want = decide.Rule{Alpha: 0.03, Holdout: 99, ByRate: true, Cut: decide.Levels{v: q[i]}.Cut(fdr)}.Judge(v, v)
			}
			n[want]++
			e := r.Rows[i]
			if e.Row.Verdict != want || fdr > 0 && e.Q != q[i] && !math.IsNaN(v) || fdr == 0 && !math.IsNaN(e.Q) {
				t.Errorf("rate %g: p %g is %s with q %g, want %s with %g", fdr, v, e.Row.Verdict, e.Q, want, q[i])
			}
		}
		if r.Outside != n[decide.Outside] || r.Borderline != n[decide.Borderline] || r.Inside != n[decide.Inside] {
			t.Errorf("rate %g: %d, %d and %d, want %v", fdr, r.Outside, r.Borderline, r.Inside, n)
		}
	}
	r := &Report{Alpha: 0.05, P: []float64{math.NaN(), math.NaN()}}
	if r.Judge(); r.P != nil || r.Undecided != 2 {
		t.Errorf("without any p-value P is %v, %d are undecided", r.P, r.Undecided)
	}
	// Where a batch decides, what is plainly inside by itself is not outside.
	holdout := make([]float64, 99)
	r = &Report{Alpha: 0.05, Holdout: holdout, P: []float64{0.01, 0.01}, Alone: []float64{0.1, 0.2}, Guard: 0.1, Rows: []Entry{{Row: batch.Row{P: 0.01, AloneP: 0.2}}}}
	if r.Judge(); r.Outside != 1 || r.Borderline != 1 || r.Rows[0].Row.Verdict != decide.Borderline {
		t.Errorf("guarded: %+v", r)
	}
	r.Alpha = 0.001
	if r.Judge(); r.Undecided != 2 || r.Outside+r.Borderline+r.Inside != 0 {
		t.Errorf("of too few graphs: %+v", r)
	}
}

// An entry is explained as alone.Scorer does, and drawn with its atoms as they are
// written, whatever the order of the graph.
func TestExplain(t *testing.T) {
	m := must.Have(weights.Open("bbbp"))
	alone := must.Have(alone.New(context.Background(), m, 1))
	const text = "Cl.OCCCC[Sn](C)(C)C" // the chloride is no part of the parent
	mol := must.Have(smiles.Parse(text))
	forms := []molecule.Form{molecule.AsWritten, molecule.Canonical, molecule.Parent}
	rings := make([]string, len(forms))
	for i, form := range forms {
		read, _, _ := smiles.In(mol, form)
		g := read.Graph()
		e := Entry{ID: "<tin>", SMILES: text, Graph: g}
		must.Do(e.Explain(context.Background(), alone, 0.05, form))
		x := must.Have(alone.Explain(context.Background(), g, 0.05))
		if e.Why.Score != x.Score || len(e.Why.Reasons) != len(x.Reasons) || !slices.Equal(e.Why.Contributions, x.Contributions) {
			t.Errorf("form %v: %+v, want %+v", form, e.Why, x)
		}
		p := new(document.Page)
		e.Draw(p)
		if !strings.Contains(p.String(), ` data-title="structure of &lt;tin&gt;" data-smiles="`+text+`"`) {
			t.Errorf("form %v: drawn as %s", form, p)
		}
		if n := len(strings.Fields(e.Drawing.shares())); n != len(mol.Atoms) {
			t.Errorf("form %v: %d of %d atoms have a share", form, n, len(mol.Atoms))
		}
		rings[i] = e.Drawing.marks()
	}
	// The tin, and the chloride only where it is read.
	if rings[2] == "" || rings[0] != rings[1] || rings[0] == rings[2] || !strings.HasSuffix(rings[0], rings[2]) || !strings.HasPrefix(rings[0], "0 ") {
		t.Errorf("what was never seen is ringed, by form, at\n%s", strings.Join(rings, "\n"))
	}
	e := Entry{ID: "plain", Graph: mol.Graph()}
	must.Do(e.Explain(context.Background(), alone, 0.05, molecule.AsWritten))
	p := new(document.Page)
	e.Draw(p)
	if !strings.Contains(p.String(), ` data-title="graph plain" data-nodes="10" data-edges="1 2 2 3`) {
		t.Errorf("a graph without SMILES is drawn as %s", p)
	}
}

package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/feature/compare"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
)

// moleculesOf reads a set, or SET:COLUMN=VALUE, the molecules of a set with a class.
func moleculesOf(t *testing.T, name string) (list []string) {
	t.Helper()
	needsShared(t)
	set, condition, _ := strings.Cut(name, ":")
	column, value, classes := strings.Cut(condition, "=")
	if !classes {
		_, list = readMolecules(t.Context(), shared, set, molecule.AsWritten, 0)
		return list
	}
	for _, m := range (labelled{set, column, true}).read(shared) {
		if (m.value == 1) == (value == "1") {
			list = append(list, m.text)
		}
	}
	return list
}

// evidenceOf compares lists of SMILES as baca compare does with its default model.
func evidenceOf(ctx context.Context, a, b []string) compare.Evidence {
	var lists [2]*compare.List
	for k, texts := range [][]string{a, b} {
		lists[k] = compare.NewList("", 1, k)
		for _, text := range texts {
			g, aside, err := smiles.ParseIn(text, molecule.UnorderedParent)
			try.Check(err)
			try.Check(lists[k].Add(ctx, 1, []dataset.Record{{Entry: dataset.Entry{Aside: aside}, Graph: g}}))
		}
	}
	return try.To(compare.Compare(ctx, lists[0], lists[1], compare.Options{FDR: 0.05})).Evidence
}

// Lists are told apart as well as logistic regression on ECFP4 tells parents apart, within 0.01, and with what
// reading sets aside as well as it tells molecules as written. Its AUC is of algo/compare/testdata/separate.py.
func TestCompareSeparates(t *testing.T) {
	for _, c := range []struct {
		a, b             string
		parents, written float64 // by logistic regression
	}{
		{"clintox:CT_TOX=0", "clintox:CT_TOX=1", 0.685, 0.827},
		{"clintox:FDA_APPROVED=1", "clintox:FDA_APPROVED=0", 0.649, 0.840},
		{"bbbp:p_np=1", "bbbp:p_np=0", 0.911, 0.914},
		{"bace:Class=0", "bace:Class=1", 0.895, 0.892},
		{"tox21:NR-AhR=0", "tox21:NR-AhR=1", 0.882, 0.881},
		{"tox21", "sider", 0.732, 0.748},
		{"sider", "bbbp", 0.682, 0.691},
	} {
		t.Run(c.a+"/"+c.b, func(t *testing.T) {
			e := evidenceOf(t.Context(), moleculesOf(t, c.a), moleculesOf(t, c.b))
			written := max(float64(e.AUC), e.Written)
			t.Logf("AUC %.3f (logistic regression %.3f), as written %.3f (%.3f); alone %+v", e.AUC, c.parents, written, c.written, *e.Single)
			if float64(e.AUC) < c.parents-0.01 || written < c.written-0.01 {
				t.Error("logistic regression on ECFP4 separates them better")
			}
		})
	}
}

// Two random draws of one set have an AUC of ½ in the mean, and few p-values up to 0.05.
func TestCompareOfTwoDraws(t *testing.T) {
	all := moleculesOf(t, "lipo")
	var aucs []float64
	const draws = 40
	small, named := 0, 0
	for draw := range uint64(draws) {
		order := rand.New(rand.NewPCG(draw, 1)).Perm(len(all))
		e := evidenceOf(t.Context(), pick(all, order[:300]), pick(all, order[300:600]))
		aucs = append(aucs, float64(e.AUC))
		if e.P <= 0.05 {
			small++
		}
		if e.Single != nil {
			named++
		}
	}
	mean, deviation := metric.MeanStd(aucs)
	error := deviation / math.Sqrt(draws)
	t.Logf("AUC %.3f ± %.3f from %.3f to %.3f, p up to 0.05 in %d of %d, something named in %d", mean, error, slices.Min(aucs), slices.Max(aucs), small, draws, named)
	if math.Abs(mean-0.5) > 3*error {
		t.Errorf("the mean AUC is %.3f ± %.3f", mean, error)
	}
	if small > 6 || named > 6 { // of 40, six and more have a chance of 0.014 at 5 %
		t.Errorf("%d of %d are told apart, and something is named in %d", small, draws, named)
	}
}

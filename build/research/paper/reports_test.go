package paper

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/feature/trust"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// A quickRun of an experiment is on public data, or on the pair of trees and rings.
type quickRun struct {
	name  string
	cells int // with one cell the number of workers can change nothing
	args  string
	page  []string                          // is on the page
	check func(t *testing.T, result []byte) // checks the file
}

// Results are complete, and the same at any number of workers.
func TestQuickRuns(t *testing.T) {
	const pair = "--pairs TREES/RINGS --seeds 1 --epochs 1 "
	trees := testset.Pair(t)
	for _, r := range []quickRun{
		{"shift", 2, pair + "--seeds 1,2 --rivals ours,ecfp-knn", []string{"| alone | "}, checkShift},
		{"decisions", 1, "--models ptc_mr --splits 20 --fits 1", []string{"| PTC_MR/MUTAG | ", " → "}, nil},
		{"company", 1, "--sets freesolv --splits 1 --steps 5", []string{"| pooled | ", "| no ring | ", "| all of them | ", "| 20 alike by subtrees | "}, checkCompany},
		{"explain", 1, "--models bbbp --molecules 60", []string{"| bbbp/bace | "}, checkExplanations},
		{"notation", 1, "--models freesolv --others esol --molecules 40", []string{"| atoms renumbered | ", "| *lactam and lactim* | ", "have another verdict."}, checkNotation},
		{"planted", 1, "--models freesolv --molecules 5", []string{"| as they are | 64 | ", "| new element | HgCH3 100, ", "| freesolv | "}, nil},
		{"reasons", 1, "--models bbbp,enzymes --others lipo --molecules 5", []string{"| bbbp | ", "| enzymes | ", "| shape | "}, nil},
		{"intervals", 2, "--sets freesolv --splits 2 --steps 5 --kinds random,scaffold", []string{"| scaffold | ", "| numbers, random | "}, checkIntervals},
		{"intervals", 1, "--sets bace --splits 1 --steps 5 --kinds random", []string{"--kinds random --sets bace --splits 1 --steps 5`"}, checkIntervalsOfClasses},
	} {
		t.Run(r.name+" "+r.args, func(t *testing.T) {
			t.Parallel()
			data := trees
			if !strings.HasPrefix(r.args, pair) {
				if data = shared; testing.Short() && r.name == "intervals" {
					t.Skip("trains detectors")
				}
				needsShared(t)
			}
			var first []byte
			for _, workers := range []string{"1", "2"}[:r.cells] {
				out := t.TempDir()
				succeed(t, append([]string{"bench", r.name, "--data", data, "--out", out, "--workers", workers}, strings.Fields(r.args)...)...)
				path, page := pageOf(filepath.Join(out, r.name+".json"))
				if written := read(t, path); !bytes.Equal(written, page) {
					t.Errorf("the page is\n%s, and rewritten\n%s", written, page)
				}
				for _, want := range r.page {
					if !bytes.Contains(page, []byte(want)) {
						t.Errorf("no %q in\n%s", want, page)
					}
				}
				if bytes.Contains(page, []byte("NaN")) || bytes.Contains(page, []byte("%!")) {
					t.Errorf("%s", page)
				}
				result := read(t, filepath.Join(out, r.name+".json"))
				if first != nil && !bytes.Equal(first, result) {
					t.Error("another number of workers gives another result")
				}
				first = result
			}
			if r.check != nil {
				r.check(t, first)
			}
		})
	}
}

func checkShift(t *testing.T, data []byte) {
	entries := resultOf[[]shiftEntry](t, data)
	if len(entries) != 1 || len(entries[0].Cells) != 2 {
		t.Fatalf("%+v: want ours", entries)
	}
	wanted := map[string]int{columnAlone: 5, columnBatch: 4, columnAttention: 4}
	for _, e := range entries {
		for _, p := range e.Cells[0].Points {
			wanted[p.Column]--
			none, batch := p.Share == 0, p.Column == columnBatch || p.Column == columnAttention
			switch {
			case batch && (p.AUROC.defined() || p.Alarms.defined()):
				t.Errorf("%+v: there are too few graphs for a batch", p)
			case batch:
			case none != !p.AUROC.defined() || none != !p.Found.defined() || none != (p.NOOD == 0):
				t.Errorf("%+v: want rates where there are OOD graphs", p)
			case !p.Alarms.defined() || p.Asked < 0.05:
				t.Errorf("%+v: want alarms", p)
			}
		}
	}
	for column, n := range wanted {
		if n != 0 {
			t.Errorf("%s: %d points are missing", column, n)
		}
	}
}

// Molecules keep their class and name, and of drugs a tenth is judged that the model was not made from.
func TestKnown(t *testing.T) {
	needsShared(t)
	folder, out := t.TempDir(), t.TempDir()
	_, drugs := readMolecules(t.Context(), shared, "freesolv", molecule.Parent, 1)
	_, others := readMolecules(t.Context(), shared, "lipo", molecule.Parent, 1)
	for name, lines := range map[string][]string{
		"drugs.csv": append([]string{"smiles"}, drugs[:200]...), "not-medicinal.smi": append(others[:200:200], "OCC"),
		"known.tsv": {"smiles\tclass\tname", "C1CCOC1\tsolvent\tTHF", "C[Hg]C\tindustrial\tdimethylmercury", "CCO\tsolvent\tethanol"},
	} {
		try.Check(os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")), 0o644))
	}
	args := []string{"bench", "known", "--data", shared, "--out", out, "--known", filepath.Join(folder, "known.tsv")}
	refuse(t, true, "want --known FILE and --reference DIR", args...)
	succeed(t, append(args, "--reference", folder, "--splits", "2", "--steps", "5")...)
	page := read(t, filepath.Join(out, "known.md"))
	if all := resultOf[knownResult](t, read(t, filepath.Join(out, "known.json"))).Molecules; len(all) != 43 || all[1].Name != "dimethylmercury" || all[2].Name != "ethanol*" {
		t.Errorf("%+v", all[:3])
	}
	for _, want := range []string{"| solvent | 2 | ", "| industrial | 1 | 100.0 | 0.0 | 0.0 | 0.0", "| " + unseenDrugs + " | 40 | ", " --known known.tsv "} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

func TestBenchRefuses(t *testing.T) {
	out := t.TempDir()
	for _, name := range []string{"table1", "decisions", "company", "explain", "notation", "intervals"} {
		refuse(t, true, "want --data DIR and --out DIR", "bench", name)
		refuse(t, true, "want --data DIR and --out DIR", "bench", name, "--data", shared)
	}
	for message, args := range map[string][]string{
		"want paper, validation, all, shift, fresh, choose, report, or pairs": {"table1", "--pairs", "x"},
		"--seeds x: want numbers":                        {"table1", "--seeds", "x"},
		"--seeds: 2 is there twice":                      {"guard", "--seeds", "2,2"},
		"--workers -1":                                   {"guard", "--workers", "-1"},
		"--epochs 0":                                     {"guard", "--epochs", "0"},
		"--splits 0: want 1 or more":                     {"decisions", "--splits", "0"},
		"unknown flag: --sets":                           {"decisions", "--sets", "nosuch"},
		"--steps 0: want 1 or more":                      {"company", "--steps", "0"},
		"--sets nosuch: want some of":                    {"company", "--sets", "nosuch"},
		"--molecules 0: want 1 or more":                  {"notation", "--molecules", "0"},
		"none of them reads molecules":                   {"notation", "--models", "bzr"},
		"--models nosuch: want names of":                 {"notation", "--models", "bzr,nosuch"},
		"--sets muv: want some of esol,":                 {"intervals", "--sets", "muv"},
		"--sets esol,esol: want some of":                 {"intervals", "--sets", "esol,esol"},
		"--kinds weekday: want one of random, scaffold,": {"intervals", "--kinds", "weekday"},
		"--rivals nobody: want":                          {"rivals", "--rivals", "nobody"},
		"--reading smiles: want ogb, parent or both":     {"rivals", "--reading", "smiles"},
	} {
		refuse(t, true, message, append([]string{"bench", args[0], "--data", shared, "--out", out}, args[1:]...)...)
	}
	refuse(t, true, `"x": `+"`baca-paper bench`"+` takes no argument`, "bench", "x")
	refuse(t, true, "no benchmark writes a file of that name", "bench", "rewrite", "some.json")
	refuse(t, false, `no data set "nothing"`, "bench", "table1", "--data", testset.Pair(t), "--out", out, "--pairs", "TREES/nothing")
}

func resultOf[R any](t *testing.T, data []byte) (r R) {
	t.Helper()
	try.Check(json.Unmarshal(data, &r))
	return r
}

func checkCompany(t *testing.T, data []byte) {
	set := resultOf[companyResult](t, data).Sets[1]
	all := set.Groups[len(set.Groups)-1]
	if n := set.Molecules / 4; all.Kind != kindAll || all.Lists != 2 || all.Molecules < n || all.Molecules > n+1 {
		t.Errorf("%+v: want the last quarter of the set, in halves", all)
	}
}

// On real molecules the atoms that are blamed carry more of the score than others.
func checkExplanations(t *testing.T, data []byte) {
	for _, f := range resultOf[explainResult](t, data).Pairs[0].Falls {
		if f.Molecules < 40 || f.Gain-f.GainHalf <= 0.05 || f.Better < 0.6 {
			t.Errorf("%s: %+v", f.Edit, f)
		}
	}
}

// The order of atoms changes nothing, and of a model that reads parents no way of writing a compound that has
// the same parent.
func checkNotation(t *testing.T, data []byte) {
	sets := resultOf[notationResult](t, data).Sets
	if len(sets) != 3 || len(sets[0].Rows) < 8 || sets[1].Rows[0].Molecules < 38 || len(sets[2].Rows) != len(notationPairs) {
		t.Fatalf("%+v: want what freesolv has not seen, 40 of esol and the known compounds", sets)
	}
	for _, s := range sets {
		for _, row := range s.Rows {
			same := row.Kind == rewrite.Kinds[0].Name || s.Schema == algo.OGBParent && !row.Other
			if same && row.Scores+row.Verdicts > 0 || row.Before > row.Molecules {
				t.Errorf("%s, %s: %+v", s.Model, s.Set, row)
			}
		}
	}
}

// Mean coverage is measured over 50 splits in build/research/results/intervals.md; here it is only near.
func checkIntervals(t *testing.T, data []byte) {
	list := resultOf[intervalResults](t, data).Results
	if r := list[0]; len(list) != 2 || r.Split != newByChance || r.HeldOut != 514 || r.Quality < 0.5 || len(r.Orders) != 4 {
		t.Fatalf("%+v", list)
	}
	for _, o := range list[0].Orders {
		if float64(o.Levels[1].Alone.Mean) < 0.8 || o.Levels[1].List.Mean < 0.8 || o.Finds < 0.5 {
			t.Errorf("%+v", o)
		}
	}
}

// Of classes there are no intervals, and the margin finds wrong classes.
func checkIntervalsOfClasses(t *testing.T, data []byte) {
	r := resultOf[intervalResults](t, data).Results[0]
	if len(r.Orders) != 5 || r.Orders[4].Order != trust.OrderMargin || r.Quality < 0.8 || r.Error > 0.5 {
		t.Fatalf("%+v", r)
	}
	for _, o := range r.Orders {
		if o.Levels != nil || len(o.Stated) != 3 || math.IsNaN(float64(o.Finds)) {
			t.Errorf("%+v", o)
		}
	}
	if m := r.Orders[4]; m.Finds < r.Orders[0].Finds+0.1 {
		t.Errorf("margin %+v, score %+v", m, r.Orders[0])
	}
}

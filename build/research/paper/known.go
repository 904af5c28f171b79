package paper

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/training"
	"baca/build/internal/opened"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

func known() *experiment {
	return &experiment{
		name: "known", page: "known.md", read: readAs[knownResult], measure: measureKnown,
		short: "Measure what the model drugs calls well-known molecules, by class",
		flags: [][2]string{{"known", ""}, {"reference", ""}, {"splits", "3"}, {"steps", "300"}},
	}
}

// A knownMolecule is a molecule with its verdict.
type knownMolecule struct {
	Name    string         `json:"name"`
	Class   string         `json:"class"`
	P       float64        `json:"p_value"`
	Verdict decide.Verdict `json:"verdict"`
}

// unseenDrugs is the class of drugs that a model was not made from.
const unseenDrugs = "drugs never trained on"

type knownResult struct {
	Program   string          `json:"program"`
	Alpha     float64         `json:"alpha"`
	Splits    int             `json:"splits"`
	Molecules []knownMolecule `json:"molecules"`
}

// measureKnown judges the molecules of --known by the built-in model drugs, and then a held-out tenth of the drugs of each split by a
// model of the others. A star marks the names of molecules that the background holds.
func measureKnown(ctx context.Context, b *bench) result {
	r, p := knownResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha, Splits: b.splits}, &plan{bench: b}
	if b.known == "" || b.reference == "" {
		try.Check(usage.Errorf("want --known FILE and --reference DIR"))
	}
	take := func(list []knownMolecule) { r.Molecules = append(r.Molecules, list...) }
	drugs, background := filepath.Join(b.reference, "drugs.csv"), filepath.Join(b.reference, "not-medicinal.smi")
	key := runKey{Pair: "drugs"}
	for _, path := range []string{b.known, drugs, background} {
		key.IDData += try.To(opened.Sum(os.DirFS(filepath.Dir(path)), filepath.Base(path)))
	}
	add(p, key, "built-in", func(ctx context.Context) []knownMolecule {
		list, seen := readKnown(ctx, b.known, "class"), map[string]bool{}
		for _, k := range readKnown(ctx, background) {
			seen[k.parent] = true
		}
		for i := range list {
			if seen[list[i].parent] {
				list[i].name += "*"
			}
		}
		return judgeKnown(ctx, try.To(weights.Open("drugs")), list)
	}, take)
	for split := range uint64(b.splits) {
		add(p, key, fmt.Sprintf("split%d", split+1), func(ctx context.Context) []knownMolecule {
			all, outside := readKnown(ctx, drugs), readKnown(ctx, background)
			others, tenth := dataset.Split(len(all), split+1)
			card := algo.Card{Name: "unseen", Schema: algo.OGBParent, Dataset: "drugs.csv", Seed: split + 1, Background: "not-medicinal.smi"}
			m := b.train.detector(ctx, training.Training{Graphs: graphsOf(pick(all, others)), Outside: graphsOf(outside), Split: dataset.Hold, Card: card}, b.steps, len(others))
			return judgeKnown(ctx, m, pick(all, tenth))
		}, take)
	}
	p.do(ctx)
	return r
}

// A knownRecord is a molecule of a list.
type knownRecord struct {
	name, class, parent string
	graph               *graph.Graph
}

func graphsOf(list []knownRecord) []*graph.Graph {
	return mapped(list, func(k knownRecord) *graph.Graph { return k.graph })
}

// readKnown reads the molecules of a file as parents. classes names the column of their classes; without it they are unseenDrugs.
func readKnown(ctx context.Context, path string, classes ...string) (list []knownRecord) {
	file := try.To(os.Open(path))
	defer file.Close()
	o := dataset.Options{Name: path, Form: molecule.Parent, Workers: 1, Cells: classes}
	for r, err := range dataset.Molecules(ctx, file, o) {
		try.Check(cmp.Or(err, r.Err))
		parent, _, _ := smiles.Parent(try.To(smiles.Parse(r.SMILES)))
		class := append(r.Cells, unseenDrugs)[0] // the cell, if there is one
		list = append(list, knownRecord{r.ID, class, smiles.Write(parent), r.Graph})
	}
	return list
}

// judgeKnown returns the verdicts of molecules by themselves.
func judgeKnown(ctx context.Context, m *algo.Model, list []knownRecord) (judged []knownMolecule) {
	alone := try.To(algo.NewSingleScorer(ctx, m, 1))
	p, verdicts := alone.Judge(try.To(alone.Scores(ctx, graphsOf(list))), algo.DefaultOptions().Alpha)
	for i, k := range list {
		judged = append(judged, knownMolecule{k.name, k.class, p[i], verdicts[i]})
	}
	return judged
}

func (r knownResult) page() *page {
	classes := distinct(r.Molecules, func(k knownMolecule) string { return k.Class })
	cells := func(class string) []any {
		of := slices.DeleteFunc(slices.Clone(r.Molecules), func(k knownMolecule) bool { return k.Class != class })
		slices.SortStableFunc(of, func(a, b knownMolecule) int { return cmp.Compare(a.P, b.P) })
		called := func(v decide.Verdict) []knownMolecule {
			return slices.DeleteFunc(slices.Clone(of), func(k knownMolecule) bool { return k.Verdict != v })
		}
		share := func(v decide.Verdict) float64 { return float64(len(called(v))) / float64(len(of)) }
		names := ""
		if class != unseenDrugs && class != "drug" {
			names = strings.Join(mapped(called(decide.Inside), func(k knownMolecule) string { return fmt.Sprintf("%s %.2g", k.Name, k.P) }), ", ")
		}
		median := fmt.Sprintf("%.2g", of[len(of)/2].P)
		return []any{class, len(of), share(decide.Outside), share(decide.Borderline), share(decide.Inside), median, names}
	}
	return &page{
		title: "Well-known molecules by class",
		question: fmt.Sprintf(`What does the model drugs call molecules that chemists know? Each is scored by itself at α = %g %%: percent
outside, borderline and inside, the median p, and what is inside but no drug, with its p. The background holds those with a star. The
last class is %d tenths of the drugs, each judged by a model that was trained on the other nine.`, 100*r.Alpha, r.Splits),
		tables: []*pageTable{tabulate("", strings.Split("class,molecules,outside,borderline,inside,median p,these are inside", ","), classes, cells)},
	}
}

package paper

import (
	"context"
	_ "embed" // groups
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule/smarts"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/build/internal/version"
	"baca/build/research/rival"
)

func planted() *experiment {
	return &experiment{
		name: "planted", page: "planted.md", read: readAs[plantedResult], measure: measurePlanted,
		short: "Measure whether one strange group on a familiar molecule is found",
		flags: [][2]string{{"models", ""}, {"molecules", "150"}},
	}
}

// A plantedGroup is a group to plant. smiles begins with the atom that is bound to the molecule. pattern is SMARTS that finds the group.
type plantedGroup struct{ Kind, Name, smiles, pattern string }

const asTheyAre = "as they are"

// plantedGroups are planted in molecules, strangeGroups besides these for bench reasons.
var plantedGroups, strangeGroups = readGroups(plantedTSV), readGroups(strangeTSV)

var (
	//go:embed planted.tsv
	plantedTSV string
	//go:embed strange.tsv
	strangeTSV string
)

// readGroups reads lines of kind, name, SMILES and SMARTS, with tabs between.
func readGroups(tsv string) (list []plantedGroup) {
	for line := range strings.Lines(tsv) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		list = append(list, plantedGroup{cells[0], cells[1], cells[2], cells[3]})
	}
	return list
}

// plant returns the SMILES text with a group, as a branch, on the first aromatic carbon that can bear it by the rules of valence,
// or "" if there is none.
func plant(text, group string) string {
	for i := range text {
		if text[i] != 'c' || i > 0 && text[i-1] == '[' {
			continue
		}
		end := i + 1 // after the digits of ring bonds
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '%') {
			end++
		}
		written := text[:end] + "(" + group + ")" + text[end:]
		if _, err := smiles.Parse(written); err == nil {
			return written
		}
	}
	return ""
}

// plantedRivals are compared beside the score of one molecule.
var plantedRivals = []string{"ecfp-nearest", "ecfp-knn", "ecfp-ratio", "ecfp-sum"}

// A plantedRow counts the molecules of a model that have a group, and those outside by the score and by each rival.
type plantedRow struct {
	Model     string `json:"model"`
	Kind      string `json:"kind"`
	Group     string `json:"group"` // "" for the molecules as they are
	Molecules int    `json:"molecules"`
	Outside   []int  `json:"outside"`
}

type plantedResult struct {
	Program string       `json:"program"`
	Rivals  []string     `json:"rivals"`
	Rows    []plantedRow `json:"rows"`
}

// measurePlanted measures the models of molecules whose training set is public.
func measurePlanted(ctx context.Context, b *bench) result {
	r := plantedResult{Program: version.String(), Rivals: plantedRivals}
	eachModel(ctx, b, "reads molecules of a public set", func(m *builtIn) []string {
		if !m.readsMolecules() {
			return nil
		}
		return m.own()
	}, b.plantedCell, func(rows []plantedRow) { r.Rows = append(r.Rows, rows...) })
	return r
}

// plantedCell counts the held-out molecules of a model that are outside: as they are, and with each group that its training set lacks.
func (b *bench) plantedCell(ctx context.Context, m *builtIn) (rows []plantedRow) {
	graphs, texts := readMolecules(ctx, b.data, m.pair.ID, m.Form(), 1)
	texts = mapped(texts, parentOf)
	r := newHeldOut(ctx, m.Model, graphs, 1)
	held := pick(texts, m.Card.HoldoutRows)
	trained := slices.DeleteFunc(indices(len(texts)), func(i int) bool {
		return slices.Contains(m.Card.HoldoutRows, i) || slices.Contains(m.Card.Repeats, i)
	})
	// All molecules are scored at once, since rivals are trained for each call: first those held out, as they are.
	all := slices.Clone(held)
	parent := indices(len(held)) // of each molecule, which of held it was made of
	rows = []plantedRow{{Model: m.name, Kind: asTheyAre, Molecules: len(held)}}
	for _, g := range plantedGroups {
		if hasPattern(pick(texts, trained), g.pattern) {
			continue
		}
		row := plantedRow{Model: m.name, Kind: g.Kind, Group: g.Name}
		for i, text := range held {
			if written := plant(text, g.smiles); written != "" && row.Molecules < b.molecules {
				all, parent = append(all, parentOf(written)), append(parent, i)
				row.Molecules++
			}
		}
		rows = append(rows, row)
	}
	scores := [][]float64{try.To(r.alone.Scores(ctx, mapped(all, func(text string) *graph.Graph {
		g, _, err := smiles.ParseIn(text, m.Form())
		try.Check(err)
		return g
	})))}
	problem := &rival.Problem{Train: pick(texts, trained), Test: all, Background: backgrounds[readParent](), Workers: 1}
	for _, name := range plantedRivals {
		scores = append(scores, try.To(rival.Named(name).Score(ctx, problem)))
	}
	for _, list := range scores {
		outside := outsideOf(list, parent, len(held))
		for k := range rows {
			n := 0
			for _, is := range outside[:rows[k].Molecules] {
				if is {
					n++
				}
			}
			rows[k].Outside = append(rows[k].Outside, n)
			outside = outside[rows[k].Molecules:]
		}
	}
	return rows
}

// parentOf returns the canonical SMILES of the parent of a molecule.
func parentOf(text string) string {
	m, _, _ := smiles.Parent(try.To(smiles.Parse(text)))
	return smiles.Write(m)
}

// hasPattern reports whether a molecule of texts has a SMARTS pattern.
func hasPattern(texts []string, pattern string) bool {
	p := try.To(smarts.Parse(pattern))
	return slices.ContainsFunc(texts, func(text string) bool { return p.In(try.To(smiles.Parse(text))) })
}

// outsideOf reports which scores are outside by p-values from the held-out molecules, whose scores come first. Molecule i was made
// of held-out molecule parent[i], its parent, with which it is not compared.
func outsideOf(scores []float64, parent []int, held int) []bool {
	reference := slices.Sorted(slices.Values(scores[:held]))
	outside := make([]bool, len(scores))
	for i, p := range decide.PValues(scores, reference) {
		above := math.Round(p*float64(held+1)) - 1 // how many of held score as high; PValues gives (above+1)/(held+1)
		if scores[parent[i]] >= scores[i] {
			above-- // the parent was among them
		}
		outside[i] = (above+1)/float64(held) <= algo.DefaultOptions().Alpha
	}
	return outside
}

func (r plantedResult) page() *page {
	heads := append([]string{"group", "molecules", "ours"}, r.Rivals...)
	var all, kinds []plantedRow
	for _, row := range r.Rows {
		all = plantedSum(all, row, func(x plantedRow) bool { return x.Group == row.Group })
		kinds = plantedSum(kinds, row, func(x plantedRow) bool { return x.Kind == row.Kind })
	}
	cells := func(name func(plantedRow) string) func(plantedRow) []any {
		return func(row plantedRow) []any {
			list := []any{name(row), row.Molecules}
			for _, n := range row.Outside {
				list = append(list, float64(n)/float64(max(1, row.Molecules)))
			}
			return list
		}
	}
	models := distinct(r.Rows, func(row plantedRow) string { return row.Model })
	return &page{
		title: "One strange group on a familiar molecule",
		question: `How many molecules are outside at α = 5 % that a model has not seen and that got one group that no training molecule has?
In percent, by our score of one molecule, ECFP4 nearest neighbour, five nearest, ratio to the built-in background, and ratio + five
nearest, each with p-values of held-out molecules.`,
		tables: []*pageTable{
			tabulate("", heads, kinds, cells(func(row plantedRow) string { return row.Kind })),
			tabulate("Ours by group:", []string{"kind", "outside"}, kinds,
				func(row plantedRow) []any { return []any{row.Kind, plantedList(all, row.Kind)} }),
			tabulate("Ours by model:", []string{"model", "as they are", "new element", "new group", "long"}, models,
				func(model string) []any { return plantedByModel(r.Rows, model) }),
		},
		answer: []string{fmt.Sprintf("%d groups are lacking in at least one of %d training sets.", len(all)-1, len(models))},
	}
}

// plantedList names the groups of a kind with the share of molecules outside, in percent.
func plantedList(rows []plantedRow, kind string) string {
	var list []string
	for _, row := range rows {
		if row.Kind == kind && row.Group != "" {
			list = append(list, fmt.Sprintf("%s %.0f", row.Group, 100*float64(row.Outside[0])/float64(max(1, row.Molecules))))
		}
	}
	return strings.Join(list, ", ")
}

// plantedByModel returns the row of a model in the table by model: for each kind the share of molecules outside by our score.
func plantedByModel(rows []plantedRow, model string) []any {
	cells := []any{model}
	for _, kind := range []string{asTheyAre, "new element", "new group", "long"} {
		n, outside := 0, 0
		for _, row := range rows {
			if row.Model == model && row.Kind == kind {
				n, outside = n+row.Molecules, outside+row.Outside[0]
			}
		}
		cells = append(cells, float64(outside)/float64(max(1, n)))
	}
	return cells
}

// plantedSum adds the counts of a row to the first row that is alike, or appends a copy if none is.
func plantedSum(list []plantedRow, row plantedRow, alike func(plantedRow) bool) []plantedRow {
	k := slices.IndexFunc(list, alike)
	if k < 0 {
		row.Outside = slices.Clone(row.Outside)
		return append(list, row)
	}
	list[k].Molecules += row.Molecules
	for i, n := range row.Outside {
		list[k].Outside[i] += n
	}
	return list
}

package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

func reasons() *experiment {
	return &experiment{
		name: "reasons", page: "reasons.md", read: readAs[reasonsResult], measure: measureReasons,
		short: "Measure whether reasons name a strange group on a familiar molecule",
		flags: [][2]string{{"models", "bbbp,drugs,esol,enzymes,imdb-multi"}, {"others", "lipo,tox21,sider"}, {"molecules", "300"}},
	}
}

// A reasonsRow counts the molecules of a model that have a group.
type reasonsRow struct {
	Model     string `json:"model"`
	Kind      string `json:"kind"`
	Group     string `json:"group"`
	Molecules int    `json:"molecules"`
	Outside   int    `json:"outside"`
	Named     int    `json:"named"`   // of Outside: at least half of the first reason's atoms are the group's
	Highest   int    `json:"highest"` // an atom of the group has the largest contribution
	Most      int    `json:"most"`    // the group's atoms have as much as the same number of others, those with the largest contributions
	Agree     int    `json:"agree"`   // no other named part has more excess than the first reason's atoms
	Parts     int    `json:"parts"`   // reasons that name a part
	Common    int    `json:"common"`  // of them: a common part, although a rarer one carries excess
	// Mapped were coloured by similarity maps, MapHighest have an atom of the group as the least similar.
	Mapped     int `json:"mapped"`
	MapHighest int `json:"map_highest"`
}

type reasonsResult struct {
	Program string       `json:"program"`
	Rows    []reasonsRow `json:"rows"`
}

// measureReasons measures reasons by each model. Beside the result it writes the molecules outside, for similarity_maps.py, and it
// adds what that found if it has run.
func measureReasons(ctx context.Context, b *bench) result {
	r := reasonsResult{Program: version.String()}
	others := strings.Split(b.otherList, ",")
	list := [][]string{{"model", "group", "smiles", "from", "to"}}
	eachModel(ctx, b, "reads plain graphs or holds the structures of its molecules", func(m *builtIn) []string {
		switch {
		case !m.readsMolecules():
			return m.own()
		case m.Structures == nil:
			return nil
		}
		return others
	}, b.plantedReasons, func(p plantedReasons) {
		r.Rows = append(r.Rows, p.Rows...)
		list = append(list, p.Molecules...)
	})
	var text bytes.Buffer
	try.Check(csv.NewWriter(&text).WriteAll(list))
	try.Check(os.WriteFile(filepath.Join(b.out, "reasons-molecules.csv"), text.Bytes(), 0o644))
	r.addMaps(filepath.Join(b.out, "similarity-maps.csv"))
	return r
}

// addMaps adds the results of similarity_maps.py, if the file exists. Its rows are model, group, molecules, and how many have an
// atom of the group as the least similar.
func (r *reasonsResult) addMaps(path string) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	try.Check(err)
	for _, f := range try.To(csv.NewReader(bytes.NewReader(text)).ReadAll())[1:] {
		for k := range r.Rows {
			if row := &r.Rows[k]; row.Model == f[0] && row.Group == f[1] {
				row.Mapped, row.MapHighest = try.To(strconv.Atoi(f[2])), try.To(strconv.Atoi(f[3]))
			}
		}
	}
}

// plantedReasons are the rows of a model, and its molecules outside: model, group, SMILES, and the planted atoms from and to−1.
type plantedReasons struct {
	Rows      []reasonsRow
	Molecules [][]string
}

// plantedReasons plants each group that the training molecules of a model lack on familiar molecules, and counts what reasons
// name. For a model of plain graphs it plants shapes.
func (b *bench) plantedReasons(ctx context.Context, m *builtIn) (all plantedReasons) {
	s := try.To(algo.NewSingleScorer(ctx, m.Model, 1))
	if !m.readsMolecules() {
		return plantedReasons{Rows: b.plantedShapes(ctx, m, s)}
	}
	training := strings.Join(m.Structures.SMILES, "\n")
	try.Check(os.WriteFile(filepath.Join(b.out, "training-"+m.name+".smi"), []byte(training), 0o644))
	familiar := b.familiar(ctx, m, s)
	share := groupShares(m)
	for _, g := range slices.Concat(plantedGroups, strangeGroups) {
		if hasPattern(m.Structures.SMILES, g.pattern) {
			continue
		}
		row := reasonsRow{Model: m.name, Kind: g.Kind, Group: g.Name}
		for _, text := range familiar {
			p, ok := newPlanted(text, g.smiles, m.Form())
			if !ok || row.Molecules == b.molecules {
				continue
			}
			row.Molecules++
			x := try.To(s.Explain(ctx, p.graph, algo.DefaultOptions().Alpha))
			if x.Verdict != decide.Outside {
				continue
			}
			row.count(p, x, share)
			all.Molecules = append(all.Molecules, []string{m.name, g.Name, p.text, strconv.Itoa(p.from), strconv.Itoa(p.to)})
		}
		all.Rows = append(all.Rows, row)
	}
	return all
}

// familiar returns up to b.molecules molecules that the model calls inside, was not trained on, and that can bear a group: first
// held-out ones, then those of other sets.
func (b *bench) familiar(ctx context.Context, m *builtIn, s *algo.SingleScorer) (list []string) {
	sets := strings.Split(b.otherList, ",")
	for _, name := range append(m.own(), sets...) {
		graphs, texts := readMolecules(ctx, b.data, name, m.Form(), 1)
		rows := indices(len(texts))
		if m.pair != nil && name == m.pair.ID {
			rows = m.Card.HoldoutRows
		}
		for _, i := range rows {
			text := parentOf(texts[i])
			if len(list) == b.molecules || plant(text, "C") == "" || slices.Contains(list, text) || s.Duplicate(graphs[i]) {
				continue
			}
			if _, v := s.Judge(try.To(s.Scores(ctx, graphs[i:i+1])), algo.DefaultOptions().Alpha); v[0] == decide.Inside {
				list = append(list, text)
			}
		}
	}
	return list
}

// plantedShapes plants cliques, stars and hubs on held-out plain graphs that the model calls inside. Where other graphs have
// such cliques, only the edge to one is new.
func (b *bench) plantedShapes(ctx context.Context, m *builtIn, s *algo.SingleScorer) (rows []reasonsRow) {
	graphs := readSet(ctx, b.data, m.pair.ID, m.Form(), 1).graphs
	held, shapes := pick(graphs, m.Card.HoldoutRows), []string{"clique", "star", "hub"}
	if slices.ContainsFunc(graphs, func(g *graph.Graph) bool { return hasClique(g, indices(g.N()), shapeSize) }) {
		shapes[0] = cliqueEdge
	}
	_, verdicts := s.Judge(try.To(s.Scores(ctx, held)), algo.DefaultOptions().Alpha)
	for _, shape := range shapes {
		row := reasonsRow{Model: m.name, Kind: "shape", Group: shape}
		for i, g := range held {
			if verdicts[i] != decide.Inside || row.Molecules == b.molecules {
				continue
			}
			row.Molecules++
			p := plantShape(g, shape)
			if x := try.To(s.Explain(ctx, p.graph, algo.DefaultOptions().Alpha)); x.Verdict == decide.Outside {
				row.count(p, x, nil)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// shapeSize is about the number of neighbours that nodes of the largest graphs have.
const shapeSize, cliqueEdge = 12, "edge to a clique"

// hasClique reports whether `size` of the nodes are all neighbours of each other.
func hasClique(g *graph.Graph, nodes []int, size int) bool {
	for k, i := range nodes {
		if len(nodes)-k < size {
			return false
		}
		near := slices.DeleteFunc(slices.Clone(nodes[k+1:]), func(j int) bool { return !slices.Contains(g.Row(i), int32(j)) })
		if size == 1 || hasClique(g, near, size-1) {
			return true
		}
	}
	return false
}

// plantShape adds shapeSize nodes to a graph: for "hub" neighbours of node 0, otherwise a star or a clique, joined to node 0 by an
// edge. Planted are the new nodes, and for a hub node 0; with cliqueEdge only the two ends of the edge.
func plantShape(g *graph.Graph, shape string) *plantedMolecule {
	n := int32(g.N())
	edges := append(slices.Clone(g.Edges()), [2]int32{0, n})
	for i := n + 1; i < n+shapeSize; i++ {
		switch shape {
		case "clique", cliqueEdge:
			for j := n; j < i; j++ {
				edges = append(edges, [2]int32{j, i})
			}
		case "star":
			edges = append(edges, [2]int32{n, i})
		case "hub":
			edges = append(edges, [2]int32{0, i})
		}
	}
	planted, _, err := graph.New(int(n+shapeSize), edges)
	try.Check(err)
	p := &plantedMolecule{graph: planted, planted: make([]bool, n+shapeSize)}
	p.planted[0], p.planted[n] = shape == "hub" || shape == cliqueEdge, true
	for i := n + 1; i < n+shapeSize; i++ {
		p.planted[i] = shape != cliqueEdge
	}
	return p
}

// groupShares are the shares of training molecules that have a group, by its name.
func groupShares(m *builtIn) map[string]float64 {
	share := map[string]float64{}
	for _, text := range m.Structures.SMILES {
		g, _, err := smiles.ParseIn(text, m.Form())
		try.Check(err)
		for _, name := range explain.Groups(g, explain.Rings(g)) {
			share[name] += 1 / float64(len(m.Structures.SMILES))
		}
	}
	return share
}

// A plantedMolecule has a planted group at the atoms from, …, to−1 of its SMILES.
type plantedMolecule struct {
	text     string
	from, to int
	graph    *graph.Graph
	planted  []bool // by node of graph
}

var atomTokens = regexp.MustCompile(`\[[^\]]*\]|Br|Cl|[BCNOPSFIbcnops]`)

// newPlanted plants a group on a molecule, and reads the result in a form. It returns false if there is no place for the group. The
// group's atoms are counted in the text; order leads from the atoms of the form to these.
func newPlanted(text, group string, form molecule.Form) (*plantedMolecule, bool) {
	written := plant(text, group)
	if written == "" {
		return nil, false
	}
	p := &plantedMolecule{text: written}
	p.from = len(atomTokens.FindAllString(written[:strings.Index(written, "("+group+")")], -1))
	p.to = p.from + len(atomTokens.FindAllString(group, -1))
	read, order, _ := smiles.In(try.To(smiles.Parse(written)), form)
	p.graph = read.Graph()
	for _, atom := range order {
		p.planted = append(p.planted, int(atom) >= p.from && int(atom) < p.to)
	}
	return p, true
}

// common is the share of training molecules beyond which a part is common; carried is the least share of the positive
// contributions that a part with excess has.
const common, carried = 0.05, 0.05

// count adds an explained molecule that is outside. share has the groups' shares of training molecules, nil for plain graphs.
func (row *reasonsRow) count(p *plantedMolecule, x *algo.Explanation, share map[string]float64) {
	row.Outside++
	of := func(nodes []int) (n int, excess float64) { // how many are planted, and their contributions
		for _, i := range nodes {
			if p.planted[i] {
				n++
			}
			excess += x.Contributions[i]
		}
		return n, excess
	}
	first := x.Reasons[0].Nodes
	own, most := of(first)
	if len(first) > 0 && 2*own >= len(first) {
		row.Named++
	}
	if p.planted[slices.Index(x.Contributions, slices.Max(x.Contributions))] {
		row.Highest++
	}
	// The sum of the group, that of all positive contributions, and the contributions of the other atoms.
	group, positive, others := 0.0, 0.0, []float64(nil)
	for i, c := range x.Contributions {
		positive += max(0, c)
		if p.planted[i] {
			group += c
		} else {
			others = append(others, max(0, c))
		}
	}
	size := len(x.Contributions) - len(others) // of the group
	slices.Sort(others)
	if group >= floats.Sum(others[max(0, len(others)-size):]) {
		row.Most++
	}
	var parts []explain.Part
	if share != nil {
		parts = explain.Parts(p.graph)
	}
	agree, rarer := len(first) > 0, false // rarer: a part that is not common carries excess
	for _, part := range parts {
		_, excess := of(part.Nodes)
		agree = agree && (excess <= most+1e-9 || sharesNode(part.Nodes, first))
		rarer = rarer || share[part.Name] <= common && excess >= carried*positive
	}
	if agree {
		row.Agree++
	}
	for _, r := range x.Reasons {
		if r.Kind != "part" {
			continue
		}
		row.Parts++
		named := slices.ContainsFunc(parts, func(part explain.Part) bool {
			return sharesNode(part.Nodes, r.Nodes) && share[part.Name] <= common
		})
		if rarer && !named {
			row.Common++
		}
	}
}

// sharesNode reports whether two lists have a node in common.
func sharesNode(a, b []int) bool {
	return slices.ContainsFunc(a, func(i int) bool { return slices.Contains(b, i) })
}

func (r reasonsResult) page() *page {
	var kinds, groups, models []reasonsRow
	for _, row := range r.Rows {
		kinds = reasonsSum(kinds, row, func(x reasonsRow) bool { return x.Kind == row.Kind })
		groups = reasonsSum(groups, row, func(x reasonsRow) bool { return x.Group == row.Group })
		models = reasonsSum(models, row, func(x reasonsRow) bool { return x.Model == row.Model })
	}
	heads := func(first string) []string {
		return []string{first, "outside", "named", "highest", "agree", "common", "maps"}
	}
	cells := func(name func(reasonsRow) string) func(reasonsRow) []any {
		return func(x reasonsRow) []any {
			of := func(n int) float64 { return float64(n) / float64(max(1, x.Outside)) } // the share of those outside
			maps := any("–")
			if x.Mapped > 0 {
				maps = float64(x.MapHighest) / float64(x.Mapped)
			}
			return []any{name(x), x.Outside, of(x.Named), of(x.Highest), of(x.Agree), float64(x.Common) / float64(max(1, x.Parts)), maps}
		}
	}
	// The answer is about all rows together, and about the groups whose atoms have the largest contribution in less than 95 %.
	all := reasonsRow{}
	for _, row := range r.Rows {
		all = reasonsSum([]reasonsRow{all}, row, func(reasonsRow) bool { return true })[0]
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(1, all.Outside)) }
	var low []string
	for _, g := range groups {
		if 100*g.Highest < 95*g.Outside {
			each := 100 / float64(g.Outside)
			low = append(low, fmt.Sprintf("%s %.0f (%.0f)", g.Group, each*float64(g.Highest), each*float64(g.Most)))
		}
	}
	answer := []string{fmt.Sprintf("%d groups on %d molecules; of %d outside, the first reason names the group in %.1f %%, "+
		"its atoms rank highest in %.1f %% (most in %.1f %%).",
		len(groups), all.Molecules, all.Outside, percent(all.Named), percent(all.Highest), percent(all.Most))}
	if len(low) > 0 {
		answer = append(answer, "Highest in less than 95 % (most): "+strings.Join(low, ", ")+
			". Large groups share what they add: a strange atom of the molecule may outrank theirs.")
	}
	return &page{
		title: "Whether reasons name a strange group on a familiar molecule",
		question: `A group that no training molecule has is planted on unseen molecules that a model calls inside; plain
graphs get twelve nodes. IMDB has such cliques: there the ends of the edge to one are the group. Of those outside then at
α = 5 %, in percent: at least half of the atoms of the first reason are the group's (named), one of its atoms has the largest
contribution (highest), they have as much as any equally many others (most), no other named part has more excess than the first
reason's atoms (agree). Common: reasons that name a part of more than 5 % of training molecules although a rarer one carries
excess. Maps: by RDKit's similarity maps to the nearest training molecule an atom of the group is the least similar.`,
		tables: []*pageTable{
			tabulate("", heads("model"), models, cells(func(x reasonsRow) string { return x.Model })),
			tabulate("", heads("kind"), kinds, cells(func(x reasonsRow) string { return x.Kind })),
		},
		answer: answer,
	}
}

// reasonsSum adds the counts of a row to the first row that is alike, or appends the row if none is.
func reasonsSum(list []reasonsRow, row reasonsRow, alike func(reasonsRow) bool) []reasonsRow {
	k := slices.IndexFunc(list, alike)
	if k < 0 {
		return append(list, row)
	}
	sum := &list[k]
	for _, add := range [][2]*int{
		{&sum.Molecules, &row.Molecules}, {&sum.Outside, &row.Outside}, {&sum.Named, &row.Named}, {&sum.Highest, &row.Highest},
		{&sum.Most, &row.Most}, {&sum.Agree, &row.Agree}, {&sum.Parts, &row.Parts}, {&sum.Common, &row.Common},
		{&sum.Mapped, &row.Mapped}, {&sum.MapHighest, &row.MapHighest},
	} {
		*add[0] += *add[1]
	}
	return list
}

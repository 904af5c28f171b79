package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/build/internal/version"
)

// What focused lists are made of.
const (
	companyLeast    = 5  // graphs of a list
	companyCores    = 3  // of the most frequent cores that have a group of their own
	companyClusters = 4  // in each split
	companyCluster  = 20 // graphs of a cluster, as many as a batch takes
	companyFifths   = 5  // by size, each a list
	companyFDR      = 0.1
	companyAll      = "all of them" // not a focused list
	companyPooled   = "pooled"
)

type companyFlags struct {
	decisionFlags
}

func newBenchCompany() *cobra.Command {
	var f companyFlags
	c := &cobra.Command{
		Use:   "company --data DIR --out DIR",
		Short: "Measure false alarms on lists of one kind of molecule",
		Long: `Company asks what the built-in models of molecules call a list of one kind, such as
nitro compounds, salts or long chains, that is as in-distribution as any other. The
graphs that training left out are parted at random into a reference, which gives p-values, and
graphs that are tested; of these every kind is a list. It measures

  the share that is called outside, by each graph itself and by batch_verdict,
  the share of lists in which --fdr 0.1 calls anything outside, which is always false,

kind by kind and pooled, and writes company.json and company.md to --out. Lists of fewer
than 20 graphs are no batch.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.data == "" || f.out == "" {
				return usagef("want --data DIR and --out DIR")
			}
			if f.splits < 1 || f.workers < 0 {
				return usagef("--splits %d, --workers %d: want 1 or more splits, 0 or more workers", f.splits, f.workers)
			}
			return f.run(c.Context(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringVar(&f.out, "out", "", "`folder` for the results")
	fs.StringSliceVar(&f.models, "models", nil, "embedded models by `name`, all of molecules without")
	fs.StringVar(&f.weightsFolder, "weights", "", "`folder` with NAME.msgpack, to be measured instead of the embedded models")
	fs.IntVar(&f.splits, "splits", 20, "of reference and tested graphs")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; results do not depend on it")
	return c
}

// A companyShare is a share with its 95 % interval, in percent.
type companyShare struct {
	Share rate    `json:"share"`
	Low   rate    `json:"low"`
	High  rate    `json:"high"`
	Of    float64 `json:"of"` // different graphs, or lists
}

func newCompanyShare(share, of float64) companyShare {
	low, high := metric.Wilson(share*of, of)
	return companyShare{rate(share), rate(low), rate(high), of}
}

func (s companyShare) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f (%.1f – %.1f)", 100*s.Share, 100*s.Low, 100*s.High)
}

// A companyGroup is what came of the lists of one kind.
type companyGroup struct {
	Kind   string `json:"kind"`
	Graphs int    `json:"graphs"` // different ones
	Lists  int    `json:"lists"`
	// The intervals of shares of graphs are for as many as differ.
	Alone     companyShare `json:"alone"`
	Batch     companyShare `json:"batch_verdict"` // of lists that are a batch
	Discovery companyShare `json:"any_discovery"`
}

type companyModel struct {
	Model     string         `json:"model"`
	Reference int            `json:"reference"` // graphs of each split
	Tested    int            `json:"tested"`
	Groups    []companyGroup `json:"groups"`
}

type companyResult struct {
	Program string          `json:"program"`
	Splits  int             `json:"splits"`
	Alpha   float64         `json:"alpha"`
	FDR     float64         `json:"fdr"`
	Models  []*companyModel `json:"models"`
}

func (f *companyFlags) run(ctx context.Context, stderr io.Writer) error {
	result := &companyResult{Program: version.String(), Splits: f.splits, Alpha: algo.DefaultOptions().Alpha, FDR: companyFDR}
	err := f.each(func(name string, m *algo.Model, p *benchPair) error {
		if m.Card.Schema == algo.Constant {
			return nil
		}
		b, err := f.held(ctx, m, p.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		progress := newProgress(stderr, "lists of "+name, int64(f.splits*len(b.held)))
		c, err := f.model(ctx, b, progress)
		progress.Done()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Model = name
		result.Models = append(result.Models, c)
		return nil
	})
	if err != nil {
		return err
	}
	if len(result.Models) == 0 {
		return usagef("--models %s: none of them reads molecules", strings.Join(f.models, ","))
	}
	return f.write("company", result, result.markdown())
}

// A companyTally sums up the lists of one kind.
type companyTally struct {
	graphs, batched map[int]bool // of the held-out ones
	// Sums over graphs of lists.
	n, alone, nBatch, batch float64
	// Lists, and those with a discovery.
	lists, found float64
}

func newCompanyTally() *companyTally {
	return &companyTally{graphs: map[int]bool{}, batched: map[int]bool{}}
}

func (t *companyTally) group(kind string) companyGroup {
	return companyGroup{
		Kind: kind, Graphs: len(t.graphs), Lists: int(t.lists),
		Alone: newCompanyShare(t.alone/t.n, float64(len(t.graphs))), Batch: newCompanyShare(t.batch/t.nBatch, float64(len(t.batched))),
		Discovery: newCompanyShare(t.found/t.lists, t.lists),
	}
}

// model measures one model.
func (f *companyFlags) model(ctx context.Context, b *decisionBench, progress *progress) (*companyModel, error) {
	c := &companyModel{Reference: b.split, Tested: b.tested}
	kinds := companyKinds(b.held)
	tallies := map[string]*companyTally{companyPooled: newCompanyTally()}
	for k := range f.splits {
		rng, tested, held := b.halves(uint64(k) + 1)
		m, alone, err := b.reference(ctx, held)
		if err != nil {
			return nil, err
		}
		single := decide.PValues(pickScores(b.heldScores, tested), alone.Holdout())
		for _, list := range companyLists(rng, b, kinds, tested) {
			if tallies[list.kind] == nil {
				tallies[list.kind] = newCompanyTally()
			}
			into := []*companyTally{tallies[list.kind]}
			if list.kind != companyAll && !strings.HasPrefix(list.kind, companySize) {
				into = append(into, tallies[companyPooled])
			}
			var gs []*graph.Graph
			p := pickScores(single, list.index)
			for _, i := range list.index {
				gs = append(gs, b.held[tested[i]])
			}
			var rows []algo.Row
			if len(gs) >= algo.MinBatch {
				o := columnOptions(columnBatch, uint64(k)+1)
				o.By, o.Workers, o.Alone = algo.ByBatch, b.workers, alone
				s, err := algo.NewScorer(ctx, m, o)
				if err != nil {
					return nil, err
				}
				r, err := s.Batch(ctx, gs)
				if err != nil {
					return nil, err
				}
				rows = r.Rows
			}
			for _, t := range into {
				t.add(list.index, tested, p, rows)
			}
		}
		progress.Add(int64(len(b.held)))
	}
	for _, kind := range slices.Concat(kinds.names(), []string{companyPooled, companyAll}) {
		if t := tallies[kind]; t != nil && t.lists > 0 {
			c.Groups = append(c.Groups, t.group(kind))
		}
	}
	return c, nil
}

// add counts a list of tested graphs with their p-values by themselves and, if it is a
// batch, its rows.
func (t *companyTally) add(index, tested []int, p []float64, rows []algo.Row) {
	alpha := algo.DefaultOptions().Alpha
	t.lists++
	for k, i := range index {
		t.graphs[tested[i]] = true
		t.n++
		if p[k] <= alpha {
			t.alone++
		}
	}
	if slices.Min(decide.QValues(p)) <= companyFDR {
		t.found++
	}
	for k, row := range rows {
		t.batched[tested[index[k]]] = true
		t.nBatch++
		if row.BatchVerdict == decide.Outside {
			t.batch++
		}
	}
}

// A companyList is a list of one kind, as indices into what is tested.
type companyList struct {
	kind  string
	index []int
}

// companyLists makes the lists of a split.
func companyLists(rng *rand.Rand, b *decisionBench, kinds companyKindList, tested []int) []companyList {
	list := []companyList{{kind: companyAll}}
	for i := range tested {
		list[0].index = append(list[0].index, i)
	}
	for _, kind := range kinds {
		l := companyList{kind: kind.name}
		for i, row := range tested {
			if kind.is(b.held[row]) {
				l.index = append(l.index, i)
			}
		}
		if len(l.index) >= companyLeast {
			list = append(list, l)
		}
	}
	// The graphs most like one that is drawn.
	var prints []fingerprint.Print
	for _, row := range tested {
		prints = append(prints, b.heldAs.Prints[row])
	}
	x := fingerprint.NewIndex(prints)
	like := make([]float64, len(prints))
	for range companyClusters {
		x.Similarities(like, fingerprint.Sets, prints[rng.IntN(len(prints))])
		order := make([]int, len(like))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(like[b], like[a]) })
		list = append(list, companyList{companyCloseKind, order[:min(companyCluster, len(order))]})
	}
	return list
}

// companyCloseKind is the kind of the lists that are alike by their subtrees.
const companyCloseKind = "20 alike by subtrees"

// A companyKind is a kind of molecules.
type companyKind struct {
	name string
	is   func(*graph.Graph) bool
}

type companyKindList []companyKind

func (l companyKindList) names() []string {
	var names []string
	for _, k := range l {
		names = append(names, k.name)
	}
	return append(names, companyCloseKind)
}

// What the columns of the atom features of the Open Graph Benchmark hold.
const (
	atomElement  = 0 // less 1
	atomCharge   = 3 // plus 5
	atomHybrid   = 6 // 2: sp3
	atomAromatic = 7
	atomRing     = 8
)

// companyKinds are the kinds of molecules of which lists are made: by what they contain,
// by size, by rings, and by the most frequent cores of a set.
func companyKinds(set []*graph.Graph) companyKindList {
	at := func(g *graph.Graph, i, column int) int { return int(g.X[i*g.Features+column]) }
	has := func(numbers ...int) func(*graph.Graph) bool {
		return func(g *graph.Graph) bool {
			for i := range g.N() {
				if slices.Contains(numbers, at(g, i, atomElement)+1) {
					return true
				}
			}
			return false
		}
	}
	rings := func(g *graph.Graph) int { return g.M() - g.N() + baseline.Components(g) }
	nitro := func(g *graph.Graph) bool {
		for i := range g.N() {
			ends := 0
			for _, j := range g.Row(i) {
				if at(g, int(j), atomElement)+1 == 8 && g.Degree(int(j)) == 1 {
					ends++
				}
			}
			if at(g, i, atomElement)+1 == 7 && g.Degree(i) == 3 && ends == 2 {
				return true
			}
		}
		return false
	}
	charged := func(g *graph.Graph) bool {
		for i := range g.N() {
			if at(g, i, atomCharge) != 5 {
				return true
			}
		}
		return false
	}
	// chain tells of six saturated carbons in a row outside of rings. Such a row ends
	// somewhere, and from there it is found.
	chain := func(g *graph.Graph) bool {
		link := func(i int) bool {
			return at(g, i, atomElement)+1 == 6 && at(g, i, atomHybrid) == 2 && at(g, i, atomRing) == 0
		}
		var walk func(i, from, length int) bool
		walk = func(i, from, length int) bool {
			if length == 6 {
				return true
			}
			for _, j := range g.Row(i) {
				if int(j) != from && link(int(j)) && walk(int(j), i, length+1) {
					return true
				}
			}
			return false
		}
		for i := range g.N() {
			if link(i) && walk(i, -1, 1) {
				return true
			}
		}
		return false
	}
	steroid := func(g *graph.Graph) bool {
		saturated := 0
		for i := range g.N() {
			if at(g, i, atomRing) == 1 && at(g, i, atomAromatic) == 0 {
				saturated++
			}
		}
		return rings(g) >= 4 && saturated >= 12
	}
	kinds := companyKindList{
		{"nitro groups", nitro},
		{"halogens", has(9, 17, 35, 53)},
		{"salts and mixtures", func(g *graph.Graph) bool { return baseline.Components(g) > 1 }},
		{"charged atoms", charged},
		{"long chains", chain},
		{"sulfur", has(16)},
		{"phosphorus", has(15)},
		{"steroid-like polycycles", steroid},
		{"no ring", func(g *graph.Graph) bool { return rings(g) == 0 }},
		{"one ring", func(g *graph.Graph) bool { return rings(g) == 1 }},
		{"48 atoms and more", func(g *graph.Graph) bool { return g.N() >= 48 }},
		{"8 atoms and fewer", func(g *graph.Graph) bool { return g.N() <= 8 }},
	}
	sizes := make([]int, len(set))
	for i, g := range set {
		sizes[i] = g.N()
	}
	slices.Sort(sizes)
	for k := 0; k < companyFifths && len(sizes) > 0; k++ {
		low, high := 0, math.MaxInt // exclusive, inclusive
		if k > 0 {
			low = sizes[k*len(sizes)/companyFifths]
		}
		if k < companyFifths-1 {
			high = sizes[(k+1)*len(sizes)/companyFifths]
		}
		kinds = append(kinds, companyKind{companyFifth(k), func(g *graph.Graph) bool { return g.N() > low && g.N() <= high }})
	}
	core := func(g *graph.Graph) (hash uint64, nodes int) {
		c := baseline.Core(g)
		return fingerprint.New(c, 4).Hash(), c.N()
	}
	count := map[uint64]int{}
	for _, g := range set {
		if hash, n := core(g); n > 0 {
			count[hash]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(count), func(a, b uint64) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	for k, hash := range frequent[:min(len(frequent), companyCores)] {
		kinds = append(kinds, companyKind{fmt.Sprintf("core %d", k+1), func(g *graph.Graph) bool {
			h, _ := core(g)
			return h == hash
		}})
	}
	return kinds
}

// companySize begins the names of kinds by size, which are not focused lists.
const companySize = "by size, fifth "

func companyFifth(k int) string { return companySize + strconv.Itoa(k+1) }

// together are the kinds that are summed up over the models.
func (r *companyResult) together() []string {
	var kinds []string
	for k := range companyFifths {
		kinds = append(kinds, companyFifth(k))
	}
	return append(kinds, companyPooled, companyAll)
}

// A mean is one of shares, in percent.
type mean struct{ sum, of float64 }

func (m *mean) add(s companyShare) {
	if s.Of > 0 {
		m.sum, m.of = m.sum+float64(s.Share)*s.Of, m.of+s.Of
	}
}

func (m mean) String() string {
	if m.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*m.sum/m.of)
}

// markdown is the report.
func (r *companyResult) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What lists of one kind are called

Written by

    baca bench company --data DIR --out build/results --splits %d

with baca %s on %s/%s. The graphs that training left out are parted at random, %d times, into a reference and
graphs that are tested. Lists of one kind of these are as in-distribution as any: whatever is called outside is
a false alarm. "Alone" is the share called outside at α = %g by each graph itself, "batch_verdict" that by the
batch that the list is, where it has %d graphs or more, and "any discovery" the share of lists in which
--fdr %g calls anything outside. In percent, with 95 %% intervals (Wilson) for as many graphs as differ, or as
many lists; splits are not independent of each other. "Core" are the most frequent ring systems with what links
them; lists of %s are the nearest to a graph that was drawn.
`, r.Splits, r.Program, runtime.GOOS, runtime.GOARCH, r.Splits, r.Alpha, algo.MinBatch, r.FDR, companyCloseKind)
	fmt.Fprint(&b, "\n## All models\n\nThe mean over the models, each by how many graphs or lists it has.\n\n"+
		"| kind | graphs | lists | alone | batch_verdict | any discovery |\n|---|---|---|---|---|---|\n")
	for _, kind := range r.together() {
		graphs, lists, alone, batch, found := 0, 0, mean{}, mean{}, mean{}
		for _, m := range r.Models {
			for _, g := range m.Groups {
				if g.Kind == kind {
					graphs, lists = graphs+g.Graphs, lists+g.Lists
					alone.add(g.Alone)
					batch.add(g.Batch)
					found.add(g.Discovery)
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s |\n", kind, graphs, lists, alone, batch, found)
	}
	for _, m := range r.Models {
		fmt.Fprintf(&b, "\n## %s\n\n%d graphs of reference, %d tested.\n\n", m.Model, m.Reference, m.Tested)
		fmt.Fprint(&b, "| kind | graphs | lists | alone | batch_verdict | any discovery |\n|---|---|---|---|---|---|\n")
		for _, g := range m.Groups {
			name := g.Kind
			if name == companyPooled {
				name = "**pooled**"
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s |\n", name, g.Graphs, g.Lists, g.Alone, g.Batch, g.Discovery)
		}
	}
	return b.Bytes()
}

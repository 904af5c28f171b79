package paper

import (
	"context"
	"fmt"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/metric"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

// companyFDR is the false-discovery rate, companyAlphas are the false alarm rates.
const companyFDR = 0.1

var companyAlphas = []float64{0.05, 0.1}

func company() *experiment {
	return &experiment{
		name: "company", page: "company.md", read: readAs[companyResult], measure: measureCompany,
		short: "Measure false alarms on lists of one kind of molecule",
		flags: [][2]string{{"sets", "tox21,freesolv,bbbp,clintox,esol"}, {"splits", "8"}, {"steps", "300"}},
	}
}

// A companyList is a list of one kind of tested molecules.
type companyList struct {
	Kind  string    `json:"kind"`
	Rows  []int     `json:"rows"` // of the set
	Alone []float64 `json:"alone"`
	Batch []float64 `json:"batch"` // nil if the list is no batch; 1 where the guard refuses
	Half  []float64 `json:"half"`  // as Batch, of the list with as many other tested graphs; nil for kindAll
	set   string
}

// threeQuarters divides the indices of n graphs at random into three quarters to train on and the rest.
func threeQuarters(n int, seed uint64) (train, held []int) { return dataset.Part(n, n-n/4, seed) }

// part trains a detector on three quarters of a set.
func (train Trainer) part(ctx context.Context, l *loadedSet, split uint64, steps int) *algo.Model {
	return train.detector(ctx, training.Training{Graphs: l.graphs, Split: threeQuarters, Card: algo.Card{
		Name: fmt.Sprintf("%s-part%d", l.name, split), Schema: l.schema, Dataset: l.name, DatasetSHA256: l.sha256, Seed: split,
	}}, steps, len(l.graphs)*3/4)
}

// companyCell trains on a split of a set, and measures each half of the held-out graphs with the other half as reference.
func (b *bench) companyCell(ctx context.Context, l *loadedSet, split uint64) []companyList {
	r := newHeldOut(ctx, b.train.part(ctx, l, split, b.steps), l.graphs, 1)
	_, tested, reference := r.halves(split)
	kinds := kindsOf(l.graphs)
	return slices.Concat(r.company(ctx, kinds, 2*split, tested, reference), r.company(ctx, kinds, 2*split+1, reference, tested))
}

// company measures the lists of one kind among the tested held-out graphs. The graphs of reference give p-values.
func (r *heldOut) company(ctx context.Context, kinds kinds, seed uint64, tested, reference []int) (lists []companyList) {
	m, alone := r.withReference(ctx, reference)
	single := decide.PValues(pick(r.scores, tested), alone.Holdout())
	// verdictP returns the least alpha at which the batch calls each graph of a list outside: 1 where the guard refuses, nil
	// if the list is too short for a batch.
	verdictP := func(index []int) (list []float64) {
		if len(index) < algo.MinBatch {
			return nil
		}
		for _, row := range try.To(r.scorer(ctx, m, alone, seed).Batch(ctx, pick(r.graphs, pick(tested, index)))).Rows {
			p := row.BatchP
			if row.GuardP() > decide.Guard(len(index), algo.DefaultOptions().Alpha) {
				p = 1
			}
			list = append(list, p)
		}
		return list
	}
	rng := streamed(seed) // draws lists and their companions
	for _, list := range r.lists(rng, kinds, tested) {
		l := companyList{
			Kind: list.kind, Rows: pick(r.model.Card.HoldoutRows, pick(tested, list.index)),
			Alone: pick(single, list.index), Batch: verdictP(list.index),
		}
		if list.kind != kindAll {
			l.Half = verdictP(halfOf(list.index, len(tested), rng))
		}
		lists = append(lists, l)
	}
	return lists
}

// A companyShare is a share of different molecules, or of lists.
type companyShare struct {
	Share rate    `json:"share"`
	Of    float64 `json:"of"`
}

// interval returns Wilson's 95 % interval.
func (s companyShare) interval() (low, high float64) {
	return metric.Wilson(float64(s.Share)*s.Of, s.Of)
}

// String returns the share and its interval, in percent.
func (s companyShare) String() string {
	low, high := s.interval()
	return fmt.Sprintf("%.1f (%.1f – %.1f)", 100*s.Share, 100*low, 100*high)
}

// A companyGroup sums up the lists of one kind.
type companyGroup struct {
	Kind      string `json:"kind"`
	Molecules int    `json:"molecules"` // different ones
	Lists     int    `json:"lists"`
	// One share for each of companyAlphas. Batch counts the lists that are large enough for a batch, Half those that are so
	// with as many others.
	Alone     []companyShare `json:"alone"`
	Batch     []companyShare `json:"batch_verdict"`
	Half      []companyShare `json:"half_batch_verdict"`
	Discovery companyShare   `json:"any_discovery"`
}

// groupOf sums up the lists of a kind. Shares of alone and batch verdicts are of rows, their intervals count molecules once.
func groupOf(kind string, lists []companyList) companyGroup {
	g := companyGroup{Kind: kind, Lists: len(lists)}
	type molecule struct {
		set string
		row int
	}
	seen, batched := map[molecule]bool{}, map[molecule]bool{}
	var alone, batch, half []float64
	found := 0.0
	for _, l := range lists {
		for _, row := range l.Rows {
			seen[molecule{l.set, row}] = true
			if l.Batch != nil {
				batched[molecule{l.set, row}] = true
			}
		}
		alone, batch, half = append(alone, l.Alone...), append(batch, l.Batch...), append(half, l.Half...)
		if slices.Min(decide.QValues(l.Alone)) <= companyFDR {
			found++
		}
	}
	g.Molecules = len(seen)
	for _, alpha := range companyAlphas {
		g.Alone = append(g.Alone, companyShare{rate(shareUpTo(alone, alpha)), float64(len(seen))})
		g.Batch = append(g.Batch, companyShare{rate(shareUpTo(batch, alpha)), float64(len(batched))})
		g.Half = append(g.Half, companyShare{rate(shareUpTo(half, alpha)), float64(len(seen))})
	}
	g.Discovery = companyShare{rate(found / float64(len(lists))), float64(len(lists))}
	return g
}

// groupsOf sums up lists by kind, and those of all focused kinds as kindPooled. Kinds without lists are missing.
func groupsOf(lists []companyList) (groups []companyGroup) {
	for _, kind := range slices.Concat(kindNames(), []string{kindPooled, kindAll}) {
		of := slices.DeleteFunc(slices.Clone(lists), func(l companyList) bool {
			return l.Kind != kind && !(kind == kindPooled && focused(l.Kind))
		})
		if len(of) > 0 {
			groups = append(groups, groupOf(kind, of))
		}
	}
	return groups
}

// A companySet is the result of a set, or of all.
type companySet struct {
	Set       string         `json:"set"`
	Molecules int            `json:"molecules"` // with different parents
	Groups    []companyGroup `json:"groups"`
}

type companyResult struct {
	Program string       `json:"program"`
	Splits  int          `json:"splits"`
	Steps   int          `json:"steps"`
	Alphas  []float64    `json:"alphas"`
	FDR     float64      `json:"fdr"`
	Sets    []companySet `json:"sets"`
}

// measureCompany measures the splits, the first of all sets first. The result begins with all sets together.
func measureCompany(ctx context.Context, b *bench) result {
	sides := chosen(b.setList, trustSets)
	read, p := &sets{folder: b.data, workers: b.workers, parent: true}, &plan{bench: b}
	all, lists := companySet{Set: "All sets"}, []companyList(nil)
	loaded := make([]*loadedSet, len(sides))
	for k, s := range sides {
		loaded[k] = read.open(ctx, s.name, "")
		encode(loaded[k].graphs)
		all.Molecules += len(loaded[k].graphs)
	}
	for split := range uint64(b.splits) {
		for _, l := range loaded {
			add(p, runKey{Pair: l.name, IDData: l.sha256}, fmt.Sprintf("split%d", split+1),
				func(ctx context.Context) []companyList { return b.companyCell(ctx, l, split+1) },
				func(c []companyList) {
					for _, list := range c {
						list.set = l.name
						lists = append(lists, list)
					}
				})
		}
	}
	p.do(ctx)
	all.Groups = groupsOf(lists)
	r := companyResult{version.String(), b.splits, b.steps, companyAlphas, companyFDR, []companySet{all}}
	for _, l := range loaded {
		of := slices.DeleteFunc(slices.Clone(lists), func(list companyList) bool { return list.set != l.name })
		r.Sets = append(r.Sets, companySet{l.name, len(l.graphs), groupsOf(of)})
	}
	return r
}

func (r companyResult) page() *page {
	all := r.Sets[0]
	heads := []string{"kind", "molecules", "alone", "batch", "half", "lists"}
	p := &page{
		title: "What lists of one kind are called",
		question: fmt.Sprintf(`Three quarters of %[2]d sets (%[3]d splits, %[1]d molecules) train a model; half of the rest gives p-values to the
other half. Percent called outside, falsely, at α = %[4]g %%: alone, by the batch, by that with as many others;
lists with a discovery at --fdr %[5]g.`,
			all.Molecules, len(r.Sets)-1, r.Splits, 100*r.Alphas[0], r.FDR),
		tables: []*pageTable{tabulate("", heads, all.Groups, func(g companyGroup) []any {
			shares := []any{float64(g.Alone[0].Share), float64(g.Batch[0].Share), float64(g.Half[0].Share), float64(g.Discovery.Share)}
			return append([]any{g.Kind, g.Molecules}, shares...)
		})},
	}
	if k := slices.IndexFunc(all.Groups, func(g companyGroup) bool { return g.Kind == kindPooled }); k >= 0 {
		g := all.Groups[k]
		p.answer = []string{fmt.Sprintf("Pooled, with 95 %% intervals: alone %s, batch %s, half %s.",
			g.Alone[0], g.Batch[0], g.Half[0])}
	}
	return p
}

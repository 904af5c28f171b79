package compare

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
	"baca/algo/molecule"
)

// A List is one side of a comparison. It keeps half a kilobyte of each molecule.
type List struct {
	Counts

	smiles       []string
	same         []identity
	prints       [][]uint32
	atoms, rings []int
	with         map[trait]int    // molecules that have it
	scaffolds    map[identity]int // the same
	known        map[identity]bool
	plain        bool      // plain graphs
	sample       []sampled // for the evidence
	salt         uint64
}

// An identity is equal for equal graphs, and differs for others up to collisions.
type identity [2]uint64

type sampled struct {
	rank    uint64
	print   fingerprint.Print
	written []trait
}

// sampleSize is how many molecules of each list the evidence uses.
const sampleSize = 3000

// NewList returns an empty list. The sample depends on seed, number (0 or 1) and the molecules, not
// on their order.
func NewList(name string, seed uint64, number int) *List {
	salt := rand.New(rand.NewPCG(seed, uint64(number))).Uint64()
	return &List{
		Counts: Counts{Name: name}, with: map[trait]int{}, scaffolds: map[identity]int{}, known: map[identity]bool{}, salt: salt,
	}
}

// Len returns the number of different molecules.
func (l *List) Len() int { return len(l.same) }

type described struct {
	same, scaffold identity
	print          fingerprint.Print
	rings          int
	traits         []trait
	written        []trait // the last of traits
}

// Add adds parsed molecules, described on that many goroutines, and counts refused ones. Their order
// matters only for examples, and of copies the first tells what was set aside.
func (l *List) Add(ctx context.Context, workers int, list []dataset.Record) error {
	found := make([]described, len(list))
	err := parallel.For(ctx, workers, len(list), func(_, i int) {
		if list[i].Err == nil {
			found[i] = describe(&list[i])
		}
	})
	if err != nil {
		return err
	}
	for i := range found {
		d, r := &found[i], &list[i]
		l.Read++
		switch {
		case r.Err != nil:
			l.Refused++
			continue
		case l.known[d.same]:
			l.Copies++
			continue
		}
		l.plain = r.Graph.Features != molecule.Features
		l.known[d.same] = true
		l.smiles = append(l.smiles, cmp.Or(r.SMILES, r.Written))
		l.same = append(l.same, d.same)
		if d.scaffold != (identity{}) {
			l.scaffolds[d.scaffold]++
		}
		// Larger sets would overflow the counters of an index.
		l.prints = append(l.prints, slices.Clone(d.print.Keys[:min(len(d.print.Keys), 1<<16-1)]))
		l.atoms, l.rings = append(l.atoms, r.Graph.N()), append(l.rings, d.rings)
		for _, t := range d.traits {
			l.with[t]++
		}
		l.sample = append(l.sample, sampled{rank(d.same, l.salt), d.print, d.written})
		if len(l.sample) >= 2*sampleSize {
			l.trim()
		}
	}
	return nil
}

// trim keeps the lowest ranks of the sample, in their order.
func (l *List) trim() {
	slices.SortStableFunc(l.sample, func(a, b sampled) int { return cmp.Compare(a.rank, b.rank) })
	clear(l.sample[min(len(l.sample), sampleSize):])
	l.sample = l.sample[:min(len(l.sample), sampleSize)]
}

// rank orders molecules pseudo-randomly.
func rank(same identity, salt uint64) uint64 {
	return rand.New(rand.NewPCG(same[0]^salt, same[1])).Uint64()
}

func describe(r *dataset.Record) described {
	g, written := r.Graph, writtenTraits(r.Aside)
	return described{
		same: identify(g), scaffold: scaffold(g), print: fingerprint.New(g, fingerprint.DefaultHeight),
		rings: g.Cycles(), traits: append(traitsOf(g), written...), written: written,
	}
}

// identify hashes the surroundings of nodes and the size.
func identify(g *graph.Graph) identity {
	s := explain.Signature(g)
	return identity{s[0] ^ uint64(g.N())<<32, s[1] ^ uint64(g.M())}
}

// scaffold identifies rings and their linkers, zero for none.
func scaffold(g *graph.Graph) identity {
	core := g.Core()
	if core.N() == 0 {
		return identity{}
	}
	return identify(core)
}

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

// A List is one side of a comparison. It keeps about half a kilobyte for each molecule.
type List struct {
	Counts

	smiles       []string
	same         []identity
	prints       [][]uint32
	atoms, rings []int
	with         map[trait]int    // number of molecules that have a trait
	scaffolds    map[identity]int // number of molecules that have a scaffold
	known        map[identity]bool
	plain        bool      // plain graphs
	sample       []sampled // for Evidence
	salt         uint64
}

// An identity is equal for equal graphs. It differs for others, except for rare collisions of hashes.
type identity [2]uint64

type sampled struct {
	rank    uint64
	print   fingerprint.Print
	written []trait
}

// sampleSize is the number of molecules of each list that Evidence uses.
const sampleSize = 3000

// NewList returns an empty list. number is 0 for A and 1 for B. The list's sample depends on seed, number and the
// molecules, not on their order.
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
	written        []trait // what reading set aside; also the last of traits
}

// Add adds parsed molecules, described on so many goroutines, and counts refused ones. Their order matters for examples
// only, and because the first of several copies tells what was set aside.
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

// trim keeps the sampleSize lowest ranks of the sample, in ascending order.
func (l *List) trim() {
	slices.SortStableFunc(l.sample, func(a, b sampled) int { return cmp.Compare(a.rank, b.rank) })
	clear(l.sample[min(len(l.sample), sampleSize):])
	l.sample = l.sample[:min(len(l.sample), sampleSize)]
}

// rank returns a pseudo-random number for a molecule.
func rank(same identity, salt uint64) uint64 {
	return rand.New(rand.NewPCG(same[0]^salt, same[1])).Uint64()
}

// describe computes what a list keeps of a record.
func describe(r *dataset.Record) described {
	g, written := r.Graph, writtenTraits(r.Aside)
	return described{
		same: identify(g), scaffold: scaffold(g), print: fingerprint.New(g, fingerprint.DefaultHeight),
		rings: g.Cycles(), traits: append(traitsOf(g), written...), written: written,
	}
}

// identify returns the identity of a graph, a hash of its size and of the surroundings of its nodes.
func identify(g *graph.Graph) identity {
	s := explain.Signature(g)
	return identity{s[0] ^ uint64(g.N())<<32, s[1] ^ uint64(g.M())}
}

// scaffold returns the identity of a graph's rings with their linkers, or zero if it has no rings.
func scaffold(g *graph.Graph) identity {
	core := g.Core()
	if core.N() == 0 {
		return identity{}
	}
	return identify(core)
}

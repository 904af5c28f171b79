package attention

import (
	"context"
	"slices"

	"baca/algo/dictionary"
	"baca/algo/internal/parallel"
)

// A lookup finds the keys most similar to queries, on several cores, and caches them.
type lookup struct {
	in, out *Keys
	topK    int
	workers int
	work    []Workspace
	// entry returns what a draw is a key of.
	entry func(Draw) dictionary.Entry
	// ranked caches rankings of training and test graphs by the shared keys, and is shared with these.
	ranked map[source]ranking
	// top caches draws whose Top is filled.
	top map[drawn]Draw
	// chosen caches the keys of the batch's graphs, by block.
	chosen []chosen
}

// chosen holds the terms and refs that Workspace.choose left for a block of queries.
type chosen struct {
	terms []term
	refs  []int32
}

// drawn identifies a draw.
type drawn struct {
	side dictionary.Side
	key  int
}

// A source says which graph a query is of.
type source struct {
	origin dictionary.Origin
	index  int
}

// lookupBlock is the number of queries in one unit of parallel work.
const lookupBlock = 64

// reset clears the caches after keys changed.
func (l *lookup) reset() { l.top, l.chosen = map[drawn]Draw{}, nil }

// each divides n queries into blocks of lookupBlock. It calls f in parallel with the bounds of each block and the Workspace of
// the worker.
func (l *lookup) each(ctx context.Context, n int, f func(w *Workspace, lo, hi int)) error {
	if l.work == nil {
		l.work = make([]Workspace, parallel.Workers(l.workers))
	}
	return parallel.For(ctx, l.workers, (n+lookupBlock-1)/lookupBlock, func(worker, piece int) {
		f(&l.work[worker], piece*lookupBlock, min(n, (piece+1)*lookupBlock))
	})
}

// fillTop sets Top of each draw, from the cache l.top. What the cache lacks is computed once, and added to it.
func (l *lookup) fillTop(ctx context.Context, draws []Draw) error {
	var unknown []Draw
	for _, d := range draws {
		at := drawn{d.Side, d.Key}
		if _, ok := l.top[at]; !ok {
			l.top[at] = d // without Top yet, so that equal draws are not computed again
			unknown = append(unknown, d)
		}
	}
	rankings, err := l.rank(ctx, len(unknown), func(i int) (source, []float32, int) {
		d, e := &unknown[i], l.entry(unknown[i])
		return source{e.Origin, e.Index}, [...]*Keys{l.in, l.out}[d.Side].Row(d.Key), d.within(int(dictionary.ID))
	})
	if err != nil {
		return err
	}
	err = l.each(ctx, len(unknown), func(w *Workspace, lo, hi int) {
		w.fillTop(unknown[lo:hi], l.in, l.out, l.topK, rankings[lo:hi])
	})
	if err != nil {
		return err
	}
	for _, d := range unknown {
		l.top[drawn{d.Side, d.Key}] = d
	}
	for i, d := range draws {
		draws[i] = l.top[drawn{d.Side, d.Key}]
	}
	return nil
}

// rank returns the rankings of n queries. query gives the source of each, its values and its row on the ID side, or −1. Queries
// of training and test graphs are ranked once.
func (l *lookup) rank(ctx context.Context, n int, query func(i int) (source, []float32, int)) ([]ranking, error) {
	rankings := make([]ranking, n)
	var unknown []int
	for i := range rankings {
		of, _, _ := query(i)
		r, ok := l.ranked[of]
		if rankings[i] = r; !ok || of.origin == dictionary.Synthetic {
			unknown = append(unknown, i)
		}
	}
	shared := l.in.shared
	err := l.each(ctx, len(unknown), func(w *Workspace, lo, hi int) {
		unit := func(dst []float32, i int) {
			_, values, _ := query(unknown[lo+i])
			normalize(dst, values)
		}
		w.compare(hi-lo, shared, nil, nil, unit, func(i, _, _ int, cosines []float32, _ ranking) {
			_, _, row := query(unknown[lo+i])
			rankings[unknown[lo+i]] = rank(cosines, l.topK, row)
		})
	})
	if err != nil {
		return nil, err
	}
	for _, i := range unknown {
		if of, _, _ := query(i); of.origin != dictionary.Synthetic {
			l.ranked[of] = rankings[i]
		}
	}
	return rankings, nil
}

// scores writes S_Attn of every query to dst. Until reset, later calls use the keys that the first call
// chose: queries and own must stay the same.
func (l *lookup) scores(ctx context.Context, head *Head, dst []float64, queries []float32, own [][2]int32) error {
	rankings, err := l.rank(ctx, len(dst), func(i int) (source, []float32, int) {
		return source{dictionary.Test, i}, part(queries, i, head.Dim), -1
	})
	if err != nil {
		return err
	}
	if l.chosen == nil {
		l.chosen = make([]chosen, (len(dst)+lookupBlock-1)/lookupBlock)
	}
	return l.each(ctx, len(dst), func(w *Workspace, lo, hi int) {
		var scores [lookupBlock]Score
		queries := queries[lo*head.Dim : hi*head.Dim]
		known := &l.chosen[lo/lookupBlock]
		if known.terms == nil {
			w.choose(queries, own[lo:hi], l.in, l.out, l.topK, rankings[lo:hi])
			*known = chosen{slices.Clone(w.terms), slices.Clone(w.refs)}
		}
		// Scoring overwrites both.
		w.terms, w.refs = append(w.terms[:0], known.terms...), append(w.refs[:0], known.refs...)
		head.score(w, scores[:hi-lo], queries, l.in, l.out)
		for i, s := range scores[:hi-lo] {
			dst[lo+i] = s.Attn()
		}
	})
}

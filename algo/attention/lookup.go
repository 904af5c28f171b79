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
	err := l.each(ctx, len(unknown), func(w *Workspace, lo, hi int) {
		w.FillTop(unknown[lo:hi], l.in, l.out, l.topK)
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

// scores writes S_Attn of every query to dst. Until reset, later calls use the keys that the first call
// chose: queries and own must stay the same.
func (l *lookup) scores(ctx context.Context, head *Head, dst []float64, queries []float32, own [][2]int32) error {
	if l.chosen == nil {
		l.chosen = make([]chosen, (len(dst)+lookupBlock-1)/lookupBlock)
	}
	return l.each(ctx, len(dst), func(w *Workspace, lo, hi int) {
		var scores [lookupBlock]Score
		queries := queries[lo*head.Dim : hi*head.Dim]
		known := &l.chosen[lo/lookupBlock]
		if known.terms == nil {
			w.choose(queries, own[lo:hi], l.in, l.out, l.topK)
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

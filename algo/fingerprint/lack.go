package fingerprint

import "slices"

// Lacks says what makes a print differ from the one of the index that is most similar to
// it: the one that Closest ranks first, by the same measure. parts has for each key of p
// its part of one minus that similarity, 0 where the other has the key as often. rest is
// the part of what only the other has, and all parts and rest add up. fractions tells how
// much of each key the other lacks, from 0 to 1. All is nil, and rest 0, where a print
// of the index equals p or there is none.
func (x *Index) Lacks(p Print, m Measure) (parts, fractions []float64, rest float64) {
	closest, equal := x.first(p, m)
	if closest < 0 || equal {
		return nil, nil, 0
	}
	sets, counts := x.weigh(p)
	own := [...]float64{sets, counts}[m]
	all := ownWeight*own + (1-ownWeight)*x.weighs[m][closest]
	parts, fractions = make([]float64, len(p.Keys)), make([]float64, len(p.Keys))
	common := 0.0
	for k, key := range p.Keys {
		h := x.with[key]
		r, had := h.rarity, uint32(0)
		if len(h.list) == 0 {
			r = rarity(x.Len(), 0)
		}
		at, found := slices.BinarySearchFunc(h.list, closest, func(h holding, print int32) int { return int(h.print - print) })
		if found {
			had = min(h.list[at].count, p.Counts[k])
		}
		n, both := float64(m.count(p.Counts[k])), 0.0
		if had > 0 {
			both = float64(m.count(had))
		}
		common += float64(r * both)
		parts[k], fractions[k] = ownWeight*r*(n-both)/all, (n-both)/n
	}
	return parts, fractions, (1 - ownWeight) * (x.weighs[m][closest] - common) / all
}

// first returns the print that is most similar to p by the similarity of Closest, the
// first of equally similar ones, −1 for none, and whether any equals p.
func (x *Index) first(p Print, m Measure) (closest int32, equal bool) {
	common := make([]float64, x.Len())
	counts := make([]float64, x.Len())
	for k, key := range p.Keys {
		h := x.with[key]
		for _, g := range h.list {
			n := min(g.count, p.Counts[k])
			common[g.print] += float64(h.rarity * float64(m.count(n)))
			counts[g.print] += float64(h.rarity * float64(n))
		}
	}
	ownSets, ownCounts := x.weigh(p)
	own := [...]float64{ownSets, ownCounts}[m]
	closest, most := int32(-1), -1.0
	for i, c := range common {
		if counts[i] == ownCounts && counts[i] == x.weighs[Counts][i] {
			return int32(i), true
		}
		if s := c / (ownWeight*own + float64((1-ownWeight)*x.weighs[m][i])); s > most {
			closest, most = int32(i), s
		}
	}
	return closest, false
}

package fingerprint

import "slices"

// Lacks says how p differs from its most similar print in the index, which Best finds. parts and rest split the distance,
// one minus the similarity: parts by the keys that p has more often than the other print, rest for what only the other
// has. fractions gives how much of each key of p the other print lacks, from 0 to 1. If the index is empty or has a
// print equal to p, the slices are nil and rest is 0.
func (x *Index) Lacks(p Print, m Measure) (parts, fractions []float64, rest float64) {
	best, _ := x.Best(p, -1)
	if best[m].Print < 0 || best[m].Equal {
		return nil, nil, 0
	}
	closest := x.Print(best[m].Print)
	own := float64(p.weigh(x.rarity)[m])
	other := float64(x.records[x.places[best[m].Print]].weighs[m])
	all := ownWeight*own + (1-ownWeight)*other
	parts, fractions = make([]float64, len(p.Keys)), make([]float64, len(p.Keys))
	common := 0.0
	for k, key := range p.Keys {
		r := float64(x.rarity(key))
		n, both := float64(m.count(p.Counts[k])), 0.0
		if at, has := slices.BinarySearch(closest.Keys, key); has {
			both = float64(m.count(min(closest.Counts[at], p.Counts[k])))
		}
		common += float64(r * both)
		parts[k], fractions[k] = ownWeight*r*(n-both)/all, (n-both)/n
	}
	return parts, fractions, (1 - ownWeight) * (other - common) / all
}

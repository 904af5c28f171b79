package fingerprint

import "slices"

// Lacks says what makes a print differ from the one of the index that is most similar to
// it: the one that Best finds, by the same measure. parts has for each key of p its part
// of one minus that similarity, 0 where the other has the key as often. rest is the part
// of what only the other has, and all parts and rest add up. fractions tells how much of
// each key the other lacks, from 0 to 1. All is nil, and rest 0, where a print of the
// index equals p or there is none.
func (x *Index) Lacks(p Print, m Measure) (parts, fractions []float64, rest float64) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	best := x.Best(p, -1)
	if best[m].Print < 0 || best[m].Equal {
		return nil, nil, 0
	}
	closest := int(x.places[best[m].Print])
	sets, counts := x.weigh(p)
	own := [...]float64{sets, counts}[m]
	other := x.records[closest].weighs[m]
	all := ownWeight*own + (1-ownWeight)*other
	parts, fractions = make([]float64, len(p.Keys)), make([]float64, len(p.Keys))
	common := 0.0
	for k, key := range p.Keys {
		list, number := x.with(key)
		r := rarity(x.Len(), len(list))
		n, both := float64(m.count(p.Counts[k])), 0.0
		if had := min(x.has(list, closest, number), p.Counts[k]); had > 0 {
			both = float64(m.count(had))
		}
		common += float64(r * both)
		parts[k], fractions[k] = ownWeight*r*(n-both)/all, (n-both)/n
	}
	return parts, fractions, (1 - ownWeight) * (other - common) / all
}

// has returns how often a print has a key, whose entries are list.
func (x *Index) has(list []uint32, print, key int) uint32 {
	at, found := slices.BinarySearchFunc(list, print, func(e uint32, print int) int { return int(e>>x.bits) - print })
	if !found {
		return 0
	}
	return x.count(list[at], print, key)
}

package molecule

import (
	"math/bits"

	"baca/algo/molecule/internal/buffer"
)

// Most aromatic rings stay as they were read: kekulize finds a Kekulé form of them, and aromatize makes the same atoms and
// bonds aromatic again. keep sees this of single rings and of pairs, without either.

// keeper is the workspace of keep.
type keeper struct {
	mates []int32 // of each ring, the one that shares a bond with it, or one of the values below
	first []int32 // of each bond, one more than its first ring
}

// A ring without a mate shares no bond, or several bonds or with several rings, or it cannot be aromatic, or it stays aromatic.
const (
	alone = -1 - iota
	crowded
	saturated
	stays
)

// mostRings is the most rings that keep looks at. In a system of many more kekulize may give up, see maxBacktracks.
const mostRings = 32

// keep reports whether all that was read as aromatic stays so, and marks its rings. If it cannot tell it reports false and
// marks none. In any case it marks rings that cannot be aromatic. sums are the half bonds of sumBonds.
func (p *Draft) keep(sums []int32) bool {
	r, k := &p.Rings, &p.kept
	p.findMates()
	if p.aromatic == 0 || p.weak || p.wild || r.Plain || r.Len() > mostRings {
		return p.aromatic == 0
	}
	left := p.aromatic // atoms and bonds outside of marked rings
	for q, mate := range k.mates {
		switch {
		case mate == alone:
			if x, ok := p.trace(q, 0, sums); ok {
				left -= 2 * x.size
				k.mates[q] = stays
			}
		case mate > int32(q) && k.mates[mate] == int32(q):
			// One ring lends the two atoms that they share to the other.
			x, ok := p.trace(q, 2, sums)
			y, also := p.trace(int(mate), 2, sums)
			if ok && also && (x.lends() || y.lends()) {
				left -= 2*(x.size+y.size) - 3
				k.mates[q], k.mates[mate] = stays, stays
			}
		}
	}
	if left != 0 {
		for q, mate := range k.mates {
			if mate == stays {
				k.mates[q] = alone
			}
		}
		return false
	}
	for i := range p.Atoms { // as kekulize does
		if a := &p.Atoms[i]; a.Aromatic && a.Explicit == 1 {
			a.NoImplicit = false
		}
	}
	return true
}

// findMates finds the pairs of rings that may be aromatic together. An atom with four neighbours, hydrogens
// included, is in no aromatic ring.
func (p *Draft) findMates() {
	r, k := &p.Rings, &p.kept
	buffer.Zeroed(&k.first, len(p.Bonds))
	mates := buffer.Grow(&k.mates, r.Len())
	join := func(q int, o int32) {
		if mates[q] != alone {
			o = crowded
		}
		mates[q] = o
	}
	for q := range mates {
		mates[q] = alone
		for _, i := range r.Ring(q) {
			// Aromatic atoms may lose hydrogens in kekulize.
			if a := &p.Atoms[i]; p.Degree(i)+a.Hydrogens() > 3 && !a.Aromatic && a.Element != 0 && !p.weak && !r.Plain {
				mates[q] = saturated
				break
			}
		}
		if mates[q] == saturated {
			continue
		}
		for _, b := range r.Bonds(q) {
			if o := k.first[b]; o > 0 {
				join(q, o-1)
				join(int(o-1), int32(q))
			}
			k.first[b] = int32(q + 1)
		}
	}
}

// A path is a ring of at most mostTraced atoms. Bit k of ones is set if atom k needs a double bond and offers one
// electron. If the ring shares a bond, its ends are atom 0 and the last.
type path struct {
	ones uint32
	size int
}

const mostTraced = 12

// trace returns aromatic ring q, of which so many atoms are in another one. ok is false if it has no Kekulé form, if it
// does not meet Hückel's rule, or if an atom or bond is unusual.
func (p *Draft) trace(q, shared int, sums []int32) (x path, ok bool) {
	r := &p.Rings
	ring := r.Ring(q)
	if x.size = len(ring); x.size > mostTraced {
		return x, false
	}
	for _, k := range r.Bonds(q) {
		if b := &p.Bonds[k]; !b.Aromatic || b.Order != Aromatic {
			return x, false
		}
	}
	electrons, joints := 0, uint32(0)
	for k, i := range ring {
		switch p.part(i, sums[i]) {
		case one:
			x.ones |= 1 << k
			electrons++
			if sums[i] == 9 {
				joints |= 1 << k
			}
		case two:
			electrons += 2
		case unknown:
			return x, false
		}
	}
	if bits.OnesCount32(joints) != shared || !huckel(electrons, electrons) {
		return x, false
	}
	if shared > 0 { // the ring begins after the bond that it shares
		at := bits.TrailingZeros32(joints & (joints>>(x.size-1) | joints<<1))
		if at == 32 {
			return x, false
		}
		x.ones = (x.ones>>at | x.ones<<(x.size-at)) & (1<<x.size - 1)
	}
	return x, x.pairs(0)
}

// part returns what atom i of an aromatic ring offers as electronsOffered would, or unknown for unusual atoms. All its
// bonds add up to sum half bonds: 6 for two aromatic bonds, 8 with a single bond, 9 with a third aromatic bond and 10 with
// a double bond.
func (p *Draft) part(i, sum int32) donor {
	a := &p.Atoms[i]
	if a.Charge|a.Radicals != 0 || !a.Aromatic {
		return unknown
	}
	if a.Explicit != 0 || a.NoImplicit {
		if a.Element == 7 && a.Explicit == 1 && sum == 6 {
			return two
		}
		return unknown
	}
	switch a.Element {
	case 6:
		switch sum {
		case 6, 8, 9:
			return one
		case 10:
			for _, l := range p.Neighbors(i) {
				if b := &p.Bonds[l.Bond]; b.Order == Double && !b.InRing && moreElectronegative(p.Atoms[l.Atom].Element, 6) {
					return vacant
				}
			}
		}
	case 7:
		switch sum {
		case 6:
			return one
		case 8:
			return two
		}
	case 8, 16:
		if sum == 6 {
			return two
		}
	}
	return unknown
}

// lends reports whether x has a Kekulé form without the atoms of the bond that it shares.
func (x path) lends() bool { return path{x.ones >> 1 & (1<<(x.size-2) - 1), x.size - 2}.pairs(1) }

// pairs reports whether neighbours can pair up so that each atom of ones is in one pair. gap is 1 if the last atom is no
// neighbour of the first.
func (x path) pairs(gap int) bool {
	n := x.size + gap
	if bits.OnesCount32(x.ones) == n {
		return n%2 == 0
	}
	// Each run of ones has an even length. One that goes on from the last atom to the first is moved to the start.
	wrapped := bits.LeadingZeros32(^(x.ones << (32 - n)))
	ones := (x.ones<<wrapped | x.ones>>(n-wrapped)) & (1<<n - 1)
	for ones != 0 {
		ones >>= bits.TrailingZeros32(ones)
		run := bits.TrailingZeros32(^ones)
		if run%2 == 1 {
			return false
		}
		ones >>= run
	}
	return true
}

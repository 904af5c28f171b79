package explain

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// SaltSize is the length of the salt of hashes in bytes.
const SaltSize = 16

// Known tells whether a graph was in a set, by salted hashes that are cut so short
// that any other graph, too, meets one by chance in about one case of a thousand. So
// a match says that a graph was likely in the set, and one that was guessed proves
// nothing. No match is certain: it was not.
type Known struct {
	Salt   [SaltSize]byte
	Bits   int      // of a hash, 0 to 32
	Hashes []uint32 // ascending, each once
}

// falseMatches is how often a graph that was not in the set should match, at most.
const falseMatches = 0.001

// NewKnown hashes a set of graphs. The hashes of one set with two salts have nothing
// in common.
func NewKnown(gs []*graph.Graph, salt [SaltSize]byte) Known {
	k := Known{Salt: salt, Bits: min(32, int(math.Ceil(math.Log2(float64(max(1, len(gs)))/falseMatches))))}
	for _, g := range gs {
		k.Hashes = append(k.Hashes, k.hash(g))
	}
	slices.Sort(k.Hashes)
	k.Hashes = slices.Clip(slices.Compact(k.Hashes))
	return k
}

// Signature is that of what surrounds each node up to eight steps (Weisfeiler and Lehman),
// see fingerprint.Signature. The chirality of atoms is left out: it follows the order in
// which a molecule is written.
func Signature(g *graph.Graph) [2]uint64 {
	if g.Features == molecule.Features {
		return fingerprint.Signature(g, molecule.ColumnChirality)
	}
	return fingerprint.Signature(g, -1)
}

// hash is that of the number of nodes and edges and of the signature.
func (k *Known) hash(g *graph.Graph) uint32 {
	s := Signature(g)
	b := append(make([]byte, 0, SaltSize+24), k.Salt[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(g.N()))
	b = binary.LittleEndian.AppendUint32(b, uint32(g.M()))
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, s[0]), s[1])
	sum := sha256.Sum256(b)
	return uint32(uint64(binary.LittleEndian.Uint32(sum[:])) >> (32 - k.Bits))
}

// Likely tells whether g was likely in the set: surely not, if it is false. Graphs
// that the hash cannot tell apart (stereoisomers, bond orders that no feature of an
// atom shows, a few regular graphs) count as the same.
func (k *Known) Likely(g *graph.Graph) bool {
	if len(k.Hashes) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(k.Hashes, k.hash(g))
	return ok
}

// FalseMatches returns the chance that a graph which was not in the set matches.
func (k *Known) FalseMatches() float64 {
	return float64(len(k.Hashes)) / math.Exp2(float64(k.Bits))
}

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

// Known tests membership in a set by salted hashes, so short that one other graph in about a
// thousand matches. A match means probable membership and proves nothing; no match is certain.
type Known struct {
	Salt   [SaltSize]byte
	Bits   int      // of a hash, 0 to 32
	Hashes []uint32 // ascending, each once
}

// falseMatches bounds the rate of false matches.
const falseMatches = 0.001

// NewKnown hashes a set of graphs. Different salts give unrelated hashes.
func NewKnown(gs []*graph.Graph, salt [SaltSize]byte) Known {
	k := Known{Salt: salt, Bits: min(32, int(math.Ceil(math.Log2(float64(max(1, len(gs)))/falseMatches))))}
	for _, g := range gs {
		k.Hashes = append(k.Hashes, k.hash(g))
	}
	slices.Sort(k.Hashes)
	k.Hashes = slices.Clip(slices.Compact(k.Hashes))
	return k
}

// Signature is the Weisfeiler–Lehman signature of a graph up to eight steps, see
// fingerprint.Signature, without chirality, which depends on the order of writing.
func Signature(g *graph.Graph) [2]uint64 {
	if g.Features == molecule.Features {
		return fingerprint.Signature(g, molecule.ColumnChirality)
	}
	return fingerprint.Signature(g, -1)
}

// hash covers the numbers of nodes and edges and the signature.
func (k *Known) hash(g *graph.Graph) uint32 {
	s := Signature(g)
	b := append(make([]byte, 0, SaltSize+24), k.Salt[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(g.N()))
	b = binary.LittleEndian.AppendUint32(b, uint32(g.M()))
	b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, s[0]), s[1])
	sum := sha256.Sum256(b)
	return uint32(uint64(binary.LittleEndian.Uint32(sum[:])) >> (32 - k.Bits))
}

// Likely reports whether g was probably in the set; false is certain. Graphs that the hash cannot
// separate (stereoisomers, bond orders without a trace in atom features, a few regular graphs)
// count as equal.
func (k *Known) Likely(g *graph.Graph) bool {
	if len(k.Hashes) == 0 {
		return false
	}
	_, ok := slices.BinarySearch(k.Hashes, k.hash(g))
	return ok
}

// FalseMatches returns the chance of a false match.
func (k *Known) FalseMatches() float64 {
	return float64(len(k.Hashes)) / math.Exp2(float64(k.Bits))
}

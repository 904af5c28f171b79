package rival

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// propagated is the propagation kernel (Neumann, Garnett, Bauckhage and Kersting, Machine
// Learning 102, 2016). Each node has a distribution over the labels, at first its own
// label; steps of a random walk mix it with those of the neighbours. After each step
// distributions near each other in total variation fall into the same bin, by a random
// direction from the Cauchy distribution, and the kernel counts common bins.
//
// A direction has one value for each label, so that a distribution needs not be kept:
// what the walk mixes are the values of the labels.
func propagated(gs []*graph.Graph, seed uint64) []fingerprint.Print {
	rng := stream(seed, kernelStream+1)
	directions := make([]uint64, propagations+1)
	offsets := make([]float64, len(directions))
	for t := range directions {
		directions[t], offsets[t] = rng.Uint64(), rng.Float64()*propagationStep
	}
	prints := make([]fingerprint.Print, len(gs))
	for i, g := range gs {
		labels, counts := nodeLabels(g), map[uint32]uint32{}
		for t, direction := range directions {
			for _, x := range walked(g, directionOf(labels, direction), t) {
				counts[binKey(t, math.Floor((x+offsets[t])/propagationStep))]++
			}
		}
		p := &prints[i]
		p.Keys = slices.Sorted(maps.Keys(counts))
		for _, key := range p.Keys {
			p.Counts = append(p.Counts, counts[key])
		}
	}
	return prints
}

// nodeLabels are hashes of the features of nodes and of their degree.
func nodeLabels(g *graph.Graph) []uint64 {
	labels := make([]uint64, g.N())
	for i := range labels {
		h := fnv.New64a()
		for _, x := range append(slices.Clone(g.X[i*g.Features:(i+1)*g.Features]), float32(g.Degree(i))) {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		labels[i] = h.Sum64()
	}
	return labels
}

// directionOf returns the value of each node's label in a direction.
func directionOf(labels []uint64, direction uint64) []float64 {
	values := make([]float64, len(labels))
	for i, label := range labels {
		values[i] = math.Tan(math.Pi * (stream(label, direction).Float64() - 0.5))
	}
	return values
}

// walked mixes the values of nodes with those of their neighbours so many times: each gets
// the mean of its neighbours, and keeps its own where it has none.
func walked(g *graph.Graph, values []float64, steps int) []float64 {
	for range steps {
		next := slices.Clone(values)
		for i := range next {
			neighbors := g.Row(i)
			if len(neighbors) == 0 {
				continue
			}
			sum := 0.0
			for _, j := range neighbors {
				sum += values[j]
			}
			next[i] = sum / float64(len(neighbors))
		}
		values = next
	}
	return values
}

// binKey hashes a step and a bin.
func binKey(step int, bin float64) uint32 {
	h := fnv.New32a()
	h.Write(binary.LittleEndian.AppendUint64([]byte{byte(step)}, math.Float64bits(bin)))
	return h.Sum32()
}

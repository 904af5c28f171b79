package rival

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/build/internal/try"
)

// kernels are two graph kernels, normalised, with three detectors each.
func kernels() []*Rival {
	detector := func(name, title, cite string, features func([]*graph.Graph, uint64) []fingerprint.Print, detect func(kernel points, seed uint64) []float64, published ...float64) *Rival {
		return &Rival{
			Name: name, Title: title, Cite: cite, NoModel: true, Published: published, Source: "the paper's table 1",
			Differs: "The kernel is normalised, the detector has scikit-learn's defaults, and of more than 2 500 training graphs a draw is taken. " +
				"The published figures are near 50 on every pair and ours are far from it, to both sides: what the published detectors read of a kernel is not told.",
			score: func(r *run) []float64 {
				gs := pick(r.Train, drawn(len(r.Train), r.Seed))
				return detect(cosines(features(append(gs, r.Test...), r.Seed), len(gs)), r.Seed)
			},
		}
	}
	const pk = "Neumann, Garnett, Bauckhage and Kersting, Propagation kernels, Machine Learning 102, 2016"
	const wl = "Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt, Weisfeiler-Lehman graph kernels, JMLR 12, 2011"
	return []*Rival{
		detector("pk-lof", "PK-LOF", pk, propagated, factorsOfKernel, 42.22, 51.04, 50.15, 50.47, 48.03, 51.33, 49.16, 53.10, 50.00, 50.82),
		detector("pk-ocsvm", "PK-OCSVM", pk, propagated, oneClass, 42.55, 49.71, 50.17, 50.46, 48.07, 51.33, 48.82, 53.05, 50.06, 51.00),
		detector("pk-forest", "PK-iF", pk, propagated, forestOfKernel, 51.46, 54.29, 51.10, 51.67, 50.67, 49.87, 52.28, 51.47, 50.81, 50.85),
		detector("wl-lof", "WL-LOF", wl, subtrees, factorsOfKernel, 48.99, 53.31, 50.77, 52.66, 52.28, 51.92, 51.47, 52.80, 51.29, 51.26),
		detector("wl-ocsvm", "WL-OCSVM", wl, subtrees, oneClass, 49.16, 53.31, 50.98, 51.77, 51.38, 51.08, 50.38, 52.85, 50.77, 50.97),
		detector("wl-forest", "WL-iF", wl, subtrees, forestOfKernel, 50.24, 51.43, 50.10, 51.17, 51.07, 50.25, 52.60, 50.78, 50.41, 50.61),
	}
}

// drawn returns the indices of n training graphs, or of 2 500 of them drawn by seed.
func drawn(n int, seed uint64) []int {
	return slices.Sorted(slices.Values(stream(seed, 0xba1a_2002).Perm(n)[:min(n, 2500)]))
}

// subtrees is the Weisfeiler–Lehman subtree kernel: how often each rooted subtree of height 5
// and less occurs. Nodes are labelled by their features and degree.
func subtrees(gs []*graph.Graph, _ uint64) []fingerprint.Print {
	return try.To(fingerprint.All(context.Background(), 1, gs, 5))
}

// propagated is the propagation kernel. Each node has a distribution over labels, at first its own
// label; ten steps of a random walk mix it with those of the neighbours. After each step those near
// each other in total variation fall into the same bin, by a random direction from the Cauchy
// distribution: a value for each label, so that the walk mixes these. The kernel counts common bins.
func propagated(gs []*graph.Graph, seed uint64) []fingerprint.Print {
	const steps, width = 10, 0.01 // of bins
	rng := stream(seed, 0xba1a_2003)
	var directions [steps + 1]uint64
	var offsets [steps + 1]float64
	for t := range directions {
		directions[t], offsets[t] = rng.Uint64(), rng.Float64()*width
	}
	return tabulate(len(gs), func(i int) fingerprint.Print {
		labels, counts := nodeLabels(gs[i]), map[uint32]uint32{}
		for t, direction := range directions {
			for _, x := range walked(gs[i], directionOf(labels, direction), t) {
				bin := math.Float64bits(math.Floor((x + offsets[t]) / width))
				h := fnv.New32a()
				h.Write(binary.LittleEndian.AppendUint64([]byte{byte(t)}, bin))
				counts[h.Sum32()]++
			}
		}
		keys := slices.Sorted(maps.Keys(counts))
		return fingerprint.Print{Keys: keys, Counts: tabulate(len(keys), func(k int) uint32 { return counts[keys[k]] })}
	})
}

// nodeLabels are hashes of the features of nodes and of their degree.
func nodeLabels(g *graph.Graph) []uint64 {
	return tabulate(g.N(), func(i int) uint64 {
		h := fnv.New64a()
		try.Check(binary.Write(h, binary.LittleEndian, append(slices.Clone(g.X[i*g.Features:(i+1)*g.Features]), float32(g.Degree(i)))))
		return h.Sum64()
	})
}

// directionOf returns the value of each node's label in a direction.
func directionOf(labels []uint64, direction uint64) []float64 {
	return tabulate(len(labels), func(i int) float64 {
		return math.Tan(math.Pi * (stream(labels[i], direction).Float64() - 0.5))
	})
}

// walked mixes the values of nodes with those of their neighbours so many times: each gets
// the mean of its neighbours, and keeps its own where it has none.
func walked(g *graph.Graph, values []float64, steps int) []float64 {
	for range steps {
		values = tabulate(len(values), func(i int) float64 {
			if g.Degree(i) == 0 {
				return values[i]
			}
			sum := 0.0
			for _, j := range g.Row(i) {
				sum += values[j]
			}
			return sum / float64(g.Degree(i))
		})
	}
	return values
}

// cosines is the normalised linear kernel Σ a·b / √(Σ a² · Σ b²) of counts, with the first n
// prints in the place of training points.
func cosines(prints []fingerprint.Print, n int) points {
	holders := map[uint32][][2]int{} // training prints with a key, and how often each has it
	length := make([]float64, len(prints))
	for i, p := range prints {
		for k, key := range p.Keys {
			count := float64(p.Counts[k])
			length[i] += count * count
			if i < n {
				holders[key] = append(holders[key], [2]int{i, int(p.Counts[k])})
			}
		}
	}
	return points{n, len(prints) - n, func(i int) []float64 {
		row := make([]float64, n)
		for k, key := range prints[i].Keys {
			for _, has := range holders[key] {
				row[has[0]] += float64(prints[i].Counts[k]) * float64(has[1])
			}
		}
		for j, x := range row {
			if x != 0 {
				row[j] /= math.Sqrt(length[i] * length[j])
			}
		}
		return row
	}}
}

// factorsOfKernel are local outlier factors by the distances √(2 − 2k) in the space of a kernel.
func factorsOfKernel(kernel points, _ uint64) []float64 {
	return outlierFactors(kernel.each(func(k float64) float64 { return math.Sqrt(max(0, 2-2*k)) }))
}

// forestOfKernel is an isolation forest on the values of the kernel with training points.
func forestOfKernel(kernel points, seed uint64) []float64 {
	rows := tabulate(kernel.n+kernel.tested, kernel.row)
	return isolationForest(&embedded{rows[:kernel.n], rows[kernel.n:]}, seed)
}

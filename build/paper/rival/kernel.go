package rival

import (
	"context"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// The settings of graph kernels. Kernels of more training graphs than kernelGraphs take so
// many of them, drawn by seed.
const (
	kernelGraphs    = 2500
	subtreeHeight   = 5    // of Weisfeiler–Lehman subtrees
	propagations    = 10   // of labels
	propagationStep = 0.01 // width of the bins
	kernelStream    = 0xba1a_2002

	citeSubtrees    = "Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt, Weisfeiler-Lehman graph kernels, JMLR 12, 2011"
	citePropagation = "Neumann, Garnett, Bauckhage and Kersting, Propagation kernels, Machine Learning 102, 2016"
	kernelDiffers   = "The kernel is normalised, the detector has scikit-learn's defaults, and of more than 2 500 training graphs a draw is taken. " +
		"The published figures are near 50 on every pair and ours are far from it, to both sides: what the published detectors read of a kernel is not told."
)

// subtrees is the Weisfeiler–Lehman subtree kernel (Shervashidze, Schweitzer, van Leeuwen,
// Mehlhorn and Borgwardt, Journal of Machine Learning Research 12, 2011): how often each
// rooted subtree occurs. Nodes are labelled by their features and degree.
func subtrees(gs []*graph.Graph, _ uint64) []fingerprint.Print {
	return checked(fingerprint.All(context.Background(), 1, gs, subtreeHeight))
}

// kernels are two graph kernels with three detectors each.
func kernels() []*Rival {
	return []*Rival{
		kernelRival("pk-lof", "PK-LOF", citePropagation, propagated, factorsOfKernel, 42.22, 51.04, 50.15, 50.47, 48.03, 51.33, 49.16, 53.10, 50.00, 50.82),
		kernelRival("pk-ocsvm", "PK-OCSVM", citePropagation, propagated, svmOfKernel, 42.55, 49.71, 50.17, 50.46, 48.07, 51.33, 48.82, 53.05, 50.06, 51.00),
		kernelRival("pk-forest", "PK-iF", citePropagation, propagated, forestOfKernel, 51.46, 54.29, 51.10, 51.67, 50.67, 49.87, 52.28, 51.47, 50.81, 50.85),
		kernelRival("wl-lof", "WL-LOF", citeSubtrees, subtrees, factorsOfKernel, 48.99, 53.31, 50.77, 52.66, 52.28, 51.92, 51.47, 52.80, 51.29, 51.26),
		kernelRival("wl-ocsvm", "WL-OCSVM", citeSubtrees, subtrees, svmOfKernel, 49.16, 53.31, 50.98, 51.77, 51.38, 51.08, 50.38, 52.85, 50.77, 50.97),
		kernelRival("wl-forest", "WL-iF", citeSubtrees, subtrees, forestOfKernel, 50.24, 51.43, 50.10, 51.17, 51.07, 50.25, 52.60, 50.78, 50.41, 50.61),
	}
}

// kernelRival is one of the detectors on a kernel.
func kernelRival(name, title, cite string, features func([]*graph.Graph, uint64) []fingerprint.Print, detect func(kernel points, seed uint64) []float64, published ...float64) *Rival {
	return &Rival{
		Name: name, Title: title, Cite: cite, NoModel: true, Published: published, Source: "the paper's table 1", Differs: kernelDiffers,
		score: func(r *run) []float64 {
			gs := pick(r.Train, drawn(len(r.Train), r.Seed))
			return detect(cosines(features(append(gs, r.Test...), r.Seed), len(gs)), r.Seed)
		},
	}
}

// drawn returns the indices of n training graphs, or of kernelGraphs of them drawn by seed.
func drawn(n int, seed uint64) []int {
	order := stream(seed, kernelStream).Perm(n)[:min(n, kernelGraphs)]
	slices.Sort(order)
	return order
}

// cosines is the normalised linear kernel Σ a·b / √(Σ a² · Σ b²) of counts, with the first n
// prints in the place of training points.
func cosines(prints []fingerprint.Print, n int) points {
	type entry struct {
		print int
		value float64
	}
	holders := map[uint32][]entry{}
	length := make([]float64, len(prints))
	for i, p := range prints {
		for k, key := range p.Keys {
			count := float64(p.Counts[k])
			length[i] += count * count
			if i < n {
				holders[key] = append(holders[key], entry{i, count})
			}
		}
	}
	return points{n, len(prints) - n, func(i int) []float64 {
		row := make([]float64, n)
		for k, key := range prints[i].Keys {
			for _, e := range holders[key] {
				row[e.print] += float64(prints[i].Counts[k]) * e.value
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

// factorsOfKernel are local outlier factors by the distances √(2 − 2k) in the space of a
// normalised kernel.
func factorsOfKernel(kernel points, _ uint64) []float64 {
	return outlierFactors(kernel.each(func(k float64) float64 { return math.Sqrt(max(0, 2-2*k)) }))
}

// svmOfKernel is the one-class support vector machine of drawn training points.
func svmOfKernel(kernel points, seed uint64) []float64 {
	order := drawn(kernel.n, seed)
	return oneClass(points{len(order), kernel.tested, func(i int) []float64 {
		at := kernel.n + i - len(order)
		if i < len(order) {
			at = order[i]
		}
		return pick(kernel.row(at), order)
	}})
}

// forestOfKernel is an isolation forest on the values of the kernel with each training
// point.
func forestOfKernel(kernel points, seed uint64) []float64 {
	rows := make([][]float64, kernel.n+kernel.tested)
	for i := range rows {
		rows[i] = kernel.row(i)
	}
	return isolationForest(&Embedded{rows[:kernel.n], rows[kernel.n:]}, seed)
}

package rival

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"baca/algo/background"
	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// domains are chemists' applicability domains on circular fingerprints (Rogers and Hahn
// 2010): whether a molecule lies where the training molecules do.
func domains() []*Rival {
	type judge = func(r *run, train, test []fingerprint.Print) []float64
	domain := func(name, title, cite, differs string, of judge) *Rival {
		return &Rival{
			Name: "ecfp-" + name, Title: "ECFP4, " + title, Cite: cite, Molecules: true, NoModel: true,
			Differs: differs + " There are no published figures for these pairs.",
			score: func(r *run) []float64 {
				return of(r, try.To(baseline.ECFPs(r.TrainSMILES, 2)), try.To(baseline.ECFPs(r.TestSMILES, 2)))
			},
		}
	}
	byDistance := func(head func(distances points) []float64) judge {
		return func(_ *run, train, test []fingerprint.Print) []float64 { return head(distances(train, test)) }
	}
	byBits := func(head func(e *embedded, seed uint64) []float64) judge {
		return func(r *run, train, test []fingerprint.Print) []float64 {
			return head(&embedded{bits(train), bits(test)}, r.Seed)
		}
	}
	svm := func(r *run, train, test []fingerprint.Print) []float64 {
		return oneClass(tanimoto(pick(train, drawn(len(train), r.Seed)), test), r.Seed)
	}
	const nobody = "Nobody's: what anyone with a background of molecules writes in an hour"
	const logistic = "A logistic head (L2, C = 0.03) tells ECFP4 of the training molecules, in 2 048 buckets, from that of the built-in background."
	const scikit = "the applicability domains of scikit-fingerprints (Adamczyk and Ludynia, SoftwareX 28, 2024)"
	const sets = "ECFP4 is not folded, and Tanimoto similarity takes the place of a distance of bits."
	const folded = "ECFP4 is folded to 1 024 bits, all of which occur in a large training set, so that a box of them holds everything. " +
		"The domain is a score and not yes or no."
	return []*Rival{
		domain("nearest", "nearest neighbour", "k-NN of "+scikit+" with its k = 1", sets, byDistance(func(p points) []float64 { return nearest(p, 1) })),
		domain("knn", "5 nearest neighbours",
			"Sheridan, Feuston, Maiorov and Kearsley, Journal of Chemical Information and Computer Sciences 44, 2004; mean Tanimoto distance", sets,
			byDistance(func(p points) []float64 { return nearest(p, 5) })),
		domain("lof", "LOF", "Breunig and others, SIGMOD 2000", sets, byDistance(outlierFactors)),
		domain("ocsvm", "OC-SVM", "Schölkopf and others, Neural Computation 13, 2001; Tanimoto kernel", sets, svm),
		domain("forest", "isolation forest", "Liu, Ting and Zhou, ICDM 2008", folded, byBits(isolationForest)),
		domain("leverage", "leverage", "Leverage of "+scikit, folded, byBits(leverages)),
		domain("box", "bounding box", "Bounding box of "+scikit, folded, byBits(outsideBox)),
		domain("ratio", "ratio to a background", nobody, logistic, backgroundRatio),
		domain("sum", "ratio + 5 nearest neighbours", nobody, logistic+" The mean Tanimoto distance is added, both in standard deviations of training molecules that were left out.",
			func(r *run, train, test []fingerprint.Print) []float64 {
				sum := backgroundRatio(r, train, test)
				floats.Add(sum, standardNearest(distances(train, test), 5))
				return sum
			}),
		domain("pca-box", "PCA box", "PCA bounding box of "+scikit+", components of 90 % of the variance", folded, byBits(outsidePCA)),
	}
}

// backgroundRatio returns how much more like the background than like train each of test is, in
// standard deviations of train under heads that have not seen them.
func backgroundRatio(r *run, train, test []fingerprint.Print) []float64 {
	sample := func(prints []fingerprint.Print) *background.Sample {
		return &background.Sample{Prints: prints, Folds: tabulate(len(prints), func(i int) int { return background.Fold(prints[i].Hash()) })}
	}
	head, _, err := background.Fit(r.ctx, r.Workers, sample(train), sample(r.Background))
	try.Check(err)
	return tabulate(len(test), func(i int) float64 { return head.Score(test[i], background.Fold(test[i].Hash())) })
}

// standardNearest returns nearest in standard deviations of the training points, each without itself.
func standardNearest(p points, k int) []float64 {
	mean, deviation := metric.MeanStd(meanDistances(p.neighbors(0, p.n, k)))
	list := nearest(p, k)
	floats.AddConst(-mean, list)
	floats.Scale(1/max(deviation, 1e-9), list)
	return list
}

// distances are the Tanimoto distances of prints.
func distances(train, test []fingerprint.Print) points {
	return tanimoto(train, test).each(func(similarity float64) float64 { return 1 - similarity })
}

// bits folds prints to rows of 1 024 zeros and ones.
func bits(prints []fingerprint.Print) [][]float64 {
	return tabulate(len(prints), func(i int) []float64 {
		row := make([]float64, 1024)
		for _, key := range prints[i].Keys {
			row[key%1024] = 1
		}
		return row
	})
}

// tanimoto is the Tanimoto similarity of prints.
func tanimoto(train, test []fingerprint.Print) points {
	index, prints := fingerprint.NewIndex(train), slices.Concat(train, test)
	return points{len(train), len(test), func(i int) []float64 {
		row := make([]float64, len(train))
		index.Similarities(row, fingerprint.Sets, prints[i])
		return row
	}}
}

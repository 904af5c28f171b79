package rival

import (
	"slices"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
)

// domains are chemists' applicability domains on circular fingerprints (Rogers and Hahn
// 2010): whether a molecule lies where the training molecules do.
func domains() []*Rival {
	type judge = func(train, test []fingerprint.Print, seed uint64) []float64
	domain := func(name, title, cite, differs string, of judge) *Rival {
		return &Rival{
			Name: "ecfp-" + name, Title: "ECFP4, " + title, Cite: cite, Molecules: true, NoModel: true,
			Differs: differs + " There are no published figures for these pairs.",
			score: func(r *run) []float64 {
				return of(checked(baseline.ECFPs(r.TrainSMILES, 2)), checked(baseline.ECFPs(r.TestSMILES, 2)), r.Seed)
			},
		}
	}
	byDistance := func(head func(distances points) []float64) judge {
		return func(train, test []fingerprint.Print, _ uint64) []float64 {
			return head(tanimoto(train, test).each(func(similarity float64) float64 { return 1 - similarity }))
		}
	}
	byBits := func(head func(e *Embedded, seed uint64) []float64) judge {
		return func(train, test []fingerprint.Print, seed uint64) []float64 {
			return head(&Embedded{bits(train), bits(test)}, seed)
		}
	}
	svm := func(train, test []fingerprint.Print, seed uint64) []float64 {
		return oneClass(tanimoto(pick(train, drawn(len(train), seed)), test), seed)
	}
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
		domain("pca-box", "PCA box", "PCA bounding box of "+scikit+", components of 90 % of the variance", folded, byBits(outsidePCA)),
	}
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

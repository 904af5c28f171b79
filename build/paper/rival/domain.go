package rival

import (
	"slices"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
)

// The settings of chemists' applicability domains: fingerprints are folded to
// foldedBits, and domainNeighbors are looked at.
const (
	foldedBits      = 1024
	domainNeighbors = 5

	foldedDiffers      = "ECFP4 is folded to 1 024 bits, all of which occur in a large training set, so that a box of them holds everything. The domain is a score and not yes or no. There are no published figures for these pairs."
	setsDiffers        = "ECFP4 is not folded, and Tanimoto similarity takes the place of a distance of bits. There are no published figures for these pairs."
	scikitFingerprints = "the applicability domains of scikit-fingerprints (Adamczyk and Ludynia, SoftwareX 28, 2024)"
)

// domains are chemists' applicability domains on circular fingerprints (Rogers and Hahn
// 2010): whether a molecule lies where the training molecules do.
func domains() []*Rival {
	domain := func(name, title, cite, differs string, judge func(train, test []fingerprint.Print, seed uint64) []float64) *Rival {
		return &Rival{
			Name: "ecfp-" + name, Title: "ECFP4, " + title, Cite: cite, Differs: differs, Molecules: true, NoModel: true,
			score: func(r *run) []float64 {
				return judge(checked(baseline.ECFPs(r.TrainSMILES, 2)), checked(baseline.ECFPs(r.TestSMILES, 2)), r.Seed)
			},
		}
	}
	sets := func(name, title, cite string, head func(similarities points, seed uint64) []float64) *Rival {
		return domain(name, title, cite, setsDiffers, func(train, test []fingerprint.Print, seed uint64) []float64 {
			return head(tanimoto(train, test), seed)
		})
	}
	folded := func(name, title, cite string, head func(e *Embedded, seed uint64) []float64) *Rival {
		return domain(name, title, cite, foldedDiffers, func(train, test []fingerprint.Print, seed uint64) []float64 {
			return head(&Embedded{bits(train), bits(test)}, seed)
		})
	}
	nearestOf := func(k int) func(points, uint64) []float64 {
		return func(p points, _ uint64) []float64 { return nearest(p.each(distance), k) }
	}
	return []*Rival{
		sets("nearest", "nearest neighbour", "k-NN of "+scikitFingerprints+" with its k = 1", nearestOf(1)),
		sets("knn", "5 nearest neighbours", "Sheridan, Feuston, Maiorov and Kearsley, Journal of Chemical Information and Computer Sciences 44, 2004; mean Tanimoto distance", nearestOf(domainNeighbors)),
		sets("lof", "LOF", "Breunig and others, SIGMOD 2000", func(p points, _ uint64) []float64 { return outlierFactors(p.each(distance)) }),
		sets("ocsvm", "OC-SVM", "Schölkopf and others, Neural Computation 13, 2001; Tanimoto kernel", svmOfKernel),
		folded("forest", "isolation forest", "Liu, Ting and Zhou, ICDM 2008", isolationForest),
		folded("leverage", "leverage", "Leverage of "+scikitFingerprints, leverages),
		// Training sets of some hundred molecules have all bits, and then the box holds everything.
		folded("box", "bounding box", "Bounding box of "+scikitFingerprints, outsideBox),
		folded("pca-box", "PCA box", "PCA bounding box of "+scikitFingerprints+", components of 90 % of the variance", outsidePCA),
	}
}

// bits folds prints to rows of zeros and ones.
func bits(prints []fingerprint.Print) [][]float64 {
	rows := make([][]float64, len(prints))
	for i, p := range prints {
		rows[i] = make([]float64, foldedBits)
		for _, key := range p.Keys {
			rows[i][key%foldedBits] = 1
		}
	}
	return rows
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

// distance is one less a similarity.
func distance(similarity float64) float64 { return 1 - similarity }

package rival

import (
	"context"
	"fmt"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/molecule/smiles"
)

// The settings of chemists' applicability domains: fingerprints are folded to
// foldedBits, and domainNeighbors are looked at.
const (
	foldedBits      = 1024
	domainNeighbors = 5
)

const foldedDiffers = "ECFP4 is folded to 1 024 bits, all of which occur in a large training set, so that a box of them holds everything. The domain is a score and not yes or no. There are no published figures for these pairs."

const setsDiffers = "ECFP4 is not folded, and Tanimoto similarity takes the place of a distance of bits. There are no published figures for these pairs."

const scikitFingerprints = "the applicability domains of scikit-fingerprints (Adamczyk and Ludynia, SoftwareX 28, 2024)"

// domains are chemists' applicability domains on circular fingerprints (Rogers and Hahn
// 2010): whether a molecule lies where the training molecules do.
func domains() []*Rival {
	sets := func(name, title, cite string, score func(n, tested int, similarity measure, seed uint64) []float64) *Rival {
		return &Rival{
			Name: name, Title: title, Cite: cite, Differs: setsDiffers, Molecules: true, NoModel: true,
			Score: func(_ context.Context, p *Problem) ([]float64, error) {
				train, test, err := circular(p)
				if err != nil {
					return nil, err
				}
				return score(len(train), len(test), tanimoto(train, test), p.Seed), nil
			},
		}
	}
	folded := func(name, title, cite string, score func(train, test [][]float64, seed uint64) ([]float64, error)) *Rival {
		return &Rival{
			Name: name, Title: title, Cite: cite, Differs: foldedDiffers, Molecules: true, NoModel: true,
			Score: func(_ context.Context, p *Problem) ([]float64, error) {
				train, test, err := circular(p)
				if err != nil {
					return nil, err
				}
				return score(bits(train), bits(test), p.Seed)
			},
		}
	}
	return []*Rival{
		sets("ecfp-nearest", "ECFP4, nearest neighbour", "k-NN of "+scikitFingerprints+" with its k = 1", neighborsOf(1)),
		sets("ecfp-knn", "ECFP4, 5 nearest neighbours", "Sheridan, Feuston, Maiorov and Kearsley, Journal of Chemical Information and Computer Sciences 44, 2004; mean Tanimoto distance", neighborsOf(domainNeighbors)),
		sets("ecfp-lof", "ECFP4, LOF", "Breunig and others, SIGMOD 2000", func(n, tested int, similarity measure, _ uint64) []float64 {
			return outlierFactors(n, tested, distance(similarity))
		}),
		sets("ecfp-ocsvm", "ECFP4, OC-SVM", "Schölkopf and others, Neural Computation 13, 2001; Tanimoto kernel", svmOfKernel),
		folded("ecfp-forest", "ECFP4, isolation forest", "Liu, Ting and Zhou, ICDM 2008", func(train, test [][]float64, seed uint64) ([]float64, error) {
			return isolationForest(train, test, seed), nil
		}),
		folded("ecfp-leverage", "ECFP4, leverage", "Leverage of "+scikitFingerprints, func(train, test [][]float64, _ uint64) ([]float64, error) {
			return leverages(train, test)
		}),
		// Training sets of some hundred molecules have all bits, and then the box holds everything.
		folded("ecfp-box", "ECFP4, bounding box", "Bounding box of "+scikitFingerprints, func(train, test [][]float64, _ uint64) ([]float64, error) {
			return outsideBox(train, test), nil
		}),
		folded("ecfp-pca-box", "ECFP4, PCA box", "PCA bounding box of "+scikitFingerprints+", components of 90 % of the variance", func(train, test [][]float64, _ uint64) ([]float64, error) {
			return outsidePCA(train, test)
		}),
	}
}

// circular returns the ECFP4 of the molecules of a problem.
func circular(p *Problem) (train, test []fingerprint.Print, err error) {
	read := func(texts []string) ([]fingerprint.Print, error) {
		prints := make([]fingerprint.Print, len(texts))
		for i, text := range texts {
			m, err := smiles.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("molecule %q: %w", text, err)
			}
			prints[i] = baseline.ECFP(m, 2)
		}
		return prints, nil
	}
	if train, err = read(p.TrainSMILES); err == nil {
		test, err = read(p.TestSMILES)
	}
	return train, test, err
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
func tanimoto(train, test []fingerprint.Print) measure {
	index := fingerprint.NewIndex(train)
	return func(i int, dst []float64) {
		if i < len(train) {
			index.Similarities(dst, fingerprint.Sets, train[i])
		} else {
			index.Similarities(dst, fingerprint.Sets, test[i-len(train)])
		}
	}
}

// distance is one less a similarity.
func distance(similarity measure) measure {
	return func(i int, dst []float64) {
		similarity(i, dst)
		for j, s := range dst {
			dst[j] = 1 - s
		}
	}
}

// neighborsOf is the mean distance to the k nearest training molecules.
func neighborsOf(k int) func(n, tested int, similarity measure, seed uint64) []float64 {
	return func(n, tested int, similarity measure, _ uint64) []float64 {
		return nearest(n, tested, k, distance(similarity))
	}
}

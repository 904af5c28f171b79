package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"baca/algo/internal/lists"
	"baca/algo/metric"
)

// A Place says where a molecule lies beside the training set. A Shift compares molecules by it.
type Place struct {
	Distance float64 // one less the mean similarity of the five nearest other training molecules
	Atoms    float64
	Score    float64 // of the molecule by itself; NaN for one trained on
}

const (
	// MinList is the least list with a Shift.
	MinList = 50
	// minEffective is the least effective sample of errors that an interval rests on alone.
	minEffective = 30
	// ratioFolds cross-fit the density ratio.
	ratioFolds = 5
	// ratioPenalty is the ridge penalty of its coefficients, which are of standardised terms.
	ratioPenalty = 1
	// mostLogit bounds the ratio where it extrapolates.
	mostLogit = 30
	// fartherZ is the normal quantile at 1 − 0.005: with two tests, one list in a hundred like the
	// held-out molecules counts as farther.
	fartherZ = 2.576
)

// A Shift judges predictions for a list that may differ from the held-out molecules: for other
// scaffolds, say. Its intervals are weighted conformal (Tibshirani, Barber, Candès and Ramdas, 2019):
// each held-out error counts as often as molecules at its place are in the list, by a density ratio
// that was fitted without molecules of that place. They hold Coverage where errors depend on the
// place alone. It is read-only.
type Shift struct {
	N         int     // molecules of the list
	Sample    bool    // whether the list is a sample of a longer one
	Effective float64 // how many equally weighted errors would tell as much
	Infinite  int     // molecules of the list without an interval, as errors from their place are too few
	Farther   bool    // whether the list lies farther from the training set than held-out molecules

	Large float64 // weighted share of large errors

	least  float64 // least half width of intervals, that of new scaffolds, in units of the scale; 0 for none
	steps  []Step  // of weighted errors
	c      *Calibration
	ratios [ratioFolds]*ratio
	errors []float64 // held-out ones in units of their scales, ascending
	sums   []float64 // of weights, up to each error
}

// NewShift compares a list with the held-out molecules. It returns nil if fewer than MinList molecules of the list or
// MinPairs of the held-out ones have a place.
func (c *Calibration) NewShift(list []Place) *Shift {
	list = slices.DeleteFunc(slices.Clone(list), func(p Place) bool { return !p.known() })
	pairs := slices.DeleteFunc(slices.Clone(c.pairs), func(p Pair) bool { return !p.Place.known() })
	if len(list) < MinList || len(pairs) < MinPairs {
		return nil
	}
	s := &Shift{N: len(list), c: c}
	places := lists.Map(pairs, func(p Pair) Place { return p.Place })
	s.Farther = higher(list, places, func(p Place) float64 { return p.Distance }) || higher(list, places, func(p Place) float64 { return p.Score })
	for fold := range s.ratios {
		s.ratios[fold] = fitRatio(list, places, fold)
	}
	weight := func(p Pair) float64 { return s.weight(p.Place) }
	s.Large = largeIn(pairs, weight, c.Tolerance)
	s.steps = steps(pairs, weight, c.Tolerance, max(1, min(blocks, len(pairs)/minBlock)))
	if s.Farther {
		s.least = c.halfOfNewScaffolds(pairs, lists.Map(pairs, weight))
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(a.relative(), b.relative()) })
	sum, squares := 0.0, 0.0
	for _, p := range pairs {
		w := s.weight(p.Place)
		sum, squares = sum+w, squares+w*w
		s.errors, s.sums = append(s.errors, p.relative()), append(s.sums, sum)
	}
	s.Effective = sum * sum / squares
	for _, p := range list {
		if math.IsNaN(s.relative(p)) {
			s.Infinite++
		}
	}
	return s
}

// halfOfNewScaffolds returns the half width that holds the errors on new scaffolds, in units of the scale. It is 0 if too few
// are known. Their scales are of predictions that had seen the scaffold. Without it they are taken to be larger by the factor
// between the median scales of the pairs and of the list, which the weighted pairs stand for.
func (c *Calibration) halfOfNewScaffolds(pairs []Pair, weights []float64) float64 {
	known := slices.DeleteFunc(slices.Clone(c.NewScaffold), func(x float64) bool { return !finite(x) })
	half := c.half(lists.Map(known, math.Abs))
	if math.IsNaN(half) {
		return 0
	}
	scales := lists.Map(pairs, func(p Pair) float64 { return p.Scale })
	return half * weightedMedian(scales, nil) / weightedMedian(scales, weights)
}

// known reports whether the place can be compared.
func (p Place) known() bool { return finite(p.Distance) && p.Atoms > 0 }

// higher tells whether the values that of gives are significantly higher in the list than among others (rank-sum test,
// normal approximation). It is false if one side has no values.
func higher(list, others []Place, of func(Place) float64) bool {
	var values []float64
	var isOfList []bool
	n := [2]float64{}
	for k, places := range [][]Place{others, list} {
		for _, p := range places {
			if x := of(p); finite(x) {
				values, isOfList = append(values, x), append(isOfList, k == 1)
				n[k]++
			}
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return false
	}
	return metric.AUROC(values, isOfList)-0.5 > fartherZ*math.Sqrt((n[0]+n[1]+1)/(12*n[0]*n[1]))
}

// weight returns the density ratio at a place, fitted without molecules of that place.
func (s *Shift) weight(p Place) float64 { return s.ratios[p.fold()].of(p) }

// relative returns the half width of a molecule's interval in units of its scale. It is NaN for classes, and if the molecule's
// own weight is too large. It is at least s.least and, if few errors carry the weights, that of the most doubtful held-out group.
func (s *Shift) relative(p Place) float64 {
	total := s.sums[len(s.sums)-1] + s.weight(p)
	k := sort.SearchFloat64s(s.sums, s.c.Coverage*total)
	if s.c.Classes || k == len(s.sums) {
		return math.NaN()
	}
	half := max(s.errors[k], s.least)
	if s.few() {
		return max(half, s.c.Groups[len(s.c.Groups)-1].Half)
	}
	return half
}

// few tells whether weighted errors are too few to rely on.
func (s *Shift) few() bool { return s.Effective < minEffective }

// Judge adds what the list says to a judgement of one of its molecules, whose score is its doubt. A nil s, and a molecule
// without a place, add nothing. Only a list that lies farther changes the verdict.
func (s *Shift) Judge(p Prediction, score float64, j *Judgement) {
	if s == nil || !p.Place.known() {
		return
	}
	half := s.relative(p.Place) * s.c.scale.of(p)
	j.BatchLow, j.BatchHigh, j.BatchVerdict = j.Predicted-half, j.Predicted+half, j.Verdict
	switch {
	case !s.Farther || j.Verdict == DoNotUse && math.IsNaN(j.Error):
	case !s.few():
		j.BatchVerdict = verdictOf(s.steps, score, s.c.rate(s.Large))
	case j.Verdict == Trust:
		j.BatchVerdict = Check
	}
}

// Sentences describe the list, and what its intervals rest on.
func (s *Shift) Sentences() []string {
	if s == nil {
		return nil
	}
	list, of := fmt.Sprintf("this list of %d", s.N), "molecules"
	if s.Sample {
		list, of = fmt.Sprintf("this list, judged by a sample of %d,", s.N), "of the sample"
	}
	about := list + " lies no farther from the training set than held-out molecules"
	if s.Farther {
		about = list + " lies farther from the training set than held-out molecules, so trust_batch is check at best"
		if !s.few() {
			about = fmt.Sprintf("%s lies farther from the training set than held-out molecules; trust_batch expects %.0f %% large errors in it", list, 100*s.Large)
		}
	}
	if s.c.without() != "" {
		return []string{about}
	}
	weighted := fmt.Sprintf("interval_batch weighs errors by how common such molecules are in the list, as good as %.0f errors of equal weight", s.Effective)
	if s.Effective < minEffective {
		weighted += "; as these are few, intervals are at least as wide as for the most doubtful held-out molecules"
	}
	if s.least > 0 {
		weighted += "; as this list lies farther, intervals are at least as wide as for molecules of new scaffolds"
		if s.c.scale == nil {
			weighted += fmt.Sprintf(", ± %.3g", s.least)
		}
	}
	if s.Infinite > 0 {
		weighted += fmt.Sprintf("; %d of %d %s lie where errors are too few for an interval", s.Infinite, s.N, of)
	}
	return []string{about, weighted}
}

// fold returns the fold of a place by a hash, so copies of a molecule are in one fold, and no order matters.
func (p Place) fold() int {
	h := math.Float64bits(p.Distance)*0x9e3779b97f4a7c15 ^ math.Float64bits(p.Atoms)
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return int(h >> 32 % ratioFolds)
}

// terms is the number of terms of the density ratio.
const terms = 4

// terms returns the distance, the logarithm of the size, and their squares.
func (p Place) terms() [terms]float64 {
	size := math.Log(p.Atoms)
	return [terms]float64{p.Distance, p.Distance * p.Distance, size, size * size}
}

// A ratio is the density of a list over that of held-out molecules, up to a factor: a ridge logistic
// regression on the standardised terms of places.
type ratio struct {
	mean, std    [terms]float64
	coefficients [terms + 1]float64 // the last is the intercept
}

// logit returns the logarithm of the ratio at a place, at most ±mostLogit.
func (r *ratio) logit(p Place) float64 {
	sum := r.coefficients[terms]
	for k, x := range p.terms() {
		sum += float64(r.coefficients[k] * ((x - r.mean[k]) / r.std[k]))
	}
	return min(max(sum, -mostLogit), mostLogit)
}

func (r *ratio) of(p Place) float64 { return math.Exp(r.logit(p)) }

// newtonSteps are enough for the few coefficients to converge.
const newtonSteps = 25

// fitRatio fits the ratio of list to held by Newton's method, to the molecules of the other folds. Both sides weigh the same.
func fitRatio(list, held []Place, fold int) *ratio {
	r := &ratio{}
	for k := range terms {
		values := lists.Map(held, func(p Place) float64 { return p.terms()[k] })
		r.mean[k], r.std[k] = stat.PopMeanStdDev(values, nil)
		if !(r.std[k] > 0) {
			r.std[k] = 1
		}
	}
	sides := [2][]Place{without(held, fold), without(list, fold)} // by label, 0 and 1
	n := float64(len(sides[0]) + len(sides[1]))
	for range newtonSteps {
		curvature, slope := mat.NewSymDense(terms+1, nil), mat.NewVecDense(terms+1, nil)
		for k := range terms {
			curvature.SetSym(k, k, ratioPenalty)
			slope.SetVec(k, -ratioPenalty*r.coefficients[k])
		}
		for y, side := range sides {
			weight := n / 2 / float64(len(side))
			for _, p := range side {
				r.add(curvature, slope, p, float64(y), weight)
			}
		}
		curvature.SetSym(terms, terms, curvature.At(terms, terms)+1e-9) // the intercept has no penalty
		var c mat.Cholesky
		var step mat.VecDense
		if !c.Factorize(curvature) || c.SolveVecTo(&step, slope) != nil {
			break
		}
		for k := range r.coefficients {
			r.coefficients[k] += step.AtVec(k)
		}
	}
	return r
}

// without returns the places outside a fold.
func without(list []Place, fold int) []Place {
	return slices.DeleteFunc(slices.Clone(list), func(p Place) bool { return p.fold() == fold })
}

// add adds the part of a molecule, with its label y and weight, to minus the second and to the first derivatives of the
// log-likelihood.
func (r *ratio) add(curvature *mat.SymDense, slope *mat.VecDense, p Place, y, weight float64) {
	x := [terms + 1]float64{terms: 1}
	for k, v := range p.terms() {
		x[k] = (v - r.mean[k]) / r.std[k]
	}
	q := 1 / (1 + math.Exp(-r.logit(p)))
	for a := range x {
		slope.SetVec(a, slope.AtVec(a)+weight*(y-q)*x[a])
		for b := range a + 1 {
			curvature.SetSym(a, b, curvature.At(a, b)+weight*q*(1-q)*x[a]*x[b])
		}
	}
}

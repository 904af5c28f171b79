package decide

import "math"

// Guard returns the highest p-value by itself with which a batch of n graphs may call a graph outside that is
// not foreign (batch.Row.Foreign): n/1000, at least alpha and at most 0.15. A batch of one kind differs from
// the training set even deep inside it, and a short one is more often of one kind.
// `baca-paper bench guard` and `bench company` measure it.
func Guard(n int, alpha float64) float64 { return max(alpha, min(mostGuard, float64(n)/guardGrowth)) }

const mostGuard, guardGrowth = 0.15, 1000

// PaperGuard is Guard if S_BaCa decides, which ranks by what a list has in common. In a trial on sider/bace,
// AIDS/PTC_MR and esol/freesolv lists of one kind were outside to 14 % without a guard and to 3 % with it, which
// costs 28 % of what is found.
func PaperGuard(alpha float64) float64 { return max(alpha, 0.2) }

// A Rule tells verdicts from p-values. It is the only one: scores, reports, --fdr and the page ask
// it.
type Rule struct {
	Alpha   float64
	Holdout int     // graphs that p-values compare with
	Guard   float64 // highest p-value by itself of an outside graph, 0 for no limit
	// ByRate has a rate of false discoveries decide: outside up to the p-value Cut, which is NaN
	// for none, and borderline up to Alpha. See Levels.Cut.
	ByRate bool
	Cut    float64
}

// Judge returns the verdict on a graph by its p-value, and by that of the graph by itself, which
// matters to a Guard alone. With a holdout too small for Alpha a graph is undecided.
func (r Rule) Judge(p, alone float64) Verdict {
	outside, borderline := r.Limits()
	switch {
	case math.IsNaN(p):
		return Undecided
	case p <= outside && r.Guard > 0 && alone > r.Guard:
		return Borderline
	case p <= outside:
		return Outside
	case !Resolves(r.Alpha, r.Holdout):
		return Undecided
	case p <= borderline:
		return Borderline
	}
	return Inside
}

// Limits returns the highest p-values that are called outside, NaN if none is, and borderline.
func (r Rule) Limits() (outside, borderline float64) {
	if r.ByRate {
		return r.Cut, r.Alpha
	}
	return r.Alpha, 2 * r.Alpha
}

// Levels are the q-values of p-values, see QValues.
type Levels map[float64]float64

// LevelsOf returns the levels of the p-values of a batch.
func LevelsOf(p []float64) Levels {
	t := Tally{}
	for _, v := range p {
		t.Add(v)
	}
	return t.Levels()
}

// Of returns the q-value of a p-value, or NaN if it is not one of the batch.
func (l Levels) Of(p float64) float64 {
	if q, ok := l[p]; ok {
		return q
	}
	return math.NaN()
}

// Cut returns the highest p-value that is called at a rate of false discoveries, or NaN if none is.
func (l Levels) Cut(rate float64) float64 {
	cut := math.NaN()
	for p, q := range l {
		if q <= rate && !(p <= cut) {
			cut = p
		}
	}
	return cut
}

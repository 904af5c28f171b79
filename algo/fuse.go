package algo

import (
	"context"
	"fmt"
	"math"

	"baca/algo/background"
	"baca/algo/calibrate"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// The score of a single graph has two parts, both in standard deviations of training
// graphs: how far it is from the nearest of them (calibrate.Neighborhood), and how much
// more it is like a background than like them (background.Head). They answer different
// questions, and either may be blind: so neither may take away what the other is sure
// of, and an average must not hide a plain stranger. Each passes through a soft step that
// is flat inside, and the score is the length of both together:
//
//	√(soft(distance)² + (w·soft(ratio))²), soft(x) = log(1 + e^(s·x))/s
//
// with s = 1½ and the weight w of the head. The choice was made on the validation pairs;
// s from 0.7 to 2.5, and the sum instead of the length, do as well there.
func fuse(distance, ratio, weight float64) float64 {
	length := soft(distance)
	if weight > 0 {
		length = math.Hypot(length, weight*soft(ratio))
	}
	return length
}

const softness = 1.5

// soft is computed so that a large x does not overflow.
func soft(x float64) float64 {
	return (max(0, softness*x) + math.Log1p(math.Exp(-math.Abs(softness*x)))) / softness
}

// Sizes says what the length of both parts is for training graphs of each size, so that a
// large molecule of a set of mostly small ones is compared with its like. The numbers of
// nodes go from Low to High, those of the smallest and the largest training graph.
type Sizes struct {
	Low, High       int
	Mean, Deviation [SizeKnots]float64 // at sizes evenly spaced by logarithm
}

// SizeKnots is the number of sizes at which a curve is kept. Between them it is straight.
const SizeKnots = 16

// sizeWidth is the width, in logarithms of the number of nodes, over which sizes are
// smoothed, and sizePrior how many graphs of the mean of all sizes are added to each.
const sizeWidth, sizePrior = 0.2, 20

// newSizes fits a curve to the sums of graphs with these numbers of nodes.
func newSizes(nodes []int, sums []float64) *Sizes {
	s := &Sizes{Low: math.MaxInt}
	for _, n := range nodes {
		s.Low, s.High = min(s.Low, n), max(s.High, n)
	}
	all := calibrate.ScaleOf(sums)
	for k := range s.Mean {
		at := s.knot(k)
		weight, mean := float64(sizePrior), float64(sizePrior*all.Mean)
		weights := make([]float64, len(nodes))
		for i, n := range nodes {
			z := (math.Log(float64(n)) - at) / sizeWidth
			weights[i] = math.Exp(-float64(z*z) / 2)
			weight += weights[i]
			mean += float64(weights[i] * sums[i])
		}
		mean /= weight
		square := float64(sizePrior * all.Deviation * all.Deviation)
		for i, x := range sums {
			square += float64(weights[i] * (x - mean) * (x - mean))
		}
		s.Mean[k], s.Deviation[k] = mean, math.Sqrt(square/weight)
	}
	return s
}

// knot returns the logarithm of the size at a knot.
func (s *Sizes) knot(k int) float64 {
	low, high := math.Log(float64(s.Low)), math.Log(float64(s.High))
	return low + float64((high-low)*float64(k))/(SizeKnots-1)
}

// at returns mean and deviation at a size within the curve.
func (s *Sizes) at(nodes float64) (mean, deviation float64) {
	at, step := 0.0, (s.knot(SizeKnots-1)-s.knot(0))/(SizeKnots-1)
	if step > 0 {
		at = (math.Log(nodes) - s.knot(0)) / step
	}
	k := max(0, min(int(at), SizeKnots-2))
	t := at - float64(k)
	return s.Mean[k] + float64(t*(s.Mean[k+1]-s.Mean[k])), s.Deviation[k] + float64(t*(s.Deviation[k+1]-s.Deviation[k]))
}

// standardize returns a sum in deviations of training graphs of that many nodes. Beyond
// the sizes of the training set it only ever makes a graph look further outside.
func (s *Sizes) standardize(sum float64, nodes int) float64 {
	mean, deviation := s.at(float64(max(s.Low, min(s.High, nodes))))
	z := (sum - mean) / deviation
	if nodes < s.Low || nodes > s.High {
		middle := SizeKnots / 2
		z = max(z, (sum-s.Mean[middle])/s.Deviation[middle])
	}
	return z
}

// between returns the part of the curve from one size to another.
func (s *Sizes) between(low, high int) *Sizes {
	part := &Sizes{Low: max(low, s.Low), High: min(high, s.High)}
	part.High = max(part.Low, part.High)
	for k := range part.Mean {
		part.Mean[k], part.Deviation[k] = s.at(math.Exp(part.knot(k)))
	}
	return part
}

// A Trait is what the score of a graph needs beside its representation.
type Trait struct {
	Known bool // it equals a training graph, as far as the model can tell
	Fold  int  // in the background, see background.Fold
}

// fold is the same for graphs that differ in salts and stereochemistry only.
func fold(g *graph.Graph, own fingerprint.Print) int {
	if g.Features == molecule.Features {
		if p := molecule.Parent(g); p != g {
			own = fingerprint.New(p, fingerprint.DefaultHeight)
		}
	}
	return background.Fold(own.Hash())
}

// Traits returns those of graphs with these prints, of which there must be as many.
func (m *Model) Traits(gs []*graph.Graph, prints []fingerprint.Print) []Trait {
	list := make([]Trait, len(gs))
	for i, g := range gs {
		list[i] = Trait{Known: m.Profile != nil && m.Profile.Known.Likely(g), Fold: fold(g, prints[i])}
	}
	return list
}

// nodes returns the number of nodes of a graph from its print: each node has a subtree
// of every height.
func nodes(p fingerprint.Print) int {
	sum := 0
	for _, c := range p.Counts {
		sum += int(c)
	}
	return sum / (fingerprint.DefaultHeight + 1)
}

// AddBackground gives a model of molecules what tells its training set from a background:
// molecules at large, which nothing needs to be known of. training are all graphs that it
// was trained on, in the order in which NewModel got them. Too few of either leave the
// model without.
func (m *Model) AddBackground(ctx context.Context, workers int, training, outside []*graph.Graph) error {
	if m.Encoder.Features != molecule.Features {
		return fmt.Errorf("model %s reads graphs of the schema %s, a background holds molecules", m.Card.Name, m.Card.Schema)
	}
	in, err := sample(ctx, workers, training)
	if err != nil {
		return err
	}
	out, err := sample(ctx, workers, outside)
	if err != nil {
		return err
	}
	if in.Len() < background.MinGraphs || out.Len() < background.MinGraphs {
		return nil
	}
	head, ratios, err := background.Fit(ctx, workers, in, out)
	if err != nil {
		return err
	}
	near, err := calibrate.NewNeighborhood(ctx, workers, m.Bank)
	if err != nil {
		return err
	}
	d, err := near.LeaveOut(ctx, workers)
	if err != nil {
		return err
	}
	sizes, sums := make([]int, m.Bank.Len()), near.Scores(d)
	for k, p := range m.Bank.Prints {
		sizes[k] = max(1, nodes(p))
		sums[k] = fuse(sums[k], ratios[k*in.Len()/len(sizes)], head.Weight())
	}
	m.Background, m.Sizes, m.Card.BackgroundGraphs = head, newSizes(sizes, sums), out.Len()
	return nil
}

func sample(ctx context.Context, workers int, gs []*graph.Graph) (*background.Sample, error) {
	prints, err := fingerprint.All(ctx, workers, gs, fingerprint.DefaultHeight)
	if err != nil {
		return nil, err
	}
	s := &background.Sample{Prints: prints, Folds: make([]int, len(gs))}
	for i, g := range gs {
		s.Folds[i] = fold(g, prints[i])
	}
	return s, nil
}

// single is what a model says of one graph by itself.
type single struct {
	score           float64 // NaN without nodes
	distance, ratio float64 // the parts, ratio NaN without a background
}

// singles returns the scores of graphs with these traits, and how near they are to the
// bank.
//
// A graph that equals a training graph scores at most knownScore, whatever its parts say.
// The rule is the same for the holdout, so p-values stay exact.
func (a *Alone) singles(ctx context.Context, workers int, r *contrast.Representation, traits []Trait) ([]single, *calibrate.Nearness, error) {
	d, err := a.near.Measure(ctx, workers, r)
	if err != nil {
		return nil, nil, err
	}
	list := make([]single, r.Len())
	for i, distance := range a.near.Scores(d) {
		list[i] = a.single(distance, r.Prints[i], traits[i], nodes(r.Prints[i]))
	}
	return list, d, nil
}

// knownScore is half a deviation above the mean of training graphs, where p-values are
// about a quarter: well inside at every rate of false alarms that makes sense.
const knownScore = 0.5

// single combines the parts of a graph that is compared with graphs of that many nodes.
func (a *Alone) single(distance float64, p fingerprint.Print, t Trait, nodes int) single {
	s := single{score: math.NaN(), distance: distance, ratio: math.NaN()}
	if len(p.Keys) == 0 {
		return s
	}
	s.score = distance
	if head := a.model.Background; head != nil {
		s.ratio = head.Score(p, t.Fold)
		s.score = a.model.Sizes.standardize(fuse(distance, s.ratio, head.Weight()), nodes)
	}
	if t.Known {
		s.score = min(s.score, knownScore)
	}
	return s
}

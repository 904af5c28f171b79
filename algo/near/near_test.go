package near

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"baca/algo/contrast"
	"baca/algo/contrast/contrasttest"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/internal/must"
)

var ctx = context.Background()

func TestStandardizer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 500, 3
	q := make([]float32, n*dim)
	for i := range q {
		q[i] = float32(5 + 3*rng.NormFloat64())
		if i%dim == 2 {
			q[i] = 7 // a unit that never varies
		}
	}
	column := func(rows []float32, j int) (values []float64) {
		for i := j; i < len(rows); i += dim {
			values = append(values, float64(rows[i]))
		}
		return values
	}
	s := NewStandardizer(q, dim)
	z := s.Apply(q)
	for j, want := range [dim]float64{1, 1, 0} {
		mean, variance := stat.PopMeanVariance(column(z, j), nil)
		if !(math.Abs(mean) <= 1e-5) || !(math.Abs(variance-want) <= 1e-5) {
			t.Errorf("coordinate %d: mean %g, variance %g, want 0 and %g", j, mean, variance, want)
		}
	}
	// The standardizer sees only what a byte keeps of a coordinate, and that of kept values is the same.
	kept := slices.Clone(q)
	for j := range dim - 1 {
		values := column(q, j)
		low := floats.Min(values)
		step := (floats.Max(values) - low) / 255
		for i, x := range values {
			kept[i*dim+j] = float32(low + step*math.Floor((x-low)/step+0.5))
		}
	}
	for name, other := range map[string][]float32{"what is kept": s.Apply(kept), "its own standardizer": NewStandardizer(kept, dim).Apply(kept)} {
		for i := range z {
			if !(math.Abs(float64(z[i]-other[i])) <= 1e-6) {
				t.Fatalf("%s: value %d becomes %g, want %g", name, i, other[i], z[i])
			}
		}
	}
	far := s.Apply([]float32{1000, -1000, 8})
	if far[0] != clip || far[1] != -clip || far[2] != clip {
		t.Errorf("far values become %v, want ±%d", far, clip)
	}
	if z := NewStandardizer(nil, 2).Apply([]float32{1, -2}); z[0] != 1 || z[1] != -2 {
		t.Errorf("without rows: %v, want the values themselves", z)
	}
}

func TestAllEqualScoresStandardizeToZero(t *testing.T) {
	for _, x := range []float64{0, 1e9, -3.7} {
		s := []float64{x, x, x}
		if z := ScaleOf(s).Standardize(s); !(math.Abs(z[0]) <= 1e-9) || !(math.Abs(z[2]) <= 1e-9) {
			t.Errorf("scores %g become %v, want 0", x, z)
		}
	}
	if s := ScaleOf(nil); s != (Scale{0, 1}) {
		t.Errorf("no scores have the scale %+v, want 0 and 1", s)
	}
}

// Every part by comparing with every graph of the bank: of graphs with a single feature both
// views and ℓ_n, of others the feature view and the subtrees that no graph has.
func TestBankMatchesBruteForce(t *testing.T) {
	for _, features := range []int{1, 3} {
		in := contrasttest.New(15, 15, 70, 0)
		e := gin.Zero(gin.Config{Features: features, Hidden: in.Bank.Width, Layers: 1})
		for _, r := range []**contrast.Representation{&in.Bank, &in.Test} {
			*r = must.Have(contrast.Restore(e, (*r).Q, (*r).NodeScore, (*r).Prints))
		}
		in.Test.NodeScore[2] = math.NaN() // the mean of the bank stands for it
		equal := in.Bank.Select([]int{3}) // at distance 0
		in.Test.Q, in.Test.NodeScore, in.Test.Prints = append(in.Test.Q, equal.Q...), append(in.Test.NodeScore, equal.NodeScore...), append(in.Test.Prints, equal.Prints...)
		want, q, keys := bruteForce(in.Bank, in.Test, features == 1)
		dim := in.Bank.Dim()
		for _, workers := range []int{1, 3} {
			n := must.Have(NewBank(ctx, workers, in.Bank, nil, nil))
			d := must.Have(n.Measure(ctx, workers, in.Test.Outline()))
			for i, got := range n.Scores(d) {
				if !(math.Abs(got-want[i]) < 1e-5) {
					t.Errorf("%d features, %d workers, graph %d: %g, want %g", features, workers, i, got, want[i])
				}
			}
			// On the map both views count.
			nearest := math.Inf(1)
			for j := range in.Bank.Len() {
				nearest = min(nearest, math.Sqrt(SquaredDistance(q[4*dim:5*dim], keys[j*dim:(j+1)*dim])))
			}
			if got := slices.Min(n.Embeddings(in.Test.Q[4*dim : 5*dim])); !(math.Abs(got-nearest) <= 1e-6) {
				t.Errorf("nearest of graph 4 at %g, want %g", got, nearest)
			}
		}
		if _, err := NewBank(ctx, 1, in.Bank.Select([]int{0}), nil, nil); err != nil {
			t.Errorf("a bank of one graph: %v", err)
		}
	}
}

// bruteForce returns the scores of graphs, by all of the outline or the feature view alone, and
// the standardised embeddings of the graphs and the bank.
func bruteForce(bank, test *contrast.Representation, all bool) (scores []float64, q, keys []float32) {
	dim, m := test.Dim(), bank.Len()
	s := NewStandardizer(bank.Q, dim)
	q, keys = s.Apply(test.Q), s.Apply(bank.Q)
	index := fingerprint.NewIndex(bank.Prints)
	width := test.Width
	weight := []float64{0.4, 2, 2, 2}
	if all {
		width, weight = dim, []float64{1, 2, 2, 0.3}
	}
	parts := func(q []float32, p fingerprint.Print, node float64, leave int) [Parts]float64 {
		equal, sets, counts := index.Closest(p, leave)
		if !all {
			novel := 0.0
			for _, key := range p.Keys {
				if !slices.ContainsFunc(without(bank.Prints, leave), func(q fingerprint.Print) bool { return slices.Contains(q.Keys, key) }) {
					novel++
				}
			}
			node = math.Log(1 + novel)
		}
		d := [Parts]float64{math.Inf(1), 1 - sets[0], 1 - counts[0], node}
		if equal > 0 {
			d[BySubtrees], d[ByCounts] = 0, 0
		}
		for j := range m {
			if j == leave {
				continue
			}
			sum := 0.0
			for k := range width {
				e := float64(q[k]) - float64(keys[j*dim+k])
				sum += e * e
			}
			d[0] = min(d[0], math.Sqrt(sum))
		}
		return d
	}
	var own [Parts][]float64
	for j := range m {
		for k, d := range parts(keys[j*dim:(j+1)*dim], bank.Prints[j], bank.NodeScore[j], j) {
			own[k] = append(own[k], d)
		}
	}
	mean := func(d [Parts]float64) (sum float64) {
		for k, w := range weight {
			sum += w * ScaleOf(own[k]).Standardize(d[k : k+1])[0]
		}
		return sum
	}
	var known []float64
	for j := range m {
		known = append(known, mean([Parts]float64{own[0][j], own[1][j], own[2][j], own[3][j]}))
	}
	typical := bank.MeanNodeScore()
	for i, p := range test.Prints {
		node := test.NodeScore[i]
		if math.IsNaN(node) {
			node = typical
		}
		scores = append(scores, mean(parts(q[i*dim:(i+1)*dim], p, node, -1)))
	}
	return ScaleOf(known).Standardize(scores), q, keys
}

func without(prints []fingerprint.Print, leave int) []fingerprint.Print {
	if leave < 0 {
		return prints
	}
	return slices.Concat(prints[:leave], prints[leave+1:])
}

func BenchmarkMeasure(b *testing.B) {
	in := contrasttest.New(204, 204, 1835, 0)
	n := must.Have(NewBank(ctx, 1, in.Bank, nil, nil))
	test := in.Test.Outline()
	for b.Loop() {
		d := must.Have(n.Measure(ctx, 1, test))
		n.Scores(d)
	}
	b.ReportMetric(408*float64(b.N)/b.Elapsed().Seconds(), "graphs/s")
}

// bank makes a Bank of random embeddings and prints, and a graph beside it.
func bank(rng *rand.Rand) (*Bank, *contrast.Outline) {
	const width = 6
	draw := func(n int) *contrast.Representation {
		r := &contrast.Representation{Width: width, NodeScore: make([]float64, n)}
		for range n * 2 * width {
			r.Q = append(r.Q, float32(2+rng.NormFloat64()/2))
		}
		for range n {
			p := fingerprint.Print{}
			for k := range uint32(30) {
				if rng.IntN(3) == 0 {
					p.Keys, p.Counts = append(p.Keys, k), append(p.Counts, 1+rng.Uint32N(3))
				}
			}
			r.Prints = append(r.Prints, p)
		}
		return r
	}
	known := draw(40)
	for i := range 10 { // subtrees that are new without this graph
		p := &known.Prints[i]
		p.Keys, p.Counts = append(p.Keys, 100+uint32(i)), append(p.Counts, 1)
	}
	graphs := draw(6)
	copy(graphs.Q, known.Q[:2*width]) // a graph with a landmark's embedding
	return must.Have(NewBank(ctx, 1, known, nil, nil)), graphs.Outline()
}

// A bank that is a sample of the training set knows the subtrees of all of it.
func TestSubtreesOfTheWholeTrainingSet(t *testing.T) {
	in := contrasttest.New(20, 20, 90, 0)
	const m = 12
	picked := make([]int, m)
	for k := range picked {
		picked[k] = Place(k, m, in.Bank.Len())
	}
	index := fingerprint.NewIndex(in.Bank.Prints)
	n := must.Have(NewBank(ctx, 2, in.Bank.Select(picked), index, nil))
	d := must.Have(n.Measure(ctx, 2, in.Test.Outline()))
	own := must.Have(n.LeaveOut(ctx, 2))
	for i, p := range in.Test.Prints {
		best, _ := index.Best(p, -1)
		if got, want := d.parts[BySubtrees][i], 1-best[fingerprint.Sets].Similarity; got != want {
			t.Errorf("graph %d of the test: %g, want %g", i, got, want)
		}
	}
	for k, i := range picked {
		best, _ := index.Best(in.Bank.Prints[i], i)
		if got, want := own.parts[BySubtrees][k], 1-best[fingerprint.Sets].Similarity; got != want {
			t.Errorf("graph %d of the bank: %g, want %g", i, got, want)
		}
	}
}

// The parts add up to the score; coordinates and keys add no more than their part.
func TestShares(t *testing.T) {
	b, r := bank(rand.New(rand.NewPCG(2, 5)))
	last := &r.Prints[r.Len()-1]
	last.Keys, last.Counts = append(last.Keys, 1000, 1001, 1002), append(last.Counts, 1, 2, 3)
	d := must.Have(b.Measure(ctx, 1, r))
	scores := b.Scores(d)
	for i := range r.Len() {
		s := b.Shares(d, i)
		novel := 0.0
		for k, x := range s.Keys[2] {
			if novel += x; (x != 0) != (r.Prints[i].Keys[k] >= 1000) || (x != 0) != (s.Lacks[2][k] == 1) {
				t.Errorf("graph %d: key %d adds %g for being new", i, r.Prints[i].Keys[k], x)
			}
		}
		if want := b.unit(ByRest) * d.parts[ByRest][i]; !(math.Abs(novel-want) <= 1e-9) || (i == r.Len()-1) != (novel > 0) {
			t.Errorf("graph %d: new keys add %g, want %g", i, novel, want)
		}
		rest := b.scales.Sum.Mean / b.scales.Sum.Deviation
		if got := s.Embedding + s.Subtrees - rest; !(math.Abs(got-scores[i]) <= 1e-9) {
			t.Errorf("graph %d: parts add up to %g, its score is %g", i, got, scores[i])
		}
		if least := slices.Min(s.Coordinates); !(least >= 0) {
			t.Errorf("graph %d: a coordinate adds %g", i, least)
		}
		if sum, most := floats.Sum(s.Coordinates), b.unit(ByEmbedding)*d.parts[ByEmbedding][i]; sum > most*(1+1e-6) {
			t.Errorf("graph %d: coordinates add %g to a distance that adds %g", i, sum, most)
		}
		for m, part := range []int{BySubtrees, ByCounts} {
			sum := floats.Sum(s.Keys[m])
			_, _, rest := b.Subtrees.Lacks(r.Prints[i], fingerprint.Measure(m))
			if most := b.unit(part) * d.parts[part][i]; sum > most*(1+1e-9) || sum == 0 && most > 0 && rest == 0 {
				t.Errorf("graph %d: keys add %g to a distance that adds %g", i, sum, most)
			}
		}
	}
}

// Targets are as far from the nearest graph of the bank as Measure says, part by part.
func TestTargetsAgreeWithMeasure(t *testing.T) {
	b, graphs := bank(rand.New(rand.NewPCG(11, 12)))
	graphs.Prints[0], graphs.Prints[1] = b.Graphs.Prints[3], fingerprint.Print{}
	d := must.Have(b.Measure(ctx, 1, graphs))
	targets, own := b.Targets(graphs, d.Part(ByEmbedding)), b.Graphs.Outline()
	var to, least [Parts][]float64
	for k := range to {
		to[k], least[k] = make([]float64, graphs.Len()), make([]float64, graphs.Len())
		for i := range least[k] {
			least[k][i] = math.Inf(1)
		}
	}
	for j := range own.Len() {
		targets.To(own, j, &to)
		for k := range to {
			for i, x := range to[k] {
				least[k][i] = min(least[k][i], x)
			}
		}
	}
	// What two graphs of three new subtrees lack, beside the other.
	for i := range 2 {
		p := &graphs.Prints[i]
		*p = fingerprint.Print{Keys: append(slices.Clone(p.Keys), 1000, 1001, 1002+uint32(i)), Counts: append(slices.Clone(p.Counts), 1, 2, 3)}
	}
	for _, j := range []int{1, 5} {
		b.Targets(graphs, d.Part(ByEmbedding)).To(graphs, j, &to)
		for i, new := range []float64{3, 3, 0} {
			if i < 2 && j == 1 {
				new = float64(1 - i)
			}
			if got := to[ByRest][i]; !(math.Abs(got-math.Log(1+new)) <= 1e-12) {
				t.Errorf("graph %d beside %d: %g for new subtrees, want the logarithm of 1 + %g", i, j, got, new)
			}
		}
	}
	tolerance := [Parts]float64{ByEmbedding: 1e-6, BySubtrees: 1e-12, ByCounts: 1e-12, ByRest: 1e-12}
	for k := range least {
		for i, want := range d.Part(k) {
			if !(math.Abs(least[k][i]-want) <= tolerance[k]*(1+want)) {
				t.Errorf("part %d of graph %d: %g, want %g", k, i, least[k][i], want)
			}
		}
	}
	// A unit of a part adds what Unit says to the score, which has a further part here: ℓ_n.
	scores := b.Scores(d)
	for k := range least {
		unit, typical := b.Unit(k)
		if unit <= 0 || !(typical >= 0) {
			t.Errorf("part %d: unit %g, typically %g", k, unit, typical)
		}
		d.parts[k][0] += 2
		if got := b.Scores(d)[0] - scores[0]; !(math.Abs(got-2*unit) <= 1e-9) {
			t.Errorf("part %d: two more add %g, want %g", k, got, 2*unit)
		}
		d.parts[k][0] -= 2
	}
}

// The nearest row is the one that comparing with all rows finds: where rows lie close to
// few dimensions, fill the space, are equal, or are fewer than the axes.
func TestNearestLandmark(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct {
		m, dim, rank int
		far          float64 // where products round
	}{
		{0, 5, 1, 0}, {1, 3, 1, 0}, {2, 80, 2, 0}, {5, 3, 3, 0}, {40, 40, 40, 0}, {300, 20, 20, 0}, {700, 80, 3, 0},
		{60, 4, 1, 0}, {260, 6, 1, 0}, {260, 6, 1, 300}, {260, 6, 0, 300},
	} {
		draw := func(n int, noise, far float64) []float32 {
			base := rand.New(rand.NewPCG(uint64(c.m), 2)) // the same space for rows and queries
			directions := make([]float64, c.rank*c.dim)
			for k := range directions {
				directions[k] = base.NormFloat64()
			}
			rows := make([]float32, n*c.dim)
			for i := range n {
				for r := range c.rank {
					x := rng.NormFloat64()
					for t := range c.dim {
						rows[i*c.dim+t] += float32(x * directions[r*c.dim+t])
					}
				}
				for t := range c.dim {
					rows[i*c.dim+t] += float32(far + noise*rng.NormFloat64())
				}
			}
			return rows
		}
		rows := draw(c.m, 0.01/(1+c.far), c.far)
		if c.m > 4 {
			copy(rows[4*c.dim:5*c.dim], rows[:c.dim]) // equal rows
		}
		l := newLandmarks(rows, c.dim)
		queries := slices.Concat(draw(50, 0.5, c.far), draw(50, 0.5, 0), rows[:min(c.m, 20)*c.dim])
		for _, end := range l.order[:min(c.m, 1)] { // nearest to the first row, but not along the axes
			first, _ := l.project(l.row(end))
			other, _ := l.project(l.row(l.order[c.m/2]))
			for t, x := range l.row(end) {
				for k := range axes {
					x += float32(0.6 * (other[k] - first[k]) * l.axes[k*c.dim+t])
				}
				queries = append(queries, x)
			}
		}
		s := search{landmarks: l, queries: queries}
		s.measure()
		for q := range len(queries) / c.dim {
			at := queries[q*c.dim:][:c.dim]
			for _, leave := range []int{-1, 0, c.m / 2} {
				first, least := -1, math.Inf(1)
				for i := range c.m {
					if d := SquaredDistance(l.row(i), at); i != leave && d < least {
						first, least = i, d
					}
				}
				row, square := s.nearest(q, leave)
				name := fmt.Sprintf("%d rows of %d, query %d without %d", c.m, c.dim, q, leave)
				switch {
				case math.IsInf(least, 1):
					if row != -1 || square != 0 {
						t.Errorf("%s: row %d at %g, want none", name, row, square)
					}
				case row != first || square != least:
					t.Errorf("%s: row %d at %g, want %d at %g", name, row, square, first, least)
				}
			}
		}
	}
}

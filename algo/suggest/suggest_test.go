package suggest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/contrast"
	"baca/algo/cover"
	"baca/algo/decide"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/near"
)

var ctx = context.Background()

// scorer compares graphs with a few training graphs. The last of a list has no score.
func scorer(features int) (s Scorer, gs []*graph.Graph) {
	rng := rand.New(rand.NewPCG(31, 7))
	gs = append(sample.Trees(rng, 60, 8, func(int) int { return 0 }), sample.Trees(rng, 30, 8, func(n int) int { return n / 2 })...)
	for _, g := range gs {
		g.Features, g.X = features, make([]float32, g.N()*features)
		for i := range g.X {
			g.X[i] = float32(1 + rng.IntN(features))
		}
	}
	e := gin.New(gin.Default(features), rng)
	bank := must.Have(near.NewBank(ctx, 1, must.Have(contrast.Describe(ctx, 1, e, gs[:40])), nil, nil))
	s = Scorer{Bank: bank, Ranked: slices.Sorted(slices.Values(bank.Scores(must.Have(bank.LeaveOut(ctx, 1)))))}
	s.Join = func(distance, ratio float64, p fingerprint.Print) float64 {
		return distance + ratio/2 - float64(len(p.Keys))/100
	}
	s.Outlined = func(ctx context.Context, workers int, gs []*graph.Graph) ([]Answer, *contrast.Outline, *near.Distances, error) {
		o, err := contrast.OutlineOf(ctx, workers, e, gs)
		if err != nil {
			return nil, nil, nil, err
		}
		d := must.Have(bank.Measure(ctx, workers, o))
		var answers []Answer
		for i, x := range bank.Scores(d) {
			answers = append(answers, Answer{s.Join(x, math.Sin(x), o.Prints[i]), x, math.Sin(x)})
		}
		answers[len(answers)-1].Score = math.NaN()
		return answers, o, d, nil
	}
	return s, gs[40:]
}

// Suggestions are what comparing all graphs with all finds, by the definitions of Suggest, Suggestion and Pick.
func TestSuggestAgainstDefinitions(t *testing.T) {
	prices := func(n int) (list []float64) {
		for i := range n {
			list = append(list, float64(1+i*7%5))
		}
		return list
	}
	only := make([]bool, MaxPoints+104)
	for i := range only {
		only[i] = i%1407 > 0
	}
	for _, c := range []struct {
		features, times int
		o               Options
	}{
		{3, 1, Options{Most: 6, Alpha: 0.1, Seed: 1}},
		{1, 1, Options{Most: 6, Alpha: 0.1, Seed: 1}},
		{3, 1, Options{Most: 60, Alpha: 0.3}},
		{3, 1, Options{Most: 9, Alpha: 0.01, Prices: prices(50), Budget: 8, Exclude: slices.Concat(make([]bool, 49), []bool{true})}},
		{1, 1, Options{Most: 9, Alpha: 0.3, Prices: prices(50), Budget: 14, Exclude: slices.Concat([]bool{true}, make([]bool, 49))}},
		{3, 84, Options{Most: 2, Alpha: 0.1, Exclude: only}},
	} {
		about := fmt.Sprintf("%d features, %+v", c.features, c.o.Most)
		s, gs := scorer(c.features)
		gs = slices.Repeat(gs, c.times)
		l := New(s)
		for _, part := range [][]*graph.Graph{gs[:len(gs)/3], nil, gs[len(gs)/3:]} {
			must.Do(l.Add(ctx, 2, part))
		}
		got := must.Have(l.Suggest(ctx, c.o))
		for workers := 1; workers <= 3; workers++ {
			if c.o.Workers = workers; fmt.Sprint(*must.Have(l.Suggest(ctx, c.o))) != fmt.Sprint(*got) {
				t.Errorf("%s: %d workers suggest something else", about, workers)
			}
		}
		first, _, _, _ := s.Outlined(ctx, 1, gs[:len(gs)/3])
		second, _, _, _ := s.Outlined(ctx, 1, gs[len(gs)/3:])
		answers := slices.Concat(first, second)
		_, all, d, _ := s.Outlined(ctx, 1, gs)
		points := make([]int, min(len(gs), MaxPoints))
		for k := range points {
			points[k] = k * len(gs) / len(points)
		}
		// parts[k][i] is how far point i is, with these graphs in the training set.
		targets := s.Bank.Targets(all)
		with := func(set []int) (parts [near.Parts][]float64) {
			var to [near.Parts][]float64
			for k := range parts {
				parts[k], to[k] = slices.Clone(d.Part(k)), make([]float64, len(gs))
			}
			for _, j := range set {
				targets.To(all, j, &to)
				for k := range parts {
					for i := range gs {
						parts[k][i] = min(parts[k][i], to[k][i])
					}
				}
			}
			return parts
		}
		costs := func(parts [near.Parts][]float64) (list []float64) {
			for k, part := range parts {
				unit, typical := s.Bank.Unit(k)
				list = append(list, lists.Map(points, func(i int) float64 { return unit * max(0, part[i]-typical) })...)
			}
			return list
		}
		distances := func(parts [near.Parts][]float64) []float64 {
			return lists.Map(points, func(i int) float64 {
				x := answers[i].Distance
				for k, part := range parts {
					unit, _ := s.Bank.Unit(k)
					x += unit * (part[i] - d.Part(k)[i])
				}
				return x
			})
		}
		limit, ok := decide.Threshold(s.Ranked, c.o.Alpha)
		outside := func(parts [near.Parts][]float64) []bool {
			var list []bool
			for k, x := range distances(parts) {
				a := answers[points[k]]
				list = append(list, ok && min(a.Score, s.Join(x, a.Ratio, all.Prints[points[k]])) >= limit)
			}
			return list
		}
		walk := func(picks []int) (far, out []float64) {
			for n := range len(picks) + 1 {
				parts := with(picks[:n])
				far = append(far, floats.Sum(costs(parts))/float64(len(points)))
				out = append(out, floats.Sum(lists.Map(outside(parts), func(is bool) float64 { return map[bool]float64{true: 1}[is] })))
			}
			return far, out
		}
		take := func(order []int) (picks []int) {
			left := c.o.Budget
			for _, i := range order {
				if len(picks) < len(got.Picks) && (c.o.Exclude == nil || !c.o.Exclude[i]) && (c.o.Prices == nil || c.o.Prices[i] <= left) {
					if picks = append(picks, i); c.o.Prices != nil {
						left -= c.o.Prices[i]
					}
				}
			}
			return picks
		}
		chosen := must.Have(cover.Greedy(ctx, 1, cover.Problem{
			Now: costs(with(nil)), Candidates: len(gs), Most: c.o.Most, Prices: c.o.Prices, Budget: c.o.Budget, Exclude: c.o.Exclude,
			Costs: func(_, j int, dst []float64) {
				to := newParts(len(gs))
				targets.To(all, j, to)
				copy(dst, costs(*to))
			},
		}))
		picks := lists.Map(chosen, func(p cover.Pick) int { return p.Candidate })
		same := func(what string, got, want []float64) {
			if len(got) != len(want) || !floats.EqualApprox(told(got), told(want), 1e-9) {
				t.Errorf("%s: %s %v, want %v", about, what, got, want)
			}
		}
		ints := func(list []int) []float64 { return lists.Map(list, func(n int) float64 { return float64(n) }) }
		if len(picks) < 1 || len(got.Picks) != len(picks) || got.Points != len(points) || got.Sampled != (c.times > 1) {
			t.Fatalf("%s: %d picks of %d points, want %d of %d", about, len(got.Picks), got.Points, len(picks), len(points))
		}
		far, out := walk(picks)
		same("far", got.Far, far)
		same("outside", ints(got.Outside), out)
		order := make([]int, len(gs))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(answers[j].Score, answers[i].Score) })
		far, out = walk(take(order))
		same("far by score", got.FarTop, far)
		same("outside by score", ints(got.OutsideTop), out)
		far, out = make([]float64, len(picks)+1), make([]float64, len(picks)+1)
		for r := range uint64(5) {
			x, y := walk(take(rand.New(rand.NewPCG(c.o.Seed, r)).Perm(len(gs))))
			for k := range far {
				far[k] += x[min(k, len(x)-1)] / 5
				out[k] += y[min(k, len(x)-1)] / 5
			}
		}
		same("far at random", got.FarRandom, far)
		same("outside at random", got.OutsideRandom, out)
		for k, p := range got.Picks {
			was, is := with(picks[:k]), with(picks[:k+1])
			before, after, out, still := distances(was), distances(is), outside(was), outside(is)
			near, inside := 0, 0
			for i := range points {
				if before[i]-after[i] >= 0.5 {
					near++
				}
				if out[i] && !still[i] {
					inside++
				}
			}
			x := answers[picks[k]].Score
			same(fmt.Sprint("pick ", k), []float64{float64(p.Graph), p.Score, p.P, p.Gain, float64(p.Nearer), float64(p.Inside), p.Similarity},
				[]float64{float64(picks[k]), x, decide.PValues([]float64{x}, s.Ranked)[0], got.Far[k] - got.Far[k+1], float64(near), float64(inside),
					slices.Max(s.Bank.Subtrees.Nearest(fingerprint.Counts, all.Prints[picks[k]], 40))})
		}
	}
}

func TestSuggestSaysWhatIsWrong(t *testing.T) {
	s, gs := scorer(3)
	l := New(s)
	if _, err := l.Suggest(ctx, Options{Most: 1, Alpha: 0.1}); err == nil {
		t.Error("no error about a library without graphs")
	}
	must.Do(l.Add(ctx, 1, gs))
	for _, o := range []Options{{Most: 0, Alpha: 0.1}, {Most: 1, Alpha: 2}} {
		if _, err := l.Suggest(ctx, o); err == nil {
			t.Errorf("no error about %+v", o)
		}
	}
	must.Panic(t, "prices", func() { l.Suggest(ctx, Options{Most: 1, Alpha: 0.1, Prices: []float64{1}}) })
	must.Panic(t, "exclusions", func() { l.Suggest(ctx, Options{Most: 1, Alpha: 0.1, Exclude: []bool{true}}) })
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := l.Suggest(done, Options{Most: 1, Alpha: 0.1}); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

// told has −10⁹ for NaN.
func told(list []float64) []float64 {
	return lists.Map(list, func(x float64) float64 {
		if math.IsNaN(x) {
			return -1e9
		}
		return x
	})
}

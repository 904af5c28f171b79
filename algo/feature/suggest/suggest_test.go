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

	"baca/algo/alone"
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
func scorer(features int) (s alone.Parts, gs []*graph.Graph) {
	rng := rand.New(rand.NewPCG(31, 7))
	gs = sample.Featured(rng, features, append(sample.Trees(rng, 60, 8, func(int) int { return 0 }),
		sample.Trees(rng, 30, 8, func(n int) int { return n / 2 })...)...)
	e := gin.New(gin.Default(features), rng)
	bank := must.Have(near.NewBank(ctx, 1, must.Have(contrast.Describe(ctx, 1, e, gs[:40])), nil, nil))
	s = alone.Parts{Bank: bank, Ranked: slices.Sorted(slices.Values(bank.Scores(must.Have(bank.LeaveOut(ctx, 1)))))}
	s.Join = func(distance float64, x alone.Answer, p fingerprint.Print) float64 {
		return distance + x.Ratio/2 - float64(len(p.Keys))/100
	}
	s.Outlined = func(ctx context.Context, workers int, gs []*graph.Graph) ([]alone.Answer, *contrast.Outline, *near.Distances, error) {
		o, err := contrast.OutlineOf(ctx, workers, e, gs)
		if err != nil {
			return nil, nil, nil, err
		}
		d := must.Have(bank.Measure(ctx, workers, o))
		var answers []alone.Answer
		for i, x := range bank.Scores(d) {
			a := alone.Answer{Distance: x, Ratio: math.Sin(x)}
			a.Score = s.Join(x, a, o.Prints[i])
			answers = append(answers, a)
		}
		answers[len(answers)-1].Score = math.NaN()
		return answers, o, d, nil
	}
	return s, gs[40:]
}

// Suggestions are what comparing all graphs with all finds, by the definitions of Suggest, Suggestion and Pick.
func TestSuggestAgainstDefinitions(t *testing.T) {
	prices, only := slices.Repeat([]float64{1, 3, 5, 2, 4}, 10), slices.Repeat([]bool{true}, MaxPoints+104)
	only[0], only[1407], only[2814] = false, false, false
	for _, c := range []struct {
		features, times int
		o               Options
	}{
		{3, 1, Options{Most: 6, Alpha: 0.1, Seed: 1}},
		{1, 1, Options{Most: 6, Alpha: 0.1, Seed: 1}},
		{3, 1, Options{Most: 60, Alpha: 0.3}},
		{3, 1, Options{Most: 9, Alpha: 0.01, Prices: prices, Budget: 8, Exclude: append(make([]bool, 49), true)}},
		{1, 1, Options{Most: 9, Alpha: 0.3, Prices: prices, Budget: 14, Exclude: append([]bool{true}, make([]bool, 49)...)}},
		{3, 84, Options{Most: 2, Alpha: 0.1, Exclude: only}},
	} {
		s, gs := scorer(c.features)
		gs = slices.Repeat(gs, c.times)
		l := New(s)
		var answers []alone.Answer
		for _, part := range [][]*graph.Graph{gs[:len(gs)/3], gs[len(gs)/3:]} {
			must.Do(l.Add(ctx, 2, part))
			list, _, _, _ := s.Outlined(ctx, 1, part)
			answers = append(answers, list...)
		}
		must.Do(l.Add(ctx, 2, nil))
		got := must.Have(l.Suggest(ctx, c.o))
		for c.o.Workers = range 3 {
			if other := must.Have(l.Suggest(ctx, c.o)); fmt.Sprint(*other) != fmt.Sprint(*got) {
				t.Errorf("%+v: %d workers suggest something else", c, c.o.Workers)
			}
		}
		points := make([]int, min(len(gs), MaxPoints))
		for k := range points {
			points[k] = k * len(gs) / len(points)
		}
		_, all, d, _ := s.Outlined(ctx, 1, gs)
		targets := s.Bank.Targets(all, slices.Repeat([]float64{math.Inf(1)}, len(gs)))
		limit, ok := decide.Threshold(s.Ranked, c.o.Alpha)
		// look has each point's costs, part by part, its distance, and 1 if it is outside, with a set in the training set.
		look := func(set []int) (costs, distances, outside []float64) {
			tos := lists.Map(set, func(j int) *[near.Parts][]float64 {
				to := newParts(len(gs))
				targets.To(all, j, to)
				return to
			})
			distances = lists.Map(points, func(i int) float64 { return answers[i].Distance })
			for k := range near.Parts {
				unit, typical := s.Bank.Unit(k)
				for n, i := range points {
					least := d.Part(k)[i]
					for _, to := range tos {
						least = min(least, to[k][i])
					}
					costs = append(costs, unit*max(0, least-typical))
					distances[n] += unit * (least - d.Part(k)[i])
				}
			}
			for n, i := range points {
				x := min(answers[i].Score, s.Join(distances[n], answers[i], all.Prints[i]))
				outside = append(outside, map[bool]float64{true: 1}[ok && x >= limit])
			}
			return costs, distances, outside
		}
		walk := func(picks []int) (far, out []float64) {
			for n := range len(picks) + 1 {
				costs, _, outside := look(picks[:n])
				far, out = append(far, floats.Sum(costs)/float64(len(points))), append(out, floats.Sum(outside))
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
		now, _, _ := look(nil)
		chosen := must.Have(cover.Greedy(ctx, 1, cover.Problem{
			Now: now, Candidates: len(gs), Most: c.o.Most, Prices: c.o.Prices, Budget: c.o.Budget, Exclude: c.o.Exclude,
			Costs: func(_, j int, dst []float64) {
				costs, _, _ := look([]int{j})
				copy(dst, costs)
			},
		}))
		same := func(what string, got, want []float64) {
			if !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-6 || math.IsNaN(x) && math.IsNaN(y) }) {
				t.Errorf("%+v: %s %v, want %v", c, what, got, want)
			}
		}
		whole := func(list []int) []float64 { return lists.Map(list, func(n int) float64 { return float64(n) }) }
		picks := lists.Map(chosen, func(p cover.Pick) int { return p.Candidate })
		if len(picks) == 0 || len(got.Picks) != len(picks) || got.Points != len(points) || got.Sampled != (c.times > 1) {
			t.Fatalf("%+v: %d picks of %d points, want %d of %d", c, len(got.Picks), got.Points, len(picks), len(points))
		}
		far, out := walk(picks)
		same("far", got.Far, far)
		same("outside", whole(got.Outside), out)
		order := make([]int, len(gs))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(answers[j].Score, answers[i].Score) })
		far, out = walk(take(order))
		same("far by score", got.FarTop, far)
		same("outside by score", whole(got.OutsideTop), out)
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
			_, was, out := look(picks[:k])
			_, is, still := look(picks[:k+1])
			nearer, inside := 0.0, 0.0
			for i := range points {
				if was[i]-is[i] >= 0.5 {
					nearer++
				}
				inside += max(0, out[i]-still[i])
			}
			x := answers[picks[k]].Score
			same(fmt.Sprint("pick ", k), []float64{float64(p.Graph), p.Score, p.P, p.Gain, float64(p.Nearer), float64(p.Inside), p.Similarity},
				[]float64{float64(picks[k]), x, decide.PValues([]float64{x}, s.Ranked)[0], got.Far[k] - got.Far[k+1], nearer, inside,
					s.Bank.Subtrees.Nearest(all.Prints[picks[k]], 40)[0].Similarity})
		}
	}
}

func TestSuggestSaysWhatIsWrong(t *testing.T) {
	s, gs := scorer(3)
	l := New(s)
	must.Do(l.Add(ctx, 1, gs))
	done, cancel := context.WithCancel(ctx)
	cancel()
	for k, o := range []Options{{Most: 1, Alpha: 0.1}, {Most: 0, Alpha: 0.1}, {Most: 1, Alpha: 2}, {Most: 1, Alpha: 0.1}} {
		if _, err := []*Library{New(s), l, l, l}[k].Suggest([]context.Context{ctx, ctx, ctx, done}[k], o); err == nil {
			t.Errorf("no error about the library, what is asked or the context: %+v", o)
		}
	}
	// In binary 0.3 is less than three times 0.1.
	tenths := Options{Most: 9, Alpha: 0.1, Prices: slices.Repeat([]float64{0.1}, len(gs)), Budget: 0.3}
	if got := must.Have(l.Suggest(ctx, tenths)); len(got.Picks) != 3 || len(got.FarTop) != 4 {
		t.Errorf("a budget of 0.3 buys %d and %d for 0.1", len(got.Picks), len(got.FarTop)-1)
	}
	must.Panic(t, "prices", func() { l.Suggest(ctx, Options{Most: 1, Alpha: 0.1, Prices: []float64{1}}) })
	must.Panic(t, "exclusions", func() { l.Suggest(ctx, Options{Most: 1, Alpha: 0.1, Exclude: []bool{true}}) })
}

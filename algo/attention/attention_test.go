package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"baca/algo/dictionary"
)

// The oracle: everything dense, in float64, straight from the definition.

type oracle struct {
	dim, width int
	wq, wk, wv []float64
}

func oracleOf(h *Head) oracle {
	return oracle{h.Dim, h.Width, widen(h.W[0]), widen(h.W[1]), widen(h.W[2])}
}

func widen(a []float32) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = float64(x)
	}
	return out
}

func (o oracle) times(w, x []float64) []float64 {
	out := make([]float64, o.width)
	for j := range out {
		for i := range x {
			out[j] += w[j*o.dim+i] * x[i]
		}
	}
	return out
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// within is false where either is NaN.
func within(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// nearest sorts all keys by similarity and takes the first k.
func nearest(query []float64, keys *Keys, k, exclude int) []int {
	var order []int
	sims := make([]float64, keys.Len())
	for i := range sims {
		sims[i] = cosine(query, widen(keys.Row(i)))
		if i != exclude {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return sims[order[a]] > sims[order[b]] })
	return order[:min(k, len(order))]
}

// attn is 0, false where there are no keys.
func (o oracle) attn(query []float64, keys *Keys, k, exclude int) (float64, bool) {
	chosen := nearest(query, keys, k, exclude)
	if len(chosen) == 0 {
		return 0, false
	}
	q, v := o.times(o.wq, query), o.times(o.wv, query)
	var sum, attn float64
	for _, i := range chosen {
		x := widen(keys.Row(i))
		s := 0.0
		for j, y := range o.times(o.wk, x) {
			s += q[j] * y
		}
		e := math.Exp(s / math.Sqrt(float64(o.width)))
		sum += e
		attn += e * cosine(v, o.times(o.wv, x))
	}
	return attn / sum, true
}

func (o oracle) loss(draws []Draw, in, out *Keys, k int) float64 {
	var sums, counts [2]float64
	for _, d := range draws {
		counts[d.Side]++
		own := []*Keys{in, out}[d.Side]
		for side, keys := range []*Keys{in, out} {
			exclude := -1
			if side == int(d.Side) {
				exclude = d.Key
			}
			attn, ok := o.attn(widen(own.Row(d.Key)), keys, k, exclude)
			if !ok {
				continue
			}
			p := math.Min(math.Max((1+attn)/2, 1e-6), 1-1e-6)
			if side != int(d.Side) {
				p = 1 - p
			}
			sums[d.Side] += math.Log(p)
		}
	}
	total := 0.0
	for side, n := range counts {
		if n > 0 {
			total -= sums[side] / n
		}
	}
	return total
}

// Random cases. Keys have a common part, so that cosines spread over (0, 1) as
// those of embeddings do, instead of huddling at 0.

func randomRows(rng *rand.Rand, n, dim int) []float32 {
	base := make([]float32, dim)
	for i := range base {
		base[i] = float32(rng.NormFloat64())
	}
	rows := make([]float32, n*dim)
	for i := range rows {
		rows[i] = 0.5*base[i%dim] + float32(rng.NormFloat64())
	}
	return rows
}

func randomHead(rng *rand.Rand, dim, width int) *Head {
	h := NewHead(dim, width)
	for _, w := range h.W {
		for i := range w {
			w[i] = 0.5*w[i] + float32(rng.NormFloat64()/math.Sqrt(float64(dim)))
		}
	}
	return h
}

type testCase struct {
	name                  string
	dim, width, nIn, nOut int
	topK                  int
	change                func(in, out []float32) // of dim-wide rows
}

func repeatRow(rows []float32, dim, from, to int) { copy(rows[to*dim:(to+1)*dim], rows[from*dim:]) }

var testCases = []testCase{
	{name: "usual", dim: 12, width: 8, nIn: 40, nOut: 33, topK: 5},
	{name: "odd sizes", dim: 7, width: 3, nIn: 19, nOut: 21, topK: 4},
	{name: "width is dim", dim: 6, width: 6, nIn: 10, nOut: 10, topK: 3},
	{name: "one key each", dim: 5, width: 2, nIn: 1, nOut: 1, topK: 5},
	{name: "top 1", dim: 9, width: 4, nIn: 12, nOut: 9, topK: 1},
	{name: "fewer keys than top", dim: 8, width: 5, nIn: 3, nOut: 4, topK: 10},
	{name: "no ID keys", dim: 6, width: 4, nIn: 0, nOut: 9, topK: 3},
	{name: "no OOD keys", dim: 6, width: 4, nIn: 8, nOut: 0, topK: 3},
	{name: "only the drawn ID key", dim: 6, width: 4, nIn: 1, nOut: 9, topK: 3},
	{name: "no keys", dim: 6, width: 4, topK: 3},
	{name: "zero vectors", dim: 6, width: 4, nIn: 6, nOut: 5, topK: 4, change: func(in, out []float32) {
		clear(in[6:18])
		clear(out[24:])
	}},
	// Of a query in both sides p is 1 and clipped, so the gradient is zero although the loss is large.
	{name: "one key for both sides", dim: 3, width: 2, nIn: 1, nOut: 1, topK: 2, change: func(in, out []float32) { copy(out, in) }},
	{name: "repeated keys", dim: 6, width: 4, nIn: 8, nOut: 8, topK: 3, change: func(in, out []float32) {
		for i := 1; i < 5; i++ { // p_in of these is 1, clipped
			repeatRow(in, 6, 0, i)
		}
		copy(out[:6], in[:6]) // the same graph on both sides
		for i := range 6 {    // exact opposites: p near 0
			out[6+i] = -in[i]
		}
	}},
}

func (c testCase) build() (h *Head, in, out *Keys, draws []Draw) {
	rng := rand.New(rand.NewPCG(7, uint64(len(c.name))))
	inRows, outRows := randomRows(rng, c.nIn, c.dim), randomRows(rng, c.nOut, c.dim)
	if c.change != nil {
		c.change(inRows, outRows)
	}
	in, out = NewKeys(c.dim, inRows), NewKeys(c.dim, outRows)
	h = randomHead(rng, c.dim, c.width)
	for side, keys := range []*Keys{in, out} {
		for i := range keys.Len() {
			draws = append(draws, Draw{Side: dictionary.Side(side), Key: i})
			if i%3 == 0 { // drawn twice
				draws = append(draws, Draw{Side: dictionary.Side(side), Key: i})
			}
		}
	}
	var w Workspace
	w.FillTop(draws, in, out, c.topK)
	return h, in, out, draws
}

func TestTopK(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		n, k := rng.IntN(70), rng.IntN(20)-1
		sims := make([]float32, n)
		levels := 1 + rng.IntN(40)
		for i := range sims {
			sims[i] = float32(rng.IntN(levels))
			if rng.IntN(20) == 0 {
				sims[i] = float32(math.NaN())
			}
		}
		exclude := rng.IntN(n+1) - 1
		var want []int32
		for i, s := range sims {
			if i != exclude && s == s {
				want = append(want, int32(i))
			}
		}
		sort.SliceStable(want, func(a, b int) bool { return sims[want[a]] > sims[want[b]] })
		want = want[:min(max(k, 0), len(want))]
		if got := TopK([]int32{9, 9}, sims, k, exclude); !slices.Equal(got, want) {
			t.Fatalf("top %d of %v without %d: %v, want %v", k, sims, exclude, got, want)
		}
	}
}

func TestKeysSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rows := randomRows(rng, 9, 4)
	keys := NewKeys(4, rows[:20])
	for _, i := range []int{2, 5, 0, 6, 6} { // replacing and appending
		keys.Set(i, rows[32:])
	}
	want := NewKeys(4, slices.Concat(rows[32:], rows[4:8], rows[32:], rows[12:20], rows[32:], rows[32:]))
	if !slices.Equal(keys.raw, want.raw) || !slices.Equal(keys.unit, want.unit) || keys.Len() != 7 {
		t.Error("keys after Set differ from keys made at once")
	}
	for i := range keys.Len() {
		if n := dot(keys.Unit(i), keys.Unit(i)); !within(float64(n), 1, 1e-6) {
			t.Errorf("row %d has squared length %g after normalising", i, n)
		}
	}
	odd := NewKeys(2, []float32{0, 0, float32(math.Inf(1)), 1, float32(math.NaN()), 1, 3e38, 3e38, 1e-45, 0})
	if got, want := fmt.Sprint(odd.unit), "[0 0 0 0 0 0 0.70710677 0.70710677 1 0]"; got != want {
		t.Errorf("extreme rows: %s, want %s", got, want)
	}
}

// Scores and explanations, also of queries that name a key of their own, which then counts nowhere.
func TestScoresAgainstOracle(t *testing.T) {
	for _, c := range testCases {
		h, in, out, _ := c.build()
		rng := rand.New(rand.NewPCG(9, 9))
		for _, n := range []int{0, 1, 2, 37, blockRows + 5} {
			queries := randomRows(rng, n, c.dim)
			if n > 2 {
				clear(queries[:c.dim])
				if c.nIn > 0 {
					copy(queries[c.dim:], in.Row(0))
				}
			}
			var own [][2]int32
			for i := range n {
				own = append(own, [2]int32{int32(i%(c.nIn+1)) - 1, int32(i%(c.nOut+2)/2) - 1})
			}
			var w Workspace
			got := make([]Score, n)
			h.Scores(&w, got, queries, own, in, out, c.topK)
			o := oracleOf(h)
			for i, s := range got {
				q := widen(queries[i*c.dim : (i+1)*c.dim])
				e := h.Explain(&w, queries[i*c.dim:(i+1)*c.dim], own[i], in, out, c.topK)
				for _, side := range []struct {
					keys *Keys
					list []Contribution
					own  int32
					attn [2]float64
				}{{in, e.InKeys, own[i][0], [2]float64{s.In, e.In}}, {out, e.OutKeys, own[i][1], [2]float64{s.Out, e.Out}}} {
					want, _ := o.attn(q, side.keys, c.topK, int(side.own))
					if !within(side.attn[0], want, 1e-5) || !within(side.attn[1], want, 1e-5) {
						t.Fatalf("%s, query %d of %d without %d: scored and explained as %g, want %g", c.name, i, n, side.own, side.attn, want)
					}
					var keys []int
					var weights, attn float64
					for _, k := range side.list {
						keys = append(keys, k.Key)
						weights += k.Weight
						attn += k.Weight * k.Value
						if want := cosine(q, widen(side.keys.Row(k.Key))); !within(k.Similarity, want, 1e-6) {
							t.Errorf("%s: key %d has similarity %g, want %g", c.name, k.Key, k.Similarity, want)
						}
					}
					if want := nearest(q, side.keys, c.topK, int(side.own)); c.change == nil && !slices.Equal(keys, want) {
						t.Errorf("%s: keys %v, want %v", c.name, keys, want)
					}
					if len(keys) > 0 && (!within(weights, 1, 1e-12) || !within(attn, side.attn[1], 1e-7)) {
						t.Errorf("%s: weights sum to %g and values to %g, want 1 and %g", c.name, weights, attn, side.attn[1])
					}
				}
			}
		}
	}
}

// The cosine of a query with itself rounds to either side of 1.
func TestScoresStayInRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		row := randomRows(rng, 1, 7)
		opposite := make([]float32, len(row))
		for i, x := range row {
			opposite[i] = -x
		}
		var w Workspace
		var got [1]Score
		NewHead(7, 7).Scores(&w, got[:], row, nil, NewKeys(7, row), NewKeys(7, opposite), 1)
		if s := got[0]; s.In > 1 || s.Out < -1 || !within(s.In, 1, 1e-6) || !within(s.Out, -1, 1e-6) {
			t.Fatalf("a query against itself and its opposite: %+v, want 1 and -1", s)
		}
	}
}

func TestNotFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	in, out := NewKeys(2, []float32{1, 0, inf, nan, 3e38, 3e38}), NewKeys(2, []float32{nan, nan, 0, 1})
	var w Workspace
	got := make([]Score, 3)
	NewHead(2, 2).Scores(&w, got, []float32{nan, 1, 3e38, -3e38, 1, 1}, nil, in, out, 2) // must not panic
	if s := got[0]; s.In == s.In || s.Out == s.Out {
		t.Errorf("a NaN query scores %+v, want NaN", s)
	}
}

// The loss against that of the oracle, the gradient against its central differences.
func TestGradient(t *testing.T) {
	for _, c := range testCases {
		h, in, out, all := c.build()
		parts := [][]Draw{all}
		if c.name == "usual" { // also one side's draws alone, and none
			n := slices.IndexFunc(all, func(d Draw) bool { return d.Side == dictionary.OOD })
			parts = append(parts, all[:n], all[n:], nil)
		}
		for _, draws := range parts {
			var w Workspace
			var g [3][]float32
			o := oracleOf(h)
			loss := o.loss(draws, in, out, c.topK)
			if got := h.Gradient(&w, &g, draws, in, out); !within(got, loss, 1e-5*(1+loss)) {
				t.Errorf("%s, %d draws: loss is %.8f, want %.8f", c.name, len(draws), got, loss)
			}
			var want [3][]float64
			largest := 0.0
			for m, params := range [][]float64{o.wq, o.wk, o.wv} {
				for i, old := range params {
					const step = 1e-6
					params[i] = old + step
					up := o.loss(draws, in, out, c.topK)
					params[i] = old - step
					down := o.loss(draws, in, out, c.topK)
					params[i] = old
					want[m] = append(want[m], (up-down)/(2*step))
					largest = max(largest, math.Abs(want[m][i]))
				}
			}
			for m, matrix := range g {
				for i, got := range matrix {
					if !within(float64(got), want[m][i], 1e-4*largest+1e-7) {
						t.Fatalf("%s: matrix %d, weight %d: gradient %g, differences %g", c.name, m, i, got, want[m][i])
					}
				}
			}
			if len(w.terms) > 0 && c.nIn+c.nOut > 2 && largest < 1e-3 {
				t.Errorf("%s: the largest gradient is %g, so this compared nothing", c.name, largest)
			}
		}
	}
}

func TestStepRefusesNaN(t *testing.T) {
	in, out := NewKeys(2, []float32{1, 0, float32(math.NaN()), 1}), NewKeys(2, []float32{0, 1})
	trainer := NewTrainer(NewHead(2, 2), 1e-2)
	loss := trainer.Step([]Draw{{Key: 0, Top: [2][]int32{{1}, {0}}}}, in, out)
	if !math.IsNaN(loss) || !slices.Equal(trainer.Head.W[2], NewHead(2, 2).W[2]) || trainer.adam[0].Step != 0 {
		t.Errorf("a step of loss %g changed the head to %v", loss, trainer.Head.W[2])
	}
}

func TestNoAllocations(t *testing.T) {
	h, in, out, draws := testCases[0].build()
	trainer := NewTrainer(h, 1e-3)
	var w Workspace
	queries, dst := randomRows(rand.New(rand.NewPCG(1, 1)), 50, h.Dim), make([]Score, 50)
	if n := testing.AllocsPerRun(5, func() {
		w.FillTop(draws, in, out, 5)
		trainer.Step(draws, in, out)
		trainer.Head.Scores(&w, dst, queries, nil, in, out, 5)
	}); n > 0 {
		t.Errorf("%g allocations per warm step, want 0", n)
	}
}

package attention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"baca/algo/contrast"
	"baca/algo/contrast/contrasttest"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/metric"
	"baca/algo/near"
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

// A lookup that ranks the shared keys once chooses the keys that are chosen of all keys at once, the first of equal ones, too.
func TestSharedKeysAreRankedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for range 40 {
		const dim, topK = 2, 3
		rows := func(n int) []float32 {
			list := make([]float32, n*dim)
			for i := range list {
				list[i] = float32(rng.IntN(5) - 2) // many equal cosines
			}
			return list
		}
		shared, members, test := rows(rng.IntN(40)), rows(rng.IntN(6)), rows(lookupBlock+3)
		all, out := NewKeys(dim, slices.Concat(shared, members)), NewKeys(dim, rows(1+rng.IntN(5)))
		l := &lookup{in: NewKeys(dim, shared).sharing(), out: out, topK: topK, workers: 2, ranked: map[source]ranking{}}
		for i := range len(members) / dim {
			l.in.Set(l.in.Len(), members[i*dim:(i+1)*dim])
		}
		l.entry = func(d Draw) dictionary.Entry {
			origin := dictionary.Synthetic
			if d.Side == dictionary.ID && d.Key < len(shared)/dim {
				origin = dictionary.Training
			}
			return dictionary.Entry{Origin: origin, Index: d.Key}
		}
		h, own := randomHead(rng, dim, dim), make([][2]int32, len(test)/dim)
		for i := range own {
			own[i] = [2]int32{-1, -1}
		}
		for range 2 { // the second time from the cache
			var w Workspace
			l.reset()
			var draws []Draw
			for side, keys := range []*Keys{all, out} {
				for range min(9, 3*keys.Len()) {
					draws = append(draws, Draw{Side: dictionary.Side(side), Key: rng.IntN(keys.Len())})
				}
			}
			want := slices.Clone(draws)
			w.FillTop(want, all, out, topK)
			if err := l.fillTop(context.Background(), draws); err != nil || !reflect.DeepEqual(draws, want) {
				t.Fatalf("keys of draws %v, want %v (%v)", draws, want, err)
			}
			scores, list := make([]float64, len(own)), make([]Score, len(own))
			h.Scores(&w, list, test, nil, all, out, topK)
			if err := l.scores(context.Background(), h, scores, test, own); err != nil {
				t.Fatal(err)
			}
			for i, s := range list {
				if scores[i] != s.Attn() {
					t.Fatalf("query %d has the score %g, want %g", i, scores[i], s.Attn())
				}
			}
		}
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

var ctx = context.Background()

// An input is a batch with its base scores, and further ID graphs.
type input struct {
	*Batch
	holdout *contrast.Representation
	ood     []bool
}

func newInput(id, ood, bank, holdout int) *input {
	s := contrasttest.New(id, ood, bank, holdout)
	b := &Batch{Encoder: s.Encoder, Graphs: s.Graphs, Test: s.Test, Bank: s.Bank, Terms: contrast.PlainTerms(s.Bank), Workers: 1}
	b.Base = must.Have(contrast.BaseScores(ctx, 1, b.Test, b.Test.Negatives(), true, b.Terms))
	b.Part = b.Base
	return &input{b, s.Holdout, s.OOD}
}

// synthetic counts the synthetic graphs in a dictionary.
func synthetic(d *dictionary.Dictionary) (n int) {
	for i := range d.Len() {
		if d.Entry(i).Origin == dictionary.Synthetic {
			n++
		}
	}
	return n
}

func brief() Options {
	o := DefaultOptions()
	o.Steps, o.Synthetic, o.Draws = 60, 24, 16
	return o
}

// If the base score partitions the batch correctly, the attention learns to separate the parts.
func TestCalibratorLearns(t *testing.T) {
	in := newInput(40, 40, 100, 10)
	for i := range in.Base {
		in.Base[i] = float64(i)
	}
	o := DefaultOptions()
	o.LearningRate = 1e-3 // so that 200 steps move the loss
	a := must.Have(New(o, 7))
	var losses, kl []float64
	var stages []string
	var parted [2][]int
	in.Watch = &Watch{Every: 1, Stage: func(s Stage, done, total int) {
		if s != Attending || done == total {
			stages = append(stages, fmt.Sprintf("%s %d/%d", s, done, total))
		}
	}, Parted: func(inside, outside []int, _ [2]int) { parted = [2][]int{inside, outside} }, Step: func(it Iteration) {
		losses = append(losses, it.Loss)
		finite(t, "KL", it.KL)
		kl = append(kl, it.KL)
		if it.Step != len(losses) || len(it.Test) != 80 || len(it.Inside) == 0 || len(it.Outside) == 0 {
			t.Fatalf("step %d: %d scores, %d and %d graphs in the subgroups", it.Step, len(it.Test), len(it.Inside), len(it.Outside))
		}
	}}
	out := must.Have(a.Calibrate(ctx, in.Batch))
	const want = "part 0/1, graphons 0/2, graphons 1/2, mixup 128/512, mixup 256/512, mixup 384/512, mixup 512/512, attention 200/200"
	if got := strings.Join(stages, ", "); got != want {
		t.Errorf("stages %s, want %s", got, want)
	}
	finite(t, "scores", out.Test...)
	finite(t, "holdout", must.Have(out.Score(ctx, in.holdout))...)
	if n := len(losses); n != 200 || !(stat.Mean(losses[n-20:], nil) < 0.8*stat.Mean(losses[:20], nil)) {
		t.Errorf("%d losses, mean of the first 20 %g, of the last %g: want a fall", n, stat.Mean(losses[:20], nil), stat.Mean(losses[n-20:], nil))
	}
	if !(stat.Mean(kl[180:], nil) > 0) || slices.Max(kl) <= kl[0] {
		t.Errorf("KL between the subgroups starts at %g and never rises: %g at its highest", kl[0], slices.Max(kl))
	}
	for k, s := range a.sides {
		if synthetic(s.dict) == 0 || s.draws != 256 || !slices.Equal(parted[k], s.members) {
			t.Errorf("%d graphs were drawn for the %s queue and %d entered, %d were parted", s.draws, s.of, synthetic(s.dict), len(parted[k]))
		}
	}
	if auc := metric.AUROC(out.Test, in.ood); auc < 0.9 {
		t.Errorf("AUROC %g, want at least 0.9", auc)
	}
}

// A graph of the batch is scored by keys other than its own.
func TestCalibratorLeavesItselfOut(t *testing.T) {
	in := newInput(30, 30, 50, 0)
	o := brief()
	o.Steps, o.TopK, o.Training, o.Width = 0, 1, 20, 1000
	a := must.Have(New(o, 7))
	if e := a.Explain(nil, 0); e.Score != (Score{}) || e.InKeys != nil || e.OutKeys != nil {
		t.Errorf("before the first batch: %+v", e)
	}
	out := must.Have(a.Calibrate(ctx, in.Batch))
	for k := range o.Training { // two of five
		if e := a.Dictionary(dictionary.ID).Entry(k); e.Origin != dictionary.Training || e.Index != k*5/2 {
			t.Errorf("key %d is %+v, want training graph %d", k, e, k*5/2)
		}
	}
	for k, side := range a.sides {
		if members, graphons := a.Members(side.of); !slices.Equal(members, side.members) || len(graphons) != len(members) {
			t.Errorf("%d graphons of %d members, want %d", len(graphons), len(members), len(side.members))
		}
		for _, i := range side.members {
			if q := a.Query(in.Test.Q[i*in.Test.Dim():][:in.Test.Dim()]); !slices.Equal(q, a.Keys(side.of).Unit(int(side.rowOf(i)))) {
				t.Errorf("graph %d is asked for by other values than those of its key", i)
			}
			e := a.Explain(in.Test.Q[i*in.Test.Dim():(i+1)*in.Test.Dim()], i)
			nearest := [...]Contribution{e.InKeys[0], e.OutKeys[0]}[k]
			if nearest.Key == int(side.rowOf(i)) || out.Test[i] != e.Attn() {
				t.Errorf("graph %d has the score %g, %g without its own key; nearest is %+v of row %d", i, out.Test[i], e.Attn(), nearest, side.rowOf(i))
			}
		}
	}
}

// Each synthetic key has its graph, and no other graphs are kept. A second batch goes on where the first one ended.
func TestSyntheticKeysHaveTheirGraphs(t *testing.T) {
	in := newInput(40, 40, 100, 10)
	o := brief()
	o.Capacity = 30 // fewer than are drawn for two batches, so that some are pushed out
	a := must.Have(New(o, 3))
	var queue [2]int
	for round := range queue {
		must.Have(a.Calibrate(ctx, in.Batch))
		queue[round] = synthetic(a.sides[0].dict)
	}
	if queue[1] <= queue[0] || a.trainer.adam[0].Step != 2*o.Steps {
		t.Errorf("queue of %d, then %d graphs; %d training steps: want the second batch to go on", queue[0], queue[1], a.trainer.adam[0].Step)
	}
	for _, side := range []dictionary.Side{dictionary.ID, dictionary.OOD} {
		d := a.Dictionary(side)
		for i := range d.Len() {
			e := d.Entry(i)
			if e.Origin != dictionary.Synthetic {
				continue
			}
			g := a.Synthetic(side, e.Index)
			if g == nil {
				t.Fatalf("%s: synthetic key %d has no graph", side, e.Index)
			}
			r := must.Have(contrast.Represent(ctx, 1, in.Encoder, []*graph.Graph{g}))
			if got := a.latest.standard.Apply(r.Q); !slices.Equal(got, a.sides[side].keys.Row(i)) {
				t.Errorf("%s: synthetic key %d is not of its graph", side, e.Index)
			}
		}
		if got, want := len(a.sides[side].drawn), synthetic(d); got != want || want != o.Capacity {
			t.Errorf("%s: %d graphs are kept for %d keys", side, got, want)
		}
		if a.Synthetic(side, -1) != nil || a.Synthetic(side, 1<<20) != nil {
			t.Errorf("%s: there are graphs of numbers that were not given", side)
		}
	}
}

// Batches without anything to learn from give warnings and finite scores.
func TestCalibratorDegenerate(t *testing.T) {
	equal := newInput(12, 0, 20, 3)
	for i := range equal.Base {
		equal.Base[i] = 1
	}
	alone := brief()
	alone.BankWeight = 0
	noEdges := newInput(12, 0, 20, 3)
	for i := range noEdges.Graphs {
		g, _ := must.Both(graph.New(3+i%2, nil))
		g.EncodeStructure()
		noEdges.Graphs[i] = g
	}
	erased := brief()
	erased.Theta = 2.02
	for _, c := range []struct {
		name, warning string
		in            *input
		options       Options
	}{
		{"batch of one", "cannot be parted", newInput(1, 0, 20, 3), brief()},
		{"all equal", "cannot be parted", equal, alone},
		{"no bank", "", newInput(10, 10, 0, 0), brief()},
		{"one graph, no bank", "cannot be parted", newInput(1, 0, 0, 0), brief()},
		{"no edges", "synthetic graphs", noEdges, brief()},
		{"zero graphons", "synthetic graphs", newInput(10, 10, 20, 3), erased},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := must.Have(New(c.options, 1))
			out := must.Have(a.Calibrate(ctx, c.in.Batch))
			finite(t, "scores", out.Test...)
			finite(t, "holdout", must.Have(out.Score(ctx, c.in.holdout))...)
			if got := strings.Join(out.Warnings, "; "); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
				t.Errorf("warnings %q, want one with %q", got, c.warning)
			}
		})
	}
}

// A Watch wants each Every-th step and the last one.
func TestWatched(t *testing.T) {
	step := func(Iteration) {}
	for _, c := range []struct {
		watch *Watch
		want  []int
	}{{nil, nil}, {&Watch{Every: 3}, nil}, {&Watch{Step: step}, nil}, {&Watch{Every: 3, Step: step}, []int{3, 6, 8}}} {
		var got []int
		for k := range 8 {
			if c.watch.wants(k+1, 8) {
				got = append(got, k+1)
			}
		}
		if c.watch.Report(Parting, 0, 1); !slices.Equal(got, c.want) {
			t.Errorf("%+v sees steps %d, want %d", c.watch, got, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	a := must.Have(New(brief(), 1))
	in := newInput(20, 20, 20, 0)
	in.Watch = &Watch{Every: 1, Step: func(it Iteration) {
		if it.Step == 3 {
			cancel()
		}
		if it.Step > 4 {
			t.Errorf("step %d after the end", it.Step)
		}
	}}
	if _, err := a.Calibrate(done, in.Batch); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"":            func(o *Options) { o.Low, o.High, o.Theta = 0, 100, 0 },
		"percentiles": func(o *Options) { o.Low = 80 },
		"one":         func(o *Options) { o.Low = o.High },
		"below 0":     func(o *Options) { o.Low = -1 },
		"above 100":   func(o *Options) { o.High = 101 },
		"theta":       func(o *Options) { o.Theta = math.NaN() },
		"top":         func(o *Options) { o.TopK = 0 },
		"lambda":      func(o *Options) { o.Mixup.LambdaHigh = 2 },
		"rate":        func(o *Options) { o.LearningRate = 0 },
		"bank":        func(o *Options) { o.BankWeight = math.NaN() },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := New(o, 1); (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The batch is parted by z(S_Pre) + ½·z(S_in), S_in of the bank alone by an attention that has learned nothing.
func TestBankParts(t *testing.T) {
	in := newInput(40, 30, 20, 3)
	dim := in.Test.Dim()
	standard := near.NewStandardizer(in.Bank.Q, dim)
	keys, none, q := NewKeys(dim, standard.Apply(in.Bank.Q)), NewKeys(dim, nil), standard.Apply(in.Test.Q)
	known := make([]float64, len(in.Part))
	var w Workspace
	z := func(of []float64, i int) float64 {
		mean, deviation := stat.PopMeanStdDev(of, nil)
		return (of[i] - mean) / deviation
	}
	for i := range known {
		known[i] = NewHead(dim, dim).Explain(&w, part(q, i, dim), [2]int32{-1, -1}, keys, none, brief().TopK).Attn()
	}
	by := func(weight float64) (order []int) {
		sum := make([]float64, len(known))
		for i := range known {
			sum[i] = z(in.Part, i) + weight*z(known, i)
			order = append(order, i)
		}
		slices.SortFunc(order, func(i, k int) int { return cmp.Compare(sum[i], sum[k]) })
		return order
	}
	a := must.Have(New(brief(), 1))
	must.Have(a.Calibrate(ctx, in.Batch))
	inside, _ := a.Members(dictionary.ID)
	order := by(0.5)[:len(inside)]
	slices.Sort(order)
	if !slices.Equal(inside, order) {
		t.Errorf("graphs %v are taken for ID, want %v", inside, order)
	}
	if other := by(0)[:len(inside)]; slices.Equal(slices.Sorted(slices.Values(other)), inside) {
		t.Error("the bank changes nothing")
	}
}

// Scores up to one percentile are inside, from the other on outside.
func TestPart(t *testing.T) {
	o := brief()
	o.Low, o.High = 25, 75
	c, nan := must.Have(New(o, 1)), math.NaN()
	for _, p := range []struct {
		scores          []float64
		inside, outside []int
	}{
		{[]float64{4, 2, 1, 3, 0}, []int{2, 4}, []int{0, 3}}, {[]float64{1, 2, 3, 4}, []int{0}, []int{3}}, {[]float64{1, 2, 3}, nil, nil},
		{[]float64{1, 1, 1, 1, 2}, nil, nil}, {[]float64{1, 2, 3, 4, nan}, nil, nil},
	} {
		parted, in, out := c.part(p.scores), c.sides[0], c.sides[1]
		if parted != (p.inside != nil) || !slices.Equal(in.members, p.inside) || !slices.Equal(out.members, p.outside) {
			t.Errorf("%v: parted %t into %d and %d, want %d and %d", p.scores, parted, in.members, out.members, p.inside, p.outside)
		}
	}
}

func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: value %d is %g", what, i, v)
		}
	}
}

package engine

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/near"
	"baca/wasm/message"
)

// A chart is the map of the training set: graphs that share subtrees lie beside each other. It is laid out as UMAP does
// (McInnes and others, 2018), from the principal axes of the embeddings.
type chart struct {
	index   *fingerprint.Index
	similar []float64    // to each print of the index
	place   []int        // in the index, of each point: of many graphs an even sample
	at      []complex128 // of each point
}

// Neighbours that pull each other, passes, points that push each other for each pull, the longest step, the size at the
// start, and how far a graph that shares nothing lies from all points, which barely matters.
const (
	chartPulls, chartPasses, chartPushes = 10, 200, 5
	chartStep, chartSize, chartReach     = 4, 10, 2
	chartSeed, chartSides                = 0xba1a_0011, 16
)

// newChart lays out the training set of the model, which takes seconds.
func (e *Engine) newChart(t *task) (*chart, error) {
	bank, x := e.model.Bank, e.model.Subtrees
	n := bank.Len()
	c := &chart{index: x, similar: make([]float64, x.Len())}
	rows := make([][]float32, n)
	for k := range rows {
		rows[k] = bank.Q[k*bank.Dim():][:bank.Dim()]
		c.place = append(c.place, near.Place(k, n, x.Len()))
	}
	start, unit := newPlane(rows, nil, nil, n).training, 0.0
	for _, v := range start {
		unit = max(unit, math.Abs(float64(v)/chartSize))
	}
	for k := range n {
		c.at = append(c.at, complex(float64(start[2*k])/unit, float64(start[2*k+1])/unit))
	}
	pulls, weights := make([][]int, n), make([][]float64, n)
	for k, place := range c.place {
		pulls[k] = slices.DeleteFunc(c.nearest(x.Print(place), chartPulls+1), func(other int) bool { return other == k })
		for _, other := range pulls[k] {
			weights[k] = append(weights[k], c.similar[c.place[other]])
		}
		t.showProgress(message.StageCompute, k, n)
		if err := t.Err(); err != nil {
			return nil, err
		}
	}
	rng := rand.New(rand.NewPCG(1, chartSeed))
	for pass := range chartPasses {
		for k, list := range pulls {
			for i, other := range list {
				rate := 2 * weights[k][i] * (1 - float64(pass)/chartPasses)
				c.move(k, other, func(d float64) float64 { return -rate / (1 + d) })
				c.move(other, k, func(d float64) float64 { return -rate / (1 + d) })
				for range chartPushes {
					c.move(k, rng.IntN(n), func(d float64) float64 { return rate / ((0.001 + d) * (1 + d)) })
				}
			}
		}
	}
	return c, nil
}

// move moves a point away from another, by a force at the square of their distance.
func (c *chart) move(i, other int, force func(d float64) float64) {
	d := c.at[i] - c.at[other]
	step := complex(force(real(d)*real(d)+imag(d)*imag(d)), 0) * d
	c.at[i] += step * complex(min(1, chartStep/(cmplx.Abs(step)+1e-9)), 0)
}

// nearest are the points of the most similar graphs, the most similar first.
func (c *chart) nearest(p fingerprint.Print, most int) (list []int) {
	c.index.Similarities(c.similar, fingerprint.Counts, p)
	for k, place := range c.place {
		at := len(list)
		for ; at > 0 && c.similar[c.place[list[at-1]]] < c.similar[place]; at-- {
		}
		if at < most {
			list = slices.Insert(list[:min(len(list), most-1)], at, k)
		}
	}
	return list
}

// find is where a graph lies: of the spots that are as far from all points as it differs from the most similar one, the
// first around that.
func (c *chart) find(p fingerprint.Print) (spot complex128) {
	n := c.nearest(p, 1)[0]
	far := chartReach * (1 - c.similar[c.place[n]])
	taken := func(q complex128) bool { return cmplx.Abs(spot-q) < 0.999*far }
	for r := far; ; r *= 1.15 {
		for side := range chartSides {
			if spot = c.at[n] + cmplx.Rect(r, 2*math.Pi*float64(side)/chartSides); !slices.ContainsFunc(c.at, taken) {
				return spot
			}
		}
	}
}

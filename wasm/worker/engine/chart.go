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
// (McInnes and others, 2018), from places at random.
type chart struct {
	index   *fingerprint.Index   // of the points: of many graphs an even sample
	similar []float64            // to each of them
	at      []complex128         // of each point
	cells   map[int][]complex128 // the points in each, see cellOf
}

// Pulls of each point, passes, pushes for each pull; the longest step, the size at the start, the reach of new graphs.
const (
	chartPulls, chartPasses, chartPushes, chartSides = 10, 200, 5, 16
	chartStep, chartSize, chartReach, chartSeed      = 4, 10, 2, 0xba1a_0011
)

// layOut lays out the training set of the model, which takes seconds, unless it is, or kept has the places. Others than two
// numbers for each point are ignored.
func (e *Engine) layOut(t *task, kept message.Singles) error {
	if e.chart != nil {
		return nil
	}
	x, n, rng := e.model.Subtrees, e.model.Bank.Len(), rand.New(rand.NewPCG(1, chartSeed))
	c := &chart{similar: make([]float64, n)}
	prints := make([]fingerprint.Print, n)
	for k := range n {
		prints[k] = x.Print(near.Place(k, n, x.Len()))
		c.at = append(c.at, complex(chartSize*rng.NormFloat64(), chartSize*rng.NormFloat64()))
	}
	c.index = fingerprint.NewIndex(prints)
	if len(kept) == 2*n {
		c.put(kept)
		e.chart = c
		return nil
	}
	pulls, weights := make([][]int, n), make([][]float64, n)
	for k, p := range prints {
		pulls[k] = slices.DeleteFunc(c.nearest(p, chartPulls+1), func(other int) bool { return other == k })
		for _, other := range pulls[k] {
			weights[k] = append(weights[k], c.similar[other])
		}
		t.showProgress(message.StageCompute, k/2, n)
		if err := t.Err(); err != nil {
			return err
		}
	}
	for pass := range chartPasses {
		t.showProgress(message.StageCompute, (n+n*pass/chartPasses)/2, n)
		if err := t.Err(); err != nil {
			return err
		}
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
	c.put(c.places()) // as it is when kept
	e.chart = c
	return nil
}

// places are those of all points, x and y of each alternating.
func (c *chart) places() (list message.Singles) {
	for _, p := range c.at {
		list = append(list, float32(real(p)), float32(imag(p)))
	}
	return list
}

// put sets the places of all points.
func (c *chart) put(list message.Singles) {
	c.cells = map[int][]complex128{}
	for k := range c.at {
		c.at[k] = complex(float64(list[2*k]), float64(list[2*k+1]))
		cell := cellOf(c.at[k])
		c.cells[cell] = append(c.cells[cell], c.at[k])
	}
}

// cellOf is the number of the square of side chartReach that a place lies in: those to both sides of it have the numbers
// beside it, those above and below differ by chartRow.
func cellOf(p complex128) int {
	return int(math.Floor(real(p)/chartReach)) + chartRow*int(math.Floor(imag(p)/chartReach))
}

const chartRow = 1 << 20

// square is that of the length of d.
func square(d complex128) float64 { return real(d)*real(d) + imag(d)*imag(d) }

// move moves a point away from another, by a force at the square of their distance.
func (c *chart) move(i, other int, force func(d float64) float64) {
	d := c.at[i] - c.at[other]
	step := complex(force(square(d)), 0) * d
	if size := square(step); size > chartStep*chartStep {
		step *= complex(chartStep/math.Sqrt(size), 0)
	}
	c.at[i] += step
}

// nearest are the points of the most similar graphs, the most similar first.
func (c *chart) nearest(p fingerprint.Print, most int) (list []int) {
	c.index.Similarities(c.similar, fingerprint.Counts, p)
	for k, similar := range c.similar {
		at := len(list)
		for ; at > 0 && c.similar[list[at-1]] < similar; at-- {
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
	far := chartReach * (1 - c.similar[n])
	taken := func(q complex128) bool { return square(spot-q) < 0.998*far*far }
	for r := far; ; r *= 1.15 {
		for side := range chartSides {
			spot = c.at[n] + cmplx.Rect(r, 2*math.Pi*float64(side)/chartSides)
			cell, free := cellOf(spot), true
			for k := range 9 { // no other cell has a point so near
				free = free && !slices.ContainsFunc(c.cells[cell+k%3-1+(k/3-1)*chartRow], taken)
			}
			if free {
				return spot
			}
		}
	}
}

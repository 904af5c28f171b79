package engine

import (
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/near"
	"baca/wasm/message"
)

// A chart is the map of the training set: graphs that share subtrees lie near each other. It is laid out as UMAP does
// (McInnes and others, 2018), from the principal axes of the embeddings.
type chart struct {
	index   *fingerprint.Index
	similar []float64    // to each print of the index
	place   []int        // in the index, of each point: of many graphs an even sample
	at      [][2]float64 // of each point
	reach   float64      // how far a graph that shares nothing lies from all points
}

// Settings of the layout: neighbours that pull each other, passes, points at random that push each other for each pull,
// and the largest step. A tenth of the map is the reach; that barely matters to how well it tells outside from inside.
const (
	chartPulls, chartPasses, chartPushes = 10, 200, 5
	chartStep, chartSize, chartReach     = 4.0, 10.0, 0.2
	chartSeed, chartSides                = 0xba1a_0011, 16
)

// newChart lays out the training set of the model, which takes seconds.
func (e *Engine) newChart(t *task) (*chart, error) {
	bank, x := e.model.Bank, e.model.Subtrees
	n := bank.Len()
	c := &chart{index: x, similar: make([]float64, x.Len()), reach: chartSize * chartReach}
	rows := make([][]float32, n)
	for k := range rows {
		rows[k] = bank.Q[k*bank.Dim():][:bank.Dim()]
		c.place = append(c.place, near.Place(k, n, x.Len()))
	}
	start := newPlane(rows, nil, nil, n).training
	unit := 0.0
	for _, v := range start {
		unit += float64(v) * float64(v) / float64(n)
	}
	for k := range n {
		c.at = append(c.at, [2]float64{chartSize * float64(start[2*k]) / math.Sqrt(unit), chartSize * float64(start[2*k+1]) / math.Sqrt(unit)})
	}
	var pulls [][]similarity
	for k, place := range c.place {
		pulls = append(pulls, slices.DeleteFunc(c.nearest(x.Print(place), chartPulls+1), func(s similarity) bool { return s.point == k }))
		t.showProgress(message.StageCompute, k, n)
		if err := t.Err(); err != nil {
			return nil, err
		}
	}
	rng := rand.New(rand.NewPCG(1, chartSeed))
	for pass := range chartPasses {
		for k, list := range pulls {
			for _, s := range list {
				rate := s.value * (1 - float64(pass)/chartPasses)
				dx, dy := c.apart(k, s.point)
				c.move(k, -2*rate/(1+dx*dx+dy*dy), dx, dy)
				c.move(s.point, 2*rate/(1+dx*dx+dy*dy), dx, dy)
				for range chartPushes {
					dx, dy = c.apart(k, rng.IntN(n))
					c.move(k, 2*rate/((0.001+dx*dx+dy*dy)*(1+dx*dx+dy*dy)), dx, dy)
				}
			}
		}
	}
	return c, nil
}

func (c *chart) apart(i, j int) (x, y float64) {
	return c.at[i][0] - c.at[j][0], c.at[i][1] - c.at[j][1]
}

func (c *chart) move(i int, force, x, y float64) {
	c.at[i][0] += max(-chartStep, min(chartStep, force*x))
	c.at[i][1] += max(-chartStep, min(chartStep, force*y))
}

// A similarity is that of a graph to one with a point.
type similarity struct {
	point int
	value float64
}

// nearest are the points of the most similar graphs, the most similar first.
func (c *chart) nearest(p fingerprint.Print, most int) []similarity {
	c.index.Similarities(c.similar, fingerprint.Counts, p)
	var list []similarity
	for k, place := range c.place {
		s := c.similar[place]
		if len(list) == most && s <= list[most-1].value {
			continue
		}
		at := len(list)
		for ; at > 0 && list[at-1].value < s; at-- {
		}
		list = slices.Insert(list[:min(len(list), most-1)], min(at, most-1), similarity{k, s})
	}
	return list
}

// find is where a graph lies: of the spots that are as far from all points as it differs from the most similar one, the
// first around that.
func (c *chart) find(p fingerprint.Print) (x, y float64) {
	n := c.nearest(p, 1)[0]
	far := c.reach * (1 - n.value)
	taken := func(q [2]float64) bool { return math.Hypot(x-q[0], y-q[1]) < 0.999*far }
	for r := far; ; r *= 1.15 {
		for side := range chartSides {
			sin, cos := math.Sincos(2 * math.Pi * float64(side) / chartSides)
			if x, y = c.at[n.point][0]+r*cos, c.at[n.point][1]+r*sin; !slices.ContainsFunc(c.at, taken) {
				return x, y
			}
		}
	}
}

// Package cover chooses the candidates that serve a set of points best (Greedy): each point is served by the nearest
// chosen candidate, and the total cost is to fall as much as possible (facility location).
//
// The decrease is monotone submodular. So the greedy choice reaches at least 1 − 1/e, 63 %, of the optimum (Nemhauser,
// Wolsey and Fisher, 1978), and a candidate's earlier gain bounds its later one, so that few need a second look
// (Minoux, 1978). With prices, the better of the choices by gain and by gain per price reaches ½·(1 − 1/e) of the
// optimum within the budget (Leskovec and others, 2007).
package cover

import (
	"container/heap"
	"context"
	"slices"

	"baca/algo/internal/parallel"
)

// A Problem is read only.
type Problem struct {
	Now        []float64 // the current cost of each point
	Candidates int
	// Costs writes to dst each point's cost by a candidate alone. Calls with different workers may run concurrently.
	Costs func(worker, candidate int, dst []float64)

	Most    int       // candidates to choose
	Prices  []float64 // of the candidates, at least 0; nil for 1 each
	Budget  float64   // for the sum of the prices, where there are any
	Exclude []bool    // candidates not to choose; nil for none

	// Looked, if not nil, is called at the first look at a candidate, by any worker.
	Looked func()
}

// A Pick is a chosen candidate and the decrease of the costs.
type Pick struct {
	Candidate int
	Gain      float64
}

// Greedy chooses candidates, the best first, ties by index. It ends early where nothing affordable
// lowers a cost. The choice does not depend on the number of workers.
func Greedy(ctx context.Context, workers int, p Problem) ([]Pick, error) {
	first := make([]float64, p.Candidates)
	buffers := make([][]float64, parallel.Workers(workers))
	gain := func(worker, candidate int, now []float64) float64 {
		if buffers[worker] == nil {
			buffers[worker] = make([]float64, len(p.Now))
		}
		p.Costs(worker, candidate, buffers[worker])
		sum := 0.0
		for i, cost := range buffers[worker] {
			if cost < now[i] {
				sum += now[i] - cost
			}
		}
		return sum
	}
	err := parallel.For(ctx, workers, p.Candidates, func(worker, j int) {
		if p.allows(j, p.Budget) {
			first[j] = gain(worker, j, p.Now)
		}
		if p.Looked != nil {
			p.Looked()
		}
	})
	if err != nil {
		return nil, err
	}
	best, err := p.greedy(ctx, workers, first, gain, func(int) float64 { return 1 })
	if err != nil || p.Prices == nil {
		return best, err
	}
	perPrice, err := p.greedy(ctx, workers, first, gain, func(j int) float64 { return max(p.Prices[j], 1e-300) })
	if total(perPrice) > total(best) {
		best = perPrice
	}
	return best, err
}

// total returns the sum of the gains.
func total(picks []Pick) float64 {
	sum := 0.0
	for _, p := range picks {
		sum += p.Gain
	}
	return sum
}

// allows reports whether a candidate is allowed and affordable.
func (p *Problem) allows(j int, left float64) bool {
	return (p.Exclude == nil || !p.Exclude[j]) && (p.Prices == nil || p.Prices[j] <= left)
}

// again is how many candidates are looked at again at a time.
const again = 16

// greedy chooses by gain divided by a weight. first has each candidate's gain before any choice. A gain only falls as others
// are chosen, so the candidate with the highest bound is the best one if its gain is of this round.
func (p *Problem) greedy(ctx context.Context, workers int, first []float64,
	gain func(worker, candidate int, now []float64) float64, weight func(int) float64) ([]Pick, error) {
	now, left := slices.Clone(p.Now), p.Budget
	var queue bounds
	for j, g := range first {
		if g > 0 {
			queue = append(queue, bound{j, g, g / weight(j), 0})
		}
	}
	heap.Init(&queue)
	var picks []Pick
	costs := make([]float64, len(p.Now))
	for len(queue) > 0 && len(picks) < p.Most {
		top := queue[0]
		switch {
		case top.value <= 0:
			return picks, nil
		case !p.allows(top.candidate, left):
			heap.Pop(&queue) // it stays unaffordable
		case top.round == len(picks):
			heap.Pop(&queue)
			p.Costs(0, top.candidate, costs)
			for i, cost := range costs {
				now[i] = min(now[i], cost)
			}
			if p.Prices != nil {
				left -= p.Prices[top.candidate]
			}
			picks = append(picks, Pick{top.candidate, top.gain})
		default: // look again at the candidates with the highest bounds
			var stale []bound
			for len(stale) < again && len(queue) > 0 && queue[0].round < len(picks) {
				stale = append(stale, heap.Pop(&queue).(bound))
			}
			err := parallel.For(ctx, workers, len(stale), func(worker, k int) {
				b := &stale[k]
				b.gain = gain(worker, b.candidate, now)
				b.value, b.round = b.gain/weight(b.candidate), len(picks)
			})
			if err != nil {
				return nil, err
			}
			for _, b := range stale {
				heap.Push(&queue, b)
			}
		}
	}
	return picks, ctx.Err()
}

// A bound is a candidate's gain at an earlier choice.
type bound struct {
	candidate   int
	gain, value float64 // value is gain divided by the weight
	round       int     // how many had been chosen
}

// bounds is a max-heap.
type bounds []bound

func (b bounds) Len() int { return len(b) }
func (b bounds) Less(i, j int) bool {
	if b[i].value != b[j].value {
		return b[i].value > b[j].value
	}
	return b[i].candidate < b[j].candidate
}
func (b bounds) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *bounds) Push(x any)   { *b = append(*b, x.(bound)) }
func (b *bounds) Pop() any {
	x := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return x
}

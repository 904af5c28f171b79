package decide

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A Drift tests whether a stream of scores stays exchangeable with the holdout. Its wealth starts
// at 1 and is a martingale while that holds, so it ever reaches 1/δ with a chance of at most δ
// (Ville's inequality), however often one looks.
//
// Each score gets a smoothed conformal p-value among the holdout and all earlier scores; draws
// break ties. If the stream is exchangeable, these are independent and uniform. Half of the capital
// is bet by the simple jumper of Vovk and others ("Retrain or not retrain", 2021), averaged over
// jump rates, which notices p-values that lean to either side. The other half is bet on small
// p-values by the mean of the power martingales Π ε·p^(ε−1). A slight shift of all scores raises
// the first, a few far outliers the second.
//
// The scores must come from a scorer that learned nothing from the stream, such as
// algo.SingleScorer. A Drift stores eight bytes a score and is not safe for concurrent use.
type Drift struct {
	rng    *rand.Rand
	scores ranked

	jumpers [len(jumps)]jumper
	powers  [len(exponents)]float64 // logarithms of capitals

	seen    int
	log     float64 // of the wealth
	highest float64
	at      int // score, from 1, after which it was highest
}

// jumps are the fractions of capital that a jumper redistributes at each step.
var jumps = [...]float64{1e-4, 1e-3, 1e-2, 1e-1, 1}

// exponents of the power martingales; ε = 1 bets nothing.
var exponents = [...]float64{0.1, 0.3, 0.5, 0.7, 0.9, 1}

// slopes are the bets of a jumper: 1 + slope·(p − ½).
var slopes = [...]float64{-1, 0, 1}

// A jumper has the logarithm of its capital and its distribution over slopes.
type jumper struct {
	log  float64
	part [len(slopes)]float64
}

// driftStream is the second half of the seed of the draws.
const driftStream = 0xba1a_1007

// NewDrift starts with the scores of a holdout, of which it leaves out NaN. With an empty holdout the stream is
// compared with its own beginning only.
func NewDrift(holdout []float64, seed uint64) *Drift {
	d := &Drift{rng: rand.New(rand.NewPCG(seed, driftStream))}
	sorted := slices.DeleteFunc(slices.Clone(holdout), math.IsNaN)
	slices.Sort(sorted)
	d.scores.fill(sorted)
	for k := range d.jumpers {
		for e := range slopes {
			d.jumpers[k].part[e] = 1.0 / float64(len(slopes))
		}
	}
	return d
}

// Add bets on the next score and returns its smoothed p-value. It ignores NaN, for which it returns NaN.
func (d *Drift) Add(score float64) float64 {
	if math.IsNaN(score) {
		return score
	}
	above, same := d.scores.add(score)
	// same counts the score itself. 1 − Float64 is above 0, so p is, too.
	p := (float64(above) + (1-d.rng.Float64())*float64(same)) / float64(d.scores.n)
	d.seen++
	var all []float64 // logarithms of capitals
	for k := range d.jumpers {
		d.jumpers[k].bet(p, jumps[k])
		all = append(all, d.jumpers[k].log-math.Log(2*float64(len(jumps))))
	}
	for k, e := range exponents {
		d.powers[k] += math.Log(e) + float64((e-1)*math.Log(p))
		all = append(all, d.powers[k]-math.Log(2*float64(len(exponents))))
	}
	d.log = floats.LogSumExp(all)
	if d.log > d.highest {
		d.highest, d.at = d.log, d.seen
	}
	return p
}

// bet redistributes the share jump of the capital evenly over the slopes, and then bets on p: one step of Vovk's algorithm.
func (j *jumper) bet(p, jump float64) {
	sum := 0.0
	for e, slope := range slopes {
		part := float64((1-jump)*j.part[e]) + jump/float64(len(slopes))
		j.part[e] = part * (1 + float64(slope*(p-0.5)))
		sum += j.part[e]
	}
	for e := range j.part {
		j.part[e] /= sum
	}
	j.log += math.Log(sum)
}

// Seen returns the number of scores, without NaN.
func (d *Drift) Seen() int { return d.seen }

// LogWealth returns the natural logarithm of the wealth, 0 at the start.
func (d *Drift) LogWealth() float64 { return d.log }

// Highest returns the largest logarithm so far, at least 0, and after which score, from 1, it was
// reached; 0 for the start.
func (d *Drift) Highest() (log float64, at int) { return d.highest, d.at }

// Moved reports whether the wealth has ever reached 1/delta.
func (d *Drift) Moved(delta float64) bool { return d.highest >= -math.Log(delta) }

// ranked is a sorted list in blocks: an insertion takes the square root of its length.
type ranked struct {
	blocks [][]float64 // ascending, none empty
	n      int
}

// blockSize numbers fill a block, twice as many split it.
const blockSize = 512

// fill stores sorted values in blocks of blockSize.
func (r *ranked) fill(sorted []float64) {
	r.n = len(sorted)
	for chunk := range slices.Chunk(sorted, blockSize) {
		r.blocks = append(r.blocks, slices.Clone(chunk))
	}
}

// add inserts x and returns how many numbers are above it and how many, including it, equal it.
func (r *ranked) add(x float64) (above, same int) {
	r.n++
	if len(r.blocks) == 0 {
		r.blocks = [][]float64{{x}}
		return 0, 1
	}
	below, upTo, place := 0, 0, 0 // numbers below x, numbers up to x, and the block that takes x
	for k, b := range r.blocks {
		if b[0] > x {
			break
		}
		place = k
		if b[len(b)-1] < x {
			below, upTo = below+len(b), upTo+len(b)
			continue
		}
		at, _ := slices.BinarySearch(b, x)
		after := at
		for after < len(b) && b[after] == x {
			after++
		}
		below, upTo = below+at, upTo+after
	}
	at, _ := slices.BinarySearch(r.blocks[place], x)
	b := slices.Insert(r.blocks[place], at, x)
	r.blocks[place] = b
	if len(b) >= 2*blockSize {
		r.blocks[place] = b[:blockSize:blockSize]
		r.blocks = slices.Insert(r.blocks, place+1, slices.Clone(b[blockSize:]))
	}
	return r.n - 1 - upTo, upTo - below + 1
}

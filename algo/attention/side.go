package attention

import (
	"context"
	"math"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/near"
)

// A side is one of the two dictionaries, with the graphs of the batch that fill it.
type side struct {
	of       dictionary.Side
	members  []int // graphs of the batch, by index
	dict     *dictionary.Dictionary
	bank     int   // number of rows of dict before its queue
	keys     *Keys // of dict, row by row
	mixup    *graphon.Mixup
	graphons []*graphon.Graphon // of the members
	donors   *graphon.Donors
	row      map[int]int32        // batch index to dictionary row
	drawn    map[int]*graph.Graph // synthetic graphs of the queue, by the Index of their entries
	draws    int                  // graphs drawn so far
	steps    int                  // size of the graphons
}

// newSide returns a side without members and with an empty queue.
func newSide(of dictionary.Side, capacity int) *side {
	return &side{of: of, dict: dictionary.New(of, capacity, nil)}
}

// build fills the memory bank with the members, on the ID side after a sample of the model's bank, and keeps the queue. It
// estimates the members' graphons unless they are known, and prepares what synthetic graphs are drawn from.
func (s *side) build(ctx context.Context, o Options, b *Batch, t *state) error {
	dim := b.Test.Dim()
	keys := NewKeys(dim, nil)
	var bank []dictionary.Entry
	if s.of == dictionary.ID {
		keys = t.bank.sharing()
		for _, i := range bankRows(b.Bank.Len(), o.Training) {
			bank = append(bank, dictionary.Entry{Origin: dictionary.Training, Index: i})
		}
	}
	s.row = map[int]int32{}
	graphs := make([]*graph.Graph, len(s.members))
	for k, i := range s.members {
		s.row[i] = int32(len(bank))
		keys.Set(len(bank), part(t.test, i, dim))
		bank = append(bank, dictionary.Entry{Score: b.Base[i], Origin: dictionary.Test, Index: i})
		graphs[k] = b.Graphs[i]
	}
	for i := s.bank; i < s.dict.Len(); i++ { // the queue stays
		keys.Set(keys.Len(), s.keys.Row(i))
	}
	s.dict.SetBank(bank)
	s.bank, s.keys = len(bank), keys

	if s.graphons == nil {
		var err error
		s.steps = graphon.Steps(graphs)
		if s.graphons, err = graphon.Estimate(ctx, b.Workers, graphs, s.steps, o.Theta); err != nil {
			return err
		}
	}
	s.donors = graphon.NewDonors(graphs)
	s.mixup = graphon.NewMixup(s.graphons, o.Mixup)
	return nil
}

// bankRows returns at most n rows of a bank of so many. They are evenly spaced, since a bank is in the order of
// the data set.
func bankRows(bank, n int) []int {
	n = min(bank, n)
	rows := make([]int, n)
	for k := range rows {
		rows[k] = near.Place(k, n, bank)
	}
	return rows
}

// rowOf returns the row of graph i of the batch among the keys, or −1 if the graph is not a member.
func (s *side) rowOf(i int) int32 {
	if row, ok := s.row[i]; ok {
		return row
	}
	return -1
}

// extend draws count synthetic graphs and offers them to the queue. Their sizes are those of random members,
// but at most the size of the graphons.
func (s *side) extend(ctx context.Context, rng *rand.Rand, b *Batch, standard *near.Standardizer, count int) error {
	var graphs []*graph.Graph
	for range count {
		size := b.Graphs[s.members[rng.IntN(len(s.members))]].N()
		if synthetic, ok := s.mixup.DrawSized(rng, size); ok {
			s.donors.Fill(synthetic.Graph)
			graphs = append(graphs, synthetic.Graph)
		}
	}
	if len(graphs) == 0 {
		return nil
	}
	r, err := contrast.Represent(ctx, b.Workers, b.Encoder, graphs)
	if err != nil {
		return err
	}
	base, err := contrast.BaseScores(ctx, b.Workers, r, b.Test.Negatives(), false, b.Terms)
	if err != nil {
		return err
	}
	q, dim := standard.Apply(r.Q), r.Dim()
	for i, x := range base {
		key := q[i*dim : (i+1)*dim]
		if row := s.dict.Offer(dictionary.Entry{Score: coarse(x), Origin: dictionary.Synthetic, Index: s.draws + i}); row >= 0 {
			s.keys.Set(row, key)
		}
	}
	s.keep(graphs)
	return nil
}

// coarse rounds a score for comparison in the queue, to multiples of 1/scoreGrid. Isomorphic synthetic graphs are
// common, and rounding errors must not decide which of them stays.
func coarse(score float64) float64 { return math.Round(score*scoreGrid) / scoreGrid }

const scoreGrid = 1 << 12

// keep stores the graphs of the synthetic entries in the dictionary and drops all others. newest are
// the graphs drawn last.
func (s *side) keep(newest []*graph.Graph) {
	kept := make(map[int]*graph.Graph, len(s.drawn)+len(newest))
	for i := range s.dict.Len() {
		e := s.dict.Entry(i)
		switch {
		case e.Origin != dictionary.Synthetic:
		case e.Index >= s.draws:
			kept[e.Index] = newest[e.Index-s.draws]
		default:
			kept[e.Index] = s.drawn[e.Index]
		}
	}
	s.drawn, s.draws = kept, s.draws+len(newest)
}

package alone

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// A TrainingGraph is a training graph that resembles another graph.
type TrainingGraph struct {
	Place int // among those that the model knows, see Model.Known
	Row   int // in the training set, from 0; −1 if not known
	// Similarity is that of fingerprint.Counts: the share of subtrees up to two edges high,
	// counted, that both graphs have. Graphs of similarity 1 differ in no such subtree.
	Similarity float64
	// SMILES and Name are empty without structures, see Model.Structures.
	SMILES, Name string
	Values       *model.Values // nil where neither is known
}

const MaxNearest = 100

// Nearest returns the count training graphs most similar to g, most similar first, ties by place.
// It omits those of similarity 0.
func (s *Scorer) Nearest(g *graph.Graph, count int) []TrainingGraph {
	list := []TrainingGraph{}
	for _, m := range s.near.Subtrees.Nearest(fingerprint.New(g, fingerprint.DefaultHeight), count) {
		if m.Similarity > 0 {
			list = append(list, TrainingGraph{Place: m.Print, Row: s.rows()[m.Print], Similarity: m.Similarity})
		}
	}
	for i := range list {
		n := &list[i]
		if known := s.model.Structures; known != nil {
			n.SMILES = known.SMILES[n.Place]
			if known.Names != nil {
				n.Name = known.Names[n.Place]
			}
			n.Values = known.ValuesOf(n.Place)
		}
	}
	return list
}

// naming is the reason of a graph that was trained on, which names it. nearest are its mostTwins.
func (s *Scorer) naming(g *graph.Graph, nearest []TrainingGraph) explain.Reason {
	text := "a training " + thing(g)
	if n, ok := s.trained(g, nearest); ok {
		text = fmt.Sprintf("training %s %d", thing(g), n.Row+1)
		if name := strings.TrimSpace(n.Name); name != "" {
			text += " (" + name + ")"
		}
	}
	return explain.Reason{Kind: "known", Text: text, Weight: explain.Unseen - 1}
}

// lead puts first that a graph shares nothing with any training graph. The first reason of a molecule begins with its
// verdict, or says that these are remarks.
func (s *Scorer) lead(x *Explanation, g *graph.Graph) {
	if len(x.Nearest) == 0 && g.N() > 0 {
		r := explain.Reason{Kind: "nearest", Text: "shares nothing with any training " + thing(g), Weight: explain.Unseen + 2}
		x.Reasons = slices.Insert(x.Reasons, 0, r)
	}
	if len(x.Reasons) > 0 && g.Features == molecule.Features {
		x.Reasons[0].Text = leads[x.Verdict] + x.Reasons[0].Text
	}
}

var leads = map[decide.Verdict]string{decide.Outside: "Outside: ", decide.Borderline: "Borderline: ", decide.Inside: "Remarks: "}

// thing returns what a message calls g.
func thing(g *graph.Graph) string {
	if g.Features == molecule.Features {
		return "molecule"
	}
	return "graph"
}

// mostTwins bounds the candidates for an equal training graph.
const mostTwins = 20

// trained returns the training graph that equals g, and false if the model does not hold it with its
// row. Structures tell which of several graphs with the same print it is.
func (s *Scorer) trained(g *graph.Graph, nearest []TrainingGraph) (TrainingGraph, bool) {
	of := explain.Signature(g)
	for _, n := range nearest {
		same := n.Similarity == 1
		if same && n.SMILES != "" {
			m, err := smiles.Parse(n.SMILES)
			if err != nil {
				continue
			}
			read, _, _ := smiles.In(m, s.model.Form())
			same = explain.Signature(read.Graph()) == of
		}
		if same && n.Row >= 0 {
			return n, true
		}
	}
	return TrainingGraph{}, false
}

// Surroundings counts the neighbourhoods of g up to two edges wide, three for each node, and those
// that no known training graph has.
func (s *Scorer) Surroundings(g *graph.Graph) (unmet, all int) {
	keys := fingerprint.Nodes(g, fingerprint.DefaultHeight)
	for _, key := range keys {
		if s.near.Subtrees.Holders(key) == 0 {
			unmet++
		}
	}
	return unmet, len(keys)
}

// An Embedded is a graph of the bank near another graph's embedding.
type Embedded struct {
	Bank     int     // its row in the model's bank
	Distance float64 // of the embeddings, in standard deviations of the bank
}

// NearestEmbedded returns the count graphs of the bank nearest to an embedding, nearest first, ties
// by row.
func (s *Scorer) NearestEmbedded(q []float32, count int) []Embedded {
	distances := s.near.Embeddings(q)
	list := make([]Embedded, len(distances))
	for k, d := range distances {
		list[k] = Embedded{Bank: k, Distance: d}
	}
	slices.SortStableFunc(list, func(a, b Embedded) int { return cmp.Compare(a.Distance, b.Distance) })
	return list[:min(count, len(list))]
}

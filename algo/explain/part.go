package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// A Blame says what each node adds to a score: Nodes in all, and of that Lacking by subtrees
// that the closest training graph lacks, Ratio by those that a background has oftener,
// and Embedding by the embedding, up to what is spread over all nodes.
type Blame struct {
	Nodes, Lacking, Ratio, Embedding []float64
}

// mostParts bounds the parts that are named, and leastPart is the fraction of all
// contributions, without their signs, that a part must have if its nodes were seen before.
const mostParts, leastPart = 3, 0.05

// A part is what a graph has of one kind of group, as far as its nodes are blamed.
type part struct {
	about string
	nodes []int
	blame float64
}

// parts are the reasons about parts of the graph that are blamed most. named are those about
// values.
func (m *Memory) parts(g *graph.Graph, blame *Blame, named []Reason) []Reason {
	list := partsOf(g, blame.Nodes)
	sum, all := 0.0, 0.0
	for _, x := range blame.Nodes {
		sum, all = sum+x, all+math.Abs(x)
	}
	var reasons []Reason
	for k, p := range list[:min(len(list), mostParts)] {
		text, weight := m.fact(g, p.nodes, blame, named)
		// A graph that is outside always has a part that makes it so.
		if small := p.blame < leastPart*all && weight < Unseen && !(k == 0 && sum > 0); small || text == "" {
			continue
		}
		reasons = append(reasons, Reason{
			Kind: "part", About: p.about, Nodes: p.nodes, Text: p.about + ": " + text,
			// Parts come in front of statistics, in the order of their blame.
			Weight: weight + 0.09*p.blame/all,
		})
	}
	return reasons
}

// partsOf joins the groups of one name that are blamed, the most blamed kind first. Nodes of
// graphs that are no molecules have no names: those that are blamed are one part.
func partsOf(g *graph.Graph, blame []float64) []part {
	if g.Features != molecule.Features {
		var p part
		for i, x := range blame {
			if x > 0 {
				p.nodes, p.blame = append(p.nodes, i), p.blame+x
			}
		}
		if p.nodes == nil {
			return nil
		}
		p.about = fmt.Sprintf("%d of its %d nodes", len(p.nodes), g.N())
		return []part{p}
	}
	var list []part
	blamed, times := map[string]int{}, map[string]int{}
	for _, group := range groups(g) {
		sum := 0.0
		for _, i := range group.nodes {
			sum += blame[i]
		}
		if times[group.name]++; sum <= 0 {
			continue
		}
		at := slices.IndexFunc(list, func(p part) bool { return p.about == group.name })
		if at < 0 {
			at, list = len(list), append(list, part{about: group.name})
		}
		list[at].nodes, list[at].blame = append(list[at].nodes, group.nodes...), list[at].blame+sum
		blamed[group.name]++
	}
	for k := range list {
		p := &list[k]
		slices.Sort(p.nodes)
		name := p.about
		some, all := blamed[name], times[name]
		switch p.about = "its " + name; {
		case some < all:
			p.about = fmt.Sprintf("%d of its %s", some, Count(all, name))
			if some == 1 {
				p.about = "one of its " + Count(all, name)
			}
		case all > 1:
			p.about = "its " + Count(all, name)
		}
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.blame, a.blame) })
	return list
}

// fact says what is unusual about nodes, and how much so: whether the bank has such nodes,
// with such neighbours, in such surroundings, or what else moves the score. Of nodes with a
// value that has been named as never seen it has nothing to add.
func (m *Memory) fact(g *graph.Graph, nodes []int, blame *Blame, named []Reason) (string, float64) {
	n, keys := g.N(), fingerprint.Nodes(g, fingerprint.DefaultHeight)
	wide, link := "two bonds wide", "bound"
	if g.Features != molecule.Features {
		wide, link = "two edges wide", "joined"
	}
	var least [fingerprint.DefaultHeight + 1]int
	for h := range least {
		least[h] = m.Index.Len()
		for _, i := range nodes {
			least[h] = min(least[h], m.Index.Holders(keys[h*n+i]))
		}
	}
	none, have := m.none(g)
	switch last := least[fingerprint.DefaultHeight]; {
	case least[0] == 0:
		at := slices.IndexFunc(nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 })
		if slices.ContainsFunc(named, func(r Reason) bool { return r.Weight >= Unseen && slices.Contains(r.Nodes, nodes[at]) }) {
			return "", 0
		}
		return none + " " + have + " " + nodeName(g, nodes[at]), Unseen
	case least[1] == 0:
		return link + " in a way that " + none + " " + have, usualPart
	case last == 0:
		return "in surroundings, " + wide + ", that " + none + " " + have, usualPart
	case m.Least == 1 && float64(last) <= rare*float64(m.Index.Len()):
		return fmt.Sprintf("in surroundings, %s, that only %d of %d training %s have", wide, last, m.Index.Len(), things(g)), usualPart
	}
	var lacking, ratio, embedding float64
	for _, i := range nodes {
		lacking, ratio, embedding = lacking+blame.Lacking[i], ratio+blame.Ratio[i], embedding+blame.Embedding[i]
	}
	switch {
	case max(lacking, ratio, embedding) <= 0:
		return "", 0
	case lacking >= max(ratio, embedding):
		return "in surroundings that the most similar training " + things(g) + " lack", usualPart
	case ratio >= embedding:
		return "commoner in molecules at large than in the training set", usualPart
	}
	return "unlike the training set to the encoder", usualPart
}

// usualPart is the weight of parts whose nodes were seen before, joined in another way.
const usualPart = 2.9

// none names those who lack something, with the verb.
func (m *Memory) none(g *graph.Graph) (who, have string) {
	named := things(g)
	switch {
	case m.Least > 1:
		return fmt.Sprintf("no %d training %s of a group", m.Least, named), "have"
	case m.Index.Len() == m.Train:
		return fmt.Sprintf("none of %d training %s", m.Train, named), "has"
	}
	return fmt.Sprintf("none of the %d training %s that the model holds", m.Index.Len(), named), "has"
}

// things are graphs in the words of those who bring them.
func things(g *graph.Graph) string {
	if g.Features == molecule.Features {
		return "molecules"
	}
	return "graphs"
}

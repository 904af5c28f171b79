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

// A Blame has what each node adds to a score: Nodes in all; of that Lacking by subtrees that the
// closest training graph lacks, Ratio by subtrees commoner in a background, Embedding by the
// embedding. The rest is spread over all nodes.
type Blame struct {
	Nodes, Lacking, Ratio, Embedding []float64
}

// mostParts bounds the named parts. A part whose nodes were seen before needs the fraction
// leastPart of the absolute contributions.
const mostParts, leastPart = 3, 0.05

// A part is the blamed groups of one kind.
type part struct {
	about  string
	nodes  []int
	blame  float64
	list   []group // all groups of the graph; nil for a plain one
	groups []int   // indices of this part's groups
}

// parts returns the reasons about the most blamed parts. named are the reasons about values.
func (m *Memory) parts(g *graph.Graph, blame *Blame, named []Reason) []Reason {
	list := partsOf(g, blame.Nodes)
	sum, all := 0.0, 0.0
	for _, x := range blame.Nodes {
		sum, all = sum+x, all+math.Abs(x)
	}
	var reasons []Reason
	for k, p := range list[:min(len(list), mostParts)] {
		text, weight := m.fact(g, &p, blame, named)
		if p.list == nil {
			p.about = aboutOf("node", len(p.nodes), g.N())
		}
		// A graph that is outside always gets a part.
		if small := p.blame < leastPart*all && weight < Unseen && !(k == 0 && sum > 0); small || text == "" {
			continue
		}
		reasons = append(reasons, Reason{
			Kind: "part", About: p.about, Nodes: p.nodes, Text: p.about + ": " + text,
			// Parts precede statistics, in order of blame.
			Weight: weight + 0.09*p.blame/all,
		})
	}
	return reasons
}

// partsOf joins blamed groups of one name, the most blamed kind first. Plain graphs have no names:
// their blamed nodes are one part.
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
		return []part{p}
	}
	all := groups(g)
	var list []part
	names, times := []string{}, map[string]int{}
	for k, group := range all {
		sum := 0.0
		for _, i := range group.nodes {
			sum += blame[i]
		}
		if times[group.name]++; sum <= 0 {
			continue
		}
		at := slices.Index(names, group.name)
		if at < 0 {
			at, list, names = len(list), append(list, part{list: all}), append(names, group.name)
		}
		p := &list[at]
		p.nodes, p.blame, p.groups = append(p.nodes, group.nodes...), p.blame+sum, append(p.groups, k)
	}
	for k := range list {
		p := &list[k]
		slices.Sort(p.nodes)
		p.about = aboutOf(names[k], len(p.groups), times[names[k]])
		if len(p.nodes) == g.N() {
			p.about = "all of it, " + some(len(p.groups), names[k])
		}
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.blame, a.blame) })
	return list
}

// aboutOf names some of all groups of a name.
func aboutOf(name string, some, all int) string {
	switch {
	case all == 1:
		return "its " + name
	case some == all:
		return fmt.Sprintf("its %d %s", all, plural(name))
	case some == 1:
		return fmt.Sprintf("one of its %d %s", all, plural(name))
	}
	return fmt.Sprintf("%d of its %d %s", some, all, plural(name))
}

// fact says what is unusual about a part and how unusual: whether training graphs have such nodes,
// neighbours or surroundings, or what else moves the score. It repeats no value that named calls
// unseen. Of a plain graph's part the nodes stay that have it.
func (m *Memory) fact(g *graph.Graph, p *part, blame *Blame, named []Reason) (string, float64) {
	n, keys := g.N(), fingerprint.Nodes(g, fingerprint.DefaultHeight)
	var least [fingerprint.DefaultHeight + 1]int
	for h := range least {
		least[h] = m.Index.Len()
		for _, i := range p.nodes {
			least[h] = min(least[h], m.Index.Holders(keys[h*n+i]))
		}
	}
	// way describes the rare surroundings.
	way := func(h int, who, have string) string {
		return way(g, p, h, who+" "+have, blame.Nodes, func(i int) bool { return m.Index.Holders(keys[h*n+i]) == least[h] })
	}
	none, have := m.none(g)
	switch last := least[fingerprint.DefaultHeight]; {
	case least[0] == 0:
		at := slices.IndexFunc(p.nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 })
		if slices.ContainsFunc(named, func(r Reason) bool { return r.Weight >= Unseen && slices.Contains(r.Nodes, p.nodes[at]) }) {
			return "", 0
		}
		text, key := none+" "+have+" "+nodeName(g, p.nodes[at]), keys[p.nodes[at]]
		if p.list == nil {
			p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return keys[i] != key })
		}
		return text, Unseen
	case least[1] == 0:
		return way(1, none, have), usualPart
	case last == 0:
		return way(2, none, have), usualPart
	case m.Least == 1 && float64(last) <= rare*float64(m.Index.Len()):
		return way(2, fmt.Sprintf("only %d of %d training %s", last, m.Index.Len(), things(g)), has(last)), usualPart
	}
	var lacking, ratio, embedding float64
	for _, i := range p.nodes {
		lacking, ratio, embedding = lacking+blame.Lacking[i], ratio+blame.Ratio[i], embedding+blame.Embedding[i]
	}
	switch {
	case max(lacking, ratio, embedding) <= 0:
		return "", 0
	case lacking >= max(ratio, embedding):
		return "in surroundings that the most similar training " + things(g) + " lack", usualPart
	case ratio >= embedding:
		return "commoner in the background molecules than in the training set", usualPart
	}
	return "unlike the training " + things(g) + ", as the model's network sees it", usualPart
}

// way describes the bonds of a part up to that many edges away, which few training graphs have,
// around its most blamed node that passes a test.
func way(g *graph.Graph, p *part, edges int, few string, blame []float64, here func(i int) bool) string {
	if p.list == nil {
		p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return !here(i) })
		return [...]string{1: "joined", 2: "surrounded, two edges wide,"}[edges] + " in a way that " + few
	}
	type place struct{ group, node int }
	var places []place
	text, strange := "", 0
	for _, k := range p.groups {
		before := len(places)
		for _, i := range p.list[k].nodes {
			if here(i) {
				places = append(places, place{k, i})
			}
		}
		strange += min(1, len(places)-before)
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(blame[b.node], blame[a.node]) })
	for _, at := range places {
		if text = beside(g, p.list, at.group, at.node, edges); text != "" {
			break
		}
	}
	switch {
	case text == "":
		return few + " one like it"
	case strange == 1 && len(p.groups) > 1:
		text = "one of them " + text
	}
	return text + " in a way that " + few
}

// usualPart is the weight of parts whose nodes were seen, joined in another way.
const usualPart = 2.9

// none names who lacks something, with the verb.
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

// things names graphs for users.
func things(g *graph.Graph) string {
	if g.Features == molecule.Features {
		return "molecules"
	}
	return "graphs"
}

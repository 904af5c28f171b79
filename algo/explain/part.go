package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/rare"
)

// A Blame has what each node adds to a score: Nodes in all; of that Lacking by subtrees that the
// closest training graph lacks, Ratio by subtrees commoner in a background, Embedding by the
// embedding. The rest is spread over all nodes.
type Blame struct {
	Nodes, Lacking, Ratio, Embedding []float64
	Inside                           bool // the graph is inside: reasons are remarks

	groups []group // of a molecule that was divided before
}

// mostParts bounds the named parts. A part whose nodes were seen before needs the fraction
// leastPart of the absolute contributions.
const mostParts, leastPart = 3, 0.05

// common is the share of training molecules beyond which a part is no reason if a rarer one adds to the score.
const common = 0.05

// A part is the blamed groups of one kind.
type part struct {
	name   string
	about  string
	nodes  []int
	blame  float64
	list   []group // all groups of the graph; nil for a plain one
	groups []int   // indices of this part's groups
	times  int     // how many groups have the name
	// By what the groups have in themselves: the share of training molecules that have the rarest of it, and how many.
	share float64
	count rare.Count
}

// rare reports whether few training molecules have what the part has in itself.
func (p part) rare() bool { return p.share <= common }

// parts returns the reasons about the most blamed parts. named are the reasons about values.
func (m *Memory) parts(g *graph.Graph, blame *Blame, named []Reason) []Reason {
	keys := fingerprint.Nodes(g, fingerprint.DefaultHeight)
	list, whole := m.partsOf(g, keys, blame)
	if !blame.Inside && !slices.ContainsFunc(list, part.rare) {
		if r, ok := m.alone(g, whole); ok {
			return []Reason{r}
		}
	}
	sum, all := 0.0, 0.0
	for _, x := range blame.Nodes {
		sum, all = sum+x, all+math.Abs(x)
	}
	var reasons []Reason
	for k, p := range list[:min(len(list), mostParts)] {
		text, weight := m.fact(g, keys, &p, blame, named)
		if p.list == nil {
			p.about = aboutOf("node", len(p.nodes), g.N())
			text = p.about + ": " + text
		}
		// A graph that is outside always gets a part.
		if small := p.blame < leastPart*all && weight < Unseen && !(k == 0 && sum > 0); small || text == "" {
			continue
		}
		reasons = append(reasons, Reason{
			Kind: "part", About: p.about, Nodes: p.nodes, Text: text,
			// Parts precede statistics, in order of blame.
			Weight: weight + 0.09*p.blame/all,
		})
	}
	return reasons
}

// partsOf joins blamed groups of one name: rare ones, or all if none is rare, the most blamed first, but the rarest of
// those that are blamed about as much before. Plain graphs have no names: their blamed nodes are one part.
func (m *Memory) partsOf(g *graph.Graph, keys []uint32, blame *Blame) (list []part, all []group) {
	if g.Features != molecule.Features {
		var p part
		for i, x := range blame.Nodes {
			if x > 0 {
				p.nodes, p.blame = append(p.nodes, i), p.blame+x
			}
		}
		if p.nodes != nil {
			list = append(list, p)
		}
		return list, nil
	}
	if all = blame.groups; all == nil {
		all = groups(g)
	}
	counts := m.within(g, all)
	times, positive := map[string]int{}, 0.0
	for k, group := range all {
		sum := 0.0
		for _, i := range group.nodes {
			sum += blame.Nodes[i]
		}
		if times[group.name]++; sum <= 0 {
			continue
		}
		next := part{name: group.name, list: all, share: m.share(group.nodes, keys, counts[k]), count: counts[k]}
		at := slices.IndexFunc(list, func(p part) bool { return p.name == next.name && p.rare() == next.rare() })
		if at < 0 {
			at, list = len(list), append(list, next)
		}
		p := &list[at]
		p.nodes, p.blame, p.groups = append(p.nodes, group.nodes...), p.blame+sum, append(p.groups, k)
		p.share, positive = min(p.share, next.share), positive+sum
		p.count = rare.Count{Bonds: min(p.count.Bonds, next.count.Bonds), Runs: min(p.count.Runs, next.count.Runs)}
	}
	if slices.ContainsFunc(list, func(p part) bool { return p.rare() && p.blame >= leastPart*positive }) {
		list = slices.DeleteFunc(list, func(p part) bool { return !p.rare() })
	}
	for k := range list {
		p := &list[k]
		slices.Sort(p.nodes)
		p.times = times[p.name]
		p.about = aboutOf(p.name, len(p.groups), p.times)
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.blame, a.blame) })
	return list, all
}

// within counts the training molecules that have the rarest parts inside each group.
func (m *Memory) within(g *graph.Graph, all []group) []rare.Count {
	of := make([]int, g.N())
	for k, group := range all {
		for _, i := range group.nodes {
			of[i] = k
		}
	}
	counts := m.Rare.Within(g, of, len(all))
	for k, group := range all {
		if group.ring != nil {
			counts[k].Runs = rare.Common // it tells of what is around the ring
		}
	}
	return counts
}

// share bounds the share of training molecules that have a group by its rarest atom and by what is inside.
func (m *Memory) share(nodes []int, keys []uint32, count rare.Count) float64 {
	share := 1.0
	for _, i := range nodes {
		share = min(share, float64(m.Index.Holders(keys[i]))/float64(m.Index.Len()))
	}
	if n := min(count.Bonds, count.Runs); n < rare.Common {
		share = min(share, float64(n)/float64(m.Train))
	}
	return share
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

// kind names a part in a sentence of its own.
func (p *part) kind() string {
	if len(p.groups) < p.times {
		return p.about
	}
	name := p.name
	if p.times == 1 && strings.HasPrefix(name, "organo") {
		name = strings.TrimSuffix(name, "group") + "compound"
	}
	return some(p.times, name)
}

// fact says what is unusual about a part and how unusual: whether training graphs have such nodes,
// neighbours or surroundings, or what else moves the score. It repeats no value that named calls
// unseen. Of a plain graph's part the nodes stay that have it.
func (m *Memory) fact(g *graph.Graph, keys []uint32, p *part, blame *Blame, named []Reason) (string, float64) {
	if p.list != nil {
		if text, weight := m.inside(g, keys, p, blame.Inside); text != "" || blame.Inside {
			return text, weight
		}
	}
	n := g.N()
	var least [fingerprint.DefaultHeight + 1]int
	for h := range least {
		least[h] = m.Index.Len()
		for _, i := range p.nodes {
			least[h] = min(least[h], m.Index.Holders(keys[h*n+i]))
		}
	}
	// way describes the rare surroundings.
	way := func(h int, who, have string) string {
		by := blame.Nodes
		if p.list == nil {
			by = blame.Lacking
		}
		return way(g, p, h, who+" "+have, by, func(i int) bool { return m.Index.Holders(keys[h*n+i]) == least[h] })
	}
	none, have := m.none(g)
	switch last := least[fingerprint.DefaultHeight]; {
	case least[0] == 0: // of a plain graph
		at := slices.IndexFunc(p.nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 })
		if slices.ContainsFunc(named, func(r Reason) bool { return r.Weight >= Unseen && slices.Contains(r.Nodes, p.nodes[at]) }) {
			return "", 0
		}
		text, key := none+" "+have+" "+nodeName(g, p.nodes[at]), keys[p.nodes[at]]
		p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return keys[i] != key })
		return text, Unseen
	case least[1] == 0:
		return way(1, none, have), usualPart
	case last == 0:
		return way(2, none, have), usualPart
	case m.Least == 1 && float64(last) <= rarely*float64(m.Index.Len()):
		return way(2, fmt.Sprintf("only %d of %d training %s", last, m.Index.Len(), things(g)), has(last)), usualPart
	}
	var lacking, ratio, embedding float64
	for _, i := range p.nodes {
		lacking, ratio, embedding = lacking+blame.Lacking[i], ratio+blame.Ratio[i], embedding+blame.Embedding[i]
	}
	text := ""
	switch {
	case max(lacking, ratio, embedding) <= 0:
		return "", 0
	case lacking >= max(ratio, embedding):
		text = "in surroundings that the most similar training " + things(g) + " lack"
	case ratio >= embedding:
		text = "commoner in the background molecules than in the training set"
	default:
		text = "unlike the training " + things(g) + ", as the model's network sees it"
	}
	if p.list != nil {
		text = p.kind() + " " + text
	}
	return text, usualPart
}

// inside says how few training molecules have a part for what it is in itself, which is empty where they are many. A
// remark on a molecule that is inside says why the part does not make it outside.
func (m *Memory) inside(g *graph.Graph, keys []uint32, p *part, inside bool) (string, float64) {
	text, none := "", false
	few := func(n int) string { return fmt.Sprintf("only %d of %d training molecules %s", n, m.Train, has(n)) }
	symbol, holders := m.element(g, p.nodes)
	strange := slices.IndexFunc(p.nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 })
	bound, most := rare.Common, min(rare.Common, int(common*float64(m.Train))+1) // of what is said of as few
	if p.count.Bonds < most {
		for _, k := range p.groups {
			bound = min(bound, m.Rare.AtMost(g, p.list[k].nodes))
		}
	}
	one := "one"
	if !specific()[p.name] {
		one = "one like it"
	}
	element := "the element " + symbol
	if strings.HasPrefix(p.name, "organo") {
		element = one
	}
	switch {
	case symbol != "" && holders == 0 && m.Least > 1:
		text, none = fmt.Sprintf("fewer than %d training molecules have the element %s", m.Least, symbol), true
	case symbol != "" && holders == 0:
		text, none = "no training molecule has "+element, true
	case bound == 0:
		text, none = "no training molecule has "+one, true
	case symbol != "" && strange >= 0:
		text, none = "no training molecule has "+nodeName(g, p.nodes[strange]), true
	case symbol != "" && holders <= bound:
		text = few(holders) + " the element " + symbol
	case bound < most:
		text = "at most" + strings.TrimPrefix(few(bound), "only") + " " + one
	case p.count.Runs == 0:
		text, none = "no training molecule has one as long", true
	case p.count.Runs < most:
		text = few(p.count.Runs) + " one as long"
	case strange >= 0:
		who, have := m.none(g)
		text, none = who+" "+have+" "+nodeName(g, p.nodes[strange]), true
	default:
		return "", 0
	}
	if inside && none {
		text = "new to the model, but the molecule as a whole is near its training set"
	}
	if none {
		return p.kind() + "; " + text, Unseen
	}
	return p.kind() + "; " + text, usualPart
}

// element is the rarest element of some nodes that few training molecules have, with their number.
func (m *Memory) element(g *graph.Graph, nodes []int) (symbol string, holders int) {
	if m.Profile == nil {
		return "", 0
	}
	holders = int(common * float64(m.Train))
	for _, i := range nodes {
		n := m.Profile.graphs(molecule.ColumnElement, int(g.X[i*g.Features+molecule.ColumnElement]))
		if n <= holders {
			symbol, holders = molecule.Symbol(molecule.Atoms{Graph: g}.Element(i)), n
		}
	}
	return symbol, holders
}

// smallest bounds the molecules of several parts that may be said to be only a part of training molecules.
const smallest = 8

// alone says of a familiar molecule that training molecules have it only as a part.
func (m *Memory) alone(g *graph.Graph, all []group) (Reason, bool) {
	if m.Contain == nil || len(all) == 0 || len(all) > 1 && g.N() > smallest || g.Components() > 1 {
		return Reason{}, false
	}
	n := m.Contain(g)
	r := Reason{Kind: "part", About: "all of it", Weight: usualPart}
	for i := range g.N() {
		r.Nodes = append(r.Nodes, i)
	}
	if r.Text = "the whole molecule; training molecules have it only as a part of larger ones"; len(all) == 1 && all[0].ring != nil {
		r.Text = fmt.Sprintf("unsubstituted %s; training molecules have it only substituted", strings.TrimSuffix(all[0].name, " ring"))
	}
	r.Text += fmt.Sprintf(" (%d of %d)", n, m.Index.Len())
	return r, n > 0
}

// way describes the bonds of a part up to that many edges away, which few training graphs have, around its most blamed node
// that passes a test. Of a plain graph's part only the nodes stay that are blamed most: one new edge changes the surroundings
// of many nodes, but its ends lack most.
func way(g *graph.Graph, p *part, edges int, few string, blame []float64, here func(i int) bool) string {
	if p.list == nil {
		p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return !here(i) })
		most := math.Inf(-1)
		for _, i := range p.nodes {
			most = max(most, blame[i])
		}
		p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return blame[i] < most })
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
		return p.kind() + "; " + few + " one like it"
	case strange == 1 && len(p.groups) > 1:
		text = "one of them " + text
	}
	return p.kind() + ", " + text + " in a way that " + few
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

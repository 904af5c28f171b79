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

// A Blame has what each node of a graph adds to its score.
type Blame struct {
	Nodes     []float64 // in all; what the other three do not explain is spread over all nodes
	Lacking   []float64 // by subtrees that the closest training graph lacks
	Ratio     []float64 // by subtrees that are commoner in a background
	Embedding []float64 // by the embedding
	Inside    bool      // the graph is inside: reasons are remarks

	groups []group // the groups of the molecule, if Excess found them
}

// mostParts bounds the parts that Reasons names. A part whose nodes occur in training graphs is named
// only if it has the fraction leastPart of the graph's absolute contributions.
const mostParts, leastPart = 3, 0.05

// common is the share of training molecules beyond which a part is no reason if a rarer part adds to the score.
const common = 0.05

// A part is the blamed groups of a molecule that have one name, or the blamed nodes of a plain graph.
type part struct {
	name   string
	about  string  // "its nitro group"; see aboutOf
	nodes  []int   // ascending
	blame  float64 // the sum over nodes
	list   []group // all groups of the molecule; nil for a plain graph
	groups []int   // indices in list of this part's groups
	times  int     // how many groups of list have the name
	// share and count tell how many training molecules have what is rarest inside the groups, regardless of what
	// the groups are bound to.
	share float64
	count rare.Count
}

// rare reports whether at most the share common of the training molecules has what is inside the part.
func (p part) rare() bool { return p.share <= common }

// parts returns the reasons about the most blamed parts. If none of them is rare, it returns the reason of alone, if that
// holds. It does not repeat named, the reasons about values.
func (m *Memory) parts(g *graph.Graph, blame *Blame, named []Reason) []Reason {
	keys := fingerprint.Nodes(g, fingerprint.DefaultHeight)
	list, whole := m.partsOf(g, keys, blame)
	if !blame.Inside && !slices.ContainsFunc(list, part.rare) {
		if r, ok := m.alone(g, whole); ok {
			return []Reason{r}
		}
	}
	sum, all := 0.0, 0.0 // of contributions, and of absolute contributions
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

// partsOf returns the parts of a graph, the most blamed first, and all groups of a molecule. The parts of a molecule
// join the blamed groups of one name. If one of the rare parts has enough blame, only rare parts are returned.
// A plain graph has at most one part, all of its blamed nodes.
func (m *Memory) partsOf(g *graph.Graph, keys []uint32, blame *Blame) (list []part, all []group) {
	if g.Features != molecule.Features {
		return blamed(blame.Nodes), nil
	}
	if all = blame.groups; all == nil {
		all = groups(g, Rings(g))
	}
	counts := m.within(g, all)
	times, positive := map[string]int{}, 0.0 // how many groups have a name, and the sum of positive blame
	for k, group := range all {
		sum := 0.0
		for _, i := range group.nodes {
			sum += blame.Nodes[i]
		}
		times[group.name]++
		if sum <= 0 {
			continue
		}
		next := part{name: group.name, list: all, share: m.share(group.nodes, keys, counts[k]), count: counts[k]}
		at := slices.IndexFunc(list, func(p part) bool { return p.name == next.name && p.rare() == next.rare() })
		if at < 0 {
			at, list = len(list), append(list, next)
		}
		positive += sum
		p := &list[at]
		p.nodes, p.blame, p.groups = append(p.nodes, group.nodes...), p.blame+sum, append(p.groups, k)
		p.share = min(p.share, next.share)
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

// blamed returns one part with all nodes of positive blame, or nil if there are none.
func blamed(nodes []float64) []part {
	var p part
	for i, x := range nodes {
		if x > 0 {
			p.nodes, p.blame = append(p.nodes, i), p.blame+x
		}
	}
	if p.nodes == nil {
		return nil
	}
	return []part{p}
}

// within counts, for each group of g, the training molecules that have what is rarest inside the group.
func (m *Memory) within(g *graph.Graph, all []group) []rare.Count {
	groupOf := make([]int, g.N())
	for k, group := range all {
		for _, i := range group.nodes {
			groupOf[i] = k
		}
	}
	counts := m.Rare.Within(g, groupOf, len(all))
	for k, group := range all {
		if group.ring != nil {
			counts[k].Runs = rare.Common // runs of a ring depend on its surroundings
		}
	}
	return counts
}

// share returns an upper bound on the share of training molecules that have a group, by its rarest atom and by count.
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

// aboutOf names some of the all groups of a molecule that share a name: "one of its 2 nitro groups".
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

// kind names a part at the start of a reason: "2 nitro groups", or about if the part leaves out some groups of the name.
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

// fact says what is unusual about a part, and returns the weight of that reason. The first of these that holds is said:
//
//   - what inside says of a part with named groups,
//   - no training graph has one of its nodes,
//   - none has its neighbours, or its wider surroundings,
//   - only few have its surroundings,
//   - which of the parts of the score it raises most.
//
// The text is empty if nothing is unusual, or if a reason in named already says that the node is unseen. In a plain
// graph, fact removes from p the nodes that the text is not about.
func (m *Memory) fact(g *graph.Graph, keys []uint32, p *part, blame *Blame, named []Reason) (string, float64) {
	if p.list != nil {
		if text, weight := m.inside(g, keys, p, blame.Inside); text != "" || blame.Inside {
			return text, weight
		}
	}
	n := g.N()
	var least [fingerprint.DefaultHeight + 1]int // training graphs with the rarest surroundings h edges wide
	for h := range least {
		least[h] = m.Index.Len()
		for _, i := range p.nodes {
			least[h] = min(least[h], m.Index.Holders(keys[h*n+i]))
		}
	}
	// surroundings describes those h edges wide that least[h] training graphs have.
	surroundings := func(h int, who, have string) string {
		nodes := blame.Nodes
		if p.list == nil {
			nodes = blame.Lacking
		}
		return way(g, p, h, who+" "+have, nodes, func(i int) bool { return m.Index.Holders(keys[h*n+i]) == least[h] })
	}
	none, have := m.none(g)
	switch last := least[fingerprint.DefaultHeight]; {
	case least[0] == 0: // of a plain graph: inside has said it of a molecule
		at := slices.IndexFunc(p.nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 })
		if slices.ContainsFunc(named, func(r Reason) bool { return r.Weight >= Unseen && slices.Contains(r.Nodes, p.nodes[at]) }) {
			return "", 0
		}
		text, key := none+" "+have+" "+nodeName(g, p.nodes[at]), keys[p.nodes[at]]
		p.nodes = slices.DeleteFunc(p.nodes, func(i int) bool { return keys[i] != key })
		return text, Unseen
	case least[1] == 0:
		return surroundings(1, none, have), usualPart
	case last == 0:
		return surroundings(2, none, have), usualPart
	case m.Least == 1 && float64(last) <= rarely*float64(m.Index.Len()):
		return surroundings(2, fmt.Sprintf("only %d of %d training %s", last, m.Index.Len(), things(g)), has(last)), usualPart
	}
	text := raised(p.nodes, blame, things(g))
	switch {
	case text == "":
		return "", 0
	case p.list != nil:
		text = p.kind() + " " + text
	}
	return text, usualPart
}

// raised says which of the three parts of the score the nodes raise most. It returns "" if they raise none.
func raised(nodes []int, blame *Blame, things string) string {
	var lacking, ratio, embedding float64
	for _, i := range nodes {
		lacking, ratio, embedding = lacking+blame.Lacking[i], ratio+blame.Ratio[i], embedding+blame.Embedding[i]
	}
	switch {
	case max(lacking, ratio, embedding) <= 0:
		return ""
	case lacking >= max(ratio, embedding):
		return "in surroundings that the most similar training " + things + " lack"
	case ratio >= embedding:
		return "commoner in the background molecules than in the training set"
	}
	return "unlike the training " + things + ", as the model's network sees it"
}

// inside says that few training molecules have what is inside a part, regardless of its neighbours, and returns the
// weight of that reason. The text is empty if many have it. If the molecule is inside, a part that no training molecule
// has is called new to the model.
func (m *Memory) inside(g *graph.Graph, keys []uint32, p *part, inside bool) (string, float64) {
	text, none := "", false // none: no training molecule has it
	few := func(n int) string { return fmt.Sprintf("only %d of %d training molecules %s", n, m.Train, has(n)) }
	symbol, holders := m.element(g, p.nodes)
	strange := slices.IndexFunc(p.nodes, func(i int) bool { return m.Index.Holders(keys[i]) == 0 }) // unseen even by itself
	// At most bound training molecules have one of the groups. Numbers below most are called few.
	bound, most := rare.Common, min(rare.Common, int(common*float64(m.Train))+1)
	if p.count.Bonds < most {
		for _, k := range p.groups {
			bound = min(bound, m.Rare.AtMost(g, p.list[k].nodes))
		}
	}
	one := "one"
	if !specific()[p.name] { // others of this name may be in training molecules
		one = "one like it"
	}
	element := "the element " + symbol
	if strings.HasPrefix(p.name, "organo") { // the name tells the element
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

// element returns the rarest element of some nodes and the number of training molecules that have it. The symbol is
// empty if each element is in more than the share common of the training molecules, or without a profile.
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

// maxAlone is the most atoms of a molecule of several groups that alone describes.
const maxAlone = 8

// alone returns the reason that training molecules have all of g, but only as a part of themselves. It returns false
// if none has, if g is too large or not connected, or if the model cannot search its training molecules.
func (m *Memory) alone(g *graph.Graph, all []group) (Reason, bool) {
	if m.Contain == nil || len(all) == 0 || len(all) > 1 && g.N() > maxAlone || g.Components() > 1 {
		return Reason{}, false
	}
	n := m.Contain(g)
	r := Reason{Kind: "part", About: "all of it", Weight: usualPart}
	for i := range g.N() {
		r.Nodes = append(r.Nodes, i)
	}
	text := "the whole molecule; training molecules have it only as a part of larger ones"
	if len(all) == 1 && all[0].ring != nil {
		text = fmt.Sprintf("unsubstituted %s; training molecules have it only substituted", strings.TrimSuffix(all[0].name, " ring"))
	}
	r.Text = text + fmt.Sprintf(" (%d of %d)", n, m.Index.Len())
	return r, n > 0
}

// way describes the surroundings, up to edges edges wide, of the most blamed node of a part that passes here. The text
// ends in few, which says how few training graphs have them. In a plain graph, way keeps only the most blamed nodes: one
// new edge changes the surroundings of many nodes, but its two ends are blamed most.
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
	text, strange := "", 0 // strange counts the groups with such a node
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

// usualPart is the weight of a part whose nodes training graphs have, but joined in another way.
const usualPart = 2.9

// none returns the subject and the verb of a sentence about what no training graph has:
// "none of 100 training molecules", "has".
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

// things returns the plural by which users know the graphs.
func things(g *graph.Graph) string {
	if g.Features == molecule.Features {
		return "molecules"
	}
	return "graphs"
}

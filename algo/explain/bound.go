package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"baca/algo/graph"
)

// mostBeside bounds the named neighbours of a group.
const mostBeside = 3

// beside describes the groups that lie up to bonds bonds away from atom i of group k of list, such as
// "joined at its 2-position by a single bond to a pyridine ring". If all those atoms belong to group k
// itself, beside describes the groups bound to any atom of group k. If there are none it returns "".
func beside(g *graph.Graph, list []group, k, i, bonds int) string {
	a, own, reach := newAtoms(g), &list[k], within(g, i, bonds)
	if count(reach, own.nodes) == len(reach) { // atom i has no neighbour outside the group
		reach, bonds = nil, 1
		for _, j := range own.nodes {
			reach = append(reach, within(g, j, 1)...)
		}
	}
	var ways []string              // how groups are bound: "fused to", "bound to"
	named := map[string][]string{} // the names of the groups that are bound in this way
	for q := range list {
		other := &list[q]
		if q == k || count(other.nodes, reach) == 0 {
			continue
		}
		way := linkage(own, other, bonds)
		// A bond within a third ring cannot rotate: it is no "single bond" between two rings.
		if way == joined && slices.ContainsFunc(other.nodes, func(j int) bool { return slices.Contains(reach, j) && a.inSameRing(i, j) }) {
			way = "bound to"
		}
		if !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
		named[way] = append(named[way], other.name)
	}
	slices.Sort(ways)
	at, to := "", "" // where atom i lies in its ring, see position
	if bonds == 1 {
		at, to = position(a, list, own, i)
	}
	for n, way := range ways {
		verb, rest, _ := strings.Cut(way, " ")
		if verb == "bound" || verb == "joined" { // only these verbs go with a position
			ways[n] = verb + at + " " + rest + " " + enumerate(named[way]) + to
		} else {
			ways[n] = way + " " + enumerate(named[way])
		}
	}
	return strings.Join(ways, ", ")
}

const joined = "joined by a single bond to"

// linkage says how two groups are connected, by the atoms that their rings share.
// bonds is the distance that was searched; beyond 1 the groups need not touch.
func linkage(own, other *group, bonds int) string {
	switch shared := count(own.ring, other.ring); {
	case shared > 2:
		return "bridged with"
	case shared == 2:
		return "fused to"
	case shared == 1:
		return "spiro to"
	case bonds > 1:
		return "within two bonds of"
	case own.ring != nil && other.ring != nil:
		return joined
	}
	return "bound to"
}

// within lists the nodes up to edges edges away from node i, without i.
func within(g *graph.Graph, i, edges int) []int {
	list, from := []int{i}, 0 // list[from:] were found in the last round
	for range edges {
		last := len(list)
		for _, at := range list[from:last] {
			for _, j := range g.Row(at) {
				if !slices.Contains(list, int(j)) {
					list = append(list, int(j))
				}
			}
		}
		from = last
	}
	return list[1:]
}

// position describes where atom i lies in the ring of own, if chemists' numbering is unambiguous.
// In a ring with one heteroatom, at is the number, such as " at its 2-position". In a benzene ring
// with one other substituent, to names that substituent, such as " para to a nitro group".
// Otherwise both are empty.
func position(a *atoms, list []group, own *group, i int) (at, to string) {
	inside := func(j int) bool { return slices.Contains(own.ring, j) }
	sameAtoms := func(ring []int) bool { return len(ring) == len(own.ring) && count(ring, own.ring) == len(ring) }
	// Sugars are numbered by other rules, and rings named by size alone not at all.
	numbered := !strings.HasSuffix(own.name, "(sugar)") && !strings.HasSuffix(own.name, "-membered ring")
	if !inside(i) || !numbered || !slices.ContainsFunc(a.rings, sameAtoms) {
		return "", ""
	}
	var hetero, substituted []int // heteroatoms, and other carbons with a substituent
	for _, j := range own.ring {
		if !a.is(j, carbons) {
			hetero = append(hetero, j)
		} else if j != i && a.Degree(j) > 2 {
			substituted = append(substituted, j)
		}
	}
	if len(hetero) == 1 && hetero[0] != i {
		return fmt.Sprintf(" at its %d-position", 1+steps(a.Graph, i, hetero[0])), ""
	}
	if own.name != "benzene ring" || len(substituted) != 1 || a.Degree(i) < 3 {
		return "", ""
	}
	outside := a.near(substituted[0], func(j int) bool { return !inside(j) })
	for q := range list {
		if count(list[q].nodes, outside) > 0 && count(own.ring, list[q].ring) == 0 {
			to = [...]string{1: " ortho to ", 2: " meta to ", 3: " para to "}[steps(a.Graph, i, substituted[0])] + some(1, list[q].name)
		}
	}
	return "", to
}

// steps returns the distance between two connected nodes in edges, at least 1.
func steps(g *graph.Graph, i, j int) int {
	n := 1
	for !slices.Contains(within(g, i, n), j) {
		n++
	}
	return n
}

// dull groups are in most molecules. A list names other groups first.
var dull = []string{"methyl group", "CH₂ group", "CH group", "quaternary carbon", "alkyl chain"}

// enumerate lists names, at least one, with their counts, the dull ones last: "a ketone group, 2 methyl groups and others".
// Of more than mostBeside different names the last are "others". It sorts names.
func enumerate(names []string) string {
	var texts []string
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(slices.Index(dull, x), slices.Index(dull, y)), cmp.Compare(x, y)) // −1 for names that are not dull
	})
	for k := 0; k < len(names); {
		n := 1
		for k+n < len(names) && names[k+n] == names[k] {
			n++
		}
		texts, k = append(texts, some(n, names[k])), k+n
	}
	if len(texts) > mostBeside {
		texts = append(texts[:mostBeside-1], "others")
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return texts[0]
}

// some returns "a nitro group" or "2 nitro groups".
func some(n int, name string) string {
	if n > 1 {
		return fmt.Sprintf("%d %s", n, plural(name))
	}
	// A symbol of one letter is spelt out ("an N atom"), one of two letters is read ("a Na atom").
	spelt := strings.ContainsAny(name[:1], "FHILMNORSX") && (len(name) == 1 || name[1] < 'a' || name[1] > 'z')
	vowel := strings.ContainsAny(name[:1], "aeiouAEIO")
	if exception := []string{"ur", "Ag", "Au", "Eu", "Fe", "Sb"}; slices.Contains(exception, name[:min(2, len(name))]) {
		vowel = !vowel // a urea, silver, gold and europium; an iron and antimony
	}
	if spelt || vowel {
		return "an " + name
	}
	return "a " + name
}

// plural returns the plural of a group's name, whose noun precedes any preposition.
func plural(name string) string {
	end := len(name)
	for _, word := range []string{" of ", " on ", " (", " or "} {
		if at := strings.Index(name, word); at >= 0 {
			end = min(end, at)
		}
	}
	return name[:end] + "s" + name[end:]
}

package explain

import (
	"fmt"
	"slices"
	"sync"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
)

// maxRingEdges bounds the graphs whose rings are searched, because each edge costs a walk through its
// component. No drug has as many edges.
const maxRingEdges = 1000

// Rings returns one of the smallest rings through each edge, without repetition and the smallest ring first. A
// ring lists its nodes in ascending order. Graphs with more than 1000 edges give none.
func Rings(g *graph.Graph) [][]int {
	if g.M() > maxRingEdges || g.Cycles() == 0 {
		return nil
	}
	var rings [][]int
	before, queue, ring := make([]int, g.N()), make([]int, 0, g.N()), make([]int, 0, g.N())
	parents, inside := branches(g)
	for i := range g.N() {
		for _, to := range g.Row(i) {
			j := int(to)
			if j <= i || parents[j] == i && !inside[j] || parents[i] == j && !inside[i] {
				continue
			}
			ring = around(ring, g, i, j, before, queue)
			if !slices.ContainsFunc(rings, func(r []int) bool { return slices.Equal(r, ring) }) {
				rings = append(rings, slices.Clone(ring))
			}
		}
	}
	slices.SortStableFunc(rings, func(a, b []int) int { return len(a) - len(b) })
	return rings
}

// branches returns the parent of each node in trees that span g, −1 for roots, and whether the edge to it is in a ring. All
// other edges are.
func branches(g *graph.Graph) (parents []int, inside []bool) {
	parents, inside = slices.Repeat([]int{-1}, g.N()), make([]bool, g.N())
	depth, queue := make([]int, g.N()), make([]int, 0, g.N())
	for root := range g.N() {
		if depth[root] > 0 {
			continue
		}
		depth[root], queue = 1, append(queue[:0], root)
		for k := 0; k < len(queue); k++ {
			i := queue[k]
			for _, to := range g.Row(i) {
				j := int(to)
				if depth[j] == 0 {
					depth[j], parents[j], queue = depth[i]+1, i, append(queue, j)
				} else if j != parents[i] && depth[j] >= depth[i] {
					closeRing(i, j, parents, depth, inside)
				}
			}
		}
	}
	return parents, inside
}

// closeRing marks the edges of the tree between two nodes that another edge joins.
func closeRing(i, j int, parents, depth []int, inside []bool) {
	for i != j {
		if depth[i] < depth[j] {
			i, j = j, i
		}
		inside[i], i = true, parents[i]
	}
}

// around returns the smallest ring through the edge from i to j, which is in one, as ascending nodes in the memory of ring.
// before and queue are scratch.
func around(ring []int, g *graph.Graph, i, j int, before, queue []int) []int {
	clear(before) // 0 if not reached, else 1 more than the node from which it was reached
	before[i], queue = i+1, append(queue[:0], i)
	for k := 0; k < len(queue) && before[j] == 0; k++ {
		at := queue[k]
		for _, next := range g.Row(at) {
			if before[next] == 0 && !(at == i && int(next) == j) {
				before[next] = at + 1
				queue = append(queue, int(next))
			}
		}
	}
	ring = append(ring[:0], i)
	for at := j; at != i; at = before[at] - 1 {
		ring = append(ring, at)
	}
	slices.Sort(ring)
	return ring
}

// macrocycle is the smallest number of atoms in a macrocycle.
const macrocycle = 12

var sizes = [...]string{3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven"}

// system returns the atoms of the ring system of atom i: of all rings that are connected through shared bonds.
func (a *atoms) system(i int) []int {
	return a.spread(i, func(j int) bool { return a.InRing(j) }, a.inSameRing)
}

// inSameRing reports whether two neighbours share a ring.
func (a *atoms) inSameRing(i, j int) bool {
	return a.members[i]&a.members[j] != 0 && (len(a.rings) <= 64 ||
		slices.ContainsFunc(a.rings, func(ring []int) bool { return slices.Contains(ring, i) && slices.Contains(ring, j) }))
}

// ringSystem returns the ring system of atom i, and keeps it in a.systems. Its name is empty if the tables do not have it,
// and outside of rings.
func ringSystem(a *atoms, i int) group {
	if !a.InRing(i) || a.rings == nil {
		return group{}
	}
	if at := slices.IndexFunc(a.systems, func(s group) bool { return slices.Contains(s.ring, i) }); at >= 0 {
		return a.systems[at]
	}
	system := a.system(i)
	exact, skeletons := ringNames()
	name := exact[a.signature(system, a.kind)]
	if name == "" {
		name = skeletons[a.signature(system, a.bare)]
	}
	a.systems = append(a.systems, group{name: name, nodes: system, ring: system})
	return a.systems[len(a.systems)-1]
}

// aromaticRing returns the aromatic ring of atom i and the aromatic rings fused to it as one named group, or an empty group.
func aromaticRing(a *atoms, i int) group {
	if !a.Aromatic(i) {
		return group{}
	}
	near := a.spread(i, a.Aromatic, a.inSameRing)
	slices.Sort(near)
	// Rings are found again among these atoms alone: the bond between the benzenes of fluorene is in a ring, but in no
	// aromatic one. Atom k of part is near[k].
	part := newAtoms(a.Select(func(j int) bool { return slices.Contains(near, j) }))
	at, _ := slices.BinarySearch(near, i)
	ring := part.spread(at, part.Aromatic, part.inSameRing)
	for k, j := range ring {
		ring[k] = near[j]
	}
	exact, _ := ringNames()
	name := exact[a.signature(ring, a.kind)]
	if name == "" {
		kind := "aromatic"
		if slices.ContainsFunc(ring, func(j int) bool { return !a.is(j, carbons) }) {
			kind = "heteroaromatic"
		}
		name = kind + " ring"
		if n := a.Select(func(j int) bool { return slices.Contains(ring, j) }).Cycles(); n > 1 {
			name = fmt.Sprintf("%s system of %d fused rings", kind, n)
		}
	}
	return group{name: name, nodes: ring, ring: ring}
}

// otherRing names the smallest ring of atom i. Outside rings the group is empty.
func otherRing(a *atoms, i int) group {
	at := slices.IndexFunc(a.rings, func(ring []int) bool { return slices.Contains(ring, i) })
	if at < 0 {
		return group{}
	}
	ring := a.rings[at]
	exact, _ := ringNames()
	name := exact[a.signature(ring, a.kind)]
	switch {
	case len(ring) >= macrocycle && crown(a, ring):
		name = fmt.Sprintf("crown ether of %d", len(ring))
	case len(ring) >= macrocycle:
		name = fmt.Sprintf("macrocycle of %d", len(ring))
	case name == "":
		name = sizes[len(ring)] + "-membered ring"
	}
	return group{name: name, nodes: ring, ring: ring}
}

// crown reports whether a ring is a crown ether: a third of its atoms are oxygens, all others saturated carbons.
func crown(a *atoms, ring []int) bool {
	count := 0
	for _, i := range ring {
		if a.is(i, oxygens) {
			count++
		} else if !a.is(i, carbons) || a.flat(i) || a.Aromatic(i) {
			return false
		}
	}
	return 3*count == len(ring)
}

// kind encodes an atom for ringsByName: its element, whether it is aromatic, and whether it is a carbon with a
// double bond in the ring.
func (a *atoms) kind(i int) int {
	kind := 4 * a.Element(i)
	switch {
	case a.Aromatic(i):
		return kind + 1
	case a.is(i, carbons) && a.flat(i) && len(a.near(i, func(j int) bool { return a.double(j) && !a.inSameRing(i, j) })) == 0:
		return kind + 2
	}
	return kind
}

// bare encodes an atom for skeletonsByName: kind without double bonds.
func (a *atoms) bare(i int) int { return a.kind(i) &^ 2 }

// signature identifies the subgraph of nodes. encode gives what distinguishes an atom.
func (a *atoms) signature(nodes []int, encode func(int) int) [2]uint64 {
	place := slices.Repeat([]int32{-1}, a.N())
	for k, i := range nodes {
		place[i] = int32(k)
	}
	g := &graph.Graph{Features: 1, Offsets: make([]int32, 1, len(nodes)+1), Neighbors: make([]int32, 0, 3*len(nodes))}
	for _, i := range nodes {
		g.X = append(g.X, float32(encode(i)))
		for _, j := range a.Row(i) {
			if place[j] >= 0 {
				g.Neighbors = append(g.Neighbors, place[j])
			}
		}
		g.Offsets = append(g.Offsets, int32(len(g.Neighbors)))
	}
	return fingerprint.Signature(g, -1)
}

// ringNames returns two maps from signatures to names: of exact ring systems, and of skeletons, whose double bonds may
// be anywhere.
var ringNames = sync.OnceValues(func() (exact, skeletons map[[2]uint64]string) {
	exact, skeletons = map[[2]uint64]string{}, map[[2]uint64]string{}
	for _, r := range ringsByName {
		a := example(r.smiles)
		exact[a.signature(a.system(0), a.kind)] = r.name
	}
	for _, r := range skeletonsByName {
		a := example(r.smiles)
		skeletons[a.signature(a.system(0), a.bare)] = r.name
	}
	return exact, skeletons
})

// example reads a SMILES of the tables, whose first atom is in a ring.
func example(text string) *atoms {
	g, err := smiles.ParseGraph(text)
	if err != nil {
		panic(fmt.Sprintf("explain: %s: %v", text, err))
	}
	return newAtoms(g)
}

var ringsByName = []struct{ name, smiles string }{
	{"benzene ring", "c1ccccc1"}, {"pyridine ring", "c1ccncc1"}, {"pyridazine ring", "c1ccnnc1"}, {"pyrimidine ring", "c1ccncn1"}, {"pyrazine ring", "c1cnccn1"}, {"1,3,5-triazine ring", "c1ncncn1"}, {"1,2,4-triazine ring", "c1cnncn1"}, {"tetrazine ring", "c1nncnn1"}, {"pyrone ring (or pyrylium)", "c1cc[o+]cc1"}, {"tropone ring", "c1cccccc1=O"},
	{"pyrrole ring", "c1cc[nH]c1"}, {"furan ring", "c1ccoc1"}, {"thiophene ring", "c1ccsc1"}, {"selenophene ring", "c1cc[se]c1"}, {"imidazole ring", "c1c[nH]cn1"}, {"pyrazole ring", "c1cn[nH]c1"}, {"oxazole ring", "c1cocn1"}, {"isoxazole ring", "c1conc1"}, {"thiazole ring", "c1cscn1"}, {"isothiazole ring", "c1csnc1"},
	{"1,2,3-triazole ring", "c1cnn[nH]1"}, {"1,2,4-triazole ring", "c1nc[nH]n1"}, {"tetrazole ring", "c1nnn[nH]1"}, {"1,2,4-oxadiazole ring", "c1ncon1"}, {"1,3,4-oxadiazole ring", "c1nnco1"}, {"furazan ring", "c1cnon1"}, {"1,2,3-thiadiazole ring", "c1csnn1"}, {"1,3,4-thiadiazole ring", "c1nncs1"}, {"1,2,4-thiadiazole ring", "c1ncsn1"}, {"1,2,5-thiadiazole ring", "c1cnsn1"}, {"1,2-dithiole ring", "c1cc(=S)ss1"}, {"1,3-dithiole ring", "c1csc(=S)s1"}, {"1,3-dioxole ring", "c1coc(=O)o1"}, {"1,2,4-dithiazole ring", "c1nc(=S)ss1"}, {"cyclobutenedione ring", "c1cc(=O)c1=O"}, {"cyclopentadienyl ring", "c1cc[cH-]c1"},
	{"naphthalene ring", "c1ccc2ccccc2c1"}, {"anthracene ring", "c1ccc2cc3ccccc3cc2c1"}, {"azulene ring", "c1ccc2cccc2cc1"}, {"phenanthrene ring", "c1ccc2ccc3ccccc3c2c1"}, {"pyrene ring", "c1cc2ccc3cccc4ccc(c1)c2c34"},
	{"indole ring", "c1ccc2[nH]ccc2c1"}, {"isoindole ring", "c1ccc2c[nH]cc2c1"}, {"indolizine ring", "c1ccn2cccc2c1"}, {"indazole ring", "c1ccc2[nH]ncc2c1"}, {"benzimidazole ring", "c1ccc2[nH]cnc2c1"}, {"benzotriazole ring", "c1ccc2[nH]nnc2c1"}, {"benzofuran ring", "c1ccc2occc2c1"}, {"benzothiophene ring", "c1ccc2sccc2c1"}, {"benzoxazole ring", "c1ccc2ocnc2c1"}, {"benzothiazole ring", "c1ccc2scnc2c1"}, {"benzisoxazole ring", "c1ccc2oncc2c1"}, {"benzisothiazole ring", "c1ccc2sncc2c1"}, {"benzothiadiazole ring", "c1ccc2nsnc2c1"}, {"benzofurazan ring", "c1ccc2nonc2c1"},
	{"azaindole ring", "c1cnc2[nH]ccc2c1"}, {"azaindole ring", "c1cnc2cc[nH]c2c1"}, {"azaindole ring", "c1cc2ccncc2[nH]1"}, {"azaindole ring", "c1cc2cnccc2[nH]1"}, {"pyrrolopyrimidine ring", "c1cc2cncnc2[nH]1"}, {"pyrrolopyrimidine ring", "c1cc2ncncc2[nH]1"}, {"pyrrolotriazine ring", "c1cc2cncnn2c1"}, {"imidazopyridine ring", "c1cc2[nH]cnc2cn1"}, {"imidazopyridazine ring", "c1cnn2ccnc2c1"}, {"imidazopyrimidine ring", "c1cnc2nccn2c1"}, {"imidazopyrazine ring", "c1cn2ccnc2cn1"}, {"imidazothiazole ring", "c1cn2ccsc2n1"}, {"imidazothiadiazole ring", "c1cn2ncsc2n1"}, {"pyrazolopyridine ring", "c1cnc2[nH]ncc2c1"}, {"pyrazolopyridine ring", "c1ccn2nccc2c1"}, {"pyrazolopyridine ring", "c1cc2[nH]ncc2cn1"}, {"triazolopyridine ring", "c1ccn2cnnc2c1"}, {"triazolopyridine ring", "c1ccn2ncnc2c1"}, {"triazolopyridazine ring", "c1cnn2cnnc2c1"}, {"triazolopyrimidine ring", "c1cnc2ncnn2c1"}, {"triazolopyrimidine ring", "c1ncc2[nH]nnc2n1"}, {"triazolothiadiazole ring", "c1nn2cnnc2s1"}, {"imidazopyridine ring", "c1ccn2ccnc2c1"}, {"imidazopyridine ring", "c1cnc2[nH]cnc2c1"}, {"pyrazolopyrimidine ring", "c1ncc2cn[nH]c2n1"}, {"pyrazolopyrimidine ring", "c1nc2cn[nH]c2cn1"}, {"pyrazolopyrimidine ring", "c1cnc2ccnn2c1"}, {"pyrazolopyrimidine ring", "c1ncc2[nH]ncc2n1"}, {"pyrazolopyrimidine ring", "c1nc2c[nH]nc2cn1"}, {"purine ring", "c1ncc2[nH]cnc2n1"}, {"thienopyrimidine ring", "c1ncc2ccsc2n1"}, {"thienopyrimidine ring", "c1ncc2sccc2n1"}, {"thienopyridine ring", "c1cnc2sccc2c1"}, {"thienopyridine ring", "c1cc2sccc2cn1"}, {"thiazolopyrimidine ring", "c1ncc2scnc2n1"}, {"furopyrimidine ring", "c1ncc2ccoc2n1"}, {"pteridine ring", "c1cnc2ncncc2n1"}, {"pyridopyrimidine ring", "c1cnc2ncncc2c1"}, {"pyridopyrimidine ring", "c1ccn2c(=O)ccnc2c1"}, {"pyridopyrimidine ring", "c1cc2ncncc2cn1"}, {"pyridopyrimidine ring", "c1cc2cncnc2cn1"}, {"pyrimidopyrimidine ring", "c1ncc2ncncc2n1"},
	{"quinoline ring", "c1ccc2ncccc2c1"}, {"isoquinoline ring", "c1ccc2cnccc2c1"}, {"quinazoline ring", "c1ccc2ncncc2c1"}, {"quinoxaline ring", "c1ccc2nccnc2c1"}, {"cinnoline ring", "c1ccc2nnccc2c1"}, {"phthalazine ring", "c1ccc2cnncc2c1"}, {"naphthyridine ring", "c1cnc2ncccc2c1"}, {"naphthyridine ring", "c1cnc2ccncc2c1"}, {"naphthyridine ring", "c1cnc2cccnc2c1"}, {"1,2,4-benzotriazine ring", "c1ccc2nncnc2c1"}, {"1,2,3-benzotriazine ring", "c1ccc2nnncc2c1"}, {"3,1-benzoxazine ring", "c1ccc2[nH]c(=O)oc(=O)c2c1"}, {"benzopyran ring", "c1ccc2oc(=O)ccc2c1"}, {"isochromene ring", "c1ccc2c(=O)occc2c1"},
	{"carbazole ring", "c1ccc2c(c1)[nH]c1ccccc12"}, {"dibenzofuran ring", "c1ccc2c(c1)oc1ccccc12"}, {"dibenzothiophene ring", "c1ccc2c(c1)sc1ccccc12"}, {"acridine ring", "c1ccc2nc3ccccc3cc2c1"}, {"phenanthridine ring", "c1ccc2c(c1)cnc1ccccc12"}, {"phenanthroline ring", "c1cnc2c(c1)ccc1cccnc12"}, {"phenazine ring", "c1ccc2nc3ccccc3nc2c1"}, {"furobenzopyran ring", "c1c(=O)oc2cc3occc3cc2c1"}, {"xanthene ring", "c1ccc2oc3ccccc3c(=O)c2c1"}, {"β-carboline ring", "c1ccc2c(c1)[nH]c1cnccc12"},
	{"cyclopropane ring", "C1CC1"}, {"cyclobutane ring", "C1CCC1"}, {"cyclopentane ring", "C1CCCC1"}, {"cyclohexane ring", "C1CCCCC1"}, {"cycloheptane ring", "C1CCCCCC1"}, {"cyclooctane ring", "C1CCCCCCC1"}, {"cyclobutene ring", "C1CC=C1"}, {"cyclopentene ring", "C1CCC=C1"}, {"cyclopentadiene ring", "C1C=CC=C1"}, {"cyclohexene ring", "C1CCCC=C1"}, {"cyclohexadiene ring", "C1CC=CC=C1"}, {"cyclohexadiene ring", "C1C=CCC=C1"}, {"cycloheptatriene ring", "C1C=CC=CC=C1"}, {"cyclooctene ring", "C1CCCCCC=C1"},
	{"epoxide ring", "C1CO1"}, {"aziridine ring", "C1CN1"}, {"thiirane ring", "C1CS1"}, {"oxaziridine ring", "C1NO1"}, {"dioxirane ring", "C1OO1"}, {"oxetane ring", "C1COC1"}, {"azetidine ring", "C1CNC1"}, {"thietane ring", "C1CSC1"},
	{"pyrrolidine ring", "C1CCNC1"}, {"pyrroline ring", "C1C=CCN1"}, {"tetrahydrofuran ring", "C1CCOC1"}, {"dihydrofuran ring", "C1CC=CO1"}, {"dihydrofuran ring", "C1C=CCO1"}, {"tetrahydrothiophene ring", "C1CCSC1"}, {"imidazolidine ring", "C1CNCN1"}, {"imidazoline ring", "C1CN=CN1"}, {"pyrazoline ring", "C1CC=NN1"}, {"oxazoline ring", "C1COC=N1"}, {"thiazoline ring", "C1CSC=N1"}, {"isoxazoline ring", "C1CON=C1"}, {"pyrroline ring", "C1CC=NC1"}, {"pyrazolidine ring", "C1CNNC1"}, {"oxazolidine ring", "C1COCN1"}, {"thiazolidine ring", "C1CSCN1"}, {"isoxazolidine ring", "C1CONC1"}, {"1,3-dioxolane ring", "C1COCO1"}, {"1,3-dithiolane ring", "C1CSCS1"}, {"1,2-dithiolane ring", "C1CSSC1"},
	{"piperidine ring", "C1CCNCC1"}, {"tetrahydropyridine ring", "C1CC=CCN1"}, {"tetrahydropyridine ring", "C1CNCC=C1"}, {"dihydropyridine ring", "C1C=CNC=C1"}, {"tetrahydropyran ring", "C1CCOCC1"}, {"dihydropyran ring", "C1CC=COC1"}, {"dihydropyran ring", "C1C=CCOC1"}, {"thiane ring", "C1CCSCC1"}, {"piperazine ring", "C1CNCCN1"}, {"morpholine ring", "C1COCCN1"}, {"thiomorpholine ring", "C1CSCCN1"}, {"1,4-dioxane ring", "C1COCCO1"}, {"1,3-dioxane ring", "C1COCOC1"}, {"tetrahydropyridine ring", "C1CC=NCC1"}, {"tetrahydropyrimidine ring", "C1CN=CNC1"}, {"hexahydropyrimidine ring", "C1CNCNC1"}, {"1,3,5-triazinane ring", "C1NCNCN1"}, {"1,3,5-trioxane ring", "C1OCOCO1"}, {"azepane ring", "C1CCCNCC1"}, {"diazepane ring", "C1CNCCNC1"},
	{"indane ring", "C1CCc2ccccc12"}, {"indene ring", "C1C=Cc2ccccc12"}, {"fluorene ring", "C1c2ccccc2-c2ccccc12"}, {"tetralin ring", "C1CCCc2ccccc12"}, {"benzocycloheptene ring", "C1CCCc2ccccc2C1"}, {"dihydronaphthalene ring", "C1C=CCc2ccccc12"}, {"dihydronaphthalene ring", "C1CC=Cc2ccccc12"}, {"indoline ring", "C1CNc2ccccc12"}, {"isoindoline ring", "C1NCc2ccccc12"}, {"dihydroisobenzofuran ring", "C1OCc2ccccc12"}, {"dihydrobenzofuran ring", "C1COc2ccccc12"}, {"chroman ring", "C1CCOc2ccccc12"}, {"isochroman ring", "C1COCc2ccccc12"}, {"chromene ring", "C1C=COc2ccccc12"}, {"tetrahydroquinoline ring", "C1CCNc2ccccc12"}, {"dihydroisoquinoline ring", "C1CN=Cc2ccccc12"}, {"tetrahydroisoquinoline ring", "C1CNCc2ccccc12"}, {"benzodioxane ring", "C1COc2ccccc2O1"}, {"benzodioxepine ring", "C1COc2ccccc2OC1"}, {"dihydrobenzoxazine ring", "C1COc2ccccc2N1"}, {"dihydrobenzothiazine ring", "C1CSc2ccccc2N1"}, {"tetrahydroquinoxaline ring", "C1CNc2ccccc2N1"}, {"tetrahydroquinazoline ring", "C1NCc2ccccc2N1"}, {"benzothiadiazine ring", "C1NSc2ccccc2N1"}, {"benzothiadiazine ring", "C1=NSc2ccccc2N1"}, {"dihydrobenzisothiazole ring", "C1NSc2ccccc12"}, {"phenothiazine ring", "c1ccc2Nc3ccccc3Sc2c1"}, {"phenoxazine ring", "c1ccc2Nc3ccccc3Oc2c1"}, {"thioxanthene ring", "c1ccc2Cc3ccccc3Sc2c1"}, {"dibenzodioxin ring", "c1ccc2Oc3ccccc3Oc2c1"}, {"xanthene ring", "c1ccc2Cc3ccccc3Oc2c1"}, {"dihydroacridine ring", "c1ccc2Cc3ccccc3Nc2c1"}, {"dihydroanthracene ring", "c1ccc2Cc3ccccc3Cc2c1"}, {"tetrahydroacridine ring", "C1CCc2nc3ccccc3cc2C1"}, {"tetrahydrocarbazole ring", "C1CCc2[nH]c3ccccc3c2C1"}, {"dibenzazepine ring", "c1ccc2Nc3ccccc3CCc2c1"}, {"dibenzazepine ring", "c1ccc2Nc3ccccc3C=Cc2c1"}, {"dibenzocycloheptene ring", "c1ccc2Cc3ccccc3CCc2c1"},
	{"1,4-benzodiazepine ring", "C1N=Cc2ccccc2NC1"}, {"1,4-benzodiazepine ring", "C1NCc2ccccc2NC1"}, {"1,5-benzodiazepine ring", "C1CNc2ccccc2NC1"}, {"1,5-benzodiazepine ring", "C1C=Nc2ccccc2NC1"}, {"1,5-benzothiazepine ring", "C1CSc2ccccc2NC1"}, {"1,5-benzothiazepine ring", "C1CSc2ccccc2N=C1"}, {"benzazepine ring", "C1CNCCc2ccccc12"}, {"benzazepine ring", "C1CCNc2ccccc2C1"}, {"tetrahydrobenzothiophene ring", "C1CCc2sccc2C1"}, {"tetrahydrothienopyridine ring", "C1CNCc2ccsc12"}, {"tetrahydrothienopyridine ring", "C1CNCc2sccc12"}, {"tetrahydropyridopyrimidine ring", "C1CNCc2cncnc12"}, {"tetrahydrotriazolopyrazine ring", "C1CNCc2nncn12"}, {"tetrahydroimidazopyrazine ring", "C1CNCc2nccn12"}, {"tetrahydro-β-carboline ring", "C1CNCc2[nH]c3ccccc3c12"}, {"tetrahydro-γ-carboline ring", "C1CNCc2c3ccccc3[nH]c12"},
}

var skeletonsByName = []struct{ name, smiles string }{
	{"porphyrin skeleton", "C1=C2C=CC(=N2)C=C2C=CC(N2)=CC2=NC(C=C2)=CC2=CC=C1N2"}, {"porphyrin skeleton", "C1=C2C=CC(=N2)C=C2CCC(N2)=CC2=NC(C=C2)=CC2=CC=C1N2"},
	{"steroid skeleton", "C1CCC2C(C1)CCC1C2CCC2CCCC12"}, {"steroid skeleton", "c1ccc2c(c1)CCC1C2CCC2CCCC12"}, {"steroid skeleton", "c1ccc2c(c1)ccc1c2CCC2CCCC12"}, {"morphinan skeleton", "C1CCC23CCNC(C2C1)Cc1ccccc13"}, {"epoxymorphinan skeleton", "C1CC2C3Cc4cccc5OC(C1)C2(CCN3)c45"}, {"tropane skeleton", "C1CC2CCC(C1)N2"}, {"quinuclidine skeleton", "C1CN2CCC1CC2"}, {"adamantane skeleton", "C1C2CC3CC1CC(C2)C3"}, {"norbornane skeleton", "C1CC2CCC1C2"}, {"pinane skeleton", "C1CC2CC(C1)C2"}, {"cubane skeleton", "C12C3C4C1C5C2C3C45"}, {"penam skeleton", "C1CN2CCC2S1"}, {"cephem skeleton", "C1CCN2CCC2S1"}, {"decalin skeleton", "C1CCC2CCCCC2C1"}, {"bicyclo[2.2.2]octane skeleton", "C1CC2CCC1CC2"}, {"ergoline skeleton", "C1NCC2C(C1)c1cccc3[nH]cc(C2)c13"},
}

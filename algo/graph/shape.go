package graph

// Fraction returns the fraction of nodes for which is returns true, 0 without nodes.
func (g *Graph) Fraction(is func(i int) bool) float64 {
	count := 0
	for i := range g.N() {
		if is(i) {
			count++
		}
	}
	return float64(count) / float64(max(1, g.N()))
}

// Parts returns the connected component of each node, numbered from 0 in the order of their first nodes, and the sizes of
// components.
func (g *Graph) Parts() (of, sizes []int32) {
	n := g.N()
	memory := make([]int32, 3*n)
	of, sizes = memory[:n:n], memory[n:n:2*n]
	stack := memory[2*n : 2*n]
	for i := range of {
		if of[i] > 0 {
			continue
		}
		sizes = append(sizes, 0)
		id := int32(len(sizes)) // 0 for nodes not met so far
		of[i], stack = id, append(stack, int32(i))
		for ; len(stack) > 0; sizes[id-1]++ {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, j := range g.Row(int(at)) {
				if of[j] == 0 {
					of[j], stack = id, append(stack, j)
				}
			}
		}
	}
	for i := range of { // components count from 0
		of[i]--
	}
	return of, sizes
}

// Components returns the number of connected components.
func (g *Graph) Components() int {
	_, sizes := g.Parts()
	return len(sizes)
}

// Cycles returns the cyclomatic number, in molecules the number of rings.
func (g *Graph) Cycles() int { return g.M() - g.N() + g.Components() }

// Core returns g without its trees: nodes of degree 1 and 0 are removed until none is left. For a molecule it is the
// Bemis–Murcko scaffold without exocyclic double-bonded atoms. Nodes keep their order and only their first feature, in
// molecules the element. The core of a graph without cycles has no nodes.
func (g *Graph) Core() *Graph {
	n := g.N()
	degree := make([]int, n) // in what is left
	var ends []int           // nodes to remove
	for i := range n {
		degree[i] = g.Degree(i)
		if degree[i] <= 1 {
			ends = append(ends, i)
		}
	}
	for len(ends) > 0 {
		i := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		for _, j := range g.Row(i) {
			if degree[j]--; degree[j] == 1 {
				ends = append(ends, int(j))
			}
		}
	}
	c := g.Select(func(i int) bool { return degree[i] > 1 })
	elements := make([]float32, c.N())
	for i := range elements {
		elements[i] = c.X[i*c.Features]
	}
	c.X, c.Features = elements, 1
	return c
}

// Package depict draws molecules and graphs as SVG: rings as regular polygons, chains
// as zigzags, and anything else by springs. It is for looking at a few of them in a
// report, not for publishing structures: it knows no wedges and does not search for
// the layout with the fewest overlaps.
package depict

import (
	"cmp"
	"math"
	"slices"
)

// A point is a place in lengths of a bond.
type point struct{ x, y float64 }

func (p point) plus(q point) point       { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point      { return point{p.x - q.x, p.y - q.y} }
func (p point) times(f float64) point    { return point{f * p.x, f * p.y} }
func (p point) length() float64          { return math.Hypot(p.x, p.y) }
func (p point) angle() float64           { return math.Atan2(p.y, p.x) }
func heading(angle float64) point        { return point{math.Cos(angle), math.Sin(angle)} }
func (p point) distance(q point) float64 { return p.minus(q).length() }

// A layout is a graph whose nodes get places.
type layout struct {
	near   [][]int
	rings  [][]int // nodes in order around
	member [][]int // rings of each node
	linear []bool  // nodes whose chain goes straight on
	at     []point
	done   []bool
	turn   []float64 // of the chain that came to a node, to alternate
}

// maxRing is the longest cycle that is drawn as a polygon.
const maxRing = 24

// newLayout takes the neighbours of each node.
func newLayout(near [][]int, linear []bool) *layout {
	n := len(near)
	l := &layout{near: near, linear: linear, at: make([]point, n), done: make([]bool, n), turn: make([]float64, n)}
	l.findRings()
	return l
}

// findRings takes the shortest cycle through each edge that is on one.
func (l *layout) findRings() {
	n := len(l.near)
	seen := map[string]bool{}
	back, depth := make([]int, n), make([]int, n)
	for u := range n {
		for _, v := range l.near[u] {
			if v < u {
				continue
			}
			for i := range back {
				back[i] = -1
			}
			back[u], depth[u] = u, 0
			queue := []int{u}
			for len(queue) > 0 && back[v] < 0 {
				i := queue[0]
				queue = queue[1:]
				if depth[i] >= maxRing-1 {
					break
				}
				for _, j := range l.near[i] {
					if back[j] < 0 && !(i == u && j == v) {
						back[j], depth[j] = i, depth[i]+1
						queue = append(queue, j)
					}
				}
			}
			if back[v] < 0 {
				continue
			}
			ring := []int{v}
			for i := v; i != u; i = back[i] {
				ring = append(ring, back[i])
			}
			sorted := slices.Sorted(slices.Values(ring))
			key := ""
			for _, i := range sorted {
				key += string(rune(i + 1))
			}
			if !seen[key] {
				seen[key] = true
				l.rings = append(l.rings, ring)
			}
		}
	}
	slices.SortStableFunc(l.rings, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	l.member = make([][]int, n)
	for r, ring := range l.rings {
		for _, i := range ring {
			l.member[i] = append(l.member[i], r)
		}
	}
}

// run places all nodes, the parts of the graph side by side.
func (l *layout) run() {
	n := len(l.near)
	left := 0.0
	for start := range n {
		if l.done[start] {
			continue
		}
		part := l.part(start)
		l.place(part)
		l.relax(part)
		l.level(part)
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range part {
			low, high = min(low, l.at[i].x), max(high, l.at[i].x)
		}
		for _, i := range part {
			l.at[i].x += left - low
		}
		left += high - low + 1.5
	}
}

// part is the connected component of a node.
func (l *layout) part(start int) []int {
	list, in := []int{start}, map[int]bool{start: true}
	for k := 0; k < len(list); k++ {
		for _, j := range l.near[list[k]] {
			if !in[j] {
				in[j] = true
				list = append(list, j)
			}
		}
	}
	return list
}

// place lays out one component.
func (l *layout) place(part []int) {
	// The node in most rings is a good middle, and without rings the end of a
	// long chain.
	first := part[0]
	for _, i := range part {
		if len(l.member[i]) > len(l.member[first]) {
			first = i
		}
	}
	var queue []int
	if len(l.member[first]) > 0 {
		queue = l.placeSystem(first, point{}, math.Pi/2)
	} else {
		first = l.farthest(l.farthest(first))
		l.put(first, point{})
		queue = []int{first}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = append(queue[1:], l.extend(i)...)
	}
}

// farthest is the last node that a search in breadth comes to.
func (l *layout) farthest(start int) int {
	list := l.part(start)
	return list[len(list)-1]
}

func (l *layout) put(i int, p point) { l.at[i], l.done[i] = p, true }

// placeSystem places all rings that hang together with those of a node, that node at
// p and the rest towards an angle, and returns the nodes.
func (l *layout) placeSystem(first int, p point, towards float64) []int {
	system := []int{first}
	in := map[int]bool{first: true}
	for k := 0; k < len(system); k++ {
		for _, r := range l.member[system[k]] {
			for _, j := range l.rings[r] {
				if !in[j] {
					in[j] = true
					system = append(system, j)
				}
			}
		}
	}
	local := map[int]point{}
	rings := map[int]bool{}
	for _, i := range system {
		for _, r := range l.member[i] {
			rings[r] = true
		}
	}
	order := make([]int, 0, len(rings))
	for r := range rings {
		order = append(order, r)
	}
	slices.Sort(order)
	// Begin with the ring that shares most with others.
	shared := func(r int) int {
		sum := 0
		for _, i := range l.rings[r] {
			sum += len(l.member[i]) - 1
		}
		return sum
	}
	begin := order[0]
	for _, r := range order {
		if shared(r) > shared(begin) {
			begin = r
		}
	}
	size := len(l.rings[begin])
	radius := 0.5 / math.Sin(math.Pi/float64(size))
	for k, i := range l.rings[begin] {
		local[i] = heading(2 * math.Pi * (float64(k) + 0.5) / float64(size)).times(radius)
	}
	delete(rings, begin)
	for len(rings) > 0 {
		// Next the ring with most places, the smaller of two.
		next, most := -1, 0
		for _, r := range order {
			if !rings[r] {
				continue
			}
			placed := 0
			for _, i := range l.rings[r] {
				if _, ok := local[i]; ok {
					placed++
				}
			}
			if placed > most {
				next, most = r, placed
			}
		}
		l.addRing(local, l.rings[next])
		delete(rings, next)
	}
	// Turn and move.
	var middle point
	for _, i := range system {
		middle = middle.plus(local[i].times(1 / float64(len(system))))
	}
	turn := towards - middle.minus(local[first]).angle()
	for _, i := range system {
		d := local[i].minus(local[first])
		l.put(i, p.plus(heading(d.angle()+turn).times(d.length())))
	}
	return system
}

// addRing adds the missing nodes of a ring, of which at least one has a place.
func (l *layout) addRing(local map[int]point, ring []int) {
	var middle point
	for _, q := range local {
		middle = middle.plus(q.times(1 / float64(len(local))))
	}
	start := 0
	for k, i := range ring {
		if _, ok := local[i]; ok {
			start = k
			break
		}
	}
	ring = append(slices.Clone(ring[start:]), ring[:start]...)
	if _, ok := local[ring[0]]; !ok {
		panic("depict: ring without a place")
	}
	var missing []int
	last := ring[0]
	for k := 1; k <= len(ring); k++ {
		i := ring[k%len(ring)]
		if _, ok := local[i]; !ok {
			missing = append(missing, i)
			continue
		}
		if len(missing) > 0 {
			from, to := local[last], local[i]
			if last == i { // one node in common
				out := from.minus(middle)
				if out.length() < 1e-6 {
					out = point{1, 0}
				}
				size := len(missing) + 1
				radius := 0.5 / math.Sin(math.Pi/float64(size))
				centre := from.plus(out.times(radius / out.length()))
				for m, j := range missing {
					local[j] = centre.plus(heading(from.minus(centre).angle() + 2*math.Pi*float64(m+1)/float64(size)).times(radius))
				}
			} else {
				l.arc(local, missing, from, to, l.inner(local, ring, middle))
			}
			missing = missing[:0]
		}
		last = i
	}
}

// inner is the middle of the rings around those nodes of a ring that have a place, from
// which new nodes should keep away.
func (l *layout) inner(local map[int]point, ring []int, otherwise point) point {
	var sum point
	n := 0.0
	for _, i := range ring {
		if _, ok := local[i]; !ok {
			continue
		}
		for _, r := range l.member[i] {
			whole := true
			var middle point
			for _, j := range l.rings[r] {
				q, ok := local[j]
				whole = whole && ok
				middle = middle.plus(q.times(1 / float64(len(l.rings[r]))))
			}
			if whole {
				sum, n = sum.plus(middle), n+1
			}
		}
	}
	if n == 0 {
		return otherwise
	}
	return sum.times(1 / n)
}

// arc places nodes on a circle from one place to another, in steps of a bond, on the
// side away from a point.
func (l *layout) arc(local map[int]point, nodes []int, from, to, away point) {
	chord := to.minus(from)
	d, steps := chord.length(), float64(len(nodes)+1)
	if d < 1e-6 {
		chord, d = point{1, 0}, 1e-6
	}
	side := 1.0
	if normal := (point{-chord.y, chord.x}); normal.x*(away.x-from.x)+normal.y*(away.y-from.y) > 0 {
		side = -1
	}
	// The angle of a step: sin(steps·a/2)/sin(a/2) is d, falling with a.
	low, high := 1e-6, 2*math.Pi/steps
	for range 60 {
		a := (low + high) / 2
		if math.Sin(steps*a/2)/math.Sin(a/2) > d {
			low = a
		} else {
			high = a
		}
	}
	a := (low + high) / 2
	step := d / (math.Sin(steps*a/2) / math.Sin(a/2)) // 1, or more where the ends are far apart
	if !(step > 0.2 && step < 5) {
		step = d / steps
	}
	angle := chord.angle() + side*(steps-1)*a/2
	p := from
	for _, i := range nodes {
		p = p.plus(heading(angle).times(step))
		local[i] = p
		angle -= side * a
	}
}

// extend places the neighbours of a node that has a place, and returns what it
// placed.
func (l *layout) extend(i int) []int {
	var next []int
	var taken []float64
	for _, j := range l.near[i] {
		if l.done[j] {
			taken = append(taken, l.at[j].minus(l.at[i]).angle())
		} else {
			next = append(next, j)
		}
	}
	if len(next) == 0 {
		return nil
	}
	var angles []float64
	switch {
	case len(taken) == 0:
		for k := range next {
			angles = append(angles, 2*math.Pi*float64(k)/float64(max(3, len(next)))-math.Pi/6)
		}
	case len(taken) == 1 && len(next) == 1:
		straight := taken[0] + math.Pi
		if l.linear[i] {
			angles = []float64{straight}
			break
		}
		sign := -l.turn[i]
		if sign == 0 {
			sign = 1
		}
		best, room := 0.0, -1.0
		for _, c := range []float64{sign * math.Pi / 3, -sign * math.Pi / 3, sign * math.Pi / 6, -sign * math.Pi / 6, sign * math.Pi / 2, -sign * math.Pi / 2} {
			// A candidate that is roomy enough is good, the first ones best.
			if r := min(l.room(l.at[i].plus(heading(straight+c)), i), 1.1); r > room+1e-9 {
				best, room = c, r
			}
		}
		angles = []float64{straight + best}
	default:
		// Spread over the widest gap.
		slices.Sort(taken)
		from, gap := taken[len(taken)-1], taken[0]+2*math.Pi-taken[len(taken)-1]
		for k := 1; k < len(taken); k++ {
			if g := taken[k] - taken[k-1]; g > gap+1e-9 {
				from, gap = taken[k-1], g
			}
		}
		for k := range next {
			angles = append(angles, from+gap*float64(k+1)/float64(len(next)+1))
		}
	}
	var placed []int
	for k, j := range next {
		if l.done[j] {
			continue
		}
		p := l.at[i].plus(heading(angles[k]))
		if len(l.member[j]) > 0 {
			placed = append(placed, l.placeSystem(j, p, angles[k])...)
			continue
		}
		l.put(j, p)
		if len(taken) == 1 && len(next) == 1 {
			l.turn[j] = sign(math.Remainder(angles[k]-taken[0]-math.Pi, 2*math.Pi))
		}
		placed = append(placed, j)
	}
	return placed
}

func sign(x float64) float64 {
	switch {
	case x > 1e-9:
		return 1
	case x < -1e-9:
		return -1
	}
	return 0
}

// room is the distance from p to the nearest placed node but one.
func (l *layout) room(p point, but int) float64 {
	least := math.Inf(1)
	for i, q := range l.at {
		if l.done[i] && i != but {
			least = min(least, p.distance(q))
		}
	}
	return least
}

// crowded is the distance below which two nodes without an edge are pushed apart.
const crowded = 0.65

// maxRelaxed bounds the nodes of a component that is relaxed, since a round takes the
// square of them.
const maxRelaxed = 400

// relax pushes apart what came to lie on each other, holding edges and the distances
// of second neighbours. It does nothing where there is room.
func (l *layout) relax(part []int) {
	if len(part) > maxRelaxed {
		return
	}
	type pair struct {
		i, j   int
		length float64
	}
	var springs []pair
	joined := map[[2]int]bool{}
	for _, i := range part {
		for _, j := range l.near[i] {
			if i < j {
				springs = append(springs, pair{i, j, 1})
			}
			joined[[2]int{i, j}] = true
			for _, k := range l.near[i] {
				if j < k && !joined[[2]int{j, k}] {
					springs = append(springs, pair{j, k, max(1.2, l.at[j].distance(l.at[k]))})
				}
			}
		}
	}
	for range 120 {
		moved := false
		for a, i := range part {
			for _, j := range part[:a] {
				d := l.at[i].minus(l.at[j])
				r := d.length()
				if r >= crowded || joined[[2]int{i, j}] {
					continue
				}
				moved = true
				if r < 1e-3 {
					d, r = heading(float64(i)*2.4), 1
					d = d.times(0.01)
					r = 0.01
				}
				push := d.times((crowded + 0.1 - r) / (2 * r))
				l.at[i], l.at[j] = l.at[i].plus(push), l.at[j].minus(push)
			}
		}
		if !moved {
			return
		}
		for range 4 {
			for _, h := range springs {
				d := l.at[h.i].minus(l.at[h.j])
				r := max(d.length(), 1e-3)
				stiff := 0.25
				if h.length != 1 {
					stiff = 0.1
				}
				pull := d.times(stiff * (h.length - r) / r)
				l.at[h.i], l.at[h.j] = l.at[h.i].plus(pull), l.at[h.j].minus(pull)
			}
		}
	}
}

// level turns a component so that it lies wide.
func (l *layout) level(part []int) {
	var middle point
	for _, i := range part {
		middle = middle.plus(l.at[i].times(1 / float64(len(part))))
	}
	var xx, xy, yy float64
	for _, i := range part {
		d := l.at[i].minus(middle)
		xx, xy, yy = xx+d.x*d.x, xy+d.x*d.y, yy+d.y*d.y
	}
	turn := -0.5 * math.Atan2(2*xy, xx-yy)
	// Polygons look best in steps of 30°.
	turn = math.Round(turn/(math.Pi/6)) * math.Pi / 6
	for _, i := range part {
		d := l.at[i].minus(middle)
		l.at[i] = heading(d.angle() + turn).times(d.length())
	}
}

// springs places the nodes of any graph: edges pull, all nodes push.
func (l *layout) springs() {
	n := len(l.near)
	for i := range n {
		l.at[i] = heading(2 * math.Pi * 0.381966 * float64(i)).times(math.Sqrt(float64(i) + 0.5))
	}
	rounds := min(max(80000/(n*n+1), 15), 300)
	move := make([]point, n)
	for round := range rounds {
		clear(move)
		for i := range n {
			for j := range i {
				d := l.at[i].minus(l.at[j])
				push := d.times(0.8 / max(d.x*d.x+d.y*d.y, 1e-3))
				move[i], move[j] = move[i].plus(push), move[j].minus(push)
			}
			for _, j := range l.near[i] {
				d := l.at[j].minus(l.at[i])
				move[i] = move[i].plus(d.times(0.6 * d.length()))
			}
			// Parts that hang together with nothing must not fly away.
			move[i] = move[i].minus(l.at[i].times(0.05))
		}
		limit := 0.5 * (1 - float64(round)/float64(rounds+1))
		for i, m := range move {
			if r := m.length(); r > limit {
				m = m.times(limit / r)
			}
			l.at[i] = l.at[i].plus(m)
		}
	}
	// The mean edge is as long as a bond.
	sum, edges := 0.0, 0.0
	for i := range n {
		for _, j := range l.near[i] {
			sum, edges = sum+l.at[i].distance(l.at[j]), edges+1
		}
	}
	if sum > 0 {
		for i := range n {
			l.at[i] = l.at[i].times(edges / sum)
		}
	}
}

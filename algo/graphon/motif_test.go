package graphon

// A Motif is a small graph with a computable density.
type Motif int

const (
	Edge Motif = iota
	Wedge
	Triangle
	Cycle4
)

func Motifs() []Motif { return []Motif{Edge, Wedge, Triangle, Cycle4} }

func (f Motif) String() string {
	return [...]string{Edge: "edge", Wedge: "wedge", Triangle: "triangle", Cycle4: "4-cycle"}[f]
}

func (f Motif) Edges() int {
	return [...]int{Edge: 1, Wedge: 2, Triangle: 3, Cycle4: 4}[f]
}

// Density returns the homomorphism density t(F, W), the chance that independent uniform positions for the nodes of F
// have all edges of F. It is 0 for a graphon of no steps.
//
// Theorem 1 of the paper bounds how far a mixture moves it, but lost a factor
// on the way to print: with W_s = λW_G + (1−λ)W_H,
//
//	|t(F, W_s) − t(F, W_G)| ≤ (1−λ)·e(F)·‖W_G − W_H‖_□.
func (w *Graphon) Density(f Motif) float64 {
	n := w.N
	if n == 0 {
		return 0
	}
	size := float64(n)
	switch f {
	case Edge: // ΣW_ij / n²
		sum := 0.0
		for _, p := range w.W {
			sum += p
		}
		return sum / (size * size)
	case Wedge: // Σ d_i² / n³
		sum := 0.0
		for i := range n {
			d := 0.0
			for _, p := range w.W[i*n : (i+1)*n] {
				d += p
			}
			sum += float64(d * d)
		}
		return sum / (size * size * size)
	case Triangle, Cycle4: // Σ W_ij (W²)_ij / n³ and Σ (W²)_ij² / n⁴
		triangles, cycles := 0.0, 0.0
		for i := range n {
			for j := range n {
				paths := 0.0
				for k := range n {
					paths += float64(w.W[i*n+k] * w.W[j*n+k])
				}
				triangles += float64(paths * w.W[i*n+j])
				cycles += float64(paths * paths)
			}
		}
		if f == Triangle {
			return triangles / (size * size * size)
		}
		return cycles / (size * size * size * size)
	}
	panic("graphon: density of " + f.String())
}

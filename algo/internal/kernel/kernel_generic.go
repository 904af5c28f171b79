//go:build noasm || (!amd64 && !(js && wasm))

package kernel

func gemm(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	gemmGo(dst, ldd, a, as, at, b, ldb, m, n, k, bias, flags)
}
func transpose(dst, src []float32, lds, rows, cols int) { transposeGo(dst, src, lds, rows, cols) }
func add(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	addGo(dst, ldd, x, ldx, rows, cols)
}
func addNeighbors(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) {
	addNeighborsGo(dst, ldd, h, ldh, offsets, neighbors, rows, cols)
}
func reluGradient(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	reluGradientGo(d, ldd, y, ldy, rows, cols)
}
func exp(x []float32, scale float32)               { expGo(x, scale) }
func sums(rows, cols []float64, x []float32)       { sumsGo(rows, cols, x) }
func weight(x, r, c []float32)                     { weightGo(x, r, c) }
func normalize(dst, norms, z []float32)            { normalizeGo(dst, norms, z) }
func normalizeGradient(dst, g, u, norms []float32) { normalizeGradientGo(dst, g, u, norms) }
func dot(a, b []float32) float32                   { return dotGo(a, b) }
func adam(params, grads, m, v []float32, s AdamStep) {
	adamGo(params, grads, m, v, s)
}
func addWhere(sums, tops []uint32, bits []uint64, rows, gains []uint32) {
	addWhereGo(sums, tops, bits, rows, gains)
}

// HasMasks says that AddWhere is vector code.
func HasMasks() bool { return false }

// No products leave out terms here.
func listed(int) int { return 0 }

func list([]int32, []float32, int, int, int) {}

func gemmListed([]float32, int, []float32, int, []float32, int, int, int, int, []float32, int, []int32) {
}

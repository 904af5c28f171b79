//go:build noasm || (!amd64 && !(js && wasm))

package kernel

// vector is a constant false, so the functions below are never called.
const vector = false

func gemmVector([]float32, int, []float32, int, int, []float32, int, int, int, int, []float32, int) {}
func gemmListed([]float32, int, []float32, int, []float32, int, int, int, int, []float32, int, []int32) {
}
func listed(int) int                                     { return 0 }
func list([]int32, []float32, int, int, int)             {}
func transposeVector(_, _ []float32, _, _, _ int)        {}
func addVector([]float32, int, []float32, int, int, int) {}
func addNeighborsVector([]float32, int, []float32, int, []int32, []int32, int, int) (done int) {
	return 0
}
func reluGradientVector([]float32, int, []float32, int, int, int) {}
func expVector([]float32, float32)                                {}
func sumsVector(_, _ []float64, _ []float32)                      {}
func weightVector(_, _, _ []float32)                              {}
func normalizeVector(_, _, _ []float32)                           {}
func normalizeGradientVector(_, _, _, _ []float32)                {}
func dotVector(_, _ []float32) float32                            { return 0 }
func productsVector(_, _, _ []float64) bool                       { return false }
func addProductsVector(_, _, _ []float64) bool                    { return false }
func adamVector(_, _, _, _ []float32, _ AdamStep)                 {}

func addWhereVector(_, _ []uint32, _ []uint64, _, _ []uint32, _ int) {}

// HasMasks says that AddWhere is no vector code.
func HasMasks() bool { return false }

// walkVector says that Walk is no vector code.
func walkVector(_, _ []Lane, _ []float64, _, _, _ []int32, _, _ *Lane) int { return -1 }

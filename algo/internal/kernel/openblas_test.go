//go:build openblas && cgo

package kernel

import "baca/algo/internal/kernel/openblas"

func init() {
	others = append(others, product{
		"OpenBLAS",
		func(dst, a, b Matrix) { openblas.MulNN(dst.Data, a.Data, b.Data, dst.Rows, dst.Cols, a.Cols) },
		func(dst, a, b Matrix) { openblas.MulNT(dst.Data, a.Data, b.Data, dst.Rows, dst.Cols, a.Cols) },
	})
}

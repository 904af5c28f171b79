// Package lists has what package slices lacks.
package lists

// Map returns f of each value, in order.
func Map[T, U any](values []T, f func(T) U) []U {
	mapped := make([]U, len(values))
	for i, v := range values {
		mapped[i] = f(v)
	}
	return mapped
}

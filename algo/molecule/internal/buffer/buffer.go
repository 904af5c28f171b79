// Package buffer makes slices that are used again and again as long as they should be.
package buffer

// Grow makes the length of a buffer n, its values unspecified, and returns it. It takes
// a pointer because storing a slice anew makes work for the garbage collector, which
// cutting it to length does not.
func Grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+n/2)
	}
	*s = (*s)[:n]
	return *s
}

// Zeroed is Grow with all values zero.
func Zeroed[T any](s *[]T, n int) []T {
	clear(Grow(s, n))
	return *s
}

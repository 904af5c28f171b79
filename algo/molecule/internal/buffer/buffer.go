// Package buffer reuses slices.
package buffer

// Grow sets a buffer's length to n, values unspecified, and returns it. It takes a pointer because
// storing a slice costs the garbage collector more than resizing it.
func Grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+n/2)
	}
	*s = (*s)[:n]
	return *s
}

// Numbered is Grow with the values 0, 1, 2 …
func Numbered(s *[]int32, n int) []int32 {
	Grow(s, n)
	for i := range *s {
		(*s)[i] = int32(i)
	}
	return *s
}

// Zeroed is Grow with all values zero.
func Zeroed[T any](s *[]T, n int) []T {
	clear(Grow(s, n))
	return *s
}

// Package must stops a test at an error that it does not expect, with the trace of the call.
package must

// Do panics with an error.
func Do(err error) {
	if err != nil {
		panic(err)
	}
}

// Have returns what came without an error.
func Have[T any](v T, err error) T {
	Do(err)
	return v
}

// Both is Have for two values.
func Both[T, U any](v T, w U, err error) (T, U) {
	Do(err)
	return v, w
}

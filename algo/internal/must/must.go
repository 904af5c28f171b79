// Package must stops a test where something goes wrong that the test is not about.
package must

import "testing"

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

// Panic runs a function that must panic.
func Panic(t *testing.T, name string, f func()) {
	t.Run(name, func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("want a panic")
			}
		}()
		f()
	})
}

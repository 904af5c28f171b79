// Package try ends work at an error from any depth, for experiments, pipelines, builders of packages and tests: no step of
// them can go on without the one before.
//
//	func measure(file string) (rate float64, err error) {
//		defer try.Catch(&err)
//		set := try.To(read(file))
//		return rateOf(set), nil
//	}
//
// Catch stands where the work begins, in each goroutine anew. Code that does something about an error returns it as usual.
package try

// A failure is an error on its way to [Catch].
type failure struct{ error }

// Check ends the work unless err is nil.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// To returns x, or ends the work if there is an error.
func To[T any](x T, err error) T {
	Check(err)
	return x
}

// Catch, when deferred, sets err to the error that ended the work. Other panics pass.
func Catch(err *error) {
	x := recover()
	if f, ok := x.(failure); ok {
		*err = f.error
	} else if x != nil {
		panic(x)
	}
}

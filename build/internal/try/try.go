// Package try ends work at an error from any depth. It is for experiments, pipelines, builders of packages and tests, in
// which no step can be taken without the one before:
//
//	func measure(file string) (rate float64, err error) {
//		defer try.Catch(&err)
//		set := try.To(read(file))
//		return rateOf(set), nil
//	}
//
// Catch is deferred where the work begins, in each goroutine. Code that acts on an error returns it as usual.
package try

// A failure carries an error from Check to [Catch].
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

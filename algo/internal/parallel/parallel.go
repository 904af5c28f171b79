// Package parallel divides work over goroutines without letting the division
// show in the result: the caller cuts the work into pieces whose number does
// not depend on how many workers there are, and combines them in order.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or the number of usable cores where n is 0 or less.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Grow returns a slice of length n in the memory of s where that is enough. What
// it holds is not specified. Memory that is too small once may be so again: the slack
// keeps sizes that vary a little from call to call from allocating each time.
func Grow[T any](s []T, n int) []T {
	switch {
	case n <= cap(s):
		return s[:n]
	case cap(s) == 0:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}

// For calls f(worker, piece) for every piece in [0, pieces) on the given number
// of goroutines and waits. Calls with the same worker number never overlap, so
// a worker may own a workspace. Once ctx is done no further piece starts and
// For returns its error.
func For(ctx context.Context, workers, pieces int, f func(worker, piece int)) error {
	workers = min(Workers(workers), pieces)
	if workers <= 1 {
		for piece := range pieces {
			if err := ctx.Err(); err != nil {
				return err
			}
			f(0, piece)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				piece := int(next.Add(1)) - 1
				if piece >= pieces {
					return
				}
				f(worker, piece)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// Package parallel divides work over goroutines (For) without a trace in the result: callers cut
// work into pieces whose number does not depend on the workers, and combine them in order.
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

// Grow returns a slice of length n with unspecified values, in the memory of s if large enough.
// Slack keeps slightly varying sizes from allocating each time.
func Grow[T any](s []T, n int) []T {
	switch {
	case n <= cap(s):
		return s[:n]
	case cap(s) == 0:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}

// For calls f(worker, piece) for every piece in [0, pieces) on the given number of goroutines and waits. Calls of one
// worker never overlap, so it may own a workspace. After the end of ctx no piece starts, and For returns its error.
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

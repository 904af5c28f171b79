package dataset

import (
	"context"
	"iter"
	"sync"

	"baca/algo/internal/parallel"
)

// orderedChunk values travel together, so that handing them over costs little
// beside the work on a molecule (some 10 µs).
const orderedChunk = 8

// Ordered yields f of every value of in, in the order of in, with f running on
// the given number of goroutines (0: one for each core). The result does not
// depend on that number. At most 16·workers values are taken ahead of those
// yielded, so memory is bounded; with one worker there is no look-ahead.
//
// An error of in is yielded behind the values before it, and ends the
// sequence. So does ctx when it is done, with its error, once the value that
// in is waiting for has come: a reader that may block for ever must itself
// obey ctx. All goroutines have ended when the sequence has.
func Ordered[T, U any](ctx context.Context, workers int, in iter.Seq2[T, error], f func(T) U) iter.Seq2[U, error] {
	workers = parallel.Workers(workers)
	return func(yield func(U, error) bool) {
		var none U
		if workers == 1 {
			for v, err := range in {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(none, err)
					return
				}
				if !yield(f(v), nil) {
					return
				}
			}
			if err := ctx.Err(); err != nil {
				yield(none, err)
			}
			return
		}

		// The reading stays on the goroutine of the caller: nothing touches
		// the reader behind in once the sequence has ended.
		type chunk struct {
			in   []T
			out  []U
			done chan struct{}
		}
		depth := 2 * workers
		work := make(chan *chunk, depth)
		var group sync.WaitGroup
		defer group.Wait()
		defer close(work)
		for range workers {
			group.Go(func() {
				for c := range work {
					for i, v := range c.in {
						if ctx.Err() != nil {
							break
						}
						c.out[i] = f(v)
					}
					c.done <- struct{}{}
				}
			})
		}

		// A ring of chunks: those from oldest to newest-1 are under way, and
		// newest is being filled.
		ring := make([]chunk, depth)
		for i := range ring {
			ring[i] = chunk{make([]T, 0, orderedChunk), make([]U, orderedChunk), make(chan struct{}, 1)}
		}
		oldest, newest := 0, 0
		send := func() {
			work <- &ring[newest%depth]
			newest++
		}
		// take yields the oldest chunk and empties it. It is false at the end.
		take := func() bool {
			c := &ring[oldest%depth]
			oldest++
			<-c.done
			for i := range c.in {
				if err := ctx.Err(); err != nil {
					yield(none, err)
					return false
				}
				if !yield(c.out[i], nil) {
					return false
				}
			}
			clear(c.in)
			clear(c.out)
			c.in = c.in[:0]
			return true
		}
		drain := func() bool {
			if len(ring[newest%depth].in) > 0 {
				send()
			}
			for oldest < newest {
				if !take() {
					return false
				}
			}
			return true
		}
		for v, err := range in {
			if err == nil {
				err = ctx.Err()
			} else if !drain() {
				return
			}
			if err != nil {
				yield(none, err)
				return
			}
			c := &ring[newest%depth]
			if c.in = append(c.in, v); len(c.in) == orderedChunk {
				send()
				// The chunk to be filled next must have been yielded.
				if newest-oldest == depth && !take() {
					return
				}
			}
		}
		if drain() {
			if err := ctx.Err(); err != nil {
				yield(none, err)
			}
		}
	}
}

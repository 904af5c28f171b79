package dataset

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"baca/algo/internal/parallel"
)

// orderedChunk is how many values are passed at once. Passing them costs little beside a molecule's 10 µs.
const orderedChunk = 8

// Ordered yields f of every value of in, in order. f runs on so many goroutines, 0 for one on each core. Ordered reads at
// most 16·workers values ahead, so memory is bounded. With one worker it reads none ahead.
//
// An error of in is yielded after the values before it and ends the sequence. The end of ctx also ends it, as soon as the
// next value of in has come: a reader that may block must obey ctx itself. All goroutines end with the sequence.
func Ordered[T, U any](ctx context.Context, workers int, in iter.Seq2[T, error], f func(T) U) iter.Seq2[U, error] {
	workers = parallel.Workers(workers)
	if workers == 1 {
		return inOrder(ctx, in, f)
	}
	return func(yield func(U, error) bool) {
		// Reading stays on the caller's goroutine: nothing touches in after the sequence has ended.
		o := ordering[T, U]{ctx: ctx, f: f, yield: yield, turns: make(chan struct{}, workers)}
		defer o.group.Wait()
		for v, err := range in {
			if err != nil || ctx.Err() != nil {
				o.finish(err)
				return
			}
			if o.next = append(o.next, v); len(o.next) < orderedChunk {
				continue
			}
			if o.send(); len(o.queue) == 2*workers && !o.yieldOldest() {
				return
			}
		}
		o.finish(nil)
	}
}

// inOrder is Ordered without goroutines.
func inOrder[T, U any](ctx context.Context, in iter.Seq2[T, error], f func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		var none U
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
	}
}

type chunk[U any] struct {
	out  []U           // results
	done chan struct{} // closed when all are there
}

// An ordering distributes chunks and yields them in order.
type ordering[T, U any] struct {
	ctx   context.Context
	f     func(T) U
	yield func(U, error) bool
	turns chan struct{} // has an element for each chunk in work
	group sync.WaitGroup
	next  []T         // the chunk that is being filled
	queue []*chunk[U] // chunks in progress, the oldest first
}

// send starts work on the chunk that was filled. Its goroutine waits for its turn.
func (o *ordering[T, U]) send() {
	in, c := o.next, &chunk[U]{make([]U, len(o.next)), make(chan struct{})}
	o.group.Go(func() {
		defer close(c.done)
		o.turns <- struct{}{}
		for i := 0; i < len(in) && o.ctx.Err() == nil; i++ {
			c.out[i] = o.f(in[i])
		}
		<-o.turns
	})
	o.next, o.queue = make([]T, 0, orderedChunk), append(o.queue, c)
}

// yieldOldest waits for the oldest chunk and yields its values. It returns false if the sequence has ended: the consumer
// wants no more, or ctx has ended, whose error it then yields.
func (o *ordering[T, U]) yieldOldest() bool {
	c := o.queue[0]
	o.queue = o.queue[1:]
	<-c.done
	for _, v := range c.out {
		if err := o.ctx.Err(); err != nil {
			o.yield(*new(U), err)
			return false
		}
		if !o.yield(v, nil) {
			return false
		}
	}
	return true
}

// finish yields the remaining chunks, and then err unless it is nil.
func (o *ordering[T, U]) finish(err error) {
	if len(o.next) > 0 {
		o.send()
	}
	for len(o.queue) > 0 {
		if !o.yieldOldest() {
			return
		}
	}
	if err = cmp.Or(err, o.ctx.Err()); err != nil {
		o.yield(*new(U), err)
	}
}

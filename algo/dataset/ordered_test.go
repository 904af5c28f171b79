package dataset

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// count yields 0…n-1 and then err, if there is one. read counts what was taken.
func count(n int, err error, read *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			*read++
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func square(i int) int {
	if i%7 == 0 {
		time.Sleep(50 * time.Microsecond) // out of step
	}
	return i * i
}

// checkGoroutines waits for those that are about to end: with one that does not, go test's limit ends the test and
// lists it. Under js the runtime may have added one of its own for events; a leak would leave one for each worker of
// many sequences.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for runtime.NumGoroutine() > before+1 {
		time.Sleep(time.Millisecond)
	}
}

func TestOrdered(t *testing.T) {
	before := runtime.NumGoroutine()
	broken := errors.New("broken")
	for _, workers := range []int{0, 1, 2, 3, 16} {
		for _, n := range []int{0, 1, 7, 8, 9, 16, 31, 32, 33, 500} {
			for _, end := range []error{nil, broken} {
				read, i := 0, 0
				var last error
				for v, err := range Ordered(context.Background(), workers, count(n, end, &read), square) {
					if last != nil {
						t.Fatal("the sequence goes on behind an error")
					}
					if last = err; err == nil {
						if v != i*i {
							t.Fatalf("%d workers: value %d is %d", workers, i, v)
						}
						i++
					}
				}
				if i != n || last != end {
					t.Errorf("%d workers: %d of %d values, %v", workers, i, n, last)
				}
			}
		}
	}
	checkGoroutines(t, before)
}

func TestOrderedBreak(t *testing.T) {
	for workers, ahead := range map[int]int{1: 0, 4: 64} {
		for _, stop := range []int{0, 1, 8, 100} {
			read, i := 0, 0
			for range Ordered(context.Background(), workers, count(1<<30, nil, &read), square) {
				if i == stop {
					break
				}
				i++
			}
			if read > stop+1+ahead {
				t.Errorf("%d workers: %d values read for %d, look-ahead is %d", workers, read, stop+1, ahead)
			}
		}
	}
}

func TestOrderedCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		read := 0
		var calls atomic.Int64
		var got []int
		var last error
		for v, err := range Ordered(ctx, workers, count(1<<30, nil, &read), func(i int) int { calls.Add(1); return i }) {
			if last = err; err != nil {
				continue
			}
			if got = append(got, v); len(got) == 100 {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) || len(got) != 100 || !slices.IsSorted(got) || calls.Load() > int64(100+16*workers) {
			t.Errorf("%d workers: %d values, %d calls, %v", workers, len(got), calls.Load(), last)
		}

		// Done before the start, even if there is nothing to read.
		n := 0
		for _, err := range Ordered(ctx, workers, count(0, nil, &read), square) {
			n++
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want it canceled", err)
			}
		}
		if n != 1 {
			t.Errorf("%d workers: %d values of a canceled sequence, want its error", workers, n)
		}
	}
	checkGoroutines(t, before)
}

// The function does run on several goroutines: value 0 waits for a value of a later chunk.
func TestOrderedOverlaps(t *testing.T) {
	later := make(chan struct{})
	read := 0
	for v, err := range Ordered(context.Background(), 2, count(2*orderedChunk, nil, &read), func(i int) bool {
		switch i {
		case 0:
			<-later
		case orderedChunk:
			close(later)
		}
		return true
	}) {
		if err != nil || !v {
			t.Fatal("values 0 and 8 did not overlap", err)
		}
	}
}

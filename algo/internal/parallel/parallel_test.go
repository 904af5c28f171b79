package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"baca/algo/internal/must"
)

func TestEveryPieceOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 100} {
		for _, pieces := range []int{0, 1, 5, 64} {
			counts := make([]atomic.Int32, pieces)
			busy := make([]atomic.Int32, max(1, Workers(workers)))
			must.Do(For(context.Background(), workers, pieces, func(worker, piece int) {
				if busy[worker].Add(1) != 1 {
					t.Errorf("worker %d does two pieces at a time", worker)
				}
				counts[piece].Add(1)
				runtime.Gosched()
				busy[worker].Add(-1)
			}))
			for piece := range counts {
				if n := counts[piece].Load(); n != 1 {
					t.Errorf("%d workers: piece %d of %d done %d times", workers, piece, pieces, n)
				}
			}
		}
	}
}

// Memory that is large enough is used again, and more is made with slack. There are as many workers as asked for, or as cores.
func TestGrow(t *testing.T) {
	s := make([]int, 4)
	same, more, first := Grow(s[:1], 4), Grow(s, 8), Grow([]int(nil), 8)
	if &same[0] != &s[0] || len(more) != 8 || cap(more) != 10 || cap(first) != 8 || Workers(0) != runtime.GOMAXPROCS(0) || Workers(3) != 3 {
		t.Errorf("%d, %d of %d and %d of %d; %d workers", len(same), len(more), cap(more), len(first), cap(first), Workers(0))
	}
}

func TestCancelStops(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		var done atomic.Int32
		err := For(ctx, workers, 1000, func(_, _ int) {
			if done.Add(1) == 5 {
				cancel()
			}
		})
		// Pieces that had begun are finished.
		if n := int(done.Load()); !errors.Is(err, context.Canceled) || n < 5 || n > 5+workers {
			t.Errorf("%d workers: error %v after %d pieces, want the context's after about 5", workers, err, n)
		}
	}
}

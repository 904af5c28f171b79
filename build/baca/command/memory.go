package command

import (
	"os"
	"runtime/debug"
	"runtime/metrics"

	"baca/build/internal/heap"
)

// collects reports that Main sets the garbage collector's target: neither a test nor GOGC is at
// work.
var collects bool

// loadingGrowth applies while a model is loaded, which leaves little garbage.
const loadingGrowth = 400

// boundMemory applies to a new process.
func boundMemory() {
	collects = os.Getenv("GOGC") == ""
	growBy(heap.Usual)
}

// collectRarely applies to a stream of single graphs, after loading.
func collectRarely() { growBy(heap.Stream()) }

// collectFor applies to a program's questions: lists of single graphs, or trainings.
func collectFor(training bool) {
	if training {
		growBy(heap.Usual)
		return
	}
	kept := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(kept)
	growBy(int(max(heap.Usual, heap.Spare*100/max(leastHeap, kept[0].Value.Uint64()))))
}

// leastHeap is Go's heap size before the first collection.
const leastHeap = 4 << 20

func growBy(percent int) {
	if collects {
		debug.SetGCPercent(percent)
	}
}

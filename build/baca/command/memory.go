package command

import (
	"os"
	"runtime/debug"
	"runtime/metrics"

	"baca/build/internal/heap"
)

// collects says that Main has set how often memory is collected: this is neither a test nor
// a process with GOGC set.
var collects bool

// loadingGrowth is for the loading of a model, which leaves little to collect.
const loadingGrowth = 400

// boundMemory is for a process that was started.
func boundMemory() {
	collects = os.Getenv("GOGC") == ""
	growBy(heap.Usual)
}

// collectRarely is for a stream of single graphs, once the model is loaded.
func collectRarely() { growBy(heap.Stream()) }

// collectFor is for the questions of a program, which are lists of single graphs or trainings.
func collectFor(training bool) {
	if training {
		growBy(heap.Usual)
		return
	}
	kept := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(kept)
	growBy(int(max(heap.Usual, heap.Spare*100/max(leastHeap, kept[0].Value.Uint64()))))
}

// leastHeap is what Go lets a heap grow to before it first collects.
const leastHeap = 4 << 20

func growBy(percent int) {
	if collects {
		debug.SetGCPercent(percent)
	}
}

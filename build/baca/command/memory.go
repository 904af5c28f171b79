package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// collects says that Main has set how often memory is collected: this is neither a test nor
// a process with GOGC set.
var collects bool

// The heap may grow by so many hundredths of what it keeps between two collections.
const (
	// usualGrowth is small. Most memory is buffers that are used again, so that this costs
	// little, and it lowers the peak of batches and of training.
	usualGrowth = 50
	// loadingGrowth is for the loading of a model, which leaves little to collect.
	loadingGrowth = 400
)

// spareHeap is how much a stream of single graphs may allocate between two collections. What it
// keeps does not grow, so that this much more is all that it ever takes.
const spareHeap = 32 << 20

// boundMemory is for a process that was started.
func boundMemory() {
	collects = os.Getenv("GOGC") == ""
	growBy(usualGrowth)
}

// collectRarely is for a stream of single graphs, once the model is loaded.
func collectRarely() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	growBy(int(max(usualGrowth, spareHeap*100/max(1, m.HeapAlloc))))
}

// collectFor is for the questions of a program, which are lists of single graphs or trainings.
func collectFor(training bool) {
	if training {
		growBy(usualGrowth)
		return
	}
	kept := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(kept)
	growBy(int(max(usualGrowth, spareHeap*100/max(leastHeap, kept[0].Value.Uint64()))))
}

// leastHeap is what Go lets a heap grow to before it first collects.
const leastHeap = 4 << 20

func growBy(percent int) {
	if collects {
		debug.SetGCPercent(percent)
	}
}

package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collects says that Main has set how often memory is collected: it is neither a test nor
// somebody with GOGC set.
var collects bool

// boundMemory makes the heap grow by no more than half between two collections. Most memory
// is buffers that are used again, so that this costs little, and it lowers the peak of batches and
// of training.
func boundMemory() {
	if collects = os.Getenv("GOGC") == ""; collects {
		debug.SetGCPercent(50)
	}
}

// spareHeap is how much a stream of single graphs may allocate between two collections. What it
// keeps does not grow, so that this much more is all that it ever takes.
const spareHeap = 48 << 20

// collectRarely is for a stream of single graphs, once the model is loaded.
func collectRarely() {
	if !collects {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetGCPercent(int(max(50, spareHeap*100/max(1, m.HeapAlloc))))
}

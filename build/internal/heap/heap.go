// Package heap chooses the garbage collector's target: heap growth between collections, in percent.
package heap

import "runtime"

// Usual is small. Most memory is reused buffers, so it costs little and lowers the peak of batches
// and training.
const Usual = 50

// Spare is how much a stream of single graphs may allocate between collections. Its live heap is
// constant, so that is all it adds.
const Spare = 32 << 20

// Stream is the target for a stream of single graphs, once the model is loaded.
func Stream() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(max(Usual, Spare*100/max(1, m.HeapAlloc)))
}

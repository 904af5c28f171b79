// Package heap says by how many hundredths of what it keeps the heap of a process may grow
// between two collections.
package heap

import "runtime"

// Usual is small. Most memory is buffers that are used again, so that this costs
// little, and it lowers the peak of batches and of training.
const Usual = 50

// Spare is how much a stream of single graphs may allocate between two collections. What it
// keeps does not grow, so that this much more is all that it ever takes.
const Spare = 32 << 20

// Stream is for a stream of single graphs, once the model is loaded.
func Stream() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(max(Usual, Spare*100/max(1, m.HeapAlloc)))
}

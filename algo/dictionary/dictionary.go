// Package dictionary keeps the keys that the attention compares a query with:
// one Dictionary for the in-distribution side and one for the
// out-of-distribution side (in the paper, "Adaptive Calibration
// via Dual Dynamic Dictionary"). A Dictionary is a fixed memory bank, whose keys
// are never evicted, followed by a queue of bounded length that keeps the
// entries farthest from the boundary between the sides.
//
// An entry keeps its row for as long as it is kept, so a caller holds the key of each row
// and refreshes only the row that Offer returns.
package dictionary

import (
	"math"
	"slices"
)

// Side says which distribution a dictionary describes.
type Side int

const (
	// ID is in-distribution: a low score is far from the boundary.
	ID Side = iota
	// OOD is out-of-distribution: a high score is far from the boundary.
	OOD
)

// String returns "ID" or "OOD".
func (s Side) String() string { return [...]string{"ID", "OOD"}[s] }

// Origin says where the graph behind a key came from.
type Origin int

const (
	// Training is an embedding that ships with the weights.
	Training Origin = iota
	// Test is a graph of the test stream, labelled by the partition.
	Test
	// Synthetic is a graph drawn from mixed graphons.
	Synthetic
)

// String returns "training", "test" or "synthetic".
func (o Origin) String() string { return [...]string{"training", "test", "synthetic"}[o] }

// An Entry is a key's score. A higher score means more OOD.
type Entry struct {
	Score  float64 // S_Pre
	Origin Origin
	Index  int // which graph of its Origin, in the caller's numbering

	seq uint64 // order of insertion
}

// Dictionary is K_total of the paper: a memory bank, then a queue. Row i is entry i
// of the bank, and after that come the entries of the queue.
//
// The queue keeps the highest scores on the OOD side, the lowest on the ID side.
// Its front is the entry nearest the boundary, the next to be evicted. Among equal
// scores the entry that came first is kept. The entry that evicts another takes
// over its row. A Dictionary is not safe for concurrent use.
type Dictionary struct {
	side     Side
	capacity int
	bank     int // rows before the queue
	entries  []Entry
	seq      uint64
}

// New returns a dictionary with the given bank and an empty queue. Nothing enters a queue of
// capacity 0. Memory grows with the entries, not with the capacity.
func New(side Side, capacity int, bank []Entry) *Dictionary {
	d := &Dictionary{side: side, capacity: capacity}
	d.SetBank(bank)
	return d
}

// SetBank replaces the whole bank and keeps the queue, whose rows shift if the
// length of the bank changes. Scores in the bank take part in no comparison and
// may be NaN.
func (d *Dictionary) SetBank(bank []Entry) {
	d.entries = slices.Concat(bank, d.entries[d.bank:])
	d.bank = len(bank)
}

// Len returns the number of entries, bank and queue together.
func (d *Dictionary) Len() int { return len(d.entries) }

// front returns the row of the front of the queue, or −1 when the queue is empty.
func (d *Dictionary) front() int {
	front := -1
	for i := d.bank; i < d.Len(); i++ {
		if front < 0 || d.nearer(&d.entries[i], &d.entries[front]) {
			front = i
		}
	}
	return front
}

// Entry returns the entry of row i.
func (d *Dictionary) Entry(i int) Entry { return d.entries[i] }

// Offer puts e into the queue if there is room or its score beats the front's:
// strictly higher on the OOD side, strictly lower on the ID side. It returns the row
// of the entry, which may be that of one that is gone, or −1 if e does not enter,
// as with a NaN score. It costs O(capacity).
func (d *Dictionary) Offer(e Entry) int {
	if math.IsNaN(e.Score) || d.capacity == 0 {
		return -1
	}
	e.seq = d.seq
	row := d.Len() // a new row while there is room, else the front's
	if row-d.bank < d.capacity {
		d.entries = append(d.entries, e)
	} else if row = d.front(); d.nearer(&d.entries[row], &e) {
		d.entries[row] = e
	} else {
		return -1
	}
	d.seq++
	return row
}

// nearer says whether a is nearer the boundary than b. It is a strict order on
// entries of different seq: of two equal scores the later one is nearer, hence
// evicted first and unable to push out an earlier one.
func (d *Dictionary) nearer(a, b *Entry) bool {
	if a.Score != b.Score {
		return (a.Score < b.Score) == (d.side == OOD) // the lower score on the OOD side, the higher one on the ID side
	}
	return a.seq > b.seq
}

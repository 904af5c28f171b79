// Package dictionary keeps the keys that the attention compares a query with:
// one Dictionary for the in-distribution side and one for the
// out-of-distribution side (in the paper, "Adaptive Calibration
// via Dual Dynamic Dictionary"). A Dictionary is a fixed memory bank, whose keys
// are never evicted, followed by a Queue of bounded length that keeps the
// entries farthest from the boundary between the sides.
//
// Keys of one Dictionary lie in one dense row-major matrix and keep their row
// for as long as they are kept, so that a caller may hold values per row
// (similarities, say) and refresh only the row that a Placement names.
package dictionary

import (
	"fmt"
	"math"
	"slices"
)

// DefaultCapacity is the length l of a queue when nothing else is known.
const DefaultCapacity = 512

// Side says which distribution a dictionary describes.
type Side int

const (
	// ID is in-distribution: a low score is far from the boundary.
	ID Side = iota
	// OOD is out-of-distribution: a high score is far from the boundary.
	OOD
)

// String returns "ID" or "OOD".
func (s Side) String() string {
	switch s {
	case ID:
		return "ID"
	case OOD:
		return "OOD"
	}
	return fmt.Sprintf("Side(%d)", int(s))
}

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
func (o Origin) String() string {
	switch o {
	case Training:
		return "training"
	case Test:
		return "test"
	case Synthetic:
		return "synthetic"
	}
	return fmt.Sprintf("Origin(%d)", int(o))
}

// Entry is one key with its score. A higher score means more OOD.
type Entry struct {
	Key    []float32 // the graph's representation, as wide as the dictionary
	Score  float64   // S_Pre
	Origin Origin
	Index  int // which graph of its Origin, in the caller's numbering
}

// Placement tells what an offer did, so that values kept per row can follow.
type Placement struct {
	Entered bool // the candidate is in
	Evicted bool // it took the row of the former front, which is gone
	Index   int  // its row, or −1 when it did not enter
}

var refused = Placement{Index: -1}

// record is an Entry without its key, which lies in the matrix.
type record struct {
	score  float64
	seq    uint64 // order of insertion
	origin Origin
	index  int
}

// Queue keeps the entries farthest from the boundary, at most Cap of them: the
// highest scores on the OOD side, the lowest on the ID side. Its front is the
// entry nearest the boundary, the next to be evicted. Among equal scores the
// entry that came first is kept. An offer costs O(log Cap) and a copy of the key.
//
// Entries live in slots 0…Len()−1. A slot never moves; the entry that evicts
// another takes over its slot. A Queue is not safe for concurrent use.
type Queue struct {
	side          Side
	dim, capacity int
	bank          int       // rows before slot 0, which belong to a Dictionary
	keys          []float32 // (bank + len(slots)) × dim
	slots         []record
	heap          []int // slots; the front is heap[0]
	seq           uint64
}

// NewQueue returns an empty queue for keys of dim values. A capacity of 0 is a
// queue that nothing enters. It panics if side is unknown, dim is not positive or
// capacity is negative. Memory grows with the entries, not with the capacity.
func NewQueue(side Side, dim, capacity int) *Queue {
	q := newQueue(side, dim, capacity)
	return &q
}

func newQueue(side Side, dim, capacity int) Queue {
	if side != ID && side != OOD || dim <= 0 || capacity < 0 {
		panic(fmt.Sprintf("dictionary: queue of %v with dim %d and capacity %d", side, dim, capacity))
	}
	return Queue{side: side, dim: dim, capacity: capacity}
}

// Side returns the side that the queue describes.
func (q *Queue) Side() Side { return q.side }

// Dim returns the number of values in a key.
func (q *Queue) Dim() int { return q.dim }

// Cap returns the largest number of entries that the queue keeps.
func (q *Queue) Cap() int { return q.capacity }

// Len returns the number of entries.
func (q *Queue) Len() int { return len(q.slots) }

// Front returns the slot of the entry nearest the boundary, or −1 when the queue
// is empty.
func (q *Queue) Front() int {
	if len(q.heap) == 0 {
		return -1
	}
	return q.heap[0]
}

// Entry returns what a slot holds. Its Key is the queue's own memory: read it
// only, and not after the next Offer or Merge.
func (q *Queue) Entry(slot int) Entry { return q.entry(q.slots[slot], q.bank+slot) }

func (q *Queue) entry(r record, row int) Entry {
	return Entry{Key: q.row(row), Score: r.score, Origin: r.origin, Index: r.index}
}

func (q *Queue) row(i int) []float32 { return q.keys[i*q.dim : (i+1)*q.dim : (i+1)*q.dim] }

// Offer puts a copy of e into the queue if there is room or its score beats the
// front's: strictly higher on the OOD side, strictly lower on the ID side. The
// Index of the result is a slot. A NaN score is refused. Offer panics if the key
// has another width than the queue.
func (q *Queue) Offer(e Entry) Placement {
	if len(e.Key) != q.dim {
		panic(fmt.Sprintf("dictionary: key of %d values offered to a queue of dim %d", len(e.Key), q.dim))
	}
	if math.IsNaN(e.Score) || q.capacity == 0 {
		return refused
	}
	r := record{score: e.Score, seq: q.seq, origin: e.Origin, index: e.Index}
	if len(q.slots) < q.capacity {
		slot := len(q.slots)
		q.seq++
		q.slots = append(q.slots, r)
		q.keys = append(q.keys, e.Key...)
		q.heap = append(q.heap, slot)
		q.rise(slot)
		return Placement{Entered: true, Index: slot}
	}
	slot := q.heap[0]
	if !q.nearer(&q.slots[slot], &r) {
		return refused
	}
	q.seq++
	q.slots[slot] = r
	copy(q.row(q.bank+slot), e.Key)
	q.sink()
	return Placement{Entered: true, Evicted: true, Index: slot}
}

// Merge offers every entry of other, in the order in which they were inserted
// there. Between queues of one capacity and with distinct scores, the entries
// that remain do not depend on what was merged into what or in which order; the
// slots may. Other is left as it was, and merging a queue into itself does
// nothing. Merge panics if the queues differ in side or dim.
func (q *Queue) Merge(other *Queue) {
	if q.side != other.side || q.dim != other.dim {
		panic(fmt.Sprintf("dictionary: merging %v queue of dim %d into %v queue of dim %d", other.side, other.dim, q.side, q.dim))
	}
	if q == other {
		return
	}
	order := slices.Clone(other.heap)
	slices.SortFunc(order, func(a, b int) int {
		if other.slots[a].seq < other.slots[b].seq {
			return -1
		}
		return 1
	})
	for _, slot := range order {
		q.Offer(other.Entry(slot))
	}
}

// nearer says whether a is nearer the boundary than b. It is a strict order on
// records of different seq: of two equal scores the later one is nearer, hence
// evicted first and unable to push out an earlier one.
func (q *Queue) nearer(a, b *record) bool {
	if a.score != b.score {
		return (a.score < b.score) == (q.side == OOD)
	}
	return a.seq > b.seq
}

func (q *Queue) heapLess(i, j int) bool { return q.nearer(&q.slots[q.heap[i]], &q.slots[q.heap[j]]) }

func (q *Queue) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.heapLess(i, parent) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// sink restores the heap after the front's record was replaced.
func (q *Queue) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(q.heap) {
			return
		}
		if child+1 < len(q.heap) && q.heapLess(child+1, child) {
			child++
		}
		if !q.heapLess(child, i) {
			return
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
}

// Dictionary is K_total of the paper: a memory bank, then a queue. Row i of its
// keys is bank entry i for i < BankLen(), and slot i − BankLen() of the queue
// after that. A Dictionary is not safe for concurrent use.
type Dictionary struct {
	queue Queue
	bank  []record
}

// New returns a dictionary with a copy of the given bank and an empty queue. It
// panics where NewQueue does, and if a key of the bank has another width.
func New(side Side, dim, capacity int, bank []Entry) *Dictionary {
	d := &Dictionary{queue: newQueue(side, dim, capacity)}
	d.SetBank(bank)
	return d
}

// SetBank replaces the whole bank and keeps the queue, whose rows shift if the
// length of the bank changes. Scores in the bank take part in no comparison and
// may be NaN. It panics if a key has another width than the dictionary.
func (d *Dictionary) SetBank(bank []Entry) {
	q := &d.queue
	// Fresh memory, because the entries may point into the old.
	keys := make([]float32, 0, (len(bank)+len(q.slots))*q.dim)
	records := make([]record, len(bank))
	for i, e := range bank {
		if len(e.Key) != q.dim {
			panic(fmt.Sprintf("dictionary: bank key %d of %d values for a dictionary of dim %d", i, len(e.Key), q.dim))
		}
		keys = append(keys, e.Key...)
		records[i] = record{score: e.Score, origin: e.Origin, index: e.Index}
	}
	keys = append(keys, q.keys[q.bank*q.dim:]...)
	q.keys, q.bank, d.bank = keys, len(bank), records
}

// Side returns the side that the dictionary describes.
func (d *Dictionary) Side() Side { return d.queue.side }

// Dim returns the number of values in a key.
func (d *Dictionary) Dim() int { return d.queue.dim }

// Len returns the number of keys, bank and queue together.
func (d *Dictionary) Len() int { return len(d.bank) + len(d.queue.slots) }

// BankLen returns the number of keys in the bank.
func (d *Dictionary) BankLen() int { return len(d.bank) }

// Queue returns the dictionary's queue: for its front, or to merge it. Its slots
// are counted without the bank.
func (d *Dictionary) Queue() *Queue { return &d.queue }

// Keys returns all keys, Len() × Dim() and row-major. It is the dictionary's own
// memory: read it only, and not after the next Offer, Merge or SetBank.
func (d *Dictionary) Keys() []float32 { return d.queue.keys }

// Entry returns the entry of row i, with a Key as short-lived as Keys.
func (d *Dictionary) Entry(i int) Entry {
	if i < len(d.bank) {
		return d.queue.entry(d.bank[i], i)
	}
	return d.queue.Entry(i - len(d.bank))
}

// Offer offers e to the queue, as Queue.Offer does, except that the Index of the
// result is a row of the dictionary.
func (d *Dictionary) Offer(e Entry) Placement {
	p := d.queue.Offer(e)
	if p.Entered {
		p.Index += len(d.bank)
	}
	return p
}

// Package dictionary keeps the keys that the attention compares a query with:
// one Dictionary for the in-distribution side and one for the
// out-of-distribution side (in the paper, "Adaptive Calibration
// via Dual Dynamic Dictionary"). A Dictionary is a fixed memory bank, whose keys
// are never evicted, followed by a queue of bounded length that keeps the
// entries farthest from the boundary between the sides.
//
// Keys of one Dictionary lie in one dense row-major matrix and keep their row
// for as long as they are kept, so that a caller may hold values per row
// (similarities, say) and refresh only the row that Offer returns.
package dictionary

import "math"

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

// Entry is one key with its score. A higher score means more OOD.
type Entry struct {
	Key    []float32 // the graph's representation, as wide as the dictionary
	Score  float64   // S_Pre
	Origin Origin
	Index  int // which graph of its Origin, in the caller's numbering
}

// record is an Entry without its key, which lies in the matrix.
type record struct {
	score  float64
	seq    uint64 // order of insertion
	origin Origin
	index  int
}

// Dictionary is K_total of the paper: a memory bank, then a queue. Row i of its
// keys is entry i of the bank, and after that come the entries of the queue.
//
// The queue keeps the highest scores on the OOD side, the lowest on the ID side.
// Its front is the entry nearest the boundary, the next to be evicted. Among equal
// scores the entry that came first is kept. The entry that evicts another takes
// over its row. A Dictionary is not safe for concurrent use.
type Dictionary struct {
	side          Side
	dim, capacity int
	bank          int // rows before the queue
	keys          []float32
	records       []record
	seq           uint64
}

// New returns a dictionary with a copy of the given bank and an empty queue for keys
// of dim values. Nothing enters a queue of capacity 0. Memory grows with the entries, not
// with the capacity.
func New(side Side, dim, capacity int, bank []Entry) *Dictionary {
	d := &Dictionary{side: side, dim: dim, capacity: capacity}
	d.SetBank(bank)
	return d
}

// SetBank replaces the whole bank and keeps the queue, whose rows shift if the
// length of the bank changes. Scores in the bank take part in no comparison and
// may be NaN.
func (d *Dictionary) SetBank(bank []Entry) {
	// Fresh memory, because the entries may point into the old.
	keys := make([]float32, 0, (len(bank)+d.Len()-d.bank)*d.dim)
	records := make([]record, 0, len(bank)+d.Len()-d.bank)
	for _, e := range bank {
		keys = append(keys, e.Key...)
		records = append(records, record{score: e.Score, origin: e.Origin, index: e.Index})
	}
	d.keys = append(keys, d.keys[d.bank*d.dim:]...)
	d.records = append(records, d.records[d.bank:]...)
	d.bank = len(bank)
}

// Len returns the number of keys, bank and queue together.
func (d *Dictionary) Len() int { return len(d.records) }

// front returns the row of the front of the queue, or −1 when the queue is empty.
func (d *Dictionary) front() int {
	front := -1
	for i := d.bank; i < d.Len(); i++ {
		if front < 0 || d.nearer(&d.records[i], &d.records[front]) {
			front = i
		}
	}
	return front
}

// Keys returns all keys, Len() rows and row-major. It is the dictionary's own
// memory: read it only, and not after the next Offer or SetBank.
func (d *Dictionary) Keys() []float32 { return d.keys }

// Entry returns the entry of row i, with a Key as short-lived as Keys.
func (d *Dictionary) Entry(i int) Entry {
	r := d.records[i]
	return Entry{Key: d.row(i), Score: r.score, Origin: r.origin, Index: r.index}
}

func (d *Dictionary) row(i int) []float32 { return d.keys[i*d.dim : (i+1)*d.dim : (i+1)*d.dim] }

// Offer puts a copy of e into the queue if there is room or its score beats the
// front's: strictly higher on the OOD side, strictly lower on the ID side. It returns
// the row of the entry, which may be that of one that is gone, or −1 if e does not enter,
// as with a NaN score. It costs O(capacity).
func (d *Dictionary) Offer(e Entry) int {
	if math.IsNaN(e.Score) || d.capacity == 0 {
		return -1
	}
	r := record{score: e.Score, seq: d.seq, origin: e.Origin, index: e.Index}
	if d.Len()-d.bank < d.capacity {
		d.seq++
		d.records = append(d.records, r)
		d.keys = append(d.keys, e.Key...)
		return d.Len() - 1
	}
	row := d.front()
	if !d.nearer(&d.records[row], &r) {
		return -1
	}
	d.seq++
	d.records[row] = r
	copy(d.row(row), e.Key)
	return row
}

// nearer says whether a is nearer the boundary than b. It is a strict order on
// records of different seq: of two equal scores the later one is nearer, hence
// evicted first and unable to push out an earlier one.
func (d *Dictionary) nearer(a, b *record) bool {
	if a.score != b.score {
		return (a.score < b.score) == (d.side == OOD)
	}
	return a.seq > b.seq
}

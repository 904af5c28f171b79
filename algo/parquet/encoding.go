package parquet

import (
	"encoding/binary"
	"errors"
)

// values yields a page's values. Each is valid until the next.
type values interface{ next() ([]byte, error) }

var errValues = errors.New("fewer values than it says")

type plainTexts struct{ left []byte }

func (p *plainTexts) next() ([]byte, error) {
	if len(p.left) < 4 {
		return nil, errValues
	}
	n := binary.LittleEndian.Uint32(p.left)
	if uint64(n) > uint64(len(p.left)-4) {
		return nil, errValues
	}
	value := p.left[4 : 4+n : 4+n]
	p.left = p.left[4+n:]
	return value, nil
}

// plainNumbers have a fixed number of bytes.
type plainNumbers struct {
	left []byte
	size int
}

func (p *plainNumbers) next() ([]byte, error) {
	if len(p.left) < p.size {
		return nil, errValues
	}
	value := p.left[:p.size]
	p.left = p.left[p.size:]
	return value, nil
}

// truths are packed bits or runs.
type truths struct {
	packed []byte // nil for runs
	at     int    // bit of the next
	hybrid hybrid
	value  [1]byte
}

func (t *truths) next() ([]byte, error) {
	if t.packed == nil {
		x, err := t.hybrid.next()
		t.value[0] = byte(x)
		return t.value[:], err
	}
	if t.at>>3 >= len(t.packed) {
		return nil, errValues
	}
	t.value[0] = t.packed[t.at>>3] >> (t.at & 7) & 1
	t.at++
	return t.value[:], nil
}

// words is a dictionary with a page's indices.
type words struct {
	list    [][]byte
	indices hybrid
}

func (w *words) next() ([]byte, error) {
	i, err := w.indices.next()
	if err != nil {
		return nil, err
	}
	if uint64(i) >= uint64(len(w.list)) {
		return nil, errors.New("a value beyond the dictionary")
	}
	return w.list[i], nil
}

// A hybrid yields numbers of width bits, in runs or packed.
type hybrid struct {
	left   []byte
	width  int
	run    uint64 // numbers left in the run
	value  uint32 // of the run
	packed []byte // nil for these
	bit    int    // in packed
}

func (h *hybrid) next() (uint32, error) {
	for h.run == 0 {
		if err := h.begin(); err != nil {
			return 0, err
		}
	}
	h.run--
	if h.packed == nil {
		return h.value, nil
	}
	x := uint32(bitsAt(h.packed, h.bit, h.width))
	h.bit += h.width
	return x, nil
}

func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.left)
	if n <= 0 {
		return errValues
	}
	h.left = h.left[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.left) < size {
			return errValues
		}
		h.run, h.packed, h.value = head>>1, nil, 0
		for i := range size {
			h.value |= uint32(h.left[i]) << (8 * i)
		}
		h.left = h.left[size:]
		return nil
	}
	groups := head >> 1
	if groups > 1<<40 || groups*uint64(h.width) > uint64(len(h.left)) {
		return errValues
	}
	size := groups * uint64(h.width)
	h.run, h.packed, h.bit = groups*8, h.left[:size:size], 0
	if h.width == 0 {
		h.packed, h.value = nil, 0
	}
	h.left = h.left[size:]
	return nil
}

// bitsAt returns at most 64 bits from an offset on, the lowest first.
func bitsAt(b []byte, bit, width int) (x uint64) {
	for got := 0; got < width; {
		shift := (bit + got) & 7
		x |= uint64(b[(bit+got)>>3]>>shift) << got
		got += 8 - shift
	}
	if width < 64 {
		x &= 1<<width - 1
	}
	return x
}

// A delta yields integers stored as differences.
type delta struct {
	left     []byte
	perMini  int
	minis    int
	total    uint64 // that are left
	value    int64
	least    int64
	widths   []byte // widths of the block's remaining miniblocks
	packed   []byte
	bit      int
	width    int
	unpacked int // left in the miniblock
	begun    bool
}

var errDelta = errors.New("deltas are damaged")

func newDelta(body []byte) (*delta, error) {
	r := &reader{left: body}
	size, minis, total, first := r.unsigned(), r.unsigned(), r.unsigned(), r.signed()
	if r.err != nil || minis == 0 || minis > 1<<10 || size > 1<<20 || size%minis != 0 || size/minis%32 != 0 || total > maxDeltas {
		return nil, errDelta
	}
	return &delta{left: r.left, perMini: int(size / minis), minis: int(minis), total: total, value: first}, nil
}

func (d *delta) next() (int64, error) {
	if d.total == 0 {
		return 0, errValues
	}
	d.total--
	if !d.begun {
		d.begun = true
		return d.value, nil
	}
	if d.unpacked == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.unpacked--
	d.value += d.least + int64(bitsAt(d.packed, d.bit, d.width))
	d.bit += d.width
	return d.value, nil
}

// begin starts a miniblock.
func (d *delta) begin() error {
	r := &reader{left: d.left}
	if len(d.widths) == 0 {
		d.least = r.signed()
		d.widths = r.take(uint64(d.minis))
	}
	if r.err != nil || d.widths[0] > 64 || d.perMini == 0 {
		return errDelta
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	d.packed, d.bit, d.unpacked = r.take(uint64(d.width*d.perMini/8)), 0, d.perMini
	d.left = r.left
	if r.err != nil {
		return errDelta
	}
	return nil
}

// behind skips all numbers, and returns the bytes after them.
func (d delta) behind() ([]byte, error) {
	for d.total > 0 {
		if _, err := d.next(); err != nil {
			return nil, err
		}
	}
	return d.left, nil
}

// deltaNumbers have a fixed number of bytes.
type deltaNumbers struct {
	*delta
	size int
	buf  [8]byte
}

func (d *deltaNumbers) next() ([]byte, error) {
	x, err := d.delta.next()
	binary.LittleEndian.PutUint64(d.buf[:], uint64(x))
	return d.buf[:d.size], err
}

// deltaTexts have their lengths first, and may share prefixes with their predecessors.
type deltaTexts struct {
	shared  *delta // nil without shared prefixes
	lengths *delta
	left    []byte
	value   []byte
}

func newDeltaTexts(body []byte, shared bool) (t *deltaTexts, err error) {
	t = &deltaTexts{}
	if shared {
		if t.shared, err = newDelta(body); err != nil {
			return nil, err
		}
		if body, err = t.shared.behind(); err != nil {
			return nil, err
		}
	}
	if t.lengths, err = newDelta(body); err != nil {
		return nil, err
	}
	t.left, err = t.lengths.behind()
	return t, err
}

func (t *deltaTexts) next() ([]byte, error) {
	n, err := t.lengths.next()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(t.left)) {
		return nil, errDelta
	}
	value := t.left[:n:n]
	t.left = t.left[n:]
	if t.shared == nil {
		return value, nil
	}
	if n, err = t.shared.next(); err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(t.value)) {
		return nil, errDelta
	}
	t.value = append(t.value[:n], value...)
	return t.value, nil
}

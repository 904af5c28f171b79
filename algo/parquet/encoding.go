package parquet

import (
	"encoding/binary"
	"errors"
)

// values yields a page's values. Each is valid until the next. After the last one the error is errValues.
type values interface{ next() ([]byte, error) }

var errValues = errors.New("fewer values than it says")

// plainTexts have their length in front of them, in 4 bytes.
type plainTexts struct{ left []byte }

// next returns the next text.
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

// next returns the bytes of the next number.
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
	at     int    // the next bit of packed
	hybrid hybrid
	value  [1]byte
}

// next returns the next truth as a byte, 0 or 1.
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

// words is a dictionary of texts with a page's indices into it.
type words struct {
	texts   []byte // one behind the other
	ends    []uint32
	indices hybrid
}

// next returns the text of the next index. It fails for an index beyond the dictionary.
func (w *words) next() ([]byte, error) {
	i, err := w.indices.next()
	if err != nil {
		return nil, err
	}
	if uint64(i) >= uint64(len(w.ends)) {
		return nil, errors.New("a value beyond the dictionary")
	}
	begin := uint32(0)
	if i > 0 {
		begin = w.ends[i-1]
	}
	return w.texts[begin:w.ends[i]:w.ends[i]], nil
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

// next returns the next number. It fails after the last one.
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

// begin moves to the next run. The lowest bit of its head tells whether it repeats one value, as often as the other bits
// say, or has so many groups of eight numbers, packed.
func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.left)
	if n <= 0 {
		return errValues
	}
	h.left = h.left[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8 // of the value, in bytes
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
	if h.width == 0 { // all are 0
		h.packed, h.value = nil, 0
	}
	h.left = h.left[size:]
	return nil
}

// bitsAt returns the number of width bits, at most 64, that begins at a bit of b, its lowest bit first.
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

package parquet

import (
	"encoding/binary"
	"errors"
)

// deltas yields whole numbers stored as differences, in blocks of miniblocks (DELTA_BINARY_PACKED).
type deltas struct {
	left   []byte // behind the last miniblock begun
	count  uint64 // values left
	value  int64  // the next
	many   uint64 // values of a miniblock
	minis  uint64 // miniblocks of a block
	least  int64  // difference of the block
	widths []byte // of the miniblocks of the block still to come
	packed []byte // the miniblock
	width  int
	bit    int
	unread uint64 // values of the miniblock
}

var errDeltas = errors.New("damaged differences")

// newDeltas reads the header. An empty page holds no values.
func newDeltas(body []byte) (*deltas, error) {
	d := &deltas{}
	if len(body) == 0 {
		return d, nil
	}
	r := &reader{left: body}
	block := r.unsigned()
	d.minis, d.count, d.value = r.unsigned(), r.unsigned(), r.signed()
	d.left = r.left
	const most = 1 << 31
	if r.err != nil || block > most || d.minis == 0 || block%d.minis > 0 || block/d.minis%8 > 0 || block == 0 {
		return nil, errDeltas
	}
	d.many = block / d.minis
	return d, nil
}

func (d *deltas) next() (int64, error) {
	if d.count == 0 {
		return 0, errValues
	}
	value := d.value
	if d.count--; d.count == 0 {
		return value, nil
	}
	if d.unread == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.value += d.least + int64(bitsAt(d.packed, d.bit, d.width))
	d.bit += d.width
	d.unread--
	return value, nil
}

// begin moves to the next miniblock, and to the next block with the first of it.
func (d *deltas) begin() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.left)
		if n <= 0 || d.minis > uint64(len(d.left)-n) {
			return errDeltas
		}
		d.least = least
		d.widths = d.left[n:][:d.minis]
		d.left = d.left[n:][d.minis:]
	}
	d.width = int(d.widths[0])
	d.widths = d.widths[1:]
	size := d.many / 8 * uint64(d.width)
	if d.width > 64 || size > uint64(len(d.left)) {
		return errDeltas
	}
	d.packed, d.left = d.left[:size], d.left[size:]
	d.bit, d.unread = 0, d.many
	return nil
}

// behind returns what follows the values. Its time is that of the bytes, however many values there are.
func (d deltas) behind() ([]byte, error) {
	for d.count > 1 { // the first one is in the header
		if err := d.begin(); err != nil {
			return nil, err
		}
		d.count -= min(d.count-1, d.many)
	}
	return d.left, nil
}

// deltaNumbers are whole numbers of 4 or 8 bytes.
type deltaNumbers struct {
	deltas *deltas
	size   int
	value  [8]byte
}

func (d *deltaNumbers) next() ([]byte, error) {
	x, err := d.deltas.next()
	binary.LittleEndian.PutUint64(d.value[:], uint64(x))
	return d.value[:d.size], err
}

// deltaTexts are texts behind their lengths (DELTA_LENGTH_BYTE_ARRAY).
type deltaTexts struct {
	lengths *deltas
	left    []byte
}

func newDeltaTexts(body []byte) (*deltaTexts, error) {
	lengths, err := newDeltas(body)
	if err != nil {
		return nil, err
	}
	left, err := lengths.behind()
	return &deltaTexts{lengths, left}, err
}

func (d *deltaTexts) next() ([]byte, error) {
	n, err := d.lengths.next()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.left)) {
		return nil, errDeltas
	}
	value := d.left[:n:n]
	d.left = d.left[n:]
	return value, nil
}

// deltaArrays share a prefix with the value before them (DELTA_BYTE_ARRAY).
type deltaArrays struct {
	prefixes *deltas
	suffixes *deltaTexts
	value    []byte
}

func newDeltaArrays(body []byte) (*deltaArrays, error) {
	prefixes, err := newDeltas(body)
	if err != nil {
		return nil, err
	}
	left, err := prefixes.behind()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaTexts(left)
	return &deltaArrays{prefixes: prefixes, suffixes: suffixes, value: []byte{}}, err
}

func (d *deltaArrays) next() ([]byte, error) {
	n, err := d.prefixes.next()
	if err != nil {
		return nil, err
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.value)) {
		return nil, errDeltas
	}
	d.value = append(d.value[:n], suffix...)
	return d.value, nil
}

// splitNumbers have their first bytes together, then their second ones, and so on (BYTE_STREAM_SPLIT).
type splitNumbers struct {
	body  []byte
	width int
	at    int
	value []byte
}

func (s *splitNumbers) next() ([]byte, error) {
	many := len(s.body) / s.width
	if s.at >= many {
		return nil, errValues
	}
	s.value = s.value[:0]
	for i := s.at; i < len(s.body); i += many {
		s.value = append(s.value, s.body[i])
	}
	s.at++
	return s.value, nil
}

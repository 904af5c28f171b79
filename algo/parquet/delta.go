package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
)

var errDeltas = errors.New("damaged differences")

// undelta returns whole numbers that are stored as differences (DELTA_BINARY_PACKED), and what is behind them. Each block
// has a least difference, and miniblocks of what the others exceed it by. An empty page holds no numbers.
func (c *cursor) undelta(body []byte) (numbers []int64, behind []byte, err error) {
	if len(body) == 0 {
		return nil, nil, nil
	}
	r := &reader{left: body}
	block, minis, count, value := r.unsigned(), r.unsigned(), r.unsigned(), r.signed()
	if r.err != nil || minis == 0 || minis > block || block > 1<<31 || block%(8*minis) > 0 || count > MaxPage/8 {
		return nil, nil, errDeltas
	}
	many := block / minis // values of a miniblock
	if err := c.unpack(8 * int(count)); err != nil {
		return nil, nil, err
	}
	numbers = make([]int64, 0, count)
	if count > 0 {
		numbers = append(numbers, value)
	}
	for uint64(len(numbers)) < count {
		least := r.signed()
		for _, width := range r.take(minis) { // in bits
			if uint64(len(numbers)) == count {
				break
			}
			packed := r.take(many / 8 * uint64(width))
			if width > 64 || r.err != nil {
				return nil, nil, errDeltas
			}
			for i := 0; uint64(i) < many && uint64(len(numbers)) < count; i++ {
				value += least + int64(bitsAt(packed, i*int(width), int(width)))
				numbers = append(numbers, value)
			}
		}
		if r.err != nil {
			return nil, nil, errDeltas
		}
	}
	return numbers, r.left, nil
}

// deltaNumbers returns the plain form of numbers that are stored as differences.
func (c *cursor) deltaNumbers(body []byte) (plain []byte, err error) {
	numbers, _, err := c.undelta(body)
	for _, x := range numbers { // of which the column has the lowest bytes
		plain = binary.LittleEndian.AppendUint64(plain, uint64(x))[:len(plain)+c.column.width]
	}
	return plain, err
}

// deltaTexts returns the plain form of values that are stored behind their lengths (DELTA_LENGTH_BYTE_ARRAY) and, with
// prefixes, behind the lengths of what they share with the value before them (DELTA_BYTE_ARRAY).
func (c *cursor) deltaTexts(body []byte, prefixed bool) (plain []byte, err error) {
	var prefixes []int64
	if prefixed {
		if prefixes, body, err = c.undelta(body); err != nil {
			return nil, err
		}
	}
	lengths, body, err := c.undelta(body)
	if err != nil || prefixed && len(lengths) != len(prefixes) {
		return nil, cmp.Or(err, errDeltas)
	}
	begin := 0 // of the last value
	for i, n := range lengths {
		shared := int64(0)
		if prefixed {
			shared = prefixes[i]
		}
		size := shared + n
		ofBody, ofLast := int64(len(body)), int64(len(plain)-begin)
		if n < 0 || n > ofBody || shared < 0 || shared > ofLast || 4+size > int64(MaxPage-len(plain)) { // more than there is
			return nil, errDeltas
		}
		if err := c.unpack(4 + int(size)); err != nil {
			return nil, err
		}
		prefix := plain[begin : begin+int(shared)]
		if c.column.width == 0 {
			plain = binary.LittleEndian.AppendUint32(plain, uint32(size))
		} else if size != int64(c.column.width) {
			return nil, errDeltas
		}
		begin = len(plain)
		plain = append(append(plain, prefix...), body[:n]...)
		body = body[n:]
	}
	return plain, nil
}

// joinStreams returns the plain form of numbers that have their first bytes together, then their second ones, and so on
// (BYTE_STREAM_SPLIT).
func joinStreams(body []byte, width int) []byte {
	plain := make([]byte, 0, len(body))
	many := len(body) / width
	for i := range many {
		for k := range width {
			plain = append(plain, body[k*many+i])
		}
	}
	return plain
}

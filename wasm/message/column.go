package message

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo/table"
)

// Floats is a bin of little-endian float64, NaN for no value.
type Floats []float64

// Singles is a bin of little-endian float32, a column or a row-major matrix.
type Singles []float32

// Ints is a bin of little-endian int32.
type Ints []int32

// Strings is a bin of lengths, as Ints, and a bin of the texts.
type Strings []string

func (f Floats) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []float64(f)) }

func (f *Floats) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]float64)(f)) }

func (s Singles) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []float32(s)) }

func (s *Singles) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]float32)(s)) }

func (n Ints) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []int32(n)) }

func (n *Ints) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]int32)(n)) }

func encodeCells[T float64 | float32 | int32](e *msgpack.Encoder, column []T) error {
	b, err := binary.Append(make([]byte, 0, binary.Size(column)), binary.LittleEndian, column)
	if err != nil {
		return err
	}
	return e.EncodeBytes(b)
}

func decodeCells[T float64 | float32 | int32](d *msgpack.Decoder, column *[]T) error {
	b, err := d.DecodeBytes()
	if err != nil {
		return err
	}
	size := binary.Size(T(0))
	if len(b)%size != 0 {
		return fmt.Errorf("column of %d bytes, want a multiple of %d", len(b), size)
	}
	*column = make([]T, len(b)/size)
	_, err = binary.Decode(b, binary.LittleEndian, *column)
	return err
}

func (s Strings) EncodeMsgpack(e *msgpack.Encoder) error {
	lengths, n := make(Ints, len(s)), 0
	for i, text := range s {
		lengths[i] = int32(len(text))
		n += len(text)
	}
	all := make([]byte, 0, n)
	for _, text := range s {
		all = append(all, text...)
	}
	if err := e.EncodeArrayLen(2); err != nil {
		return err
	}
	if err := lengths.EncodeMsgpack(e); err != nil {
		return err
	}
	return e.EncodeBytes(all)
}

func (s *Strings) DecodeMsgpack(d *msgpack.Decoder) error {
	n, err := d.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n != 2 {
		return fmt.Errorf("column of texts has %d parts, want 2", n)
	}
	var lengths Ints
	if err := lengths.DecodeMsgpack(d); err != nil {
		return err
	}
	b, err := d.DecodeBytes()
	if err != nil {
		return err
	}
	rest, column := string(b), make(Strings, len(lengths))
	for i, k := range lengths {
		if k < 0 || int(k) > len(rest) {
			return fmt.Errorf("text %d has %d bytes, %d remain", i, k, len(rest))
		}
		column[i], rest = rest[:k], rest[k:]
	}
	if rest != "" {
		return fmt.Errorf("%d bytes after the last text", len(rest))
	}
	*s = column
	return nil
}

// Columns of rows. A refused record has an error, and no scores.
type Columns []table.Column

// Texts returns a column by name, or nil.
func (c Columns) Texts(name string) []string {
	if found := table.Named(c, name); found != nil {
		return found.Texts
	}
	return nil
}

// Numbers returns a column by name, or nil.
func (c Columns) Numbers(name string) []float64 {
	if found := table.Named(c, name); found != nil {
		return found.Numbers
	}
	return nil
}

// Append appends rows of the same columns.
func (c *Columns) Append(rows Columns) {
	if len(*c) == 0 {
		for _, r := range rows {
			*c = append(*c, table.Column{Name: r.Name, Kind: r.Kind})
		}
	}
	for i, r := range rows {
		to := &(*c)[i]
		to.Texts, to.Numbers = append(to.Texts, r.Texts...), append(to.Numbers, r.Numbers...)
		to.TextLists, to.NumberLists = append(to.TextLists, r.TextLists...), append(to.NumberLists, r.NumberLists...)
	}
}

// cells is an encoded column. Lists are concatenated, with lengths, −1 for no value.
type cells struct {
	Name    string
	Kind    uint8
	Texts   Strings
	Numbers Floats
	Lengths Ints
}

func (c Columns) EncodeMsgpack(e *msgpack.Encoder) error {
	list := make([]cells, len(c))
	for i, from := range c {
		to := cells{Name: from.Name, Kind: uint8(from.Kind), Texts: from.Texts, Numbers: from.Numbers}
		for _, l := range from.TextLists {
			to.Lengths, to.Texts = append(to.Lengths, lengthOf(l)), append(to.Texts, l...)
		}
		for _, l := range from.NumberLists {
			to.Lengths, to.Numbers = append(to.Lengths, lengthOf(l)), append(to.Numbers, l...)
		}
		list[i] = to
	}
	return e.Encode(list)
}

func lengthOf[T any](list []T) int32 {
	if list == nil {
		return -1
	}
	return int32(len(list))
}

func (c *Columns) DecodeMsgpack(d *msgpack.Decoder) error {
	var list []cells
	if err := d.Decode(&list); err != nil {
		return err
	}
	*c = make(Columns, len(list))
	for i, from := range list {
		to := table.Column{Name: from.Name, Kind: table.Kind(from.Kind), Texts: from.Texts, Numbers: from.Numbers}
		var err error
		switch to.Kind {
		case table.TextLists:
			to.TextLists, err = listsOf(from.Texts, from.Lengths)
			to.Texts = nil
		case table.NumberLists:
			to.NumberLists, err = listsOf(from.Numbers, from.Lengths)
			to.Numbers = nil
		}
		if (*c)[i] = to; err != nil || to.Len() != (*c)[0].Len() {
			return fmt.Errorf("column %.40q of %d rows: want as many as the first, %d: %w", to.Name, to.Len(), (*c)[0].Len(), cmp.Or(err, errLengths))
		}
	}
	return nil
}

var errLengths = errors.New("columns of a table are equally long")

func listsOf[T any](values []T, lengths []int32) ([][]T, error) {
	lists := make([][]T, len(lengths))
	for i, n := range lengths {
		if int(n) > len(values) {
			return nil, fmt.Errorf("list %d has %d values, %d remain", i, n, len(values))
		}
		if n >= 0 {
			lists[i], values = values[:n:n], values[n:]
		}
	}
	return lists, nil
}

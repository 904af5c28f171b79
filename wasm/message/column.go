package message

import (
	"encoding/binary"
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

// cells is an encoded column.
type cells struct {
	Name        string
	Kind        table.Kind
	Texts       []string
	Numbers     Floats
	TextLists   [][]string
	NumberLists [][]float64
}

func (c Columns) EncodeMsgpack(e *msgpack.Encoder) error {
	list := make([]cells, len(c))
	for i, from := range c {
		list[i] = cells{from.Name, from.Kind, from.Texts, from.Numbers, from.TextLists, from.NumberLists}
	}
	return e.Encode(list)
}

func (c *Columns) DecodeMsgpack(d *msgpack.Decoder) error {
	var list []cells
	if err := d.Decode(&list); err != nil {
		return err
	}
	*c = make(Columns, len(list))
	for i, from := range list {
		to := &(*c)[i]
		*to = table.Column{Name: from.Name, Kind: from.Kind, Texts: from.Texts, Numbers: from.Numbers, TextLists: from.TextLists, NumberLists: from.NumberLists}
		if to.Len() != (*c)[0].Len() {
			return fmt.Errorf("column %.40q of %d rows: want as many as the first, %d", to.Name, to.Len(), (*c)[0].Len())
		}
	}
	return nil
}

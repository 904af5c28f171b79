package message

import (
	"encoding/binary"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo/table"
)

// Cells is a bin of little-endian numbers: a column, or a row-major matrix.
type Cells[T float64 | float32 | int32] []T

type (
	Floats  = Cells[float64] // NaN for no value
	Singles = Cells[float32]
	Ints    = Cells[int32]
)

func (c Cells[T]) EncodeMsgpack(e *msgpack.Encoder) error {
	b, err := binary.Append(make([]byte, 0, binary.Size([]T(c))), binary.LittleEndian, []T(c))
	if err != nil {
		return err
	}
	return e.EncodeBytes(b)
}

func (c *Cells[T]) DecodeMsgpack(d *msgpack.Decoder) error {
	b, err := d.DecodeBytes()
	if err != nil {
		return err
	}
	size := binary.Size(T(0))
	if len(b)%size != 0 {
		return fmt.Errorf("column of %d bytes, want a multiple of %d", len(b), size)
	}
	*c = make(Cells[T], len(b)/size)
	_, err = binary.Decode(b, binary.LittleEndian, []T(*c))
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
		*to = table.Column{Name: from.Name, Kind: from.Kind, Texts: from.Texts, Numbers: from.Numbers,
			TextLists: from.TextLists, NumberLists: from.NumberLists}
		if to.Len() != (*c)[0].Len() {
			return fmt.Errorf("column %.40q of %d rows: want as many as the first, %d", to.Name, to.Len(), (*c)[0].Len())
		}
	}
	return nil
}

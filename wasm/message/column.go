package message

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// Floats is a column of numbers, a bin of little-endian float64. NaN stands for
// no value.
type Floats []float64

// Singles is a column or a row-major matrix of little-endian float32.
type Singles []float32

// Ints is a column of little-endian int32.
type Ints []int32

// Strings is a column of texts: a bin of their lengths in bytes, as Ints, and a
// bin of the texts one after the other.
type Strings []string

// EncodeMsgpack implements msgpack.CustomEncoder.
func (f Floats) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []float64(f)) }

// DecodeMsgpack implements msgpack.CustomDecoder.
func (f *Floats) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]float64)(f)) }

// EncodeMsgpack implements msgpack.CustomEncoder.
func (s Singles) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []float32(s)) }

// DecodeMsgpack implements msgpack.CustomDecoder.
func (s *Singles) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]float32)(s)) }

// EncodeMsgpack implements msgpack.CustomEncoder.
func (n Ints) EncodeMsgpack(e *msgpack.Encoder) error { return encodeCells(e, []int32(n)) }

// DecodeMsgpack implements msgpack.CustomDecoder.
func (n *Ints) DecodeMsgpack(d *msgpack.Decoder) error { return decodeCells(d, (*[]int32)(n)) }

// encodeCells writes a column as a bin.
func encodeCells[T float64 | float32 | int32](e *msgpack.Encoder, column []T) error {
	b, err := binary.Append(make([]byte, 0, binary.Size(column)), binary.LittleEndian, column)
	if err != nil {
		return err
	}
	return e.EncodeBytes(b)
}

// decodeCells reads a column from a bin.
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

// EncodeMsgpack implements msgpack.CustomEncoder.
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

// DecodeMsgpack implements msgpack.CustomDecoder.
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

// The columns that the page knows, as `baca score` names them.
var (
	textNames   = []string{"id", "smiles", "verdict", "batch_verdict", "error", "set_aside"}
	numberNames = []string{"score", "p_value", "alone", "alone_p", "s_pre", "s_attn", "s_baca", "batch", "batch_p", "q_value"}
)

// Texts returns the column of texts of that name, to read or to append to.
func (c *Columns) Texts(name string) *Strings {
	known := []*Strings{&c.ID, &c.SMILES, &c.Verdict, &c.BatchVerdict, &c.Error, &c.SetAside}
	if i := slices.Index(textNames, name); i >= 0 {
		return known[i]
	}
	return &c.more(name).Texts
}

// Numbers returns the column of numbers of that name, to read or to append to.
func (c *Columns) Numbers(name string) *Floats {
	s := &c.Scores
	known := []*Floats{&s.Score, &s.P, &s.Alone, &s.AloneP, &s.Pre, &s.Attn, &s.BaCa, &s.Batch, &s.BatchP, &c.Q}
	if i := slices.Index(numberNames, name); i >= 0 {
		return known[i]
	}
	return &c.more(name).Numbers
}

// more returns a further column, until the next is asked for.
func (c *Columns) more(name string) *Column {
	i := slices.IndexFunc(c.More, func(m Column) bool { return m.Name == name })
	if i < 0 {
		i = len(c.More)
		c.More = append(c.More, Column{Name: name})
	}
	return &c.More[i]
}

// Append appends rows.
func (c *Columns) Append(rows Columns) {
	for _, name := range textNames {
		to := c.Texts(name)
		*to = append(*to, *rows.Texts(name)...)
	}
	for _, name := range numberNames {
		to := c.Numbers(name)
		*to = append(*to, *rows.Numbers(name)...)
	}
	for _, m := range rows.More {
		to := c.more(m.Name)
		to.Numbers, to.Texts = append(to.Numbers, m.Numbers...), append(to.Texts, m.Texts...)
	}
	c.Known = append(c.Known, rows.Known...)
}

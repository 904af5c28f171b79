package message

import (
	"encoding/binary"
	"fmt"
	"math"
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
func (f Floats) EncodeMsgpack(e *msgpack.Encoder) error {
	b := make([]byte, 0, 8*len(f))
	for _, x := range f {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return e.EncodeBytes(b)
}

// DecodeMsgpack implements msgpack.CustomDecoder.
func (f *Floats) DecodeMsgpack(d *msgpack.Decoder) error {
	b, err := cells(d, 8)
	*f = make(Floats, len(b)/8)
	for i := range *f {
		(*f)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return err
}

// EncodeMsgpack implements msgpack.CustomEncoder.
func (s Singles) EncodeMsgpack(e *msgpack.Encoder) error {
	b := make([]byte, 0, 4*len(s))
	for _, x := range s {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return e.EncodeBytes(b)
}

// DecodeMsgpack implements msgpack.CustomDecoder.
func (s *Singles) DecodeMsgpack(d *msgpack.Decoder) error {
	b, err := cells(d, 4)
	*s = make(Singles, len(b)/4)
	for i := range *s {
		(*s)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return err
}

// EncodeMsgpack implements msgpack.CustomEncoder.
func (n Ints) EncodeMsgpack(e *msgpack.Encoder) error {
	b := make([]byte, 0, 4*len(n))
	for _, x := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return e.EncodeBytes(b)
}

// DecodeMsgpack implements msgpack.CustomDecoder.
func (n *Ints) DecodeMsgpack(d *msgpack.Decoder) error {
	b, err := cells(d, 4)
	*n = make(Ints, len(b)/4)
	for i := range *n {
		(*n)[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return err
}

// cells decodes a bin of cells of the given size, nothing on an error.
func cells(d *msgpack.Decoder, size int) ([]byte, error) {
	b, err := d.DecodeBytes()
	if err != nil {
		return nil, err
	}
	if len(b)%size != 0 {
		return nil, fmt.Errorf("column of %d bytes, want a multiple of %d", len(b), size)
	}
	return b, nil
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
	textNames   = []string{"id", "smiles", "verdict", "batch_verdict", "error"}
	numberNames = []string{"score", "p_value", "alone", "alone_p", "s_pre", "s_attn", "s_baca", "batch", "batch_p", "q_value"}
)

// Texts returns the column of texts of that name, to read or to append to.
func (c *Columns) Texts(name string) *Strings {
	known := []*Strings{&c.ID, &c.SMILES, &c.Verdict, &c.BatchVerdict, &c.Error}
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

package weights

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"baca/algo"
	"baca/algo/fingerprint"
)

// IndexExtension takes the place of a model file's extension in the name of the file with its
// index.
const IndexExtension = ".index"

// ErrIndex is that of a model whose index is in a file of its own, which is not at hand.
var ErrIndex = errors.New("the index of training graphs is missing")

const (
	// maxEntries is how many subtrees all training graphs of a model may have for its own
	// file to hold them: about three megabytes, of 19 000 molecules.
	maxEntries = 1 << 20
	// indexBlock is how many bytes one hash is of.
	indexBlock = 1 << 20
	// indexAlign is what the places of arrays in a file are multiples of: a page, so that
	// what is used of one array is not read with another.
	indexAlign = 4096
	// maxIndex bounds the bytes of an index file, and maxElement those of an element.
	maxIndex, maxElement = 1 << 36, 64
)

// apart says whether the index of a model goes into a file of its own.
func apart(m *algo.Model) bool {
	return m.Subtrees != nil && (m.Subtrees.Seal() != nil || m.Subtrees.Entries() > maxEntries)
}

// An indexFile is an index as its file has it.
type indexFile struct {
	table  []byte // payload of the header
	arrays []fingerprint.Array
}

// newIndexFile hashes an index, unless it comes from a file.
func newIndexFile(x *fingerprint.Index) (*indexFile, error) {
	arrays, err := x.Arrays()
	if err != nil {
		return nil, err
	}
	f := &indexFile{x.Seal(), arrays}
	if f.table != nil {
		return f, nil
	}
	h := &blockHash{h: sha256.New()}
	if err := f.writeArrays(h); err != nil {
		return nil, err
	}
	p := newWriter()
	p.fields("", 2)
	p.fields("arrays", len(arrays))
	for _, a := range arrays {
		n := len(a.Bytes) / a.Unit
		p.fields(a.Name, 2)
		p.count("unit", &a.Unit)
		p.count("length", &n)
	}
	p.bytes("sums", h.sums())
	f.table = p.buf.Bytes()
	return f, p.err
}

// tableSum names an index: what its table hashes to, in which are the hashes of all else.
func tableSum(table []byte) string {
	sum := sha256.Sum256(table)
	return hex.EncodeToString(sum[:])
}

// write writes the file.
func (f *indexFile) write(w io.Writer) error {
	if err := seal(w, indexKind, f.table); err != nil {
		return err
	}
	if _, err := w.Write(make([]byte, padding(headerSize+len(f.table)))); err != nil {
		return err
	}
	return f.writeArrays(w)
}

func (f *indexFile) writeArrays(w io.Writer) error {
	for _, a := range f.arrays {
		if _, err := w.Write(a.Bytes); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, padding(len(a.Bytes)))); err != nil {
			return err
		}
	}
	return nil
}

// padding is how many bytes follow so many up to the next multiple of indexAlign.
func padding(n int) int { return -n & (indexAlign - 1) }

// A blockHash hashes what is written in blocks.
type blockHash struct {
	h    hash.Hash
	n    int // bytes of the block that is not done
	done []byte
}

func (b *blockHash) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		k := min(len(rest), indexBlock-b.n)
		b.h.Write(rest[:k])
		if b.n, rest = b.n+k, rest[k:]; b.n == indexBlock {
			b.end()
		}
	}
	return len(p), nil
}

func (b *blockHash) end() {
	b.done, b.n = b.h.Sum(b.done), 0
	b.h.Reset()
}

func (b *blockHash) sums() []byte {
	if b.n > 0 {
		b.end()
	}
	return b.done
}

// An indexTable is what the head of an index file says.
type indexTable struct {
	table  []byte
	arrays []fingerprint.Array // Bytes are nil
	length []int64             // bytes of each
	sums   []byte
	begin  int64 // of the first array
	size   int64 // of the file
}

// readHead reads the table of an index file.
func readHead(file []byte) (*indexTable, error) {
	payload, err := head(file, indexKind)
	if err == nil {
		err = checkSum(file, payload)
	}
	if err != nil {
		return nil, err
	}
	return readTable(payload)
}

// readTable takes the payload of an index file apart.
func readTable(payload []byte) (*indexTable, error) {
	t := &indexTable{table: bytes.Clone(payload), begin: int64(headerSize + len(payload))}
	t.begin += int64(padding(int(t.begin)))
	t.size = t.begin
	r := newReader(payload)
	r.fields("", 2)
	r.key("arrays")
	for range r.entries("arrays") {
		t.readArray(r)
		if r.err != nil {
			return nil, r.err
		}
	}
	blocks := (t.size - t.begin + indexBlock - 1) / indexBlock
	t.sums = bytes.Clone(r.bytes("sums", int(blocks)*sha256.Size))
	r.end()
	return t, r.err
}

// readArray reads what the table says of the next array.
func (t *indexTable) readArray(r *reader) {
	a, n := fingerprint.Array{Name: r.str("the name of an array")}, 0
	if got := r.entries(a.Name); r.err == nil && got != 2 {
		r.fail(ErrFormat, "%s is a map of %d entries, want 2", a.Name, got)
	}
	r.count("unit", &a.Unit)
	r.count("length", &n)
	if r.err == nil && (a.Unit < 1 || a.Unit > maxElement || int64(n) > (maxIndex-t.size)/maxElement) {
		r.fail(ErrTooLarge, "%s has %d elements of %d bytes, want at most %d bytes in all", a.Name, n, a.Unit, int64(maxIndex))
	}
	if r.err != nil {
		return
	}
	length := int64(n) * int64(a.Unit)
	t.arrays, t.length = append(t.arrays, a), append(t.length, length)
	t.size += length + -length&(indexAlign-1)
}

// openIndex opens the index of so many graphs in the bytes of a file, which it uses in place.
// want is the sum of its table. What is in the arrays is not looked at, see [VerifyIndex].
func openIndex(file []byte, want string, known int) (*fingerprint.Index, error) {
	t, err := readHead(file)
	if err != nil {
		return nil, err
	}
	if sum := tableSum(t.table); sum != want {
		return nil, fmt.Errorf("%w: this index is %.8s…, the model wants %.8s…, which was written with it", ErrChecksum, sum, want)
	}
	if n := int64(len(file)); n < t.size {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrTruncated, n, t.size)
	} else if n > t.size {
		return nil, fmt.Errorf("%w: %d bytes, its header announces %d", ErrTrailing, n, t.size)
	}
	at := t.begin
	for i, length := range t.length {
		t.arrays[i].Bytes = file[at : at+length : at+length]
		at += length + -length&(indexAlign-1)
	}
	x, err := fingerprint.OpenIndex(t.arrays, t.table)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if x.Len() != known {
		return nil, fmt.Errorf("%w: an index of %d training graphs, want %d", ErrRows, x.Len(), known)
	}
	return x, nil
}

// IndexBytes is the length of the file that the index of a loaded model is in, 0 where it has none.
func IndexBytes(m *algo.Model) int {
	if m.Subtrees == nil || m.Subtrees.Seal() == nil {
		return 0
	}
	t, err := readTable(m.Subtrees.Seal())
	if err != nil {
		return 0 // openIndex has read it
	}
	return int(t.size)
}

// VerifyIndex reads all of a model's index, where that comes from a file of its own, and
// compares it with the hashes that were made when it was written. Loading checks the head and
// the length alone.
func VerifyIndex(ctx context.Context, m *algo.Model) error {
	if m.Subtrees == nil || m.Subtrees.Seal() == nil {
		return nil
	}
	t, err := readTable(m.Subtrees.Seal())
	if err != nil {
		return err
	}
	arrays, err := m.Subtrees.Arrays()
	if err != nil {
		return err
	}
	h := &blockHash{h: sha256.New()}
	m.Subtrees.Guard(func() {
		err = (&indexFile{arrays: arrays}).writeArrays(contextWriter{ctx, h})
	})
	if err = cmp.Or(m.Subtrees.Err(), err); err != nil {
		return err
	}
	for i, sums := 0, h.sums(); i < len(sums); i += sha256.Size {
		if !bytes.Equal(sums[i:i+sha256.Size], t.sums[i:i+sha256.Size]) {
			return fmt.Errorf("%w: megabyte %d of the arrays of the index is not what was written; get the file again", ErrChecksum, i/sha256.Size)
		}
	}
	return nil
}

// A contextWriter writes until a context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (n int, err error) {
	for rest := p; len(rest) > 0; {
		if err := c.ctx.Err(); err != nil {
			return n, err
		}
		k, err := c.w.Write(rest[:min(len(rest), indexBlock)])
		if n, rest = n+k, rest[k:]; err != nil {
			return n, err
		}
	}
	return n, nil
}

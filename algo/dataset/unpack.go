package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxExpand is how many bytes of text each compressed byte may give, where [Unpack] does not
// say otherwise. Each file may give freeExpand bytes, so that short lists may repeat themselves.
//
// Columns of molecules expand 3- to 6-fold (gzip), a wide table of measurements such as
// toxcast 41-fold (zstd -19), and the graph numbers of the TUDataset sets up to 103-fold.
// Bombs expand 1032-fold (deflate) to 10 000-fold (zstd, bzip2), and what they hold are short
// rows, each of which takes the time of a molecule. So the text begins only once aheadExpand
// bytes of it have kept the bound, or it has ended: a bomb ends before its first row.
const (
	MaxExpand  = 256
	freeExpand = 1 << 20

	// Decompressors read 4 KiB at a time, which the count takes for decompressed.
	aheadExpand = freeExpand + MaxExpand*4096 + 4096
)

// Unpack says how to read compressed text.
type Unpack struct {
	// Zstd decompresses zstd, which is not in the standard library. Without it zstd is
	// refused.
	Zstd func(io.Reader) (io.Reader, error)
	// MaxExpand takes the place of the constant MaxExpand, unless it is 0.
	MaxExpand int

	archive bool // the text comes out of a zip archive: it must not be compressed again
}

// An ExpandError says that compressed data expand more than they may.
type ExpandError struct{ Max int }

func (e *ExpandError) Error() string {
	return fmt.Sprintf("compressed data expand more than %d-fold beyond the first %d MiB: refused as a decompression bomb", e.Max, freeExpand>>20)
}

// A compression is a way in which text may be compressed. It is declared here alone.
type compression struct {
	suffix string                 // of the names of files
	begins func(head []byte) bool // tells it by the first four bytes
	open   func(u Unpack, b *bufio.Reader, in io.Reader) (io.Reader, error)
}

var compressions = []compression{
	{".gz", func(head []byte) bool { return bytes.HasPrefix(head, gzipMagic) }, openGzip},
	{".zst", func(head []byte) bool { return bytes.Equal(head, zstdMagic) || isSkippable(head) }, openZstd},
	{".bz2", isBzip2, func(_ Unpack, _ *bufio.Reader, in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil }},
}

// compressionOf returns the compression of data that begin so, nil for plain ones.
func compressionOf(head []byte) *compression {
	i := slices.IndexFunc(compressions, func(c compression) bool { return c.begins(head) })
	if i < 0 {
		return nil
	}
	return &compressions[i]
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	zipMagic  = []byte("PK\x03\x04")
	// The digit behind it is the size of a block.
	bzip2Magic = []byte("BZh")
	// A frame to be skipped, which pzstd and others write first. The low half of its
	// first byte may be anything.
	skippableMagic = []byte{0x50, 0x2a, 0x4d, 0x18}
)

func isSkippable(head []byte) bool {
	return len(head) == 4 && head[0]&0xf0 == skippableMagic[0] && bytes.Equal(head[1:], skippableMagic[1:])
}

// isBzip2 tells the size of a block, which a name that begins with BZh hardly goes on with.
func isBzip2(head []byte) bool {
	return len(head) == 4 && bytes.HasPrefix(head, bzip2Magic) && '1' <= head[3] && head[3] <= '9'
}

func openGzip(_ Unpack, _ *bufio.Reader, in io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	return z, endsEarly(err)
}

// openZstd reads what b holds through in.
func openZstd(u Unpack, b *bufio.Reader, in io.Reader) (io.Reader, error) {
	if u.Zstd == nil {
		return nil, errors.New("zstd-compressed data: want plain text or gzip, decompress it first")
	}
	if err := skipFrames(b); err != nil {
		return nil, endsEarly(err)
	}
	return u.Zstd(in)
}

// skipFrames consumes frames to be skipped, so that zstd data begin with one that is not. A
// decoder that looks at the first frame for the memory that it takes then sees the right one.
func skipFrames(b *bufio.Reader) error {
	for {
		head, err := b.Peek(4)
		if !isSkippable(head) {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		var header [8]byte
		if _, err := io.ReadFull(b, header[:]); err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(header[4:]))
		if n, err := io.CopyN(io.Discard, b, size); n < size {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
}

// text returns r decompressed, if its first bytes say that it is compressed.
func (u Unpack) text(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	c := compressionOf(head)
	switch {
	case c == nil:
		return b, nil
	case u.archive:
		return nil, errTwice
	}
	in := &counter{r: b}
	z, err := c.open(u, b, in)
	if err != nil {
		return nil, err
	}
	ahead := bufio.NewReaderSize(&steady{r: u.bounded(z, in)}, aheadExpand)
	var bomb *ExpandError
	if _, err := ahead.Peek(aheadExpand); errors.As(err, &bomb) {
		return nil, bomb
	}
	return ahead, nil // any other error stands behind the text that is sound
}

// Twice the limit of expansion would be its square.
var errTwice = errors.New("data that are compressed twice: want them compressed once, or not at all")

// inflate reads a file of a zip archive, as archive/zip wants it.
func (u Unpack) inflate(r io.Reader) io.ReadCloser {
	in := &counter{r: r}
	return io.NopCloser(u.bounded(flate.NewReader(in), in))
}

func (u Unpack) bounded(z io.Reader, in *counter) io.Reader {
	return &bounded{z: z, in: in, max: u.most()}
}

func (u Unpack) most() int {
	if u.MaxExpand == 0 {
		return MaxExpand
	}
	return u.MaxExpand
}

// A bounded reader ends where z has given more than it may for what it has read of in.
type bounded struct {
	z   io.Reader
	in  *counter
	out int64
	max int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	b.out += int64(n)
	if (b.out-freeExpand)/int64(b.max) > b.in.n {
		return 0, &ExpandError{b.max}
	}
	return n, endsEarly(err)
}

func endsEarly(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("compressed data end early, the file looks truncated: %w", err)
	}
	return err
}

// A counter counts the bytes that were read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

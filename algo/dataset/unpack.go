package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxExpand is how many bytes of text each compressed byte may give beyond freeExpand bytes.
//
// Columns of molecules expand 3- to 6-fold (gzip), a wide table such as toxcast 41-fold (zstd -19),
// TUDataset graph numbers up to 103-fold; bombs 1032-fold (deflate) to 10 000-fold (zstd, bzip2).
// Their rows are short, and each costs a molecule's time. So text is released only once aheadExpand
// bytes have kept the bound, or it has ended: a bomb ends before its first row.
const (
	MaxExpand  = 256
	freeExpand = 1 << 20

	// Decompressors get readAhead bytes at once.
	readAhead   = 4096
	aheadExpand = freeExpand + MaxExpand*readAhead + readAhead
)

// Unpack configures decompression.
type Unpack struct {
	// Zstd, XZ and Brotli decompress what the standard library does not. What is nil is refused.
	Zstd, XZ, Brotli func(io.Reader) (io.Reader, error)

	archive bool // out of a compressed archive: not to be compressed again
	// of Options
	note          func(sentence string)
	sheet, column string
}

// An ExpandError reports too large an expansion.
type ExpandError struct{}

func (*ExpandError) Error() string {
	return fmt.Sprintf("compressed data expand more than %d-fold beyond the first %d MiB: refused as a decompression bomb", MaxExpand, freeExpand>>20)
}

var errBomb = new(ExpandError)

// A compression declares a compression format.
type compression struct {
	suffix string                 // of file names
	begins func(head []byte) bool // recognises the first longestMagic bytes
	open   func(u Unpack, in io.Reader) (io.Reader, error)
}

var compressions = []compression{
	{".gz", func(head []byte) bool { return bytes.HasPrefix(head, gzipMagic) }, openGzip},
	{".zst", func(head []byte) bool { return bytes.HasPrefix(head, zstdMagic) || isSkippable(head) }, openZstd},
	{".xz", func(head []byte) bool { return bytes.HasPrefix(head, xzMagic) }, openXZ},
	{".bz2", isBzip2, func(_ Unpack, in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil }},
}

// compressionOf returns the compression of data, nil for plain ones.
func compressionOf(head []byte) *compression {
	i := slices.IndexFunc(compressions, func(c compression) bool { return c.begins(head) })
	if i < 0 {
		return nil
	}
	return &compressions[i]
}

// longestMagic is of xz.
const longestMagic = 6

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	zipMagic  = []byte("PK\x03\x04")
	xzMagic   = []byte("\xfd7zXZ\x00")
	// The next digit is the size of a block.
	bzip2Magic = []byte("BZh")
	// A skippable frame, which pzstd writes first. The low half of its first byte varies.
	skippableMagic = []byte{0x50, 0x2a, 0x4d, 0x18}
)

func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == skippableMagic[0] && bytes.HasPrefix(head[1:], skippableMagic[1:])
}

// isBzip2 checks the block size, to exclude names that begin with BZh.
func isBzip2(head []byte) bool {
	return len(head) >= 4 && bytes.HasPrefix(head, bzip2Magic) && '1' <= head[3] && head[3] <= '9'
}

func openGzip(_ Unpack, in io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	return z, endsEarly(err)
}

func openZstd(u Unpack, in io.Reader) (io.Reader, error) { return openBy(u.Zstd, in, "zstd") }

func openXZ(u Unpack, in io.Reader) (io.Reader, error) { return openBy(u.XZ, in, "xz") }

func openBy(open func(io.Reader) (io.Reader, error), in io.Reader, name string) (io.Reader, error) {
	if open == nil {
		return nil, fmt.Errorf("%s-compressed data: want plain text or gzip, decompress it first", name)
	}
	return open(in)
}

// text returns r, and packed if it was compressed, as its first bytes say.
func (u Unpack) text(r io.Reader) (text io.Reader, packed bool, err error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(longestMagic)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	c := compressionOf(head)
	switch {
	case c == nil:
		return b, false, nil
	case u.archive:
		return nil, false, errTwice
	}
	in := &counter{r: b}
	z, err := c.open(u, in)
	if err != nil {
		return nil, false, err
	}
	text, err = ahead(&bounded{z: z, in: in})
	return text, true, err
}

// ahead returns the text of a bounded reader, unless it is a bomb.
func ahead(r io.Reader) (io.Reader, error) {
	text := bufio.NewReaderSize(&steady{r: r}, aheadExpand)
	var bomb *ExpandError
	if _, err := text.Peek(aheadExpand); errors.As(err, &bomb) {
		return nil, bomb
	}
	return text, nil // other errors follow the sound text
}

// Two layers would square the limit.
var errTwice = errors.New("data that are compressed twice: want them compressed once, or not at all")

// inflate decompresses a file of a zip archive.
func inflate(r io.Reader) io.ReadCloser {
	in := &counter{r: r}
	return io.NopCloser(&bounded{z: flate.NewReader(in), in: in})
}

// A bounded reader ends where z has given more than it may for what it read of in.
type bounded struct {
	z   io.Reader
	in  *counter
	out int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	b.out += int64(n)
	if (b.out-freeExpand)/MaxExpand > b.in.n {
		return 0, errBomb
	}
	return n, endsEarly(err)
}

func endsEarly(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("compressed data end early, the file looks truncated: %w", err)
	}
	return err
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:min(len(p), readAhead)])
	c.n += int64(n)
	return n, err
}

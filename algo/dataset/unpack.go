package dataset

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Unpack configures decompression.
type Unpack struct {
	// Zstd, XZ and Brotli decompress formats that the standard library lacks. Data for a nil one are refused.
	Zstd, XZ, Brotli func(io.Reader) (io.Reader, error)

	archive bool                   // the text is from a compressed archive and must not be compressed again
	meter   *meter                 // meter of the whole input, set by NewText
	note    func(sentence string)  // Options.Note, or nothing
	sheet   string                 // Options.Sheet
	sheets  func([]string, string) // Options.Sheets
	column  string                 // Options.Column
	stop    func() error           // Options.Stop
}

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

// compressionOf returns the compression of data, or nil if they are not compressed.
func compressionOf(head []byte) *compression {
	i := slices.IndexFunc(compressions, func(c compression) bool { return c.begins(head) })
	if i < 0 {
		return nil
	}
	return &compressions[i]
}

// longestMagic is the length of the longest magic number, that of xz.
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

// isSkippable reports whether head begins with the magic number of a skippable frame, whose lower four bits are free.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == skippableMagic[0] && bytes.HasPrefix(head[1:], skippableMagic[1:])
}

// isBzip2 checks the block size, to exclude names that begin with BZh.
func isBzip2(head []byte) bool {
	return len(head) >= 4 && bytes.HasPrefix(head, bzip2Magic) && '1' <= head[3] && head[3] <= '9'
}

// openGzip returns the text of a gzip file. It fails if the header is damaged.
func openGzip(_ Unpack, in io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	return z, endsEarly(err)
}

func openZstd(u Unpack, in io.Reader) (io.Reader, error) { return openBy(u.Zstd, in, "zstd") }

func openXZ(u Unpack, in io.Reader) (io.Reader, error) { return openBy(u.XZ, in, "xz") }

// openBy opens data that a caller's decoder reads. It fails without a decoder: name says which one is missing.
func openBy(open func(io.Reader) (io.Reader, error), in io.Reader, name string) (io.Reader, error) {
	if open == nil {
		return nil, fmt.Errorf("%s-compressed data: want plain text or gzip, decompress it first", name)
	}
	return open(in)
}

// text returns r decompressed, or as it is if its first bytes do not say that it is compressed. packed tells which. In an
// archive compressed data are an error.
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
	z, err := c.open(u, b)
	if err != nil {
		return nil, false, err
	}
	text, err = ahead(&bounded{z, u.meter})
	return text, true, err
}

// ahead returns the text of a bounded reader, whose first aheadExpand bytes it reads at once. It fails only if they
// expand beyond the bound. Other errors come when the text before them has been read.
func ahead(r io.Reader) (io.Reader, error) {
	text := bufio.NewReaderSize(&steady{r: r}, aheadExpand)
	var bomb *ExpandError
	if _, err := text.Peek(aheadExpand); errors.As(err, &bomb) {
		return nil, bomb
	}
	return text, nil // other errors follow the sound text
}

// errTwice refuses data in two layers of compression, which would square the limit.
var errTwice = errors.New("data that are compressed twice: want them compressed once, or not at all")

// A bounded reader fails when its meter does.
type bounded struct {
	z     io.Reader
	meter *meter
}

// Read charges the meter for the text read, and fails where it grows too fast.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	if over := b.meter.spend(n); over != nil {
		return 0, over
	}
	return n, endsEarly(err)
}

// endsEarly rewords the error of data that end too early.
func endsEarly(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("compressed data end early, the file looks truncated: %w", err)
	}
	return err
}

// A counter counts the bytes that are read of an input. It reads little at once, so that no byte counts before it is used.
type counter struct {
	r     io.Reader
	meter *meter
}

// Read reads at most readAhead bytes and counts them as compressed bytes read.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p[:min(len(p), readAhead)])
	c.meter.read += int64(n)
	return n, err
}

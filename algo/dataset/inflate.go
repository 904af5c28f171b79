package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Deflate can expand 1032-fold. Text about graphs and molecules expands 5- to
// 40-fold, single columns of one number more, hence the free part. A bomb of
// any size is found out after the free part and some.
const (
	freeInflate = 64 << 20
	maxInflate  = 256
)

var gzipMagic = []byte{0x1f, 0x8b}

// inflate returns the text of r, decompressed if it begins as gzip does. It
// names the compressions that it does not know.
func inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		in := &counter{r: b}
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, gzipError(err)
		}
		return &inflater{z: z, in: in}, nil
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return nil, errors.New("zstd-compressed data: want plain text or gzip, decompress it first")
	case bytes.Equal(head, []byte("PK\x03\x04")):
		return nil, errors.New("a zip archive or spreadsheet: want plain text or gzip")
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return nil, errors.New("text in UTF-16: want UTF-8, save it so")
	}
	return b, nil
}

// An inflater decompresses within the bounds above.
type inflater struct {
	z   io.Reader
	in  *counter
	out int64
}

func (f *inflater) Read(p []byte) (int, error) {
	n, err := f.z.Read(p)
	f.out += int64(n)
	if f.out > freeInflate && f.out > maxInflate*f.in.n {
		return 0, fmt.Errorf("gzip data expand more than %d-fold: refused as a decompression bomb", maxInflate)
	}
	return n, gzipError(err)
}

func gzipError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("gzip data end early, the file looks truncated: %w", err)
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

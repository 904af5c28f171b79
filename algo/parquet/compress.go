package parquet

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
)

// Codecs.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecZstd   = 6
	codecLZ4    = 7
)

// lack returns what of a chunk cannot be read, in words, or "" if all can.
func (c Codecs) lack(k *chunk) string {
	missing := map[int64]string{3: "LZO", 5: "the old LZ4"}
	if c.Brotli == nil {
		missing[codecBrotli] = "Brotli, which is not at hand here"
	}
	if c.Zstd == nil {
		missing[codecZstd] = "zstd, which is not at hand here"
	}
	if name := missing[k.codec]; name != "" || k.codec < 0 || k.codec > codecLZ4 {
		name = cmp.Or(name, "a codec that is not known")
		return fmt.Sprintf("data compressed by %s (Snappy, gzip, zstd, Brotli and LZ4 are read)", name)
	}
	if k.unknown {
		return "values of an encoding that is not known"
	}
	return ""
}

// Pages may expand so many times beyond the first MiB of all that are read.
const (
	maxExpand  = 128
	freeExpand = 1 << 20
)

// ErrBomb says that compressed pages would take too much memory.
var ErrBomb = fmt.Errorf("pages expand more than %d-fold: refused as a decompression bomb", maxExpand)

// unpacking is shared by all columns that are read together.
type unpacking struct {
	bytes int64 // so far
	gzip  gzip.Reader
}

// unpack counts n bytes that pages take in memory. It fails with ErrBomb if they are too many for the file's size.
func (c *cursor) unpack(n int) error {
	c.bytes += int64(n)
	if (c.bytes-freeExpand)/maxExpand > c.file.size {
		return ErrBomb
	}
	return nil
}

// decompress returns the content of a page: body itself if the column is not compressed, or else size bytes, at most
// MaxPage, in c.out. It fails unless body expands to exactly that size.
func (c *cursor) decompress(body []byte, size int64) ([]byte, error) {
	if c.chunk.codec == codecNone || size == 0 && len(body) == 0 {
		return body, nil
	}
	if err := c.unpack(int(size)); err != nil {
		return nil, err
	}
	c.out = slices.Grow(c.out[:0], int(size))[:size]
	out := c.out
	var err error
	switch c.chunk.codec {
	case codecSnappy:
		err = unsnappy(out, body)
	case codecLZ4:
		err = unlz4(out, body)
	case codecGzip:
		err = filled(out, body, func(r io.Reader) (io.Reader, error) { return &c.gzip, c.gzip.Reset(r) })
	case codecZstd:
		err = filled(out, body, c.file.codecs.Zstd)
	case codecBrotli:
		err = filled(out, body, c.file.codecs.Brotli)
	}
	if err != nil {
		return nil, fmt.Errorf("compressed data are damaged: %w", err)
	}
	return out, nil
}

// filled reads all of out from body by the reader that open returns. It fails unless the data end there, where their
// checksum is.
func filled(out, body []byte, open func(io.Reader) (io.Reader, error)) error {
	r, err := open(bytes.NewReader(body))
	if err == nil {
		_, err = io.ReadFull(r, out)
	}
	if err == nil {
		if _, err = io.ReadFull(r, make([]byte, 1)); err == io.EOF {
			return nil
		}
	}
	return cmp.Or(err, errCorrupt)
}

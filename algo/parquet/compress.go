package parquet

import (
	"bytes"
	"compress/gzip"
	"errors"
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

var codecNames = map[int64]string{3: "LZO", 5: "the old LZ4"}

// decompress returns size bytes, at most MaxPage. The result may share memory with buf or body.
func (c *cursor) decompress(buf, body []byte, size int64) ([]byte, error) {
	if c.chunk.codec == codecNone {
		return body, nil
	}
	out := slices.Grow(buf[:0], int(size))[:size]
	if cap(out) > cap(c.out) && buf != nil || c.out == nil {
		c.out = out
	}
	var err error
	switch c.chunk.codec {
	case codecSnappy:
		err = unsnappy(out, body)
	case codecLZ4:
		err = unlz4(out, body)
	case codecGzip:
		err = filled(out, body, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
	case codecZstd:
		err = filled(out, body, c.file.codecs.Zstd)
	case codecBrotli:
		err = filled(out, body, c.file.codecs.Brotli)
	default:
		name := codecNames[c.chunk.codec]
		if name == "" {
			name = fmt.Sprintf("codec %d", c.chunk.codec)
		}
		return nil, fmt.Errorf("compressed by %s: want Snappy, gzip, zstd, Brotli, LZ4 or none", name)
	}
	if err != nil && err != errNoCodec {
		err = fmt.Errorf("compressed data are damaged: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

var errNoCodec = errors.New("compressed by zstd or Brotli, which is not at hand here: want Snappy, gzip or LZ4")

// filled reads all of out.
func filled(out, body []byte, open func(io.Reader) (io.Reader, error)) error {
	if open == nil {
		return errNoCodec
	}
	r, err := open(bytes.NewReader(body))
	if err == nil {
		_, err = io.ReadFull(r, out)
	}
	return err
}

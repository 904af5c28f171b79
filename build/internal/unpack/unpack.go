// Package unpack decompresses files, and keeps their content, for package dataset.
package unpack

import (
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"baca/algo/dataset"
	"baca/build/internal/spool"
)

// All decompresses everything that package dataset does not decompress itself.
var All = dataset.Unpack{Zstd: Zstd, XZ: XZ, Brotli: Brotli}

// maxWindow bounds the memory for zstd and xz, whose files may ask for more.
const maxWindow = 128 << 20

// Zstd decompresses zstd, for [dataset.Unpack].
func Zstd(r io.Reader) (io.Reader, error) {
	// Without concurrency there is nothing to close.
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
}

// XZ decompresses xz, for [dataset.Unpack].
func XZ(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxWindow) }

// Brotli decompresses Brotli, for [dataset.Unpack].
func Brotli(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }

// keptInMemory is how many bytes Keep keeps in memory. The rest goes to a file.
const keptInMemory = 32 << 20

// Keep stores what a reader gives, for [dataset.Options].
func Keep(r io.Reader) (io.ReaderAt, int64, func(), error) {
	s := &spool.Spool{Memory: keptInMemory}
	if _, err := io.Copy(s, r); err != nil {
		s.Close()
		return nil, 0, func() {}, err
	}
	return s, s.Size(), s.Close, nil
}

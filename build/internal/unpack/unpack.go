// Package unpack decompresses and keeps what files hold, for package dataset.
package unpack

import (
	"bytes"
	"io"
	"os"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/xi2/xz"

	"baca/algo/dataset"
)

// All decompresses what package dataset does not by itself.
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

// keptInMemory is how much of a file Keep does not write to a disk.
const keptInMemory = 32 << 20

// Keep keeps what a reader gives, in memory or in a temporary file, for [dataset.Options].
func Keep(r io.Reader) (io.ReaderAt, int64, func(), error) {
	nothing := func() {}
	front, err := io.ReadAll(io.LimitReader(r, keptInMemory+1))
	if err != nil || len(front) <= keptInMemory {
		return bytes.NewReader(front), int64(len(front)), nothing, err
	}
	f, err := os.CreateTemp("", "baca-input-")
	if err != nil {
		return nil, 0, nothing, err
	}
	// Where the system allows that, it has no name from here on, and nothing is left behind if
	// the process is killed.
	os.Remove(f.Name())
	done := func() {
		f.Close()
		os.Remove(f.Name())
	}
	size, err := io.Copy(f, io.MultiReader(bytes.NewReader(front), r))
	if err != nil {
		done()
		return nil, 0, nothing, err
	}
	return f, size, done, nil
}

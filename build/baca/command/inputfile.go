package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync/atomic"
	"time"

	"baca/algo/dataset"
)

// An inputFile is a regular file that is hashed while it is read, so that rows belong to known bytes.
type inputFile struct {
	file   *os.File
	opened fs.FileInfo
	hash   hash.Hash
	read   atomic.Int64
	sample string // SHA-256 of the file when a sample was drawn from it, or empty
}

// newInputFile returns nil unless f is a regular file. sample is the SHA-256 of the file when a sample was drawn from it, or empty.
func newInputFile(f *os.File, sample string) (*inputFile, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return &inputFile{file: f, opened: info, hash: sha256.New(), sample: sample}, nil
}

// Read reads the file. It adds what it read to the hash and to the count of bytes.
func (f *inputFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	f.hash.Write(p[:n])
	f.read.Add(int64(n))
	return n, err
}

// share returns the share of the file that was read.
func (f *inputFile) share() float64 { return float64(f.read.Load()) / float64(max(f.opened.Size(), 1)) }

// digest returns the SHA-256 of the bytes read so far.
func (f *inputFile) digest() string { return hex.EncodeToString(f.hash.Sum(nil)) }

// unchanged reads the file to its end, and returns an error if it has changed since it was opened.
func (f *inputFile) unchanged() error {
	// A compressed file may have bytes after its end.
	if _, err := io.Copy(io.Discard, f); err != nil {
		return err
	}
	if f.sample != "" && f.sample != f.digest() {
		return fmt.Errorf("%s changed between the two times that it was read, for the sample and for the rows: run "+
			"again when nothing writes to it", f.file.Name())
	}
	now, err := os.Stat(f.file.Name())
	if err != nil {
		return fmt.Errorf("%s changed while it was read: %w", f.file.Name(), err)
	}
	// A file that grows may have been read up to half a line. A file of the same size may have been touched, copied, or
	// overwritten with its old time: only reading it again tells, which is cheap beside scoring.
	if f.opened.Size() == now.Size() && f.read.Load() == now.Size() {
		if sum, err := sha256OfFile(f.file.Name()); err == nil && sum == f.digest() {
			return nil
		}
	}
	return fmt.Errorf("%s changed while it was read: it had %d bytes of %s, now it has %d of %s; the rows may be "+
		"of both, so run again when nothing writes to it",
		f.file.Name(), f.opened.Size(), f.opened.ModTime().Format(time.DateTime), now.Size(), now.ModTime().Format(time.DateTime))
}

// began returns an error if an earlier run, whose state is d, read another file. The bytes from which it made its rows must be the
// same and, where a sample formed the batch, all bytes.
func (f *inputFile) began(d scoreState) error {
	sum, err := sha256Of(io.NewSectionReader(f.file, 0, d.Read))
	if err == nil && sum != d.Digest {
		err = fmt.Errorf("the input has changed since: the first %d bytes of %s are others", d.Read, f.file.Name())
	}
	if err != nil || d.Sample == "" {
		return err
	}
	sum, err = sha256Of(io.NewSectionReader(f.file, 0, f.opened.Size()))
	if err == nil && sum != d.Sample {
		err = fmt.Errorf("the input has changed since: the batch was a sample of other bytes than those of %s", f.file.Name())
	}
	return err
}

// sha256Of returns the SHA-256 of a text, in hexadecimal.
func sha256Of(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// sha256OfFile returns the SHA-256 of a file, in hexadecimal.
func sha256OfFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sha256Of(f)
}

// checked yields records, and then an error if the file has changed.
func (f *inputFile) checked(records iter.Seq2[dataset.Record, error]) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for r, err := range records {
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := f.unchanged(); err != nil {
			yield(dataset.Record{}, err)
		}
	}
}

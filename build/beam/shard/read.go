package shard

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"

	"baca/algo/dataset"
	"baca/algo/table"
	"baca/build/internal/unpack"
)

// a cancelable reader ends with its context.
type cancelable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// A hashed input is one pass over a file, hashed as it is read.
type hashed struct {
	io.Reader
	io.Closer
	hash hash.Hash
}

// open opens an input.
func (j *Job) open(ctx context.Context, input int) (*hashed, error) {
	f, err := j.Files.Open(ctx, j.Inputs[input])
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	return &hashed{io.TeeReader(cancelable{ctx, f}, h), f, h}, nil
}

// sum reads to the end and returns the SHA-256 of the file, or of what of it can be read.
func (h *hashed) sum() (string, error) {
	_, err := io.Copy(io.Discard, h)
	return hex.EncodeToString(h.hash.Sum(nil)), err
}

// molecules yields the records of one input, not parsed. own is told the further columns of a
// single input; several may have other columns each.
func (j *Job) molecules(f io.Reader, input int, own func(names []string)) iter.Seq2[dataset.Record, error] {
	if len(j.Inputs) > 1 {
		own = nil
	}
	return dataset.Records(bufio.NewReaderSize(f, 64<<10), dataset.Options{
		Name: j.Inputs[input], Format: dataset.ParseFormat(j.Format), Column: j.Column,
		Unpack: dataset.Unpack{Zstd: unpack.Zstd}, Keep: unpack.Keep, Own: own,
	})
}

// records yields the records of a shard.
func (j *Job) records(ctx context.Context, p *Plan, shard int) iter.Seq2[table.Unread, error] {
	lo, hi := p.Range(shard, j.Shards)
	return func(yield func(table.Unread, error) bool) {
		for input := range j.Inputs {
			lo, hi := max(lo, p.First[input]), min(hi, p.First[input+1])
			if lo < hi && !j.some(ctx, p, input, lo, hi, yield) {
				return
			}
		}
	}
}

// some yields the records of an input at the places from lo to before hi, and is false if it
// is not to go on. The input must be the one that was counted, to its last byte: with other
// records the shards would not fit together.
func (j *Job) some(ctx context.Context, p *Plan, input, lo, hi int, yield func(table.Unread, error) bool) bool {
	f, err := j.open(ctx, input)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer f.Close()
	place := p.First[input]
	for rec, err := range j.molecules(f, input, func([]string) {}) {
		if err != nil {
			yield(nil, err)
			return false
		}
		if place >= lo {
			// The rows of all inputs are numbered through.
			rec.Row = place
			if !yield(func() table.Record { return table.FromMolecule(rec.Parsed(j.form)) }, nil) {
				return false
			}
		}
		if place++; place == hi {
			break
		}
	}
	if sum, err := f.sum(); sum != p.SHA256[input] {
		yield(nil, cmp.Or(err, fmt.Errorf("%s has changed since its records were counted: want what it was, or a new folder", j.Inputs[input])))
		return false
	}
	return true
}

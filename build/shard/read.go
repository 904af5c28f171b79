package shard

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/klauspost/compress/zstd"

	"baca/algo/dataset"
	"baca/algo/table"
)

// maxWindow bounds the memory for zstd, whose files may ask for more.
const maxWindow = 128 << 20

// Expand reads through zstd. Gzip is the business of the readers of molecules.
func Expand(text *bufio.Reader) (*bufio.Reader, error) {
	if magic, _ := text.Peek(4); string(magic) != "\x28\xb5\x2f\xfd" {
		return text, nil
	}
	// Without concurrency there is nothing to close.
	z, err := zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 64<<10), nil
}

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

// molecules yields the records of one input, not parsed, as the command does.
func (j *Job) molecules(ctx context.Context, input int) iter.Seq2[dataset.Record, error] {
	name := j.Inputs[input]
	return func(yield func(dataset.Record, error) bool) {
		fail := func(err error) { yield(dataset.Record{}, fmt.Errorf("%s: %w", name, err)) }
		f, err := j.Files.Open(ctx, name)
		if err != nil {
			yield(dataset.Record{}, err)
			return
		}
		defer f.Close()
		text, err := Expand(bufio.NewReaderSize(cancelable{ctx, f}, 64<<10))
		if err != nil {
			fail(err)
			return
		}
		format := dataset.Format(j.Format)
		if j.Format == "auto" || format == dataset.CSV {
			head, _ := text.Peek(4096)
			if detected := dataset.DetectFormat(name, head); j.Format == "auto" || detected == dataset.TSV {
				format = detected
			}
		}
		if format == dataset.TU {
			fail(fmt.Errorf("a TUDataset set: want molecules, only these can be read in shards"))
			return
		}
		for rec, err := range dataset.Records(text, dataset.Options{Name: name, Format: format, Column: j.Column}) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// records yields the records of a shard.
func (j *Job) records(ctx context.Context, p *Plan, shard int) iter.Seq2[table.Unread, error] {
	lo, hi := p.Range(shard, j.Shards)
	return func(yield func(table.Unread, error) bool) {
		if lo == hi {
			return
		}
		for input := range j.Inputs {
			first, end := p.First[input], p.First[input+1]
			if end <= lo || first >= hi {
				continue
			}
			place := first
			for rec, err := range j.molecules(ctx, input) {
				if err != nil {
					yield(nil, err)
					return
				}
				if place >= lo {
					// The rows of all inputs are numbered through.
					rec.Row = place
					if !yield(func() table.Record { return table.FromMolecule(rec.Parsed(j.form)) }, nil) {
						return
					}
				}
				if place++; place == end || place == hi {
					break
				}
			}
			if place < min(end, hi) {
				yield(nil, fmt.Errorf("%s has %d records, it had %d when they were counted", j.Inputs[input], place-first, end-first))
				return
			}
		}
	}
}

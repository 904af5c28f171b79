package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"baca/build/internal/progress"
)

// A plan is the cells of an experiment. Each has its own file.
type plan struct {
	bench *bench
	cells []*cell
}

// A cell is one piece of an experiment.
type cell struct {
	path string // of its file
	key  runKey
	run  func(context.Context) (any, error)
	take func(result json.RawMessage) error
	file *cellFile // nil until it is done
}

// add plans a cell. Once all are done, take is given its result, cell by cell in the order of the plan. A
// cell that is not finished, nor to be, is left out.
func add[T any](p *plan, key runKey, part string, run func(context.Context) (T, error), take func(T)) {
	b := p.bench
	key.Build, key.Part = b.build, b.settings+part
	p.cells = append(p.cells, &cell{
		path: filepath.Join(b.out, "cells", strings.ReplaceAll(key.Pair, "/", "-"), part+".json"), key: key,
		run: func(ctx context.Context) (any, error) { return run(ctx) },
		take: func(data json.RawMessage) error {
			var result T
			err := json.Unmarshal(data, &result)
			if err == nil {
				take(result)
			}
			return err
		},
	})
}

// addTo plans a cell of an evaluation.
func addTo[T any](p *plan, e *evaluation, part string, run func(context.Context) (T, error), take func(T)) {
	add(p, runKey{Pair: e.pair.name(), IDData: e.id.sha256, OODData: e.outside.sha256, Epochs: e.epochs}, part+e.suffix(), run, take)
}

// eachBatch plans a cell of the test batch of each seed of each pair, the first seed of all pairs first.
func eachBatch[T any](p *plan, part string, run func(*testBatch, context.Context) (T, error), take func(*evaluation, T)) {
	for _, seed := range p.bench.seeds {
		for _, e := range p.bench.evaluations {
			addTo(p, e, fmt.Sprintf("seed%d-%s", seed, part), onBatch(e, seed, firstOOD, run), func(c T) { take(e, c) })
		}
	}
}

// onBatch prepares a seed's test batch before run.
func onBatch[T any](e *evaluation, seed uint64, ood string, run func(*testBatch, context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (result T, err error) {
		b, err := e.prepare(ctx, seed, ood)
		if err != nil {
			return result, err
		}
		return run(b, ctx)
	}
}

// A runKey is what the content of a cell depends on.
type runKey struct {
	Build   string `json:"build"` // SHA-256 of the program
	Pair    string `json:"pair"`
	IDData  string `json:"id_data"` // SHA-256
	OODData string `json:"ood_data"`
	Epochs  int    `json:"epochs"`
	Part    string `json:"part"` // what was done, with its settings
}

// A cellFile is what is on disk.
type cellFile struct {
	Run    runKey          `json:"run"`
	Result json.RawMessage `json:"result"`
}

// do does the cells that are not on disk yet, several at a time, in their order.
func (p *plan) do(ctx context.Context) error {
	bar := progress.New(p.bench.stderr, p.bench.name, int64(len(p.cells)))
	defer bar.Done()
	var todo []*cell
	for _, c := range p.cells {
		var err error
		if c.file, err = readCell(c.path, c.key, p.bench.anyBuild); err != nil {
			return err
		}
		if c.file != nil {
			bar.Skip(1)
		} else {
			todo = append(todo, c)
		}
	}
	if p.bench.finished {
		todo = nil
	}
	err := each(ctx, p.bench.workers, len(todo), func(ctx context.Context, i int) error {
		c := todo[i]
		if err := c.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.key.Pair, err)
		}
		bar.Note(c.key.Pair)
		bar.Add(1)
		return nil
	})
	if err != nil {
		return err
	}
	p.bench.planned = len(p.cells)
	for _, c := range p.cells {
		if c.file == nil { // not finished, nor to be
			continue
		}
		p.bench.done++
		if err := c.take(c.file.Result); err != nil {
			return fmt.Errorf("cell %s: %w", c.path, err)
		}
	}
	return nil
}

// do does the cell and writes its file.
func (c *cell) do(ctx context.Context) error {
	result, err := c.run(ctx)
	if err != nil {
		return err
	}
	c.file = &cellFile{Run: c.key}
	if c.file.Result, err = json.Marshal(result); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o777); err != nil {
		return err
	}
	return writeJSON(c.path, c.file)
}

// readCell returns the cell on disk, or nil if there is none of this run. With anyBuild
// one of another build of the program will do.
func readCell(path string, key runKey, anyBuild bool) (*cellFile, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file cellFile
	if json.Unmarshal(data, &file) != nil {
		return nil, nil // it will be done again
	}
	if anyBuild {
		key.Build = file.Run.Build
	}
	if file.Run != key {
		return nil, nil
	}
	return &file, nil
}

// each calls do for 0 to n−1 in order, several at a time, and stops at the first
// error, which it returns.
func each(ctx context.Context, workers, n int, do func(context.Context, int) error) error {
	group, started := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := range n {
		group.Go(func() error {
			if started.Err() != nil {
				return nil
			}
			return do(started, i)
		})
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

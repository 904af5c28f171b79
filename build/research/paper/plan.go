package paper

import (
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
	"baca/build/internal/try"
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
	run  func(context.Context) any
	take func(result json.RawMessage)
	file *cellFile // nil until it is done
}

// add plans a cell. Once all cells are done, take is called with each result in the order of the plan. take is not called for
// a cell that --finished leaves undone.
func add[T any](p *plan, key runKey, part string, run func(context.Context) T, take func(T)) {
	b := p.bench
	key.Build, key.Part = b.build, b.settings+part
	path := filepath.Join(b.out, "cells", strings.ReplaceAll(key.Pair, "/", "-"), part+".json")
	c := &cell{path: path, key: key, run: func(ctx context.Context) any { return run(ctx) }}
	c.take = func(data json.RawMessage) {
		var result T
		if err := json.Unmarshal(data, &result); err != nil {
			try.Check(fmt.Errorf("cell %s: %w", path, err))
		}
		take(result)
	}
	p.cells = append(p.cells, c)
}

// addTo plans a cell of an evaluation.
func addTo[T any](p *plan, e *evaluation, part string, run func(context.Context) T, take func(T)) {
	add(p, runKey{Pair: e.pair.name(), IDData: e.id.sha256, OODData: e.outside.sha256, Epochs: e.epochs}, part+e.suffix(), run, take)
}

// eachBatch plans a cell of the test batch of each seed of each pair, the first seed of all pairs first.
func eachBatch[T any](p *plan, part string, run func(*testBatch, context.Context) T, take func(*evaluation, T)) {
	for _, seed := range p.bench.seeds {
		for _, e := range p.bench.evaluations {
			addTo(p, e, fmt.Sprintf("seed%d-%s", seed, part), onBatch(e, seed, firstOOD, run), func(c T) { take(e, c) })
		}
	}
}

// onBatch returns a cell's function: it prepares a seed's test batch and runs run on it.
func onBatch[T any](e *evaluation, seed uint64, ood string, run func(*testBatch, context.Context) T) func(context.Context) T {
	return func(ctx context.Context) T { return run(e.prepare(ctx, seed, ood), ctx) }
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

// do runs the cells that are not on disk yet, several at a time, and then calls take for each result.
func (p *plan) do(ctx context.Context) {
	bar := progress.New(p.bench.stderr, p.bench.name, int64(len(p.cells)))
	defer bar.Done()
	group, started := errgroup.WithContext(ctx)
	group.SetLimit(p.bench.workers)
	for _, c := range p.cells {
		if c.file = try.To(readCell(c.path, c.key, p.bench.anyBuild)); c.file != nil {
			bar.Skip(1)
		} else if !p.bench.finished {
			group.Go(func() error {
				if err := c.do(started); err != nil {
					return fmt.Errorf("%s, %s: %w", c.key.Pair, strings.TrimSuffix(filepath.Base(c.path), ".json"), err)
				}
				bar.Note(c.key.Pair)
				bar.Add(1)
				return nil
			})
		}
	}
	try.Check(group.Wait())
	try.Check(ctx.Err())
	p.bench.planned = len(p.cells)
	for _, c := range p.cells {
		if c.file != nil {
			p.bench.done++
			c.take(c.file.Result)
		}
	}
}

// do runs the cell and writes its file.
func (c *cell) do(ctx context.Context) (err error) {
	defer try.Catch(&err)
	try.Check(ctx.Err()) // another cell has failed
	file := &cellFile{c.key, try.To(json.Marshal(c.run(ctx)))}
	try.Check(os.MkdirAll(filepath.Dir(c.path), 0o777))
	try.Check(writeJSON(c.path, file))
	c.file = file
	return nil
}

// readCell returns the cell on disk, or nil if there is none of this run. With anyBuild
// one of another build of the program will do.
func readCell(path string, key runKey, anyBuild bool) (*cellFile, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file cellFile
	if err != nil || json.Unmarshal(data, &file) != nil {
		return nil, err // nil for a file that was cut short: the cell is done again
	}
	if anyBuild {
		key.Build = file.Run.Build
	}
	if file.Run != key {
		return nil, nil
	}
	return &file, nil
}

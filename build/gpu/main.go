// Command baca-gpu scores graphs and trains models as baca does, with encoders on a
// GPU: over Vulkan on Linux, Metal on macOS, Direct3D 12 on Windows.
//
//	baca-gpu devices
//	baca-gpu score [--device auto|cpu|gpu[:N]] [--model NAME|FILE] [--seed N] INPUT
//	baca-gpu pretrain [--device auto|cpu|gpu[:N]] --out MODEL [--epochs N] [--seed N] INPUT
//
// INPUT is a file of molecules (SMILES, CSV or SDF, also gzipped) or the folder of a
// TUDataset set. Score writes CSV to standard output. What else goes to standard
// error, with the device first.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/algo/wgsl"
	"baca/build/device"
	"baca/build/gpu/native"
	"baca/weights"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "baca-gpu: %v\n", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "baca-gpu: %v\n", err)
		os.Exit(1)
	}
}

// A usageError is a mistake in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return usagef("want devices, score or pretrain")
	}
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.SetOutput(stderr)
	j := job{ctx: ctx, stdout: stdout, stderr: stderr}
	where := f.String("device", "auto", device.Usage)
	f.IntVar(&j.workers, "workers", 0, "cores to use, 0 for all")
	f.Uint64Var(&j.seed, "seed", 1, "of everything random")
	switch args[0] {
	case "devices":
		list := native.Adapters()
		for i, a := range list {
			fmt.Fprintf(stdout, "gpu:%d  %s\n", i, a)
		}
		if len(list) == 0 {
			fmt.Fprintln(stderr, "no GPU with a driver that WebGPU can use")
		}
		return nil
	case "score":
		f.StringVar(&j.model, "model", "bbbp", "embedded model by `NAME`, or a model file")
	case "pretrain":
		f.StringVar(&j.out, "out", "", "model `file` to write")
		f.IntVar(&j.epochs, "epochs", 400, "times that every graph is trained on")
	default:
		return usagef("unknown command %q: want devices, score or pretrain", args[0])
	}
	if err := f.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return usageError{err}
	}
	if f.NArg() != 1 {
		return usagef("%d inputs: want one file of molecules or folder of a TUDataset set", f.NArg())
	}
	var err error
	if j.device, err = device.Parse(*where); err != nil {
		return usageError{err}
	}
	j.input = f.Arg(0)
	if args[0] == "score" {
		return j.score()
	}
	return j.pretrain()
}

// A job is one score or pretrain.
type job struct {
	ctx            context.Context
	stdout, stderr io.Writer
	device         device.Choice
	input          string
	model, out     string
	epochs         int
	workers        int
	seed           uint64
}

// open opens the device and says which one it is.
func (j *job) open(shape gin.Config) (gin.Device, error) {
	d, what, err := j.device.Open(j.ctx, func(n int) (wgsl.GPU, error) { return native.Open(n) }, j.workers, shape)
	if err == nil {
		fmt.Fprintf(j.stderr, "device: %s\n", what)
	}
	return d, err
}

// read opens the input: its records, their schema and what to close.
func (j *job) read() (table.Input, string, func() error, error) {
	info, err := os.Stat(j.input)
	if err != nil {
		return table.Input{}, "", nil, err
	}
	if info.IsDir() {
		set, err := dataset.ReadTU(os.DirFS(j.input), "")
		if err != nil {
			return table.Input{}, "", nil, fmt.Errorf("%s: %w", j.input, err)
		}
		return table.Input{Records: table.Graphs(set.Graphs)}, algo.Constant, func() error { return nil }, nil
	}
	f, err := os.Open(j.input)
	if err != nil {
		return table.Input{}, "", nil, err
	}
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return table.Input{}, "", nil, err
	}
	format := dataset.DetectFormat(j.input, head[:n])
	return table.Input{Records: table.Molecules(f, dataset.Options{Name: j.input, Format: format})}, algo.OGB, f.Close, nil
}

func (j *job) score() error {
	m, err := weights.Open(j.model)
	if errors.Is(err, weights.ErrUnknown) {
		var f *os.File
		if f, err = os.Open(j.model); err == nil {
			defer f.Close()
			m, err = weights.Read(f)
		}
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", j.model, err)
	}
	in, schema, done, err := j.read()
	if err != nil {
		return err
	}
	defer done()
	if schema != m.Card.Schema {
		return fmt.Errorf("model %s reads graphs with the schema %s, %s has %s", j.model, m.Card.Schema, j.input, schema)
	}
	if m.Encoder.Device, err = j.open(m.Encoder.Config); err != nil {
		return err
	}
	o := algo.DefaultOptions()
	o.Seed, o.Workers = j.seed, j.workers
	s, err := algo.NewScorer(m, o)
	if err != nil {
		return err
	}
	w := table.NewCSV(j.stdout, true)
	err = table.Score(j.ctx, s, in, table.Options{Seed: j.seed, Workers: j.workers}, func(rows []table.Scored) error {
		for _, r := range rows {
			w.Write(r.Record, r.Scores)
		}
		return w.Flush()
	})
	return errors.Join(err, w.Flush())
}

func (j *job) pretrain() error {
	if j.out == "" || j.epochs < 1 {
		return usagef("want --out MODEL and at least one epoch")
	}
	in, schema, done, err := j.read()
	if err != nil {
		return err
	}
	defer done()
	var gs []*graph.Graph
	refused := 0
	for r, err := range table.Parse(j.ctx, j.workers, in.Records) {
		switch {
		case err != nil:
			return err
		case r.Err != nil:
			refused++
		default:
			gs = append(gs, r.Graph)
		}
	}
	fmt.Fprintf(j.stderr, "%d graphs, %d records refused\n", len(gs), refused)
	features, err := algo.SchemaWidth(schema)
	if err != nil {
		return err
	}
	o := pretrain.Defaults(features)
	o.Seed, o.Workers = j.seed, j.workers
	if o.Device, err = j.open(o.Config); err != nil {
		return err
	}
	train, holdout := dataset.Split(len(gs), j.seed)
	picked := make([]*graph.Graph, len(train))
	for k, i := range train {
		picked[k] = gs[i]
	}
	t, err := pretrain.New(picked, o, nil)
	if err != nil {
		return err
	}
	var loss pretrain.Loss
	for t.Epochs() < j.epochs {
		if loss, err = t.Epoch(j.ctx); err != nil {
			return err
		}
		fmt.Fprintf(j.stderr, "epoch %d/%d, loss %.4f (graphs %.4f, nodes %.4f)\n", loss.Epoch, j.epochs, loss.Total, loss.Graph, loss.Node)
	}
	name := filepath.Base(j.input)
	card := algo.Card{
		Name: strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), filepath.Ext(strings.TrimSuffix(name, ".gz")))), Schema: schema, Dataset: name,
		Description: fmt.Sprintf("Trained on %s for %d epochs.", name, j.epochs),
		Seed:        j.seed, Epochs: j.epochs, Batch: o.Batch, LearningRate: o.LearningRate, Loss: loss.Total, Program: algo.Version,
	}
	if card.DatasetSHA256, err = sum(j.input); err != nil {
		return err
	}
	m, err := algo.NewModel(j.ctx, j.workers, t.Encoder(), gs, train, holdout, card)
	if err != nil {
		return err
	}
	out, err := os.Create(j.out)
	if err != nil {
		return err
	}
	return errors.Join(weights.Save(out, m), out.Close())
}

// sum is the sha-256 of a file in hex, empty for a folder.
func sum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

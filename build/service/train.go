package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/weights"
)

type Training struct {
	List List
	Recipe
	// Values are the values of the records, or nil. With them the model stores held-out errors, for [Judging.Join]. Each
	// prediction must be one that was made without its record.
	Values []algo.Values
	// Columns names the values that the model stores.
	Columns algo.ValueColumns
	// StepNodes bounds the nodes of one training step, which take 8 kB each. 0 is no bound.
	StepNodes int
}

// ErrLarge means that the graphs of a list are too large to train on.
var ErrLarge = errors.New("graphs too large to train on here")

// A step has the sizes of the largest graphs so far, as many as fit into one training step. sum is their sum: no step
// has more nodes.
type step struct {
	sizes []int // ascending
	sum   int
}

// add adds a graph of so many nodes. If there are more than a batch has, it drops the smallest.
func (s *step) add(nodes int) {
	at, _ := slices.BinarySearch(s.sizes, nodes)
	s.sizes = slices.Insert(s.sizes, at, nodes)
	s.sum += nodes
	if len(s.sizes) > pretrain.Defaults(1).Batch {
		s.sum -= s.sizes[0]
		s.sizes = s.sizes[1:]
	}
}

// A Recipe says how a model is made from a list.
type Recipe struct {
	Name   string `json:"name"`   // of the model
	Epochs int    `json:"epochs"` // 0 for the default of the command train
	For    string `json:"for"`    // "attention" or empty, as --for of the command train
	Seed   uint64 `json:"seed"`
	// AsWritten makes the model read molecules as written, not their parents.
	AsWritten bool `json:"as_written"`
	// KeepStructures stores the molecules and their values in the model, to be shown as neighbours.
	KeepStructures bool `json:"keep_structures"`
}

type Progress struct {
	Epoch  int     `json:"epoch"` // from 1
	Epochs int     `json:"epochs"`
	Loss   float64 `json:"loss"`
}

type Trained struct {
	File    []byte           // the model's file
	Refused []dataset.Record // records that cannot be read
	Warning string           // what the model cannot do, or empty
}

// Train trains a model on a list, as the command train does on a file. It calls progress after each epoch, and
// returns its error, which ends the training. It also returns an error if
//
//   - the recipe has too many epochs, or an unknown purpose,
//   - there are values, but not one for each record,
//   - it should keep the structures of plain graphs,
//   - the largest graphs have more nodes than StepNodes allows (ErrLarge),
//   - fewer than training.MinTraining records can be read.
func (s *Service) Train(ctx context.Context, t Training, progress func(Progress) error) (*Trained, error) {
	if err := training.CheckLength(t.For, t.Epochs); err != nil {
		return nil, err
	}
	if n := len(t.Values); t.Values != nil && n != t.List.Len() {
		return nil, fmt.Errorf("values for %d records: want one for each of the %d", n, t.List.Len())
	}
	schema := algo.OGBParent
	switch {
	case len(t.List.Graphs) > 0 && t.KeepStructures:
		return nil, errors.New("keep_structures: only molecules have structures, and the list holds plain graphs")
	case len(t.List.Graphs) > 0:
		schema = algo.Constant
	case t.AsWritten:
		schema = algo.OGBCanonical
	}
	out := &Trained{}
	job := training.Training{Workers: s.workers, Split: dataset.Hold, Save: weights.SaveMeasured, ValueColumns: t.Columns, For: t.For, Card: algo.Card{
		Name: t.Name, Schema: schema, Dataset: fmt.Sprintf("a list of %d", t.List.Len()), DatasetSHA256: t.List.sum(), Seed: t.Seed, Epochs: t.Epochs,
	}}
	records, err := t.List.records(schema, algo.FormOf(schema), MaxTraining)
	if err != nil {
		return nil, err
	}
	var set []algo.Source
	var largest step
	for r, err := range dataset.Parse(ctx, s.workers, records) {
		if err != nil {
			return nil, err
		}
		if r.Err != nil {
			out.Refused = append(out.Refused, r)
			continue
		}
		largest.add(r.Graph.N())
		if t.StepNodes > 0 && largest.sum > t.StepNodes {
			return nil, fmt.Errorf("%w: up to record %d the %d largest have %d nodes together, want at most %d: "+
				"leave out the largest, or train with the command", ErrLarge, r.Row, len(largest.sizes), largest.sum, t.StepNodes)
		}
		from := algo.Source{Graph: r.Graph, SMILES: r.SMILES}
		if i := r.Row - 1 - t.List.First; t.Values != nil {
			from.Values = &t.Values[i]
		}
		set = append(set, from)
	}
	job.Take(set, t.Values != nil, t.KeepStructures)
	if n := len(job.Graphs); n < training.MinTraining {
		return nil, fmt.Errorf("%s to train on, %d refused: want at least %d", explain.Count(n, "graph"), len(out.Refused), training.MinTraining)
	}
	if schema != algo.Constant {
		job.Card.Background = algo.BuiltInBackground
		o := dataset.Options{Format: dataset.SMI, Form: algo.FormOf(schema), Workers: s.workers}
		if job.Outside, _, err = training.ReadBackground(ctx, weights.Background(), o, nil); err != nil {
			return nil, err
		}
	}
	told := func() error { // after each epoch
		return progress(Progress{Epoch: job.State.Epoch, Epochs: job.Card.Epochs, Loss: job.Loss.Total})
	}
	if out.File, err = job.Make(ctx, told); err != nil {
		return nil, err
	}
	out.Warning = job.Warning()
	return out, nil
}

// Features is the number of features of a fingerprint.
const Features = 2048

// scaffoldHeight is the height of the subtrees by which scaffolds are told apart.
const scaffoldHeight = 4

// Fingerprints calls emit for each record. counts has, at the column of a surrounding's hash, how many nodes have that
// surrounding, where 255 stands for 255 or more. Records with the same scaffold have the same number. A record that cannot
// be read has Err and zeros.
func (s *Service) Fingerprints(ctx context.Context, l List, emit func(r dataset.Record, counts []byte, scaffold uint32)) error {
	schema := algo.OGBParent
	if len(l.Graphs) > 0 {
		schema = algo.Constant
	}
	records, err := l.records(schema, algo.FormOf(schema), MaxTraining)
	if err != nil {
		return err
	}
	var print fingerprint.Print
	for r, err := range dataset.Parse(ctx, s.workers, records) {
		if err != nil {
			return err
		}
		counts, scaffold := make([]byte, Features), uint32(0)
		if r.Err == nil {
			scaffold = uint32(fingerprint.New(r.Graph.Core(), scaffoldHeight).Hash())
			print.Describe(r.Graph, fingerprint.DefaultHeight)
			for k, key := range print.Keys {
				at := &counts[key%Features]
				*at = byte(min(255, uint32(*at)+print.Counts[k]))
			}
		}
		emit(r, counts, scaffold)
	}
	return nil
}

// sum returns the SHA-256 of the SMILES, one on each line, and of the numbers of the graphs.
func (l *List) sum() string {
	h := sha256.New()
	for _, text := range l.SMILES {
		h.Write([]byte(text))
		h.Write([]byte{'\n'})
	}
	for _, p := range l.Graphs {
		fmt.Fprintln(h, p.N, p.Edges)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

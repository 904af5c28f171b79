// Package algo is the front door of BaCa: it tells which graphs lie outside the training set of a
// model. The packages below it are single stages of the method; these are the ones to begin with.
//
//   - model: what was learned
//   - alone: the score of one graph, and why it has it
//   - batch: the score of a list
//   - run: reads, scores, explains and writes a file of them
//
// A molecule must be read as the model reads it:
//
//	m, err := weights.Open("bbbp") // or weights.Load, of a file
//	scorer, err := alone.New(ctx, m, 0)
//	g, _, err := smiles.ParseIn("CCO", m.Form())
//	scores, err := scorer.Scores(ctx, []*graph.Graph{g})
//	p, verdicts := scorer.Judge(scores, 0.05)
//
// Your module finds these packages in a copy of the project:
//
//	go mod edit -replace baca=FOLDER
//	go get baca/algo baca/weights
package algo

import (
	"context"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule"
)

// Names of the packages below, for faces.
type (
	Model         = model.Model
	Card          = model.Card
	Section       = model.Section
	Structures    = model.Structures
	Source        = model.Source
	Values        = model.Values
	ValueColumns  = model.ValueColumns
	Residuals     = model.Residuals
	Column        = model.Column
	Trait         = model.Trait
	Measured      = model.Measured
	SingleScorer  = alone.Scorer
	Explanation   = alone.Explanation
	TrainingGraph = alone.TrainingGraph
	Scorer        = batch.Scorer
	Options       = batch.Options
	Row           = batch.Row
	Report        = batch.Report
)

const (
	Version           = model.Version
	OGB               = model.OGB
	OGBCanonical      = model.OGBCanonical
	OGBParent         = model.OGBParent
	Constant          = model.Constant
	BuiltInBackground = model.BuiltInBackground
	NoPromise         = model.NoPromise
	MaxHoldout        = model.MaxHoldout
	DefaultShare      = alone.DefaultShare
	MaxNearest        = alone.MaxNearest
	NearestExplained  = alone.NearestExplained
	ByAlone           = batch.ByAlone
	ByBatch           = batch.ByBatch
	ByAttention       = batch.ByAttention
	MinBatch          = batch.MinBatch
	DeviceChunk       = batch.DeviceChunk
)

func FormOf(schema string) molecule.Form { return model.FormOf(schema) }

func SchemaOf(f molecule.Form) string { return model.SchemaOf(f) }

func SchemaWidth(schema string) (int, error) { return model.SchemaWidth(schema) }

func Reads(schema string) string { return model.Reads(schema) }

func NoValues() *Values { return model.NoValues() }

func NewModel(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph, train, holdout []int, card Card) (*Model, error) {
	return model.New(ctx, workers, e, gs, train, holdout, card)
}

func NewSingleScorer(ctx context.Context, m *Model, workers int) (*SingleScorer, error) {
	return alone.New(ctx, m, workers)
}

func DefaultOptions() Options { return batch.DefaultOptions() }

func Deciders() []string { return batch.Deciders() }

func CheckBy(by string) error { return batch.CheckBy(by) }

package split

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/property"
)

// Ways to split, see [Splitting].
const (
	ByScaffold = "scaffold" // whole scaffolds are drawn
	ByCluster  = "cluster"  // whole clusters are drawn
	ByTime     = "time"     // the newest are tested
	ByProperty = "property" // those with the highest values are tested
	ByRandom   = "random"   // molecules are drawn
)

// Ways are all ways to split molecules.
var Ways = []string{ByScaffold, ByCluster, ByTime, ByProperty, ByRandom}

// Names of the parts.
const (
	TrainPart = "train"
	TestPart  = "test"
)

// A Splitting divides molecules into those to train on and those to test. Copies of a molecule stay together.
type Splitting struct {
	By      string
	Values  string  // of ByTime and ByProperty: a column of the input or of [property.Columns]
	Share   float64 // of the molecules to test, at most
	Seed    uint64
	Workers int
}

// Sorted reports whether values decide.
func (s *Splitting) Sorted() bool { return s.By == ByTime || s.By == ByProperty }

// Columns returns the column of the input that has the values, see [dataset.Options]. It returns nil without one:
// values are not needed, or computed.
func (s *Splitting) Columns() []string {
	if s.Values == "" || property.ColumnOf(s.Values) != nil {
		return nil
	}
	return []string{s.Values}
}

// splitStream is the PCG stream of drawn groups.
const splitStream = 0xba1a_1015

// Split returns the part of each record, TrainPart or TestPart. A record that was refused, or whose value cannot be read, has
// no part and Err. It fails if a part would be empty.
func (s *Splitting) Split(ctx context.Context, records []dataset.Record) ([]string, error) {
	parts := make([]string, len(records))
	molecules, err := s.molecules(ctx, records)
	if err != nil || len(molecules.rows) == 0 {
		return parts, err
	}
	train, test, err := s.divide(ctx, molecules)
	if err == nil && (len(train) == 0 || len(test) == 0) {
		err = fmt.Errorf("no molecule is left to train on or to test, of %d by %s: want another share, or another way to split",
			len(molecules.rows), s.By)
	}
	for name, places := range map[string][]int{TrainPart: train, TestPart: test} {
		for _, i := range places {
			parts[molecules.rows[i]] = name
		}
	}
	return parts, err
}

// divide returns the molecules to train on and those to test, at most s.Share of all. By time or property it tests
// those with the highest values, otherwise groups that it draws.
func (s *Splitting) divide(ctx context.Context, m *splitMolecules) (train, test []int, err error) {
	want := int(s.Share * float64(len(m.rows)))
	groups := Copies(m.graphs)
	switch s.By {
	case ByTime, ByProperty:
		train, test = Highest(groups, func(i int) float64 { return m.values[i] }, want)
		return train, test, nil
	case ByScaffold:
		groups = Scaffolds(m.graphs)
	case ByCluster:
		groups, err = Clusters(ctx, s.Workers, m.prints, SameCluster)
	}
	train, test = Draw(rand.New(rand.NewPCG(s.Seed, splitStream)), groups, want)
	return train, test, err
}

// splitMolecules are the molecules that can be split.
type splitMolecules struct {
	rows   []int // of each
	graphs []*graph.Graph
	prints []fingerprint.Print // of ByCluster
	values []float64           // of Values
}

// molecules returns the molecules of records without Err, and sets Err of those that describe refuses.
func (s *Splitting) molecules(ctx context.Context, records []dataset.Record) (*splitMolecules, error) {
	prints, values := make([]fingerprint.Print, len(records)), make([]float64, len(records))
	err := parallel.For(ctx, s.Workers, len(records), func(_, i int) {
		if r := &records[i]; r.Err == nil {
			prints[i], values[i], r.Err = s.describe(r)
		}
	})
	m := &splitMolecules{}
	for i, r := range records {
		if r.Err == nil {
			m.rows, m.graphs = append(m.rows, i), append(m.graphs, r.Graph)
			m.prints, m.values = append(m.prints, prints[i]), append(m.values, values[i])
		}
	}
	return m, err
}

// describe returns the ECFP4 and the value of a molecule, if the way to split needs them.
func (s *Splitting) describe(r *dataset.Record) (p fingerprint.Print, value float64, err error) {
	computed := property.ColumnOf(s.Values)
	if s.By == ByCluster || computed != nil {
		read, err := smiles.Parse(cmp.Or(r.SMILES, r.Written))
		if err != nil {
			return p, 0, err
		}
		parent, _, _ := smiles.In(read, molecule.UnorderedParent)
		if computed != nil {
			of := property.Of(parent)
			return p, computed.Of(&of), nil
		}
		return baseline.ECFP(parent, 2), 0, nil
	}
	if r.Cells != nil {
		if value, err = numberOrDate(r.Cells[0]); err != nil {
			err = r.FailCell(0, fmt.Errorf("column %s: %w", s.Values, err))
		}
	}
	return p, value, err
}

// dateLayouts are those of ISO 8601 and RFC 3339, which no country reads otherwise.
var dateLayouts = []string{time.DateOnly, time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01"}

// numberOrDate reads a date as its year and the part of it that has passed, so that 2024 is the first day of that year.
func numberOrDate(cell string) (float64, error) {
	if x, ok := dataset.Decimal(cell); ok {
		return x, nil
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, cell); err == nil {
			t = t.UTC()
			begin := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
			return float64(t.Year()) + float64(t.Sub(begin))/float64(begin.AddDate(1, 0, 0).Sub(begin)), nil
		}
	}
	return 0, fmt.Errorf("%q, want a number, or a date such as 2024-05-31", cell)
}

// Part returns the records of a part, in order.
func Part(records []dataset.Record, parts []string, name string) (list []dataset.Record) {
	for i, part := range parts {
		if part == name {
			list = append(list, records[i])
		}
	}
	return slices.Clip(list)
}

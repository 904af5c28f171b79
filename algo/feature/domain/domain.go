// Package domain makes reports on the applicability domain of a model, for regulators.
package domain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
	"baca/algo/property"
	"baca/algo/report"
)

// What a Domain has where nothing else is asked for.
const (
	Confidence = 0.95
	Neighbors  = 5 // a row of paper
)

// MaxSubstances bounds a report with a page and more for each.
const MaxSubstances = 100

// A Domain describes a model's applicability domain, and reports whether substances are within it. It
// says nothing of an endpoint.
type Domain struct {
	document.About
	Model   *model.Model
	Bytes   int    // of its file
	SHA256  string // of that, hex
	Program string // and its version

	Published string // date on which the model was published, empty for a report

	Alpha      float64
	Confidence float64 // of the intervals of p-values
	References int     // number of held-out graphs
	Reach      float64 // the least score that is called outside, NaN if the holdout does not suffice

	Ranges []PropertyRange // of training molecules, nil if the model holds no structures

	Substances []Substance

	Alone     *alone.Scorer
	Name      string // the value of --model
	Neighbors int    // structural analogues of each substance
}

// New completes a report without substances, which has the model and its file and scorer, the program and the rates.
func New(q Domain) *Domain {
	q.Title = "Applicability domain: " + q.Model.Card.Name
	q.References, q.Reach, q.Ranges = q.Model.References(), math.NaN(), RangesOf(q.known())
	if limit, known := decide.Threshold(q.Alone.Holdout(), q.Alpha); known {
		q.Reach = limit
	}
	return &q
}

// Check reports a model of plain graphs.
func Check(m *model.Model) error {
	if m.Card.Schema == model.Constant {
		return fmt.Errorf("model %s reads plain graphs: the forms are about substances, so want a model of molecules", m.Card.Name)
	}
	return nil
}

// known are the properties of the training molecules, as far as the model holds their structures.
func (q *Domain) known() (list []property.Properties) {
	if q.Model.Structures == nil {
		return nil
	}
	for _, text := range q.Model.Structures.SMILES {
		if m, err := smiles.Parse(text); err == nil {
			list = append(list, q.propertiesOf(m))
		}
	}
	return list
}

// propertiesOf are those of a molecule as the model reads it.
func (q *Domain) propertiesOf(m *molecule.Molecule) property.Properties {
	read, _, _ := smiles.In(m, q.Model.Form())
	return property.Of(read)
}

// Add judges a molecule, with its graph in the form of the model, and adds it to the report; of
// one that is refused only a warning.
func (q *Domain) Add(ctx context.Context, r dataset.Record) error {
	if r.Err != nil {
		q.Warnings = append(q.Warnings, "refused: "+r.Err.Error())
		return nil
	}
	s, err := q.substance(ctx, r)
	if err == nil {
		q.Substances = append(q.Substances, s)
	}
	return err
}

// ModelPage describes the domain. The command writes it to that file.
func (q *Domain) ModelPage(out string) *Domain {
	q.Title = "Applicability domain of model " + q.Model.Card.Name
	q.Command = document.WithFlags("baca report --qmrf", append(q.flags(), document.Flag{Name: "--out", Value: out}))
	return q
}

// flags are those of every command.
func (q *Domain) flags(more ...document.Flag) []document.Flag {
	alpha := document.Flag{Name: "--alpha", Value: fmt.Sprint(q.Alpha), Usual: fmt.Sprint(batch.DefaultOptions().Alpha)}
	return slices.Concat([]document.Flag{{Name: "--model", Value: q.Name}}, more, []document.Flag{alpha})
}

// Repeat is the command that reads an input, by these flags, and writes the report to a file.
func (q *Domain) Repeat(input []document.Flag, out, path string) string {
	flags := append(q.flags(), input...)
	return document.Command("baca report --qprf", append(flags, append(q.form(), document.Flag{Name: "--out", Value: out})...), path)
}

// form returns the flags that only reports on substances have.
func (q *Domain) form() []document.Flag {
	return []document.Flag{
		{Name: "--neighbors", Value: strconv.Itoa(q.Neighbors), Usual: strconv.Itoa(Neighbors)},
		{Name: "--confidence", Value: fmt.Sprint(q.Confidence), Usual: fmt.Sprint(Confidence)},
	}
}

// Score finds the numbers of a report again, of all records of an input that is read by these
// flags.
func (q *Domain) Score(input []document.Flag, path string) string {
	return document.Command("baca score", append(q.flags(input...), q.explained()...), path)
}

// explained are the flags of a command that finds numbers again.
func (q *Domain) explained() []document.Flag {
	return []document.Flag{{Name: "--explain --neighbors", Value: strconv.Itoa(q.Neighbors)}, {Name: "--to", Value: "jsonl"}}
}

// Piped is a command that is given the substances themselves. They are to have SMILES of the
// input, see Substance.
func (q *Domain) Piped(out string) string {
	return q.pipe(q.Substances, "baca report --qprf", append(q.form(), document.Flag{Name: "--out", Value: out})...)
}

// substance judges a molecule, which is not refused, with its graph in the form of the model.
func (q *Domain) substance(ctx context.Context, r dataset.Record) (s Substance, err error) {
	alone, form := q.Alone, q.Model.Form()
	s = Substance{
		Entry:   report.Entry{ID: r.ID, SMILES: r.SMILES, SetAside: r.Aside.String(), Place: r.Row, Graph: r.Graph},
		Molfile: r.Molfile() != "", Nearest: alone.Nearest(r.Graph, q.Neighbors),
	}
	if s.Molfile {
		m, err := molfile.Parse(r.Molfile())
		if err != nil {
			return s, err
		}
		canonical, _, _ := smiles.In(m, molecule.Canonical)
		s.SMILES = smiles.Write(canonical)
	}
	if err := s.Explain(ctx, alone, q.Alpha, form); err != nil {
		return s, err
	}
	m, err := smiles.Parse(s.SMILES)
	if err != nil {
		return s, err
	}
	write := func(f molecule.Form) string {
		read, _, _ := smiles.In(m, f)
		return smiles.Write(read)
	}
	s.Canonical, s.Formula, s.Properties = write(molecule.Canonical), m.Formula(), q.propertiesOf(m)
	if form == molecule.Parent {
		s.Read = write(form)
	}
	n := 0
	for _, x := range alone.Holdout() {
		if math.IsNaN(x) {
			continue
		}
		if n++; x >= s.Why.Score {
			s.AsHigh++
		}
	}
	s.Low, s.High = decide.Interval(s.AsHigh, n, q.Confidence)
	s.Unmet, s.Surroundings = alone.Surroundings(r.Graph)
	if !s.Molfile {
		s.Command = q.pipe([]Substance{s}, "baca score", q.explained()...)
	}
	return s, nil
}

// pipe is a command that is given molecules and their names.
func (q *Domain) pipe(list []Substance, command string, more ...document.Flag) string {
	text := `printf '%s\n'`
	for i := range list {
		line := list[i].SMILES
		// A name of several lines has none in a file of one molecule a line.
		if !strings.ContainsAny(list[i].ID, "\r\n") {
			line += " " + list[i].ID
		}
		text += " " + document.Quote(line)
	}
	return text + " | " + document.WithFlags(command, append(q.flags(document.Flag{Name: "--format", Value: "smi"}), more...)) + " -"
}

package job

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
	"baca/algo/report"
	"baca/algo/table"
)

// A DomainQuestion says how substances are judged for a report on the applicability domain.
type DomainQuestion struct {
	Alpha, Confidence float64
	Neighbors         int           // structural analogues of each
	Form              molecule.Form // in which the model reads molecules
	Model             string        // the value of --model
}

// Substance judges a molecule, which is not refused, with its graph in that form.
func (q *DomainQuestion) Substance(ctx context.Context, alone *algo.SingleScorer, r table.Record) (s report.Substance, err error) {
	s = report.Substance{
		Entry:   report.Entry{ID: r.ID, SMILES: r.SMILES, Place: r.Row},
		Molfile: r.Molfile != "", Nearest: alone.Nearest(r.Graph, q.Neighbors),
	}
	if s.Molfile {
		m, err := molfile.Parse(r.Molfile)
		if err != nil {
			return s, err
		}
		canonical, _ := smiles.In(m, molecule.Canonical)
		s.SMILES = smiles.Write(canonical)
	}
	if err := s.Explain(ctx, alone, r.Graph, q.Alpha, q.Form); err != nil {
		return s, err
	}
	m, err := smiles.Parse(s.SMILES)
	if err != nil {
		return s, err
	}
	write := func(f molecule.Form) string {
		read, _ := smiles.In(m, f)
		return smiles.Write(read)
	}
	s.Canonical, s.Formula = write(molecule.Canonical), m.Formula()
	if q.Form == molecule.Standard {
		s.Read = write(q.Form)
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
		s.Command = q.Pipe(&s, "baca score", Flag{"--explain --neighbors", strconv.Itoa(q.Neighbors), ""}, Flag{"--to", "jsonl", ""})
	}
	return s, nil
}

// Pipe is the command that is given one molecule, and its name.
func (q *DomainQuestion) Pipe(s *report.Substance, command string, more ...Flag) string {
	line := s.SMILES
	// A name of several lines has none in a file of one molecule a line.
	if !strings.ContainsAny(s.ID, "\r\n") {
		line += " " + s.ID
	}
	return `printf '%s\n' ` + report.Quote(line) + " | " + Words(command, append([]Flag{
		{"--model", q.Model, ""}, {"--format", "smi", ""}, {"--alpha", fmt.Sprint(q.Alpha), fmt.Sprint(algo.DefaultOptions().Alpha)},
	}, more...)) + " -"
}

// Words are a command with those of its flags that have no usual value.
func Words(command string, flags []Flag) string {
	for _, f := range flags {
		if f.Value != f.Usual {
			command += " " + f.Name + " " + report.Quote(f.Value)
		}
	}
	return command
}

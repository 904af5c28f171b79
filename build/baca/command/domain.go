package command

import (
	"fmt"
	"io"

	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/feature/domain"
	"baca/build/internal/version"
)

// domain returns what a regulator's form is made of.
func (f *reportFlags) domain(o *opening) *domain.Domain {
	return domain.New(domain.Domain{
		Model: o.model, SHA256: hashOf(o.data), Bytes: len(o.data), Program: "baca " + version.String(), Alpha: f.options.Alpha, Confidence: f.interval,
		Alone: o.alone, Name: f.model, Neighbors: f.analogues,
	})
}

// writeQPRF judges all molecules and writes a QPRF, as HTML or JSON.
func (f *reportFlags) writeQPRF(o *opening) error {
	d := f.domain(o)
	read, refused, err := f.judgeAll(d, o)
	if err != nil {
		return err
	}
	write := domain.Write
	if f.json() {
		write = domain.WriteJSON
	}
	if err := f.save(f.out, &d.About, func(w io.Writer) error { return write(w, d) }, "seed"); err != nil {
		return err
	}
	var counts decide.Counts
	for i := range d.Substances {
		counts.Count(d.Substances[i].Why.Verdict)
	}
	fmt.Fprintf(f.c.ErrOrStderr(), "%d read, %d refused; %s; wrote %s\n", read, refused, counts.Verdicts(), f.out)
	return nil
}

// judgeAll reads and judges the molecules of the input, and returns how many it read and refused.
func (f *reportFlags) judgeAll(d *domain.Domain, o *opening) (read, refused int, err error) {
	ctx := f.c.Context()
	for r, err := range dataset.Parse(ctx, f.workers, o.records.Records) {
		if err != nil {
			return read, refused, err
		}
		read++
		if read > domain.MaxSubstances {
			return read, refused, fmt.Errorf("too many molecules: --qprf writes a page and more for each, and for at most %d; choose those that matter", domain.MaxSubstances)
		}
		if r.Err != nil {
			refused++
		}
		if err := d.Add(ctx, r); err != nil {
			return read, refused, err
		}
	}
	d.Warnings = append(d.Warnings, o.warnings...)
	for _, w := range d.Warnings {
		fmt.Fprintf(f.c.ErrOrStderr(), "warning: %s\n", w)
	}
	if d.Input, err = f.describe(o.input); err != nil {
		return read, refused, err
	}
	return read, refused, checkRead(read, refused)
}

// writeQMRF writes a QMRF of the model, as HTML or JSON. It reads no molecules.
func (f *reportFlags) writeQMRF(q *domain.Domain) error {
	p := q.ModelPage(f.out)
	f.paths = nil
	write := domain.WriteModelPage
	if f.json() {
		write = domain.WriteModelPageJSON
	}
	if err := f.save(f.out, &p.About, func(w io.Writer) error { return write(w, p) }, "seed"); err != nil {
		return err
	}
	fmt.Fprintf(f.c.ErrOrStderr(), "wrote %s\n", f.out)
	return nil
}

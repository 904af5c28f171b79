package wgsl

import (
	"context"
	"fmt"
	"math"
)

// splits is the number of parts of sums over m negatives for n graphs, which keeps a GPU busy on
// small batches. It depends on nothing else, as it shows in the last bits.
func splits(n, m int) int {
	tiles := (n + graphTile - 1) / graphTile
	return max(1, min(256/max(tiles, 1), 16, (m+graphTile-1)/graphTile))
}

// sumWork lists the work of ℓ_g: sums of n rows over m others, in parts.
func (b *batch) sumWork(n, m int) (place, count int) {
	place = len(b.tables)
	parts := splits(n, m)
	for s := range parts {
		lo, hi := m*s/parts, m*(s+1)/parts
		for i := 0; i < n; i += graphTile {
			b.piece(words(i, min(graphTile, n-i), lo, hi-lo, s*n+i)...)
			count++
		}
	}
	return place, count
}

// lossBlock is the most graphs, and the most negatives, of one submission of
// GraphLoss.
const lossBlock = 1 << 16

// GraphLoss implements gin.Device. The sums of blocks are added in float64 here.
func (d *Device) GraphLoss(ctx context.Context, width int, zf, zs, nf, ns []float32, self bool, loss []float64) error {
	d.lock()
	defer d.mu.Unlock()
	n := len(loss)
	if self {
		nf, ns = zf, zs
	}
	m := len(nf) / width
	if len(zf) != n*width || len(zs) != n*width || len(nf) != m*width || len(ns) != m*width {
		panic(fmt.Sprintf("wgsl: losses of %d graphs from %d and %d values against %d and %d of width %d", n, len(zf), len(zs), len(nf), len(ns), width))
	}
	block := min(lossBlock, d.limits.Binding/(4*width), d.limits.Binding/(4*16))
	if block < 1 {
		return &SizeError{Device: d.String(), What: fmt.Sprintf("a row of %d values", width), Need: 4 * width, Have: d.limits.Binding}
	}
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		rows, cols, cosines := make([]float64, hi-lo), make([]float64, hi-lo), make([]float64, hi-lo)
		for from := 0; from < m; from += block {
			to := min(m, from+block)
			if err := ctx.Err(); err != nil {
				return err
			}
			err := d.blockSums(ctx, width, zf[lo*width:hi*width], zs[lo*width:hi*width], nf[from*width:to*width], ns[from*width:to*width],
				self && lo == from, rows, cols, cosines)
			if err != nil {
				return fits(err, hi-lo)
			}
		}
		for i := range rows {
			loss[lo+i] = 0.5*math.Log(rows[i]*cols[i]) - cosines[i]*inverse
			if m == 0 || self && n == 1 {
				loss[lo+i] = math.NaN()
			}
		}
	}
	return ctx.Err()
}

// negatives identify the unit rows in two buffers and keep them alive, so that no others take their
// place.
type negatives struct {
	uf, us       Buffer
	width, count int
	nf, ns       *float32
}

// blockSums adds the sums of e^{cos/τ} of the rows zf over ns to rows and of zs over nf to cols,
// and sets cosines to those between a row's views. With self set the negatives are the rows.
func (d *Device) blockSums(ctx context.Context, width int, zf, zs, nf, ns []float32, self bool, rows, cols, cosines []float64) error {
	n, m := len(zf)/width, len(nf)/width
	parts := splits(n, m)
	b := new(batch)
	place, count := b.sumWork(n, m)
	j := &job{d: d}
	var s space
	s.tables = j.buffer("tables", len(b.tables))
	j.reserveLoss(&s, n, parts*n, width)
	z := [2]Buffer{j.buffer("projections 0", n*width), j.buffer("projections 1", n*width)}
	j.write(s.tables, bytesOf(b.tables))
	j.write(z[0], bytesOf(zf))
	j.write(z[1], bytesOf(zs))
	uf, us := s.uf, s.us
	if !self && m > 0 {
		uf, us = j.buffer("unit negatives 0", m*width), j.buffer("unit negatives 1", m*width)
		if key := (negatives{uf, us, width, m, &nf[0], &ns[0]}); d.bank != key {
			// Their lengths are overwritten by those of the rows.
			z := [2]Buffer{j.buffer("negatives 0", m*width), j.buffer("negatives 1", m*width)}
			s.stats = j.buffer("lengths", 3*max(n, m))
			j.write(z[0], bytesOf(nf))
			j.write(z[1], bytesOf(ns))
			j.normalize(&s, width, m, none, z[0], z[1], uf, us)
			d.bank = key
		}
	}
	j.normalize(&s, width, n, none, z[0], z[1], s.uf, s.us)
	j.sums(graphTile, width, place, count, self, s.tables, s.uf, us, s.rows)
	j.sums(graphTile, width, place, count, self, s.tables, s.us, uf, s.cols)
	j.read(s.rows, parts*n)
	j.read(s.cols, parts*n)
	j.read(s.stats, 3*n)
	pending, err := j.submit()
	var data [][]byte
	if err == nil {
		data, err = pending.Wait(ctx)
	}
	if err != nil {
		d.bank = negatives{}
		return d.failed(err)
	}
	values := make([]float32, max(parts, 3)*n)
	floats(values[:parts*n], data[0])
	for i, v := range values[:parts*n] {
		rows[i%n] += float64(v)
	}
	floats(values[:parts*n], data[1])
	for i, v := range values[:parts*n] {
		cols[i%n] += float64(v)
	}
	floats(values[:3*n], data[2])
	for i := range cosines {
		cosines[i] = float64(values[3*i+2])
	}
	return nil
}

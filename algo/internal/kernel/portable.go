package kernel

import (
	"math"
	"math/bits"
)

// The reference of every loop. Products are converted to float32 before they are added, which forbids fusing.

// gemmGo computes dst = a·b, m×n, over k terms. Value (i, t) of a is a[i·as + t·at], which covers
// aᵀ; ldd and ldb are strides.
func gemmGo(dst []float32, ldd int, a []float32, as, at int, b []float32, ldb, m, n, k int, bias []float32, flags int) {
	for i := range m {
		d := dst[i*ldd:][:n]
		if flags&accumulate == 0 {
			clear(d)
		}
		t := 0
		for ; t+4 <= k; t += 4 {
			x0, x1, x2, x3 := a[i*as+t*at], a[i*as+(t+1)*at], a[i*as+(t+2)*at], a[i*as+(t+3)*at]
			b0, b1, b2, b3 := b[t*ldb:][:n], b[(t+1)*ldb:][:n], b[(t+2)*ldb:][:n], b[(t+3)*ldb:][:n]
			for j, s := range d {
				s += float32(x0 * b0[j])
				s += float32(x1 * b1[j])
				s += float32(x2 * b2[j])
				s += float32(x3 * b3[j])
				d[j] = s
			}
		}
		for ; t < k; t++ {
			x, row := a[i*as+t*at], b[t*ldb:][:n]
			for j := range d {
				d[j] += float32(x * row[j])
			}
		}
		if flags&addBias != 0 {
			for j, v := range bias[:n] {
				d[j] += v
			}
		}
		if flags&rectify != 0 {
			for j, v := range d {
				if v < 0 {
					d[j] = 0
				}
			}
		}
	}
}

// transposeGo writes the transpose of rows×cols values of stride lds to dst, dense.
func transposeGo(dst, src []float32, lds, rows, cols int) {
	for i := range rows {
		for j, v := range src[i*lds:][:cols] {
			dst[j*rows+i] = v
		}
	}
}

// addGo adds rows of x to rows of dst. A stride ldd of 0 adds all of them to one row.
func addGo(dst []float32, ldd int, x []float32, ldx, rows, cols int) {
	for i := range rows {
		addRow(dst[i*ldd:][:cols], x[i*ldx:])
	}
}

// addRow adds x to d, as long as d is.
func addRow(d, x []float32) {
	x = x[:len(d)]
	for j := range d {
		d[j] += x[j]
	}
}

// addNeighborsGo sets each row of dst to the row of h plus the rows of its neighbours, in their order.
func addNeighborsGo(dst []float32, ldd int, h []float32, ldh int, offsets, neighbors []int32, rows, cols int) {
	for i := range rows {
		d := dst[i*ldd:][:cols]
		copy(d, h[i*ldh:])
		for _, j := range neighbors[offsets[i]:offsets[i+1]] {
			addRow(d, h[int(j)*ldh:])
		}
	}
}

// reluGradientGo clears the values of d where y is at most 0.
func reluGradientGo(d []float32, ldd int, y []float32, ldy, rows, cols int) {
	for i := range rows {
		row, out := d[i*ldd:][:cols], y[i*ldy:][:cols]
		for j, v := range out {
			if v <= 0 {
				row[j] = 0
			}
		}
	}
}

// exp1 is e^x by the Cephes scheme: split off the nearest multiple of ln 2, then a polynomial of degree five.
func exp1(x float32) float32 {
	const (
		log2e = 1.44269504088896341
		// ln 2 in two parts, so that n·ln2hi is exact.
		ln2hi = 0.693359375
		ln2lo = -2.12194440e-4
	)
	x = max(-87, min(87, x))
	// Adding and taking away 1.5·2²³ rounds to the nearest integer.
	n := (float32(x*log2e) + 12582912) - 12582912
	r := float32(x-float32(n*ln2hi)) - float32(n*ln2lo)
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(float32(p*r)*r) + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// expGo replaces each x by exp(scale·x).
func expGo(x []float32, scale float32) {
	for i, v := range x {
		x[i] = exp1(v * scale)
	}
}

// log1p1 is log(1+x) to the precision of float32: with 1+x = m·2^k, m around 1 and s = (m−1)/(m+1),
//
//	log(1+x) = k·ln 2 + 2·(s + s³/3 + s⁵/5 + …).
func log1p1(x float32) float32 {
	if !(x >= 1e-7 && x <= math.MaxFloat32) {
		if x == 0 {
			return x
		}
		// Here 1+x would lose too much of x, or x is no ordinary number.
		return float32(math.Log1p(float64(x)))
	}
	// Adding half to the bits moves the border between two exponents from 1 to √½, whose bits are root.
	const root = 0x3fe6a09e667f3bcd
	const half = 0x3ff0000000000000 - root
	bits := math.Float64bits(1+float64(x)) + half
	k := float64(int64(bits>>52) - 1023)
	m := math.Float64frombits(bits&(1<<52-1) + root)
	s := (m - 1) / (m + 1)
	q := s * s
	p := float64(q*(1./11)) + 1./9
	p = float64(q*p) + 1./7
	p = float64(q*p) + 1./5
	p = float64(q*p) + 1./3
	p = float64(q*p) + 1
	return float32(float64(k*math.Ln2) + float64(2*s*p))
}

// log1p sets dst to log(1+x).
func log1p(dst, x []float32) {
	for i, v := range x {
		dst[i] = log1p1(v)
	}
}

// sumsGo sets rows to the sums of the rows of x, each in eight parts, and adds its rows to cols.
func sumsGo(rows, cols []float64, x []float32) {
	n := len(cols)
	for i := range rows {
		row := x[i*n:][:n]
		var s [8]float64
		for j, v := range row {
			e := float64(v)
			cols[j] += e
			s[j&7] += e
		}
		rows[i] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	}
}

// weightGo multiplies x_ij by r_i + c_j.
func weightGo(x, r, c []float32) {
	n := len(c)
	for i, ri := range r {
		row := x[i*n:][:n]
		for j, cj := range c {
			row[j] *= ri + cj
		}
	}
}

// normalizeGo sets the rows of dst to those of z divided by their length, and norms to the lengths. It divides by at
// least smallest.
func normalizeGo(dst, norms, z []float32) {
	width := len(z) / max(1, len(norms))
	for i := range norms {
		row, d := z[i*width:][:width], dst[i*width:][:width]
		var s [8]float64
		for j, x := range row {
			s[j&7] += float64(x) * float64(x) // exact, so that fusing changes nothing
		}
		sum := ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
		norm := float32(math.Sqrt(sum))
		norms[i] = norm
		inverse := 1 / max(norm, smallest)
		for j, x := range row {
			d[j] = x * inverse
		}
	}
}

// normalizeGradientGo sets dst to the gradient with respect to rows of these norms, from the gradient g with respect to
// the unit rows u.
func normalizeGradientGo(dst, g, u, norms []float32) {
	width := len(u) / max(1, len(norms))
	for i, norm := range norms {
		d, gi, ui := dst[i*width:][:width], g[i*width:][:width], u[i*width:][:width]
		if norm < smallest {
			// The unit row is constantly zero.
			clear(d)
			continue
		}
		along, inverse := dotGo(ui, gi), 1/norm
		for j, x := range gi {
			d[j] = (x - float32(ui[j]*along)) * inverse
		}
	}
}

// dotGo returns the scalar product of a and b, added in eight parts.
func dotGo(a, b []float32) float32 {
	b = b[:len(a)]
	var s [8]float32
	j := 0
	for ; j+8 <= len(a); j += 8 {
		x, y := a[j:j+8:j+8], b[j:j+8:j+8]
		s[0] += float32(x[0] * y[0])
		s[1] += float32(x[1] * y[1])
		s[2] += float32(x[2] * y[2])
		s[3] += float32(x[3] * y[3])
		s[4] += float32(x[4] * y[4])
		s[5] += float32(x[5] * y[5])
		s[6] += float32(x[6] * y[6])
		s[7] += float32(x[7] * y[7])
	}
	for ; j < len(a); j++ {
		s[j&7] += float32(a[j] * b[j])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// axpy adds x·b to dst, as long as dst is.
func axpy(dst []float32, x float32, b []float32) {
	b = b[:len(dst)]
	for i := range dst {
		dst[i] += float32(x * b[i])
	}
}

// adamGo does one step of Adam: it updates params and the running means m of gradients and v of their squares.
func adamGo(params, grads, m, v []float32, s AdamStep) {
	n := len(params)
	grads, m, v = grads[:n], m[:n], v[:n]
	for i, p := range params {
		g := grads[i]
		mean := float32(s.Keep1*m[i]) + float32(s.Take1*g)
		square := float32(s.Keep2*v[i]) + float32(s.Take2*float32(g*g))
		m[i], v[i] = mean, square
		// The float64 root, rounded, is the float32 nearest to the exact root.
		denominator := float32(math.Sqrt(float64(square)))/s.Root + s.Eps
		params[i] = p - float32(s.Rate*(mean/denominator))
	}
}

// addWhereGo adds gains[k] to each sum whose bit is set in the row of words that begins at rows[k]. tops[t] becomes the
// largest upper and the largest lower 16 bits of the Top sums of block t.
func addWhereGo(sums, tops []uint32, words []uint64, rows, gains []uint32) {
	for k, gain := range gains {
		for w, word := range words[rows[k]:][:len(sums)/64] {
			for of := sums[64*w:][:64]; word != 0; word &= word - 1 {
				of[bits.TrailingZeros64(word)&63] += gain
			}
		}
	}
	for t := range tops {
		lower, upper := uint32(0), uint32(0)
		for _, s := range sums[Top*t:][:Top] {
			lower, upper = max(lower, s&0xffff), max(upper, s>>16)
		}
		tops[t] = upper<<16 | lower
	}
}

// walkGo is Walk.
func walkGo(next, part []Lane, inverse []float64, offsets, neighbors, reach []int32, odd, even *Lane) {
	for _, v := range reach {
		row := neighbors[offsets[v]:offsets[v+1]]
		if len(row) == 0 {
			continue // its inverse is no number
		}
		var a0, a1, a2, a3, a4, a5, a6, a7 float64
		for _, u := range row {
			p := &part[u]
			a0 += p[0]
			a1 += p[1]
			a2 += p[2]
			a3 += p[3]
			a4 += p[4]
			a5 += p[5]
			a6 += p[6]
			a7 += p[7]
		}
		for l, sum := range [...]float64{a0, a1, a2, a3, a4, a5, a6, a7} {
			p := float64(sum * inverse[v])
			odd[l] += float64(sum * part[v][l])
			even[l] += float64(sum * p)
			next[v][l] = p
		}
	}
}

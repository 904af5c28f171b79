package main

import (
	"math"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These routines go through rows, in AVX2: wider registers gain a whole run nothing, and vector
// code for the other loops of portable.go gains it less than 3 %. What is left of a row after
// whole registers is loaded and stored with the mask that is in tail; its other lanes read as 0.
var tail = reg.Y15

// tailMask sets tail for rows of n values: its first n mod 8 lanes are on.
func tailMask(n reg.GPVirtual) {
	p, rest := GP64(), GP64()
	MOVQ(n, rest)
	ANDQ(U8(7), rest)
	// The table has eight words of ones and eight zeros. The mask begins rest words before the zeros.
	LEAQ(table.Offset(32), p)
	SHLQ(U8(2), rest)
	SUBQ(rest, p)
	VMOVUPS(Mem{Base: p}, tail)
}

// load loads a register from memory. If masked it loads the lanes of tail, and the others become 0.
func load(from Mem, to Op, masked bool) {
	if masked {
		VMASKMOVPS(from, tail, to)
	} else {
		VMOVUPS(from, to)
	}
}

// store stores a register in memory, if masked only the lanes of tail.
func store(from Op, to Mem, masked bool) {
	if masked {
		VMASKMOVPS(from, tail, to)
	} else {
		VMOVUPS(from, to)
	}
}

// at is register c of a row from offset o.
func at(row, o reg.GPVirtual, c int) Mem {
	return Mem{Base: row, Index: o, Scale: 1, Disp: 32 * c}
}

// across goes through n values, by eights: as many at a time as the first of widths says while there are, then the
// next, and at the end the masked rest. o is the offset in bytes. The last of widths must be 1.
func across(name string, n reg.GPVirtual, widths []int, body func(o reg.GPVirtual, width int, masked bool)) {
	o, left := GP64(), GP64()
	XORQ(o, o)
	MOVQ(n, left)
	for _, w := range widths {
		start, end := name+"_by"+strconv.Itoa(w), name+"_below"+strconv.Itoa(w)
		Label(start)
		CMPQ(left, U32(8*w))
		JLT(LabelRef(end))
		body(o, w, false)
		ADDQ(U32(32*w), o)
		SUBQ(U32(8*w), left)
		JMP(LabelRef(start))
		Label(end)
	}
	TESTQ(left, left)
	JE(LabelRef(name + "_done"))
	body(o, 1, true)
	Label(name + "_done")
}

// down repeats the body n times, at least once.
func down(name string, n reg.GPVirtual, body func()) {
	Label(name)
	body()
	DECQ(n)
	JNE(LabelRef(name))
}

// end ends a routine. It clears the upper halves of registers, which would slow down SSE code.
func end() {
	VZEROUPPER()
	RET()
}

// constant is a register full of a value.
func constant(name string, bits uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(bits))
	}
	return m
}

func float(name string, x float32) Mem { return constant(name, math.Float32bits(x)) }

// add generates addAVX2 and addToOneAVX2.
func add() {
	routine("addAVX2", "(dst *float32, ldd int, x *float32, ldx, rows, cols int)",
		"addAVX2 is addGo.")
	dst, ldd, x, ldx, rows, cols := argument("dst"), stride("ldd"), argument("x"), stride("ldx"), argument("rows"), argument("cols")
	tailMask(cols)
	down("add_row", rows, func() {
		across("add", cols, []int{4, 1}, func(o reg.GPVirtual, width int, masked bool) {
			for c := range width {
				load(at(x, o, c), ymm[c], masked)
			}
			for c := range width {
				if masked {
					load(at(dst, o, c), ymm[4], masked)
					VADDPS(ymm[4], ymm[c], ymm[c])
				} else {
					VADDPS(at(dst, o, c), ymm[c], ymm[c])
				}
				store(ymm[c], at(dst, o, c), masked)
			}
		})
		ADDQ(ldd, dst)
		ADDQ(ldx, x)
	})
	end()

	routine("addToOneAVX2", "(dst, x *float32, ldx, rows, cols int)",
		"addToOneAVX2 is addGo with ldd = 0: it keeps the sums in registers.")
	dst, x, ldx, rows, cols = argument("dst"), argument("x"), stride("ldx"), argument("rows"), argument("cols")
	p, left := GP64(), GP64()
	tailMask(cols)
	across("addToOne", cols, []int{10, 8, 4, 2, 1}, func(o reg.GPVirtual, width int, masked bool) {
		for c := range width {
			load(at(dst, o, c), ymm[c], masked)
		}
		MOVQ(x, p)
		MOVQ(rows, left)
		down(name("addToOne_rows", width, masked), left, func() {
			sum(p, o, width, masked)
			ADDQ(ldx, p)
		})
		for c := range width {
			store(ymm[c], at(dst, o, c), masked)
		}
	})
	end()
}

// sum adds a part of the row p to the first registers.
func sum(p, o reg.GPVirtual, width int, masked bool) {
	for c := range width {
		if masked {
			load(at(p, o, c), reg.Y14, masked)
			VADDPS(reg.Y14, ymm[c], ymm[c])
		} else {
			VADDPS(at(p, o, c), ymm[c], ymm[c])
		}
	}
}

// name returns a label for a loop over width registers at a time, or over the masked rest of a row.
func name(s string, width int, masked bool) string {
	if masked {
		return s + "_rest"
	}
	return s + "_" + strconv.Itoa(width)
}

// within loads the offsets of row i, and leaves them compared. It jumps to fault if they are not within the count that the
// parameter tells.
func within(offsets, i, from, to, scratch reg.GPVirtual, count, fault string) {
	MOVLQSX(Mem{Base: offsets, Index: i, Scale: 4}, from)
	MOVLQSX(Mem{Base: offsets, Index: i, Scale: 4, Disp: 4}, to)
	Load(Param(count), scratch)
	CMPQ(to, scratch) // unsigned, so that a negative offset is too large
	JHI(LabelRef(fault))
	CMPQ(from, to)
	JHI(LabelRef(fault))
}

// addNeighbors generates addNeighborsAVX2.
func addNeighbors() {
	routine("addNeighborsAVX2", "(dst *float32, ldd int, h *float32, ldh int, offsets, neighbors *int32, count, rows, cols int) (done int)",
		"addNeighborsAVX2 is addNeighborsGo. It stops before a row whose offsets are not",
		"within count or that has a neighbour beyond rows, and returns how many rows it did.")
	dst, h, ldh, offsets, neighbors := argument("dst"), argument("h"), stride("ldh"), argument("offsets"), argument("neighbors")
	cols, rows := argument("cols"), argument("rows")
	i, from, to, e, p := GP64(), GP64(), GP64(), GP64(), GP64()
	tailMask(cols)
	XORQ(i, i)
	Label("neighbors_row")
	within(offsets, i, from, to, e, "count", "neighbors_end")
	across("neighbors", cols, []int{10, 8, 4, 2, 1}, func(o reg.GPVirtual, width int, masked bool) {
		l := name("neighbors_sum", width, masked)
		MOVQ(i, p)
		IMULQ(ldh, p)
		ADDQ(h, p)
		for c := range width {
			load(at(p, o, c), ymm[c], masked)
		}
		MOVQ(from, e)
		JMP(LabelRef(l + "_test"))
		Label(l)
		MOVL(Mem{Base: neighbors, Index: e, Scale: 4}, p.As32())
		CMPQ(p, rows)
		JCC(LabelRef("neighbors_end"))
		INCQ(e)
		IMULQ(ldh, p)
		ADDQ(h, p)
		sum(p, o, width, masked)
		Label(l + "_test")
		CMPQ(e, to)
		JLT(LabelRef(l))
		for c := range width {
			store(ymm[c], at(dst, o, c), masked)
		}
	})
	Load(Param("ldd"), e)
	LEAQ(Mem{Base: dst, Index: e, Scale: 4}, dst)
	INCQ(i)
	CMPQ(i, rows)
	JLT(LabelRef("neighbors_row"))
	Label("neighbors_end")
	Store(i, Return("done"))
	end()
}

// reluGradient generates reluGradientAVX2, which clears the values of d where y is at most 0.
func reluGradient() {
	routine("reluGradientAVX2", "(d *float32, ldd int, y *float32, ldy, rows, cols int)",
		"reluGradientAVX2 is reluGradientGo.")
	d, ldd, y, ldy, rows, cols := argument("d"), stride("ldd"), argument("y"), stride("ldy"), argument("rows"), argument("cols")
	tailMask(cols)
	zero := reg.Y14
	VXORPS(zero, zero, zero)
	down("relu_row", rows, func() {
		across("relu", cols, []int{4, 1}, func(o reg.GPVirtual, width int, masked bool) {
			for c := range width {
				load(at(y, o, c), ymm[c], masked)
				load(at(d, o, c), ymm[c+4], masked)
				const notLessOrEqual = 0x16 // or not a number
				VCMPPS(U8(notLessOrEqual), zero, ymm[c], ymm[c])
				VANDPS(ymm[c], ymm[c+4], ymm[c])
				store(ymm[c], at(d, o, c), masked)
			}
		})
		ADDQ(ldd, d)
		ADDQ(ldy, y)
	})
	end()
}

// exp generates expAVX2.
func exp() {
	log2e, magic := float("log2e", math.Log2E), float("magic", 12582912)
	ln2hi, ln2lo := float("ln2hi", 0.693359375), float("ln2lo", -2.12194440e-4)
	high, low := float("high", 87), float("low", -87)
	var p []Mem
	for i, x := range []float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1} {
		p = append(p, float("p"+strconv.Itoa(i), x))
	}
	bias := constant("bias", 127<<23)

	routine("expAVX2", "(x *float32, n int, scale float32)", "expAVX2 is expGo.")
	x, n := argument("x"), argument("n")
	upper, lower, scale := ymm[12], ymm[13], ymm[14]
	tailMask(n)
	broadcast("scale", scale)
	VMOVUPS(high, upper)
	VMOVUPS(low, lower)
	across("exp", n, []int{4, 1}, func(o reg.GPVirtual, width int, masked bool) {
		// Four registers at a time, step by step, so that the chain of one hides in those of the others.
		type lane struct {
			x, n, p reg.VecPhysical
			at      Mem
		}
		var lanes []lane
		for c := range width {
			lanes = append(lanes, lane{ymm[3*c], ymm[3*c+1], ymm[3*c+2], at(x, o, c)})
		}
		each := func(f func(l lane)) {
			for _, l := range lanes {
				f(l)
			}
		}
		each(func(l lane) { load(l.at, l.x, masked) })
		each(func(l lane) { VMULPS(l.x, scale, l.x) })
		// Where x is not a number these two take the operand that Go writes first.
		each(func(l lane) { VMINPS(l.x, upper, l.x) })
		each(func(l lane) { VMAXPS(l.x, lower, l.x) })
		each(func(l lane) { VMULPS(log2e, l.x, l.n) })
		each(func(l lane) { VADDPS(magic, l.n, l.n) })
		for _, part := range []Mem{ln2hi, ln2lo} {
			each(func(l lane) { VSUBPS(magic, l.n, l.p) })
			each(func(l lane) { VMULPS(part, l.p, l.p) })
			each(func(l lane) { VSUBPS(l.p, l.x, l.x) })
		}
		// The low bits of n are the exponent of 2.
		each(func(l lane) { VPSLLD(U8(23), l.n, l.n) })
		each(func(l lane) { VPADDD(bias, l.n, l.n) })
		each(func(l lane) { VMULPS(p[0], l.x, l.p) })
		for _, c := range p[1:5] {
			each(func(l lane) { VADDPS(c, l.p, l.p) })
			each(func(l lane) { VMULPS(l.x, l.p, l.p) })
		}
		each(func(l lane) { VADDPS(p[5], l.p, l.p) })
		each(func(l lane) { VMULPS(l.x, l.p, l.p) })
		each(func(l lane) { VMULPS(l.x, l.p, l.p) })
		each(func(l lane) { VADDPS(l.x, l.p, l.p) })
		each(func(l lane) { VADDPS(p[6], l.p, l.p) })
		each(func(l lane) { VMULPS(l.n, l.p, l.p) })
		each(func(l lane) { store(l.p, l.at, masked) })
	})
	end()
}

// reduceDoubles adds up the eight float64 in low and high, in the order of kernel.go, and leaves the sum in low. It
// overwrites other.
func reduceDoubles(low, high reg.VecPhysical, other reg.VecPhysical) {
	VADDPD(high, low, low)
	VEXTRACTF128(U8(1), low, other.AsX())
	VADDPD(other.AsX(), low.AsX(), low.AsX())
	VUNPCKHPD(low.AsX(), low.AsX(), other.AsX())
	VADDSD(other.AsX(), low.AsX(), low.AsX())
}

// doubles loads register c of a row as float64.
func doubles(row, o reg.GPVirtual, c int, low, high reg.VecPhysical, masked bool) {
	if masked {
		load(at(row, o, c), high, masked)
		VCVTPS2PD(high.AsX(), low)
		VEXTRACTF128(U8(1), high, high.AsX())
		VCVTPS2PD(high.AsX(), high)
	} else {
		VCVTPS2PD(at(row, o, c), low)
		VCVTPS2PD(at(row, o, c).Offset(16), high)
	}
}

// sums generates sumsAVX2.
func sums() {
	routine("sumsAVX2", "(rows, cols *float64, x *float32, m, n int)", "sumsAVX2 is sumsGo for m, n > 0.")
	rows, cols, x, m, n := argument("rows"), argument("cols"), argument("x"), argument("m"), argument("n")
	tailMask(n)
	// The mask of the eight float64.
	VPMOVSXDQ(tail.AsX(), reg.Y13)
	VEXTRACTF128(U8(1), tail, reg.X14)
	VPMOVSXDQ(reg.X14, reg.Y14)
	size := GP64()
	MOVQ(n, size)
	SHLQ(U8(2), size)
	row := [4]reg.GPVirtual{x, GP64(), GP64(), GP64()}
	// Four rows at a time read and write the sums of columns once.
	for _, height := range []int{4, 1} {
		l := "sums" + strconv.Itoa(height)
		Label(l)
		CMPQ(m, U8(height))
		JLT(LabelRef(l + "_end"))
		for r := range height {
			VXORPS(ymm[2*r], ymm[2*r], ymm[2*r])
			VXORPS(ymm[2*r+1], ymm[2*r+1], ymm[2*r+1])
			if r > 0 {
				LEAQ(Mem{Base: row[r-1], Index: size, Scale: 1}, row[r])
			}
		}
		c := GP64()
		MOVQ(cols, c)
		across(l, n, []int{1}, func(o reg.GPVirtual, _ int, masked bool) {
			low, high := reg.Y8, reg.Y9
			sumLow, sumHigh := reg.Y10, reg.Y11
			if masked {
				VMASKMOVPD(Mem{Base: c}, reg.Y13, sumLow)
				VMASKMOVPD(Mem{Base: c, Disp: 32}, reg.Y14, sumHigh)
			} else {
				VMOVUPD(Mem{Base: c}, sumLow)
				VMOVUPD(Mem{Base: c, Disp: 32}, sumHigh)
			}
			for r := range height {
				doubles(row[r], o, 0, low, high, masked)
				VADDPD(low, ymm[2*r], ymm[2*r])
				VADDPD(high, ymm[2*r+1], ymm[2*r+1])
				VADDPD(low, sumLow, sumLow)
				VADDPD(high, sumHigh, sumHigh)
			}
			if masked {
				VMASKMOVPD(sumLow, reg.Y13, Mem{Base: c})
				VMASKMOVPD(sumHigh, reg.Y14, Mem{Base: c, Disp: 32})
			} else {
				VMOVUPD(sumLow, Mem{Base: c})
				VMOVUPD(sumHigh, Mem{Base: c, Disp: 32})
			}
			ADDQ(U8(64), c)
		})
		for r := range height {
			reduceDoubles(ymm[2*r], ymm[2*r+1], reg.Y8)
			VMOVSD(ymm[2*r].AsX(), Mem{Base: rows, Disp: 8 * r})
		}
		ADDQ(U8(8*height), rows)
		LEAQ(Mem{Base: x, Index: size, Scale: uint8(height)}, x)
		SUBQ(U8(height), m)
		JMP(LabelRef(l))
		Label(l + "_end")
	}
	end()
}

// normalize generates normalizeAVX2 and normalizeGradientAVX2.
func normalize() {
	smallest, one := float("smallest", 1e-12), float("one", 1)
	routine("normalizeAVX2", "(dst, norms, z *float32, rows, width int)", "normalizeAVX2 is normalizeGo for rows, width > 0.")
	dst, norms, z, rows, width := argument("dst"), argument("norms"), argument("z"), argument("rows"), argument("width")
	tailMask(width)
	VMOVUPS(smallest, reg.Y13)
	VMOVUPS(one, reg.Y14)
	down("normalize_row", rows, func() {
		VXORPS(reg.Y0, reg.Y0, reg.Y0)
		VXORPS(reg.Y1, reg.Y1, reg.Y1)
		across("normalize_sum", width, []int{5, 1}, func(o reg.GPVirtual, blocks int, masked bool) {
			for c := range blocks {
				doubles(z, o, c, reg.Y2, reg.Y3, masked)
				VMULPD(reg.Y2, reg.Y2, reg.Y2)
				VMULPD(reg.Y3, reg.Y3, reg.Y3)
				VADDPD(reg.Y2, reg.Y0, reg.Y0)
				VADDPD(reg.Y3, reg.Y1, reg.Y1)
			}
		})
		reduceDoubles(reg.Y0, reg.Y1, reg.Y2)
		VSQRTSD(reg.X0, reg.X0, reg.X0)
		VCVTSD2SS(reg.X0, reg.X0, reg.X0)
		VMOVSS(reg.X0, Mem{Base: norms})
		// Not a number stays what it is: the operand that Go writes first.
		VMAXSS(reg.X0, reg.X13, reg.X0)
		VDIVSS(reg.X0, reg.X14, reg.X0)
		VBROADCASTSS(reg.X0, reg.Y0)
		across("normalize_scale", width, []int{5, 1}, func(o reg.GPVirtual, blocks int, masked bool) {
			for c := range blocks {
				load(at(z, o, c), ymm[1+c], masked)
				VMULPS(reg.Y0, ymm[1+c], ymm[1+c])
				store(ymm[1+c], at(dst, o, c), masked)
			}
		})
		ADDQ(U8(4), norms)
		LEAQ(Mem{Base: z, Index: width, Scale: 4}, z)
		LEAQ(Mem{Base: dst, Index: width, Scale: 4}, dst)
	})
	end()

	routine("normalizeGradientAVX2", "(dst, gradient, u, norms *float32, rows, width int)",
		"normalizeGradientAVX2 is normalizeGradientGo for rows, width > 0.")
	dst, g, u := argument("dst"), argument("gradient"), argument("u")
	norms, rows, width = argument("norms"), argument("rows"), argument("width")
	tailMask(width)
	VMOVUPS(smallest, reg.Y13)
	VMOVUPS(one, reg.Y14)
	down("gradient_row", rows, func() {
		VMOVSS(Mem{Base: norms}, reg.X4)
		VUCOMISS(reg.X4, reg.X13)
		JHI(LabelRef("gradient_none"))
		product8("gradient_dot", u, g, width)
		VDIVSS(reg.X4, reg.X14, reg.X4)
		VBROADCASTSS(reg.X0, reg.Y0)
		VBROADCASTSS(reg.X4, reg.Y4)
		across("gradient", width, []int{1}, func(o reg.GPVirtual, _ int, masked bool) {
			load(at(u, o, 0), reg.Y1, masked)
			load(at(g, o, 0), reg.Y2, masked)
			VMULPS(reg.Y0, reg.Y1, reg.Y1)
			VSUBPS(reg.Y1, reg.Y2, reg.Y2)
			VMULPS(reg.Y4, reg.Y2, reg.Y2)
			store(reg.Y2, at(dst, o, 0), masked)
		})
		Label("gradient_next")
		ADDQ(U8(4), norms)
		for _, p := range []reg.GPVirtual{dst, g, u} {
			LEAQ(Mem{Base: p, Index: width, Scale: 4}, p)
		}
	})
	end()
	Label("gradient_none")
	VXORPS(reg.Y0, reg.Y0, reg.Y0)
	across("gradient_clear", width, []int{1}, func(o reg.GPVirtual, _ int, masked bool) {
		store(reg.Y0, at(dst, o, 0), masked)
	})
	JMP(LabelRef("gradient_next"))
}

// product8 leaves the scalar product of two rows in X0.
func product8(l string, a, b, n reg.GPVirtual) {
	VXORPS(reg.Y0, reg.Y0, reg.Y0)
	across(l, n, []int{1}, func(o reg.GPVirtual, _ int, masked bool) {
		load(at(a, o, 0), reg.Y1, masked)
		if masked {
			load(at(b, o, 0), reg.Y2, masked)
			VMULPS(reg.Y2, reg.Y1, reg.Y1)
		} else {
			VMULPS(at(b, o, 0), reg.Y1, reg.Y1)
		}
		VADDPS(reg.Y1, reg.Y0, reg.Y0)
	})
	VEXTRACTF128(U8(1), reg.Y0, reg.X1)
	VADDPS(reg.X1, reg.X0, reg.X0)
	VMOVHLPS(reg.X0, reg.X0, reg.X1)
	VADDPS(reg.X1, reg.X0, reg.X0)
	VMOVSHDUP(reg.X0, reg.X1)
	VADDSS(reg.X1, reg.X0, reg.X0)
}

// broadcast fills a register with a float32 parameter.
func broadcast(name string, to Op) {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(p.Addr, to)
}

// adam generates adamAVX2.
func adam() {
	routine("adamAVX2", "(params, grads, m, v *float32, n int, keep1, take1, keep2, take2, root, eps, rate float32)", "adamAVX2 is adamGo.")
	params, grads, m, v, n := argument("params"), argument("grads"), argument("m"), argument("v"), argument("n")
	keep1, take1, keep2, take2 := ymm[8], ymm[9], ymm[10], ymm[11]
	root, eps, rate := ymm[12], ymm[13], ymm[14]
	for i, name := range []string{"keep1", "take1", "keep2", "take2", "root", "eps", "rate"} {
		broadcast(name, ymm[8+i])
	}
	tailMask(n)
	// One register at a time: the divisions and the root take the time, and those of
	// the next values do not wait for these.
	across("adam", n, []int{1}, func(o reg.GPVirtual, _ int, masked bool) {
		p, g, mean, square := reg.Y0, reg.Y1, reg.Y2, reg.Y3
		load(at(grads, o, 0), g, masked)
		load(at(m, o, 0), mean, masked)
		load(at(v, o, 0), square, masked)
		load(at(params, o, 0), p, masked)
		VMULPS(mean, keep1, mean)
		VMULPS(g, take1, reg.Y4)
		VADDPS(reg.Y4, mean, mean)
		VMULPS(square, keep2, square)
		VMULPS(g, g, g)
		VMULPS(g, take2, g)
		VADDPS(g, square, square)
		store(mean, at(m, o, 0), masked)
		store(square, at(v, o, 0), masked)
		VSQRTPS(square, square)
		VDIVPS(root, square, square)
		VADDPS(eps, square, square)
		VDIVPS(square, mean, mean)
		VMULPS(mean, rate, mean)
		VSUBPS(mean, p, p)
		store(p, at(params, o, 0), masked)
	})
	end()
}

// transpose generates transposeAVX2.
func transpose() {
	routine("transposeAVX2", "(dst, src *float32, lds, rows, cols int)", "transposeAVX2 is transposeGo for rows, cols > 0.")
	dst, src, lds, rows, cols := argument("dst"), argument("src"), stride("lds"), argument("rows"), argument("cols")
	ldd, d, p, s, o, left := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(rows, ldd)
	SHLQ(U8(2), ldd)
	mask := func(n reg.GPVirtual, to Op) { // of the lower min(n, 8) lanes
		m, e := GP64(), GP64()
		MOVQ(U32(8), e)
		CMPQ(n, e)
		CMOVQLT(n, e)
		SHLQ(U8(2), e)
		LEAQ(table.Offset(32), m)
		SUBQ(e, m)
		VMOVUPS(Mem{Base: m}, to)
	}
	// Blocks of 8×8; at the right and at the bottom of less.
	Label("transpose_rows")
	MOVQ(dst, d)
	XORQ(o, o)
	MOVQ(cols, left)
	Label("transpose_block")
	LEAQ(Mem{Base: src, Index: o, Scale: 1}, s)
	CMPQ(rows, U8(8))
	JLT(LabelRef("transpose_small"))
	CMPQ(left, U8(8))
	JLT(LabelRef("transpose_small"))
	for r := range 8 {
		VMOVUPS(Mem{Base: s}, ymm[r])
		if r < 7 {
			ADDQ(lds, s)
		}
	}
	transpose8()
	MOVQ(d, p)
	for r := range 8 {
		VMOVUPS(ymm[8+r], Mem{Base: p})
		ADDQ(ldd, p)
	}
	MOVQ(p, d)
	ADDQ(U8(32), o)
	SUBQ(U8(8), left)
	JNE(LabelRef("transpose_block"))
	JMP(LabelRef("transpose_next"))

	Label("transpose_small")
	mask(left, reg.Y8)
	for r := range 8 {
		// What there is no row for stays, and is not stored.
		CMPQ(rows, U8(r))
		JLE(LabelRef("transpose_loaded"))
		VMASKMOVPS(Mem{Base: s}, reg.Y8, ymm[r])
		ADDQ(lds, s)
	}
	Label("transpose_loaded")
	transpose8()
	mask(rows, reg.Y0)
	for r := range 8 {
		CMPQ(left, U8(r))
		JLE(LabelRef("transpose_next"))
		VMASKMOVPS(ymm[8+r], reg.Y0, Mem{Base: d})
		ADDQ(ldd, d)
	}
	ADDQ(U8(32), o)
	SUBQ(U8(8), left)
	JNE(LabelRef("transpose_block"))

	Label("transpose_next")
	ADDQ(U8(32), dst)
	LEAQ(Mem{Base: src, Index: lds, Scale: 8}, src)
	SUBQ(U8(8), rows)
	JGT(LabelRef("transpose_rows"))
	end()
}

// transpose8 turns 8×8 values in the lower eight registers around into the upper.
func transpose8() {
	for i := range 4 { // pairs of rows
		VUNPCKLPS(ymm[2*i+1], ymm[2*i], ymm[8+2*i])
		VUNPCKHPS(ymm[2*i+1], ymm[2*i], ymm[9+2*i])
	}
	for i := range 2 { // four rows
		for j := range 2 {
			a, b := ymm[8+4*i+j], ymm[8+4*i+j+2]
			VSHUFPS(U8(0x44), b, a, ymm[4*i+2*j])
			VSHUFPS(U8(0xee), b, a, ymm[4*i+2*j+1])
		}
	}
	for i := range 4 { // all eight
		VPERM2F128(U8(0x20), ymm[4+i], ymm[i], ymm[8+i])
		VPERM2F128(U8(0x31), ymm[4+i], ymm[i], ymm[12+i])
	}
}

// addWhere generates addWhereAVX512. It keeps the 128 sums of a strip in registers while it goes through the rows, whose
// bits mask the additions.
func addWhere() {
	routine("addWhereAVX512", "(sums, tops *uint32, bits *uint64, rows, gains *uint32, strips, count int)",
		"addWhereAVX512 is addWhereGo for strips times 128 sums.")
	w := newWhere("addWhere512")
	w.strips(func() {
		for c := range 8 {
			VMOVUPS(Mem{Base: w.sums, Disp: 64 * c}, zmm[c])
		}
		w.goThrough("count", func(bits, gain Mem) {
			VPBROADCASTD(gain, reg.Z8)
			ks := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
			for c := range 8 {
				k := ks[c%len(ks)]
				KMOVW(bits.Offset(2*c), k)
				VPADDD(reg.Z8, zmm[c], k, zmm[c])
			}
		})
	}, func(c int) {
		VMOVUPS(zmm[c], Mem{Base: w.sums, Disp: 64 * c})
		VEXTRACTI64X4(U8(1), zmm[c], reg.Y9)
		VPMAXUW(reg.Y9, ymm[c], reg.Y9)
	})
}

// addWhere2 generates addWhereAVX2. Each row adds the same to both halves of sums or only to the upper one, so it keeps
// one half of the 128 sums of a strip in registers: what both halves get, then the upper ones.
func addWhere2() {
	order := [16]int{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15} // of VPACKUSDW
	spread := GLOBL("spread", RODATA|NOPTR)                                // to each lane the byte of a word that has its bit, and 0
	for k := range 64 {
		DATA(2*k, U16(0x8000|2*(k/16)+order[k%16]/8))
	}
	single := GLOBL("single", RODATA|NOPTR) // the bit in that byte
	for k, i := range order {
		DATA(2*k, U16(1<<(i%8)))
	}
	routine("addWhereAVX2", "(sums, tops *uint32, bits *uint64, rows, gains *uint32, strips, both, more int)",
		"addWhereAVX2 is addWhereGo for strips times 128 sums and both + more rows.")
	w := newWhere("addWhere2")
	word, gain, bit, zero, a, b := reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13
	VMOVDQU(single, bit)
	VPXOR(zero, zero, zero)
	add := func(bits, by Mem) {
		VPBROADCASTW(by.Offset(2), gain)
		for c := range 8 {
			if c%4 == 0 {
				VPBROADCASTQ(bits.Offset(2*c), word)
			}
			masked := ymm[12+c%4]
			VPSHUFB(spread.Offset(32*(c%4)), word, masked)
			VPAND(bit, masked, masked)
			VPSIGNW(masked, gain, masked) // 0 where the bit is 0
			VPADDW(masked, ymm[c], ymm[c])
		}
	}
	sixteen := func(c int) (low, high Mem) {
		return Mem{Base: w.sums, Disp: 64 * c}, Mem{Base: w.sums, Disp: 64*c + 32}
	}
	w.strips(func() {
		for c := range 8 {
			VPXOR(ymm[c], ymm[c], ymm[c])
		}
		w.goThrough("both", add)
		for c := range 8 {
			low, high := sixteen(c)
			VPBLENDW(U8(0x55), low, zero, a)
			VPBLENDW(U8(0x55), high, zero, b)
			VPACKUSDW(b, a, gain)
			VMOVDQU(low, a)
			VPSRLD(U8(16), a, a)
			VMOVDQU(high, b)
			VPSRLD(U8(16), b, b)
			VPACKUSDW(b, a, a)
			VPADDW(ymm[c], gain, gain)
			VPADDW(ymm[c], a, ymm[c])
			VMOVDQU(gain, low) // until the upper halves are done
		}
		w.goThrough("more", add)
	}, func(c int) {
		low, high := sixteen(c)
		VMOVDQU(low, b)
		VPUNPCKLWD(ymm[c], b, a)
		VPUNPCKHWD(ymm[c], b, b)
		VMOVDQU(a, low)
		VMOVDQU(b, high)
		VPMAXUW(b, a, reg.Y9)
	})
}

// where are the arguments of addWhere.
type where struct {
	name                                   string
	sums, tops, bits, left, rows, gains, n reg.GPVirtual
}

func newWhere(name string) *where {
	return &where{name, argument("sums"), argument("tops"), argument("bits"), argument("strips"), GP64(), GP64(), GP64()}
}

// strips goes through the strips. add adds all rows to the 128 sums of one, then write writes sixteen of them at a time, and
// leaves the largest of both halves in some lanes of Y9.
func (w *where) strips(add func(), write func(c int)) {
	down(w.name+"_strip", w.left, func() {
		Load(Param("rows"), w.rows)
		Load(Param("gains"), w.gains)
		add()
		for c := range 8 {
			write(c)
			VEXTRACTI128(U8(1), reg.Y9, reg.X8)
			VPMAXUW(reg.X8, reg.X9, reg.X9)
			for _, order := range []U8{0x4e, 0xb1} {
				VPSHUFD(order, reg.X9, reg.X8)
				VPMAXUW(reg.X8, reg.X9, reg.X9)
			}
			VMOVD(reg.X9, Mem{Base: w.tops, Disp: 4 * c})
		}
		ADDQ(U32(512), w.sums)
		ADDQ(U8(32), w.tops)
		ADDQ(U8(16), w.bits)
	})
	end()
}

// goThrough adds the next rows, as many as the parameter count says.
func (w *where) goThrough(count string, add func(bits, gain Mem)) {
	Load(Param(count), w.n)
	TESTQ(w.n, w.n)
	JE(LabelRef(w.name + "_" + count + "_end"))
	row := GP64()
	down(w.name+"_"+count, w.n, func() {
		MOVL(Mem{Base: w.rows}, row.As32())
		add(Mem{Base: w.bits, Index: row, Scale: 8}, Mem{Base: w.gains})
		ADDQ(U8(4), w.rows)
		ADDQ(U8(4), w.gains)
	})
	Label(w.name + "_" + count + "_end")
}

// walk generates walkAVX2. Its eight walks are two registers of four, and odd and even stay in registers.
func walk() {
	routine("walkAVX2", "(next, part, inverse *float64, offsets, neighbors, reach *int32, edges, nodes, count int, odd, even *float64) (done int)",
		"walkAVX2 is walkGo for count nodes of reach. It stops at a node that is not one of nodes, whose offsets are not",
		"within edges, or that has such a neighbour, and returns how many it did.")
	next, part, inverse, offsets, neighbors := argument("next"), argument("part"), argument("inverse"), argument("offsets"), argument("neighbors")
	reach, nodes := argument("reach"), argument("nodes")
	k, v, from, to, u, sums := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	sum, p, add := ymm[4:6], ymm[6:8], ymm[8:10]
	for i, name := range []string{"odd", "even"} {
		Load(Param(name), sums)
		VMOVUPD(Mem{Base: sums}, ymm[2*i])
		VMOVUPD(Mem{Base: sums, Disp: 32}, ymm[2*i+1])
	}
	XORQ(k, k)
	JMP(LabelRef("walk_test"))
	Label("walk_node")
	MOVL(Mem{Base: reach, Index: k, Scale: 4}, v.As32())
	CMPQ(v, nodes)
	JCC(LabelRef("walk_end"))
	within(offsets, v, from, to, u, "edges", "walk_end")
	JEQ(LabelRef("walk_next")) // its inverse is no number
	VBROADCASTSD(Mem{Base: inverse, Index: v, Scale: 8}, reg.Y10)
	VXORPD(sum[0], sum[0], sum[0])
	VXORPD(sum[1], sum[1], sum[1])
	Label("walk_neighbor")
	MOVL(Mem{Base: neighbors, Index: from, Scale: 4}, u.As32())
	CMPQ(u, nodes)
	JCC(LabelRef("walk_end"))
	SHLQ(U8(6), u)
	for h := range 2 {
		VADDPD(Mem{Base: part, Index: u, Scale: 1, Disp: 32 * h}, sum[h], sum[h])
	}
	INCQ(from)
	CMPQ(from, to)
	JLT(LabelRef("walk_neighbor"))
	SHLQ(U8(6), v)
	for h := range 2 {
		VMULPD(reg.Y10, sum[h], p[h])
		VMOVUPD(p[h], Mem{Base: next, Index: v, Scale: 1, Disp: 32 * h})
		VMULPD(Mem{Base: part, Index: v, Scale: 1, Disp: 32 * h}, sum[h], add[h])
		VADDPD(add[h], ymm[h], ymm[h])
		VMULPD(p[h], sum[h], add[h])
		VADDPD(add[h], ymm[2+h], ymm[2+h])
	}
	Label("walk_next")
	INCQ(k)
	Label("walk_test")
	Load(Param("count"), u)
	CMPQ(k, u)
	JLT(LabelRef("walk_node"))
	Label("walk_end")
	for i, name := range []string{"odd", "even"} {
		Load(Param(name), sums)
		VMOVUPD(ymm[2*i], Mem{Base: sums})
		VMOVUPD(ymm[2*i+1], Mem{Base: sums, Disp: 32})
	}
	Store(k, Return("done"))
	end()
}

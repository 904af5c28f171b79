package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The flags of gemm, as in kernel.go.
const (
	accumulate = 1 << iota
	addBias
	rectify
)

// A machine is what gemm needs to know of an instruction set. A tile of dst, so many rows by one or two registers,
// stays in registers over all terms; the last register of a row may be partly used.
type machine interface {
	name() string
	lanes() int  // values in a register
	rows() []int // heights of tiles, from the highest
	register(i int) reg.VecPhysical
	begin() // of a routine
	// setMask keeps the lower n lanes, 0 < n ≤ lanes, of masked loads and stores.
	setMask(n reg.GPVirtual)
	// mask makes r ready to be the mask of the next ones.
	mask(r reg.VecPhysical)
	loadMasked(from Mem, to, mask Op)
	storeMasked(from, mask Op, to Mem)
	clear(r reg.VecPhysical)
	// multiplyAdd adds the product of the value at a and each register of b to acc, rounded before it is added.
	multiplyAdd(a Mem, b, acc, spare []reg.VecPhysical)
}

type avx512 struct{}

func (avx512) name() string                   { return "AVX512" }
func (avx512) lanes() int                     { return 16 }
func (avx512) rows() []int                    { return []int{8, 4, 2, 1} }
func (avx512) register(i int) reg.VecPhysical { return zmm[i] }

func (avx512) begin() {}

func (avx512) setMask(n reg.GPVirtual) {
	ones := GP32()
	MOVL(U32(0xffff), ones)
	BZHIL(n.As32(), ones, ones)
	KMOVW(ones, reg.K1)
}

func (avx512) mask(reg.VecPhysical) {}

func (avx512) loadMasked(from Mem, to, _ Op) { VMOVUPS_Z(from, reg.K1, to) }

func (avx512) storeMasked(from, _ Op, to Mem) { VMOVUPS(from, reg.K1, to) }

func (avx512) clear(r reg.VecPhysical) { VPXORD(r, r, r) }

func (avx512) multiplyAdd(a Mem, b, acc, spare []reg.VecPhysical) {
	for c := range b {
		VMULPS_BCST(a, b[c], spare[c])
	}
	for c := range b {
		VADDPS(spare[c], acc[c], acc[c])
	}
}

// avx2 has no register left for the mask while the tile is full: it is in memory.
type avx2 struct{ kept Mem }

func (*avx2) name() string                   { return "AVX2" }
func (*avx2) lanes() int                     { return 8 }
func (*avx2) rows() []int                    { return []int{6, 4, 2, 1} }
func (*avx2) register(i int) reg.VecPhysical { return ymm[i] }

func (v *avx2) begin() { v.kept = AllocLocal(32) }

func (v *avx2) setMask(n reg.GPVirtual) {
	p := GP64()
	LEAQ(table.Offset(32), p)
	SHLQ(U8(2), n)
	SUBQ(n, p)
	VMOVUPS(Mem{Base: p}, reg.Y0)
	VMOVUPS(reg.Y0, v.kept)
}

func (v *avx2) mask(r reg.VecPhysical) { VMOVUPS(v.kept, r) }

func (*avx2) loadMasked(from Mem, to, mask Op) { VMASKMOVPS(from, mask, to) }

func (*avx2) storeMasked(from, mask Op, to Mem) { VMASKMOVPS(from, mask, to) }

func (*avx2) clear(r reg.VecPhysical) { VXORPS(r, r, r) }

func (*avx2) multiplyAdd(a Mem, b, acc, spare []reg.VecPhysical) {
	value := spare[0]
	VBROADCASTSS(a, value)
	if len(b) == 2 {
		VMULPS(b[0], value, spare[1])
		VADDPS(spare[1], acc[0], acc[0])
	}
	last := len(b) - 1
	VMULPS(b[last], value, value)
	VADDPS(value, acc[last], acc[last])
}

// fetch loads a register, with mask unless that is nil.
func fetch(v machine, from Mem, to, mask Op) {
	if mask != nil {
		v.loadMasked(from, to, mask)
	} else {
		VMOVUPS(from, to)
	}
}

// gemm writes the routine of all terms, or that of the terms that are listed.
func gemm(v machine, listed bool) {
	g := &product{machine: v, listed: listed, label: v.name()}
	if listed {
		g.label += "listed"
		routine("gemmListed"+v.name(), "(dst *float32, ldd int, a *float32, as int, b *float32, ldb, m, n, k int, "+
			"bias *float32, flags int, lists *int32)",
			"gemmListed"+v.name()+" is gemmGo for m, n > 0 and at = 1, with the terms of each tile that",
			"list"+v.name()+" has listed.")
		g.list = local(argument("lists"))
	} else {
		routine("gemm"+v.name(), "(dst *float32, ldd int, a *float32, as, at int, b *float32, ldb, m, n, k int, bias *float32, flags int)",
			"gemm"+v.name()+" is gemmGo for m, n > 0.")
	}
	v.begin()
	if listed {
		g.at = GP64()
	} else {
		g.at = stride("at")
	}
	g.as, g.ldb, g.ldd = stride("as"), stride("ldb"), stride("ldd")
	g.as3 = GP64() // 3·as
	LEAQ(Mem{Base: g.as, Index: g.as, Scale: 2}, g.as3)
	g.flags, g.rowsLeft = argument("flags"), GP64()
	g.b, g.d, g.bias = local(argument("b")), local(argument("dst")), local(argument("bias"))
	g.n = local(argument("n"))
	g.ap, g.ap4, g.bp, g.t, g.row, g.dp = GP64(), GP64(), GP64(), GP64(), GP64(), GP64()

	// Columns, two registers of them at a time while there are as many; then the rest, in two registers or in one.
	wide, narrow, one, done := g.label+"_columns", g.label+"_last", g.label+"_one", g.label+"_done"
	left := GP64()
	lanes := v.lanes()
	Label(wide)
	MOVQ(g.n, left)
	CMPQ(left, U8(2*lanes))
	JLT(LabelRef(narrow))
	g.columns(2, false)
	ADDQ(U8(8*lanes), g.d)
	ADDQ(U8(8*lanes), g.b)
	ADDQ(U8(8*lanes), g.bias)
	SUBQ(U8(2*lanes), g.n)
	JMP(LabelRef(wide))

	Label(narrow)
	TESTQ(left, left)
	JE(LabelRef(done))
	CMPQ(left, U8(lanes))
	JLE(LabelRef(one))
	SUBQ(U8(lanes), left)
	v.setMask(left)
	g.columns(2, true)
	JMP(LabelRef(done))
	Label(one)
	v.setMask(left)
	g.columns(1, true)
	Label(done)
	VZEROUPPER()
	RET()
}

// A product names the registers and places in memory of a routine for gemm.
type product struct {
	machine
	label  string
	listed bool
	// at is the next entry of a list where terms are listed.
	as, as3, at, ldb, ldd, flags reg.GPVirtual
	ap, ap4, bp, t               reg.GPVirtual // of the terms of a tile
	row, dp, rowsLeft            reg.GPVirtual // of the rows
	b, d, bias, n                Mem           // of the columns
	list                         Mem           // of a tile
}

// columns does all rows of one or two registers of columns, in tiles of the greatest height that is left.
func (g *product) columns(width int, masked bool) {
	Load(Param("a"), g.row)
	MOVQ(g.d, g.dp)
	Load(Param("m"), g.rowsLeft)
	if g.listed {
		Load(Param("lists"), g.at)
		MOVQ(g.at, g.list)
	}
	prefix := g.label + "_" + strconv.Itoa(width)
	if masked {
		prefix += "m"
	}
	for i, height := range g.rows() {
		start, next := prefix+"_rows"+strconv.Itoa(height), prefix+"_below"+strconv.Itoa(height)
		Label(start)
		CMPQ(g.rowsLeft, U8(height))
		JLT(LabelRef(next))
		g.tile(start, height, width, masked)
		if height > 1 {
			SUBQ(U8(height), g.rowsLeft)
			if i == 0 { // of the others there is at most one
				JMP(LabelRef(start))
			}
		}
		Label(next)
	}
}

// tile computes height×width registers of dst, and moves on by height rows.
func (g *product) tile(name string, height, width int, masked bool) {
	used := 0
	take := func(n int) (rs []reg.VecPhysical) { // the next n registers
		for range n {
			rs = append(rs, g.register(used))
			used++
		}
		return rs
	}
	var acc [][]reg.VecPhysical
	for range height {
		acc = append(acc, take(width))
	}
	b, spare := take(width), take(2)

	// columns visits the registers of a row; those of the last, if masked, with the mask that is in r.
	columns := func(p Mem, r reg.VecPhysical, f func(c int, at Mem, mask Op)) {
		for c := range width {
			var m Op
			if masked && c == width-1 {
				m = r
			}
			f(c, p.Offset(4*g.lanes()*c), m)
		}
	}
	prepare := func(r reg.VecPhysical) { // as the mask, if one is needed
		if masked {
			g.mask(r)
		}
	}
	dst := func(f func(r, c int, at Mem, mask Op)) { // visits all registers of the tile
		prepare(b[0])
		MOVQ(g.dp, g.bp)
		for r := range height {
			columns(Mem{Base: g.bp}, b[0], func(c int, at Mem, mask Op) { f(r, c, at, mask) })
			if r < height-1 {
				ADDQ(g.ldd, g.bp)
			}
		}
	}

	// The sums begin with the values of dst or with 0.
	start, terms, end := name+"_zero", name+"_terms", name+"_end"
	TESTQ(U32(accumulate), g.flags)
	JE(LabelRef(start))
	dst(func(r, c int, at Mem, mask Op) { fetch(g, at, acc[r][c], mask) })
	JMP(LabelRef(name + "_start"))
	Label(start)
	for r := range height {
		for c := range width {
			g.clear(acc[r][c])
		}
	}
	Label(name + "_start")
	if g.listed {
		// The number of terms comes before them, and k + room entries later that of the next tile.
		MOVQ(g.list, g.at)
		Load(Param("k"), g.t)
		LEAQ(Mem{Base: g.at, Index: g.t, Scale: 4, Disp: 4 * room}, g.t)
		MOVQ(g.t, g.list)
		MOVL(Mem{Base: g.at}, g.t.As32())
	} else {
		Load(Param("k"), g.t)
	}
	TESTQ(g.t, g.t)
	JE(LabelRef(end))
	if !g.listed {
		MOVQ(g.row, g.ap)
		if height > 4 {
			LEAQ(Mem{Base: g.row, Index: g.as, Scale: 4}, g.ap4)
		}
		MOVQ(g.b, g.bp)
	}

	Label(terms) // the loop over the terms: ap at the values of a, bp at the row of b
	if g.listed {
		ADDQ(U8(4), g.at)
		MOVL(Mem{Base: g.at}, g.bp.As32())
		LEAQ(Mem{Base: g.row, Index: g.bp, Scale: 4}, g.ap)
		if height > 4 {
			LEAQ(Mem{Base: g.ap, Index: g.as, Scale: 4}, g.ap4)
		}
		IMULQ(g.ldb, g.bp)
		ADDQ(g.b, g.bp)
	}
	prepare(spare[0])
	columns(Mem{Base: g.bp}, spare[0], func(c int, at Mem, mask Op) { fetch(g, at, b[c], mask) })
	if !g.listed {
		ADDQ(g.ldb, g.bp)
	}
	for r := range height {
		base := g.ap
		if r >= 4 {
			base = g.ap4
		}
		at := Mem{Base: base}
		switch r % 4 {
		case 1:
			at.Index, at.Scale = g.as, 1
		case 2:
			at.Index, at.Scale = g.as, 2
		case 3:
			at.Index, at.Scale = g.as3, 1
		}
		g.multiplyAdd(at, b, acc[r], spare)
	}
	if !g.listed {
		ADDQ(g.at, g.ap)
		if height > 4 {
			ADDQ(g.at, g.ap4)
		}
	}
	DECQ(g.t)
	JNE(LabelRef(terms))

	Label(end)
	TESTQ(U32(addBias), g.flags)
	JE(LabelRef(name + "_biased"))
	MOVQ(g.bias, g.bp)
	prepare(spare[0])
	columns(Mem{Base: g.bp}, spare[0], func(c int, at Mem, mask Op) {
		fetch(g, at, b[c], mask)
		for r := range height {
			VADDPS(b[c], acc[r][c], acc[r][c])
		}
	})
	Label(name + "_biased")
	TESTQ(U32(rectify), g.flags)
	JE(LabelRef(name + "_store"))
	g.clear(b[0])
	for r := range height {
		for c := range width {
			// Of two zeros, or where one is not a number, VMAXPS takes the operand that Go writes first.
			VMAXPS(acc[r][c], b[0], acc[r][c])
		}
	}
	Label(name + "_store")
	dst(func(r, c int, at Mem, mask Op) {
		if mask != nil {
			g.storeMasked(acc[r][c], mask, at)
		} else {
			VMOVUPS(acc[r][c], at)
		}
	})
	// bp is at the last row.
	LEAQ(Mem{Base: g.bp, Index: g.ldd, Scale: 1}, g.dp)
	if height == 6 {
		LEAQ(Mem{Base: g.row, Index: g.as3, Scale: 2}, g.row)
	} else {
		LEAQ(Mem{Base: g.row, Index: g.as, Scale: uint8(height)}, g.row)
	}
}

// room is the number of entries of a list besides k terms, as in kernel.go.
const room = 17

// list writes the routine that lists the terms of gemmListed.
func list(v machine) {
	routine("list"+v.name(), "(lists *int32, a *float32, as, m, k int)",
		"list"+v.name()+" lists, for each tile of rows of a that gemmListed"+v.name()+" will make, the terms",
		"that are not zero in all of them, with their number before.")
	lists, row, as, left, k := argument("lists"), argument("a"), stride("as"), argument("m"), argument("k")
	p, o, out, terms, bits, n := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	v.begin()
	_, wide := v.(avx512)
	lanes := v.lanes()
	value, index, packed, mask, zero := v.register(0), v.register(1), v.register(2), v.register(3), v.register(4)
	numbers := GLOBL("numbers"+v.name(), RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, U32(i))
	}
	v.clear(zero)
	for i, height := range v.rows() {
		l := "list" + v.name() + strconv.Itoa(height)
		Label(l)
		CMPQ(left, U8(height))
		JLT(LabelRef(l + "_below"))
		LEAQ(Mem{Base: lists, Disp: 4}, out)
		XORQ(terms, terms)
		// block lists the terms of one register of columns: those where the rows' bits are not all 0.
		block := func(masked bool) {
			var m Op
			if masked {
				v.mask(mask)
				m = mask
			}
			LEAQ(Mem{Base: row, Index: terms, Scale: 4}, p)
			fetch(v, Mem{Base: p}, value, m)
			for range height - 1 {
				ADDQ(as, p)
				switch {
				case wide && masked:
					VPORD(Mem{Base: p}, value, reg.K1, value)
				case wide:
					VPORD(Mem{Base: p}, value, value)
				case masked:
					v.loadMasked(Mem{Base: p}, packed, m)
					VORPS(packed, value, value)
				default:
					VORPS(Mem{Base: p}, value, value)
				}
			}
			// Without the sign, so that −0 counts as zero.
			VPADDD(value, value, value)
			if wide {
				VPBROADCASTD(terms.As32(), index)
				VPADDD(numbers, index, index)
				VPTESTMD(value, value, reg.K2)
				VPCOMPRESSD(index, reg.K2, packed)
				VMOVDQU32(packed, Mem{Base: out}) // all lanes: room has space for the surplus
				KMOVW(reg.K2, bits.As32())
				POPCNTL(bits.As32(), bits.As32())
				LEAQ(Mem{Base: out, Index: bits, Scale: 4}, out)
				return
			}
			VPCMPEQD(zero, value, value)
			VMOVMSKPS(value, bits.As32())
			XORL(U8(0xff), bits.As32())
			bit := l + "_bit" // once for each bit that is set
			if masked {
				bit = l + "_rest"
			}
			JE(LabelRef(bit + "_done"))
			Label(bit)
			BSFL(bits.As32(), n.As32())
			ADDL(terms.As32(), n.As32())
			MOVL(n.As32(), Mem{Base: out})
			ADDQ(U8(4), out)
			LEAL(Mem{Base: bits, Disp: -1}, n.As32())
			ANDL(n.As32(), bits.As32())
			JNE(LabelRef(bit))
			Label(bit + "_done")
		}
		MOVQ(k, o)
		Label(l + "_block")
		CMPQ(o, U8(lanes))
		JLT(LabelRef(l + "_last"))
		block(false)
		ADDQ(U8(lanes), terms)
		SUBQ(U8(lanes), o)
		JMP(LabelRef(l + "_block"))
		Label(l + "_last")
		TESTQ(o, o)
		JE(LabelRef(l + "_end"))
		v.setMask(o)
		block(true)
		Label(l + "_end")
		SUBQ(lists, out) // the number of terms goes before them
		SHRQ(U8(2), out)
		DECQ(out)
		MOVL(out.As32(), Mem{Base: lists})
		LEAQ(Mem{Base: lists, Index: k, Scale: 4, Disp: 4 * room}, lists)
		for range height {
			ADDQ(as, row)
		}
		SUBQ(U8(height), left)
		if i == 0 {
			JMP(LabelRef(l))
		}
		Label(l + "_below")
	}
	end()
}

var ymm = [16]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

var zmm = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

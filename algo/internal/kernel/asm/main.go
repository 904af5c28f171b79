// Command asm writes the amd64 assembly of package kernel. Run it by `go generate` in that package.
//
// The routines take pointers and counts that their callers in package kernel have checked; all strides are in values.
// They round as the Go code of portable.go does, whose comments say what they compute.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// main generates all routines.
func main() {
	ConstraintExpr("!noasm")
	cpu()
	masks()
	for _, v := range []machine{avx512{}, &avx2{}} {
		gemm(v, false)
		gemm(v, true)
		list(v)
	}
	transpose()
	add()
	addNeighbors()
	reluGradient()
	exp()
	sums()
	normalize()
	adam()
	addWhere()
	addWhere2()
	walk()
	Generate()
}

// routine begins a function; it returns nothing unless the signature says so.
func routine(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(doc...)
}

// argument loads a parameter into a register of its own.
func argument(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// stride loads a parameter counted in float32 values, as bytes.
func stride(name string) reg.GPVirtual {
	r := argument(name)
	SHLQ(U8(2), r)
	return r
}

// local is a place on the stack that starts with the value of r.
func local(r Op) Mem {
	m := AllocLocal(8)
	MOVQ(r, m)
	return m
}

// cpu generates cpuid and xgetbv.
func cpu() {
	routine("cpuid", "(leaf, sub uint32) (a, b, c, d uint32)", "cpuid asks the processor what it can do.")
	Load(Param("leaf"), reg.EAX)
	Load(Param("sub"), reg.ECX)
	CPUID()
	Store(reg.EAX, Return("a"))
	Store(reg.EBX, Return("b"))
	Store(reg.ECX, Return("c"))
	Store(reg.EDX, Return("d"))
	RET()

	routine("xgetbv", "() (a uint32)", "xgetbv tells which registers the operating system saves.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, Return("a"))
	RET()
}

// masks is eight set and eight clear words: what starts 8−n words in has n set.
func masks() {
	table = GLOBL("masks", RODATA|NOPTR)
	for i := range 16 {
		v := U32(0)
		if i < 8 {
			v = 0xffffffff
		}
		DATA(4*i, v)
	}
}

var table Mem

package compact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// lineless takes from a program that Go has linked what only says on which line of which file
// an instruction stands, and writes what is left in few segments. Both are an eighth of what
// is sent. Nothing but a traceback reads those tables: it then names functions alone.
func lineless(program []byte) ([]byte, error) {
	start, from, to, err := dataSection(program)
	if err != nil {
		return nil, err
	}
	memory, err := image(program[from:to])
	if err != nil {
		return nil, err
	}
	if err := dropLines(memory); err != nil {
		return nil, err
	}
	body := segments(memory)
	out := append(bytes.Clone(program[:start]), dataID)
	out = binary.AppendUvarint(out, uint64(len(body)))
	out = append(out, body...)
	return append(out, program[to:]...), nil
}

// dataID is the kind of the section of a WebAssembly program that holds its data.
const dataID = 11

var errLayout = errors.New("the program is not laid out as Go 1.26 does it")

// dataSection finds the section with the data: where it starts, and its content.
func dataSection(program []byte) (start, from, to int, err error) {
	for at := 8; at < len(program); { // behind magic and version
		size, n := binary.Uvarint(program[at+1:])
		from, to := at+1+n, at+1+n+int(size)
		switch {
		case n <= 0 || to > len(program):
			return 0, 0, 0, fmt.Errorf("%w: section at byte %d", errLayout, at)
		case program[at] == dataID:
			return at, from, to, nil
		}
		at = to
	}
	return 0, 0, 0, fmt.Errorf("%w: no data", errLayout)
}

// The instructions that say where a segment lies.
const (
	opConst = 0x41 // i32.const
	opEnd   = 0x0b
)

// most is how large a memory can be.
const most = 1 << 30

// image is the memory that a data section makes.
func image(section []byte) ([]byte, error) {
	r := bytes.NewBuffer(section)
	next := func() int {
		n, err := binary.ReadUvarint(r)
		if err != nil || n > 1<<31 {
			return -1
		}
		return int(n)
	}
	var memory []byte
	for range next() {
		if r.Len() < 2 || next() != 0 || r.Next(1)[0] != opConst {
			return nil, fmt.Errorf("%w: a segment of another kind", errLayout)
		}
		at := next() // which reads as an unsigned number, too
		end := r.Next(1)
		size := next()
		if at < 0 || len(end) == 0 || end[0] != opEnd || size < 0 || size > r.Len() || at+size > most {
			return nil, fmt.Errorf("%w: a segment of %d bytes at %d", errLayout, size, at)
		}
		memory = append(memory, make([]byte, max(0, at+size-len(memory)))...)
		copy(memory[at:], r.Next(size))
	}
	return memory, nil
}

// gap is how many zeros part two segments. The linker parts them at 8, into a hundred
// thousand, whose places do not compress.
const gap = 256

// segments writes a memory as a data section.
func segments(memory []byte) []byte {
	zeros := make([]byte, gap)
	count, body := 0, []byte(nil)
	for at := 0; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		size := bytes.Index(memory[at:], zeros)
		if size < 0 {
			size = len(bytes.TrimRight(memory[at:], "\x00"))
		}
		body = append(body, 0, opConst)
		body = appendSigned(body, at)
		body = append(body, opEnd)
		body = binary.AppendUvarint(body, uint64(size))
		body = append(body, memory[at:at+size]...)
		count, at = count+1, at+size
	}
	return append(binary.AppendUvarint(nil, uint64(count)), body...)
}

// appendSigned appends a number from 0 as a signed one: its last byte must not look negative.
func appendSigned(b []byte, n int) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	if last := len(b) - 1; b[last]&0x40 != 0 {
		b[last] |= 0x80
		b = append(b, 0)
	}
	return b
}

// dropLines zeroes the tables of lines and files in the memory of a program: those of
// runtime.pcHeader and runtime._func, as src/runtime/symtab.go and runtime2.go have them. An
// offset of 0 stands for no table, and a unit of −1 for no files.
func dropLines(memory []byte) error {
	le := binary.LittleEndian
	at, header := -1, []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8} // magic, instructions of 1 byte, pointers of 8
	for from := 0; ; from = at + 1 {
		i := bytes.Index(memory[from:], header)
		if i < 0 {
			return fmt.Errorf("%w: no tables of functions", errLayout)
		}
		at = from + i
		// Names come right behind the header.
		if at+headerSize <= len(memory) && le.Uint64(memory[at+32:]) == headerSize {
			break
		}
	}
	field := func(k int) int { return int(le.Uint64(memory[at+8*k:])) }
	functions, units, tables, table := field(1), at+field(5), at+field(7), at+field(8)
	if functions <= 0 || !(at < units && units < tables && tables < table && table+8*functions <= len(memory)) {
		return fmt.Errorf("%w: %d functions", errLayout, functions)
	}
	// Functions share tables, so that one of lines may be another's of something else.
	keep, drop := map[int]bool{0: true}, map[int]bool{}
	for k := range functions {
		f := memory[table+int(le.Uint32(memory[table+8*k+4:])):]
		keep[int(le.Uint32(f[16:]))] = true // sizes of frames
		drop[int(le.Uint32(f[20:]))] = true // files
		drop[int(le.Uint32(f[24:]))] = true // lines
		for i := range le.Uint32(f[28:]) {
			keep[int(le.Uint32(f[44+4*i:]))] = true
		}
		clear(f[20:28])
		le.PutUint32(f[32:], ^uint32(0)) // files of the unit
		clear(f[36:40])                  // first line
	}
	for start := range drop {
		if keep[start] {
			continue
		}
		size, err := tableSize(memory[tables+start : table])
		if err != nil {
			return err
		}
		clear(memory[tables+start:][:size])
	}
	clear(memory[units:tables]) // and names of files
	return nil
}

// headerSize is that of runtime.pcHeader.
const headerSize = 72

// tableSize is the length of the table that begins there: pairs of changes, of a value and of
// the place, until one changes no value. The first may be of none.
func tableSize(b []byte) (int, error) {
	at := 0
	for first := true; ; first = false {
		change, n := binary.Uvarint(b[at:])
		if n <= 0 {
			return 0, fmt.Errorf("%w: a table without an end", errLayout)
		}
		if at += n; change == 0 && !first {
			return at, nil
		}
		if _, n = binary.Uvarint(b[at:]); n <= 0 {
			return 0, fmt.Errorf("%w: a table without an end", errLayout)
		}
		at += n
	}
}

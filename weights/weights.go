// Package weights reads and writes BaCa's model file (Load, Save) and checkpoints of training, and holds the program's
// own models (Open). FORMAT.md describes the file byte by byte.
//
// Untrusted bytes give a consistent value or an error that wraps one of those below. No input makes reading panic or
// allocate more than a small multiple of its length.
package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"baca/algo"
)

// Version is the format version, the only one that is written and read. It changes when a known section changes. Readers
// keep unknown sections and ignore them.
const Version = 10

// MaxSize is the size of the largest file in bytes.
const MaxSize = 512 << 20

// Causes of errors. The error itself says what was expected and what was found where.
var (
	ErrMagic     = errors.New("not a BaCa file")
	ErrVersion   = errors.New("unknown version of the BaCa file format")
	ErrKind      = errors.New("wrong kind of BaCa file")
	ErrTruncated = errors.New("truncated file")
	ErrTrailing  = errors.New("data after the end of the file")
	ErrTooLarge  = errors.New("file too large")
	ErrChecksum  = errors.New("damaged file, checksum mismatch")
	ErrFormat    = errors.New("malformed file") // the checksum is right, the content is not
	ErrSchema    = errors.New("wrong feature schema")
	ErrTensor    = errors.New("wrong tensors")
	ErrNumber    = errors.New("number out of range")
	ErrRows      = errors.New("inconsistent rows")
)

// magic begins every file. As in PNG, a byte with the high bit and both kinds of line ends reveal a transfer as text.
const magic = "\x89BaCa\r\n\x1a"

// The header has the magic, the version, the kind, two bytes of flags, the number of sections, and the SHA-256 of the
// table of sections. The table has the name, length and SHA-256 of each section. The sections follow in its order.
const (
	atVersion  = 8
	atKind     = 9
	atFlags    = 10
	atCount    = 12
	atSum      = 16
	headerSize = atSum + sha256.Size

	nameSize  = 16 // ASCII, filled up with zeros
	entrySize = nameSize + 8 + sha256.Size

	maxSections = 256
)

// A kind says what a file holds.
type kind byte

const (
	modelKind      kind = 1
	checkpointKind kind = 2
)

// String returns the words for a kind of file in errors.
func (k kind) String() string {
	switch k {
	case modelKind:
		return "a model"
	case checkpointKind:
		return "a checkpoint of training"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// headSection is the first section of every file, and the only one of a checkpoint.
const headSection = "head"

// write writes a file of sections, whose names checkNames has accepted.
func write(w io.Writer, k kind, sections []algo.Section) error {
	if n := len(sections); n > maxSections {
		return fmt.Errorf("%w: %d sections to write, want at most %d", ErrTooLarge, n, maxSections)
	}
	table := make([]byte, 0, len(sections)*entrySize)
	size := int64(headerSize + cap(table))
	for _, s := range sections {
		sum := sha256.Sum256(s.Data)
		table = append(table, s.Name...)
		table = append(table, make([]byte, nameSize-len(s.Name))...)
		table = binary.LittleEndian.AppendUint64(table, uint64(len(s.Data)))
		table = append(table, sum[:]...)
		size += int64(len(s.Data))
	}
	if size > MaxSize {
		return fmt.Errorf("%w: %d bytes to write, want at most %d", ErrTooLarge, size, MaxSize)
	}
	header := append(make([]byte, 0, headerSize), magic...)
	header = append(header, Version, byte(k), 0, 0)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(sections)))
	sum := sha256.Sum256(table)
	header = append(header, sum[:]...)
	parts := [][]byte{header, table}
	for _, s := range sections {
		parts = append(parts, s.Data)
	}
	for _, b := range parts {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// read checks a file of kind want, with its checksums, and returns its sections, which are parts of data, the head first.
func read(data []byte, want kind) ([]algo.Section, error) {
	table, err := readHeader(data, want)
	if err != nil {
		return nil, err
	}
	var sections []algo.Section
	at := uint64(headerSize + len(table))
	for ; len(table) > 0; table = table[entrySize:] {
		s := algo.Section{Name: strings.TrimRight(string(table[:nameSize]), "\x00")}
		length := binary.LittleEndian.Uint64(table[nameSize:])
		if left := uint64(len(data)) - at; length > left {
			return nil, fmt.Errorf("%w: section %q has %d bytes, %d remain", ErrTruncated, s.Name, length, left)
		}
		s.Data = data[at : at+length : at+length]
		at += length
		wanted := table[nameSize+8 : entrySize]
		if sum := sha256.Sum256(s.Data); !bytes.Equal(sum[:], wanted) {
			return nil, fmt.Errorf("%w: sha-256 of section %q is %x…, its table says %x…; get the file again",
				ErrChecksum, s.Name, sum[:4], wanted[:4])
		}
		sections = append(sections, s)
	}
	if end := uint64(len(data)); end > at {
		return nil, fmt.Errorf("%w: %d bytes, its table announces %d", ErrTrailing, end, at)
	}
	return sections, checkNames(sections)
}

// checkNames returns an error unless the head is the first section, each name occurs once, and each has 1 to nameSize
// characters of printable ASCII without blanks.
func checkNames(sections []algo.Section) error {
	seen := map[string]bool{}
	for i, s := range sections {
		plain := !strings.ContainsFunc(s.Name, func(r rune) bool { return r <= ' ' || r > '~' })
		if s.Name == "" || len(s.Name) > nameSize || !plain || seen[s.Name] || (i == 0) != (s.Name == headSection) {
			return fmt.Errorf("%w: section %d is called %q, want %q first, and then other names, each once",
				ErrFormat, i, s.Name, headSection)
		}
		seen[s.Name] = true
	}
	return nil
}

// readHeader returns the table of sections. It fails unless data begin like a file of kind want, of this version, with
// the whole table and its checksum. It does not check the entries of the table.
func readHeader(data []byte, want kind) ([]byte, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, len(data), MaxSize)
	}
	start := data[:min(len(data), len(magic))]
	if string(start) != magic[:len(start)] {
		return nil, fmt.Errorf("%w: it starts with %q, want %q", ErrMagic, start, magic)
	}
	if len(data) < headerSize {
		return nil, fmt.Errorf("%w: %d bytes, the header alone has %d", ErrTruncated, len(data), headerSize)
	}
	if v := data[atVersion]; v > Version {
		return nil, fmt.Errorf("%w: %d, this program reads %d; use a newer program", ErrVersion, v, Version)
	} else if v != Version {
		return nil, fmt.Errorf("%w: %d, of an older score; this program reads %d: score with the program that "+
			"wrote it, or train it again (baca train INPUT --out MODEL)", ErrVersion, v, Version)
	}
	if k := kind(data[atKind]); k != want {
		return nil, fmt.Errorf("%w: it is %v, want %v", ErrKind, k, want)
	}
	if flags := binary.LittleEndian.Uint16(data[atFlags:]); flags != 0 {
		return nil, fmt.Errorf("%w: flags %#04x, this program knows none; use a newer program", ErrVersion, flags)
	}
	n := binary.LittleEndian.Uint32(data[atCount:])
	if n == 0 || n > maxSections {
		return nil, fmt.Errorf("%w: %d sections, want 1 to %d", ErrFormat, n, maxSections)
	}
	if want := headerSize + int(n)*entrySize; len(data) < want {
		return nil, fmt.Errorf("%w: %d bytes, the table of sections alone ends at %d", ErrTruncated, len(data), want)
	}
	table := data[headerSize : headerSize+int(n)*entrySize]
	if sum := sha256.Sum256(table); !bytes.Equal(sum[:], data[atSum:headerSize]) {
		return nil, fmt.Errorf("%w: sha-256 of the table of sections is %x…, the header says %x…; get the file again",
			ErrChecksum, sum[:4], data[atSum:atSum+4])
	}
	return table, nil
}

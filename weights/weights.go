// Package weights is the model file of BaCa: it writes models, the structures of
// their training graphs and the checkpoints of training, reads them back from bytes
// that nobody vouches for, and holds the models that ship with the program. FORMAT.md describes the
// file byte by byte.
//
// A reader gets a whole, consistent value or an error that wraps one of the
// errors below. No input makes it panic or allocate more than a small multiple
// of the input's own length.
package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Version is the format version that this package writes, and the only one it
// reads. It changes with every change of the payload, since a reader that
// skipped a part it does not know would score differently without saying so.
const Version = 6

// MaxSize is the length in bytes of the longest file that is read or written.
const MaxSize = 256 << 20

// What can be wrong with a file. The error that a function returns wraps one
// of these and says what was expected, what was found, and where.
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
	ErrModel     = errors.New("of another model")
)

// magic begins every file. As in PNG, the first byte has its high bit set and
// line ends of both systems follow the name, so that a transfer as text breaks
// it here already.
const magic = "\x89BaCa\r\n\x1a"

// The header: magic, version, kind, two bytes of flags, payload length, sha-256
// of the payload.
const (
	atVersion  = 8
	atKind     = 9
	atFlags    = 10
	atLength   = 12
	atSum      = 16
	headerSize = atSum + sha256.Size
)

// A kind is what the payload of a file is.
type kind byte

const (
	modelKind      kind = 1
	checkpointKind kind = 2
	structuresKind kind = 3
	indexKind      kind = 4
	stateKind      kind = 5
)

func (k kind) String() string {
	switch k {
	case modelKind:
		return "a model"
	case checkpointKind:
		return "a checkpoint of training"
	case structuresKind:
		return "the structures of a model"
	case stateKind:
		return "a state of the attention"
	case indexKind:
		return "the index of a model"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// seal writes a header and the payload, unless a value in it is refused.
func (p *writer) seal(w io.Writer, k kind) error {
	if p.err != nil {
		return p.err
	}
	return seal(w, k, p.buf.Bytes())
}

func seal(w io.Writer, k kind, payload []byte) error {
	if len(payload) > MaxSize-headerSize {
		return fmt.Errorf("%w: %d bytes to write, want at most %d", ErrTooLarge, headerSize+len(payload), MaxSize)
	}
	header := make([]byte, 0, headerSize)
	header = append(header, magic...)
	header = append(header, Version, byte(k), 0, 0)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(payload)))
	sum := sha256.Sum256(payload)
	header = append(header, sum[:]...)
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// unseal checks everything that can be told without looking into the payload,
// and returns the payload, which is a part of data.
func unseal(data []byte, want kind) ([]byte, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, len(data), MaxSize)
	}
	payload, err := head(data, want)
	if err != nil {
		return nil, err
	}
	if end := headerSize + len(payload); len(data) > end {
		return nil, fmt.Errorf("%w: %d bytes, its header announces %d", ErrTrailing, len(data), end)
	}
	return payload, checkSum(data, payload)
}

// head checks the header and returns the payload, which more may follow.
func head(data []byte, want kind) ([]byte, error) {
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
		return nil, fmt.Errorf("%w: %d, this program reads %d; use the program that wrote it, or train again", ErrVersion, v, Version)
	}
	if k := kind(data[atKind]); k != want {
		return nil, fmt.Errorf("%w: it is %v, want %v", ErrKind, k, want)
	}
	if flags := binary.LittleEndian.Uint16(data[atFlags:]); flags != 0 {
		return nil, fmt.Errorf("%w: flags %#04x, this program knows none; use a newer program", ErrVersion, flags)
	}
	length := int64(binary.LittleEndian.Uint32(data[atLength:]))
	if length > MaxSize-headerSize {
		return nil, fmt.Errorf("%w: its header announces %d bytes, want at most %d", ErrTooLarge, headerSize+length, MaxSize)
	}
	payload := data[headerSize:]
	if int64(len(payload)) < length {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrTruncated, len(data), headerSize+length)
	}
	return payload[:length:length], nil
}

// checkSum compares the payload of a file with the sum in its header.
func checkSum(data, payload []byte) error {
	if sum := sha256.Sum256(payload); !bytes.Equal(sum[:], data[atSum:headerSize]) {
		return fmt.Errorf("%w: sha-256 of the payload is %x…, the header says %x…; get the file again",
			ErrChecksum, sum[:4], data[atSum:atSum+4])
	}
	return nil
}

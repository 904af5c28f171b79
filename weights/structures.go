package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"baca/algo"
)

// StructuresExtension takes the place of a model file's extension in the name of the file
// with its structures.
const StructuresExtension = ".structures"

// The columns of a structures file that this program knows. It passes over others.
const (
	smilesColumn = "smiles"
	nameColumn   = "name"
	maxColumns   = 64
)

// SaveStructures writes the file of structures of training graphs and returns its hash, which goes
// on the model's card.
func SaveStructures(w io.Writer, s *algo.Structures) (hash string, err error) {
	p := newWriter()
	rows, columns := len(s.SMILES), 1
	if s.Names != nil {
		columns = 2
	}
	p.fields("", 2)
	p.count("rows", &rows)
	p.fields("columns", columns)
	p.lines(smilesColumn, s.SMILES, rows)
	if s.Names != nil {
		p.lines(nameColumn, s.Names, rows)
	}
	if rows == 0 || rows > maxKnown {
		p.check(fmt.Errorf("%w: %d structures, want 1 to %d", ErrRows, rows, maxKnown))
	}
	sum := sha256.New()
	err = p.seal(io.MultiWriter(w, sum), structuresKind)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// lines is texts, each on a line of its own. Line ends in them become blanks.
func (w *writer) lines(key string, list []string, rows int) {
	if len(list) != rows {
		w.check(fmt.Errorf("%w: %s has %d values for %d rows", ErrRows, key, len(list), rows))
	}
	var b []byte
	for _, text := range list {
		if !utf8.ValidString(text) {
			w.check(fmt.Errorf("%w: %s has %q, which is not UTF-8", ErrFormat, key, text))
		}
		b = append(append(b, strings.NewReplacer("\n", " ", "\r", " ").Replace(text)...), '\n')
	}
	w.bytes(key, b)
}

// KeepStructures gives a model the structures of its training graphs, picked from the molecules of the
// set that it was trained on, and returns their file. The model is then to be saved anew.
func KeepStructures(m *algo.Model, set []algo.Source) (file []byte, err error) {
	var b bytes.Buffer
	if m.Structures, err = m.StructuresOf(set); err != nil {
		return nil, err
	}
	m.Card.StructuresSHA256, err = SaveStructures(&b, m.Structures)
	return b.Bytes(), err
}

// LoadStructures reads the structures of a model from the bytes of a file, whose hash must be
// that on the model's card. It keeps the texts. The error wraps one of the errors of this
// package.
func LoadStructures(data []byte, m *algo.Model) (*algo.Structures, error) {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m.Card.StructuresSHA256 {
		return nil, fmt.Errorf("%w: the sha-256 of these structures is %x…, the model wants %.8s…", ErrChecksum, sum[:4], m.Card.StructuresSHA256)
	}
	s, err := loadStructures(data)
	if err == nil && len(s.SMILES) != m.Known() {
		return nil, fmt.Errorf("%w: %d structures for %d training graphs", ErrRows, len(s.SMILES), m.Known())
	}
	return s, err
}

func loadStructures(data []byte) (*algo.Structures, error) {
	payload, err := unseal(data, structuresKind)
	if err != nil {
		return nil, err
	}
	r, s, rows := newReader(payload), new(algo.Structures), 0
	r.fields("", 2)
	r.count("rows", &rows)
	if r.err == nil && (rows == 0 || rows > maxKnown) {
		r.fail(ErrRows, "%d structures, want 1 to %d", rows, maxKnown)
	}
	r.key("columns")
	columns := r.entries("columns")
	if r.err == nil && (columns == 0 || columns > maxColumns) {
		r.fail(ErrFormat, "%d columns, want 1 to %d", columns, maxColumns)
	}
	s.SMILES = r.lines(smilesColumn, rows)
	seen := map[string]bool{smilesColumn: true}
	for i := 1; i < columns && r.err == nil; i++ {
		name := r.next()
		if seen[name] {
			r.fail(ErrFormat, "column %q is there twice", name)
		}
		seen[name] = true
		if list := r.lines(name, rows); name == nameColumn {
			s.Names = list
		}
	}
	r.end()
	if r.err != nil {
		return nil, r.err
	}
	return s, nil
}

// next looks at the key that comes next.
func (r *reader) next() string {
	at := len(r.data) - r.remaining()
	name := r.str("the name of a column")
	r.r.Seek(int64(at), io.SeekStart)
	return name
}

// lines reads as many lines.
func (r *reader) lines(key string, rows int) []string {
	b := r.bin(key)
	if r.err != nil {
		return nil
	}
	if n := bytes.Count(b, []byte{'\n'}); n != rows || len(b) > 0 && b[len(b)-1] != '\n' {
		r.fail(ErrRows, "column %q has %d lines, want %d, each with its end", key, n, rows)
	}
	if !utf8.Valid(b) {
		r.fail(ErrFormat, "column %q is not UTF-8", key)
	}
	if r.err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func checkStructuresHash(m *algo.Model) error {
	text := m.Card.StructuresSHA256
	if text == "" {
		return nil
	}
	if sum, err := hex.DecodeString(text); err != nil || len(sum) != sha256.Size || strings.ToLower(text) != text {
		return fmt.Errorf("%w: structures is %q, want a sha-256 in lower case", ErrFormat, text)
	}
	if m.Card.Schema == algo.Constant || m.Shared > 0 {
		return fmt.Errorf("%w: a model that holds no molecules has structures", ErrRows)
	}
	return nil
}

// Split divides the bytes of a model file that its structures may follow, as in
// "cat bbbp.msgpack bbbp.structures". It checks neither part.
func Split(data []byte) (model, structures []byte) {
	if len(data) < headerSize {
		return data, nil
	}
	end := headerSize + int64(binary.LittleEndian.Uint32(data[atLength:]))
	if end >= int64(len(data)) || !bytes.HasPrefix(data[end:], []byte(magic)) {
		return data, nil
	}
	return data[:end:end], data[end:]
}

// StructuresFile returns the file of structures of an embedded model; nil where it has none.
func StructuresFile(name string) []byte {
	data, err := fs.ReadFile(embedded, folder+"/"+name+StructuresExtension)
	if err != nil {
		return nil
	}
	return data
}

package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo"
)

// StructuresExtension takes the place of a model file's extension in the name of the file
// with its structures.
const StructuresExtension = ".structures"

// The columns of a structures file that this program knows. It passes over others.
const (
	smilesColumn    = "smiles"
	nameColumn      = "name"
	observedColumn  = "observed"
	predictedColumn = "predicted"
	maxColumns      = 64
)

// SaveStructures writes the file of structures of training graphs and returns its hash, which goes
// on the model's card.
func SaveStructures(w io.Writer, s *algo.Structures) (hash string, err error) {
	p := newWriter()
	rows := len(s.SMILES)
	names, texts := []string{smilesColumn}, [][]string{s.SMILES}
	add := func(name string, list []string) {
		if list != nil {
			names, texts = append(names, name), append(texts, list)
		}
	}
	add(nameColumn, s.Names)
	add(observedColumn, p.numbers(observedColumn, s.Observed))
	add(predictedColumn, p.numbers(predictedColumn, s.Predicted))
	p.fields("", 2)
	p.count("rows", &rows)
	p.fields("columns", len(names))
	for i, name := range names {
		p.lines(name, texts[i], rows)
	}
	if rows == 0 || rows > maxKnown {
		p.check(fmt.Errorf("%w: %d structures, want 1 to %d", ErrRows, rows, maxKnown))
	}
	sum := sha256.New()
	err = p.seal(io.MultiWriter(w, sum), structuresKind)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// numbers are the shortest decimals that give the values back, empty for NaN; nil for none.
func (w *writer) numbers(key string, list []float64) []string {
	if list == nil {
		return nil
	}
	texts := make([]string, len(list))
	for i, x := range list {
		if math.IsInf(x, 0) {
			w.check(fmt.Errorf("%w: %s has %g, want finite numbers, or NaN for none", ErrNumber, key, x))
		}
		if !math.IsNaN(x) {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return texts
}

// numbers reads the values of a column, NaN for an empty line.
func (r *reader) numbers(key string, texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		x, err := math.NaN(), error(nil)
		if text != "" {
			x, err = strconv.ParseFloat(text, 64)
		}
		if err != nil || text != "" && !finite(x) {
			r.fail(ErrNumber, "column %q has %q in line %d, want a finite number or nothing", key, text, i+1)
			return nil
		}
		list[i] = x
	}
	return list
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
		switch list := r.lines(name, rows); name {
		case nameColumn:
			s.Names = list
		case observedColumn:
			s.Observed = r.numbers(name, list)
		case predictedColumn:
			s.Predicted = r.numbers(name, list)
		}
	}
	r.end()
	if r.err != nil {
		return nil, r.err
	}
	return s, nil
}

// next looks at the key that comes next without reading it.
func (r *reader) next() string {
	at := len(r.data) - r.remaining()
	name := r.str("the next key")
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

// Split divides the bytes of a model file, with its index if that follows it, from structures
// that follow, as in "cat bbbp.msgpack bbbp.structures". It checks neither part.
func Split(data []byte) (model, structures []byte) {
	first, behind := splitFirst(data)
	if kindOf(behind) == indexKind {
		t, err := readHead(behind)
		if err != nil || t.size >= int64(len(behind)) {
			return data, nil
		}
		end := int64(len(first)) + t.size
		return data[:end:end], data[end:]
	}
	return first, behind
}

// splitFirst divides what begins with a file of ours from another that follows it.
func splitFirst(data []byte) (first, behind []byte) {
	if len(data) < headerSize {
		return data, nil
	}
	end := headerSize + int64(binary.LittleEndian.Uint32(data[atLength:]))
	if end >= int64(len(data)) || !bytes.HasPrefix(data[end:], []byte(magic)) {
		return data, nil
	}
	return data[:end:end], data[end:]
}

// kindOf is that of what begins with a file of ours.
func kindOf(data []byte) kind {
	if len(data) <= atKind {
		return 0
	}
	return kind(data[atKind])
}

// SplitIndex divides the bytes of a model file from an index that follows it, nil for none.
func SplitIndex(data []byte) (model, index []byte) {
	if first, behind := splitFirst(data); kindOf(behind) == indexKind {
		return first, behind
	}
	return data, nil
}

// StructuresFile returns the file of structures of an embedded model; nil where it has none.
func StructuresFile(name string) []byte {
	data, err := fs.ReadFile(embedded, folder+"/"+name+StructuresExtension)
	if err != nil {
		return nil
	}
	return data
}

package mutants

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"baca/algo/dataset"
	"baca/build/internal/unpack"
)

// An edit takes so many bytes of a plan: what, where (two), how far, with what, and in which entry.
const edit = 6

const structure = "\"[]{}:,\n<>/=$\t "

// change returns data after an edit.
func change(data, plan []byte, quotes bool) []byte {
	if len(data) == 0 {
		return data
	}
	at := int(binary.LittleEndian.Uint16(plan[1:])) * len(data) >> 16
	far := min(at+1+int(plan[3]), len(data))
	piece := data[at:far]
	switch plan[0] % 8 {
	case 0: // one structural byte less
		if i := bytes.IndexAny(piece, structure); i >= 0 {
			return slices.Concat(data[:at+i], data[at+i+1:])
		}
	case 1: // or more
		return slices.Insert(bytes.Clone(data), at, structure[int(plan[4])%len(structure)])
	case 2: // cut
		return data[:at]
	case 3: // less
		return slices.Concat(data[:at], data[far:])
	case 4: // twice
		return slices.Concat(data[:far], data[at:])
	case 5: // swapped with the next piece, unless a table then has quotes at wrong ends
		next := data[far:min(2*far-at, len(data))]
		if !quotes || bytes.IndexByte(data[at:far+len(next)], '"') < 0 {
			return slices.Concat(data[:at], next, piece, data[far+len(next):])
		}
	}
	flipped := bytes.Clone(data)
	flipped[at] ^= 1 << (plan[4] % 8)
	return flipped
}

// move returns the entries of an archive after an edit.
func move(list []entry, plan []byte) []entry {
	list = slices.Clone(list)
	i := int(plan[5]) % len(list)
	switch plan[0] % 5 {
	case 0:
		return append(list, entry{"again/" + list[i].name, list[i].text})
	case 1:
		return slices.Delete(list, i, i+1)
	case 2:
		slices.Reverse(list)
	case 3:
		list[i].name = "./" + list[i].name
	default:
		list[i].name = fmt.Sprint("left", plan[4]%10, ".dat")
	}
	return list
}

// A mutant is a damaged file, and the texts that it holds under names; there are none where a checksum covers what is damaged.
type mutant struct {
	data  []byte
	texts []entry
}

// mutate damages a file as a plan says, which begins with the layer to change: entries, text or bytes.
func (k *kind) mutate(plan []byte) mutant {
	layer, plan := plan[0]%4, plan[1:]
	quotes := strings.ContainsAny(k.text.head, ",\t")
	if quotes {
		plan = plan[:edit] // two quotes may enclose rows rightly
	}
	list := slices.Clone(k.entries)
	if k.sealed || !k.plain && layer < 2 {
		data := k.pack(list)
		for p := range slices.Chunk(plan, edit) {
			data = change(data, p, false)
		}
		return mutant{data: data}
	}
	for p := range slices.Chunk(plan, edit) {
		if i := int(p[5]) % len(list); k.rename && layer == 2 {
			if list = move(list, p); len(list) == 0 {
				break
			}
		} else if layer > 1 || len(k.entries) == 1 {
			list[i].text = string(change([]byte(list[i].text), p, quotes))
		}
	}
	m := mutant{k.pack(list), list}
	if k.plain && layer < 2 && len(k.entries) > 1 {
		m.data = change(m.data, plan, false)
		m.texts = textsOf(m.data)
	}
	return m
}

// textsOf returns what a tar archive holds, and what follows its end, up to damage.
func textsOf(data []byte) (list []entry) {
	r := bytes.NewReader(data)
	for archive := tar.NewReader(r); ; {
		if _, err := archive.Next(); err == io.EOF {
			rest, _ := io.ReadAll(r)
			return append(list, entry{"", string(rest)})
		} else if err != nil {
			return list
		}
		text, _ := io.ReadAll(archive)
		list = append(list, entry{"", string(text)})
	}
}

// A reading is what became of a file.
type reading struct {
	rows    []string
	refused int // records
	notes   []string
	err     error
	took    time.Duration
}

// several finds in a message that it stands for more than one record.
var several = regexp.MustCompile(`\b(\d+) (?:more )?(?:records|rows|objects|lines)\b`)

var errPanic = errors.New("panic")

func (k *kind) read(data []byte) (r reading) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
		r.took = time.Since(start)
	}()
	opt := k.opt
	opt.Name, opt.Unpack, opt.Plain, opt.Note = k.name, unpack.All, true, func(s string) { r.notes = append(r.notes, s) }
	for rec, err := range dataset.Records(bytes.NewReader(data), opt) {
		if err != nil {
			r.err = err
			return r
		}
		if rec = rec.Parsed(); rec.Err != nil {
			n := 1
			if m := several.FindStringSubmatch(rec.Err.Error()); m != nil {
				n, _ = strconv.Atoi(m[1])
			}
			r.refused += max(n, 1)
			continue
		}
		r.rows = append(r.rows, fmt.Sprint(rec.ID, " ", rec.SMILES, rec.Written, " ", rec.Graph.N(), rec.Graph.M(), rec.Cells))
	}
	return r
}

// What becomes of a mutant.
const same, told, failed, lost, crashed = 0, 1, 2, 3, 4

var outcomes = []string{"the clean rows", "told", "error", "lost", "panic"}

// judge applies the law to the reading of a mutant: rows of a container with a checksum are the clean ones, and its end is there, or an
// error ends them; otherwise whole records are rows, and refusals stand for the others. What is in an entry that a note names is told.
func (k *kind) judge(m mutant, r, clean reading) (became int, why string) {
	switch {
	case errors.Is(r.err, errPanic):
		message, _, _ := strings.Cut(r.err.Error(), "\n")
		return crashed, message
	case r.err != nil, len(r.rows)+r.refused == 0: // without a record every program of BaCa ends in an error
		return failed, ""
	case len(m.data) == 0, m.texts == nil && len(r.rows) == 0 && r.refused > 0: // not taken for what it was
		return told, ""
	case m.texts == nil && len(m.data) < len(k.file) && bytes.HasPrefix(k.file, m.data):
		return lost, fmt.Sprintf("%d of %d bytes: %d rows, %d refused, and no error", len(m.data), len(k.file), len(r.rows), r.refused)
	case slices.Equal(r.rows, clean.rows) && r.refused == clean.refused:
		return same, ""
	case k.counted && len(r.rows)+r.refused == len(clean.rows)+clean.refused:
		return told, ""
	case m.texts == nil:
		known := 0
		for _, row := range clean.rows {
			if known < len(r.rows) && r.rows[known] == row {
				known++
			}
		}
		if known == len(r.rows) && r.refused == 0 && len(r.notes) > len(clean.notes) {
			return told, ""
		}
		return lost, fmt.Sprintf("%d rows, %d of them the first clean ones, %d refused, and no error", len(r.rows), known, r.refused)
	}
	got := map[string]int{}
	for _, row := range r.rows {
		got[row]++
	}
	present, missing, damaged := 0, 0, 0
	for _, e := range m.texts {
		if e.name != "" && slices.ContainsFunc(r.notes, func(note string) bool { return strings.Contains(note, e.name) }) {
			continue
		}
		whole, broken := k.text.whole(e.text)
		shifted := strings.Contains(k.text.head, "smiles") && !strings.HasPrefix(e.text, k.text.head) // without its header a row has other columns, or is the header
		if broken > 0 && !shifted {
			damaged = 1
		}
		for i, n := range whole {
			found := min(n, max(got[clean.rows[i]], 0))
			if shifted {
				found = n
			}
			got[clean.rows[i]] -= found
			present, missing = present+n, missing+n-found
		}
	}
	if missing > r.refused || len(r.rows)+r.refused < present+damaged {
		return lost, fmt.Sprintf("%d whole records: %d rows, %d refused, %d whole records missing, and no error", present, len(r.rows), r.refused, missing)
	}
	return told, ""
}

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"baca/algo/parquet"
)

// equalRows writes a Parquet file of equal molecules, or of rows without any.
func equalRows(rows int, smiles string) []byte {
	return []byte(parquetOf(rows, parquet.Cells{Name: "smiles", Kind: parquet.Texts, Texts: []string{smiles}}))
}

// readIn reads all records, and returns how many there are, what ends them, and by how many bytes the
// heap had grown at most, looked at now and then. Garbage is collected early, as it would count.
func readIn(name string, data []byte) (rows int, grown int64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	look := func() {
		runtime.ReadMemStats(&now)
		grown = max(grown, int64(now.HeapInuse)-int64(before.HeapInuse))
	}
	for _, e := range Records(bytes.NewReader(data), Options{Name: name}) {
		if e != nil {
			err = e
			break
		}
		if rows++; rows%(1<<12) == 0 {
			look()
		}
	}
	look()
	return rows, grown, err
}

// A footer that claims other rows than there are, of the file, of the row group and of the column, is an error,
// before the first row where the file is too small for them, and costs no memory.
func TestParquetClaimsRows(t *testing.T) {
	const rows = 77
	data := equalRows(rows, "C")
	size := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	at := len(data) - 8 - size
	footer := data[at : len(data)-8]
	with := func(footer []byte) []byte {
		bomb := binary.LittleEndian.AppendUint32(slices.Concat(data[:at], footer), uint32(len(footer)))
		return append(bomb, parquet.Magic...)
	}
	honest, claimed, more := binary.AppendVarint(nil, rows), binary.AppendVarint(nil, 1<<40), binary.AppendVarint(nil, rows+1)
	if n := bytes.Count(footer, honest); n != 3 {
		t.Fatalf("the footer has the number of rows %d times, want 3", n)
	}
	got, grown, err := readIn("in.parquet", with(bytes.ReplaceAll(footer, honest, claimed)))
	if err == nil || !strings.Contains(err.Error(), errBomb.Error()) || got != 0 {
		t.Errorf("%d rows, then %v", got, err)
	}
	if got, _, err := readIn("in.parquet", with(bytes.ReplaceAll(footer, honest, more))); err == nil || !strings.Contains(err.Error(), "the column ends before its row group") || got != rows {
		t.Errorf("%d rows, then %v", got, err)
	}
	if got, _, err := readIn("in.parquet", with(bytes.Replace(footer, honest, more, 1))); err == nil || !strings.Contains(err.Error(), "78 rows, and 77 in the row groups") || got != 0 {
		t.Errorf("%d rows, then %v", got, err)
	}
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	// Of the group alone.
	last := bytes.LastIndex(footer, honest)
	one := slices.Concat(footer[:last], claimed, footer[last+len(honest):])
	if _, _, err := readIn("in.parquet", with(one)); err == nil || !strings.Contains(err.Error(), "rows") {
		t.Errorf("a column that claims other rows than its group: %v", err)
	}
}

// Rows that take next to nothing in the file are a bomb like any other.
func TestParquetOfEqualRows(t *testing.T) {
	data := equalRows(1<<20, "")
	rows, grown, err := readIn("in.parquet", data)
	if bomb := new(ExpandError); !errors.As(err, &bomb) || rows > 0 {
		t.Errorf("%d bytes: %d rows, then %v", len(data), rows, err)
	}
	if grown > 32<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

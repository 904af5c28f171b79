package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"baca/algo/parquet"
)

// equalRows writes a Parquet file of equal molecules.
func equalRows(t *testing.T, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter(&b, "a test", []parquet.Field{{Name: "smiles", Kind: parquet.Texts}})
	for range rows {
		w.Text(0, "C")
		w.End()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readIn reads all records, and returns how many there are, what ends them, and by how many bytes the
// heap had grown at most, looked at now and then.
func readIn(data []byte) (rows int, grown int64, err error) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	look := func() {
		runtime.ReadMemStats(&now)
		grown = max(grown, int64(now.HeapInuse)-int64(before.HeapInuse))
	}
	for _, e := range Records(bytes.NewReader(data), Options{Name: "in.parquet"}) {
		if e != nil {
			err = e
			break
		}
		if rows++; rows%(1<<20) == 0 {
			look()
		}
	}
	look()
	return rows, grown, err
}

// A footer that claims 2⁴⁰ rows, of the file, of the row group and of the column, is an error once the
// rows that are there have been read, and costs no memory.
func TestParquetClaimsRows(t *testing.T) {
	const rows = 77
	data := equalRows(t, rows)
	size := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	at := len(data) - 8 - size
	honest := binary.AppendVarint(nil, rows)
	footer := bytes.ReplaceAll(data[at:len(data)-8], honest, binary.AppendVarint(nil, 1<<40))
	if n := bytes.Count(data[at:len(data)-8], honest); n != 3 {
		t.Fatalf("the footer has the number of rows %d times, want 3", n)
	}
	bomb := append(bytes.Clone(data[:at]), footer...)
	bomb = binary.LittleEndian.AppendUint32(bomb, uint32(len(footer)))
	bomb = append(bomb, parquet.Magic...)
	got, grown, err := readIn(bomb)
	if err == nil || !strings.Contains(err.Error(), "the column ends before its row group") || got != rows {
		t.Errorf("%d rows, then %v", got, err)
	}
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	// Of the group alone.
	last := bytes.LastIndex(data[at:len(data)-8], honest) + at
	one := bytes.Join([][]byte{data[at:last], data[last+len(honest) : len(data)-8]}, binary.AppendVarint(nil, 1<<40))
	bomb = append(bytes.Clone(data[:at]), one...)
	bomb = append(binary.LittleEndian.AppendUint32(bomb, uint32(len(one))), parquet.Magic...)
	if _, _, err := readIn(bomb); err == nil || !strings.Contains(err.Error(), "rows") {
		t.Errorf("a column that claims other rows than its group: %v", err)
	}
}

// Rows that take next to nothing in the file are a bomb like any other.
func TestParquetOfEqualRows(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 24 million rows")
	}
	data := equalRows(t, 24<<20)
	rows, grown, err := readIn(data)
	var bomb *ExpandError
	if !errors.As(err, &bomb) || rows < 1<<20 || rows == 24<<20 {
		t.Errorf("%d bytes: %d rows, then %v", len(data), rows, err)
	}
	if grown > 32<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// Package columnar compares the reader and the writer of Parquet with those of Apache Arrow and
// of parquet-go, and what is read with DuckDB's CSV of tables that DuckDB, pyarrow, polars, pandas,
// parquet-wasm and hyparquet-writer write (others.py, others.mjs; they come from PyPI and npm). Workbooks
// that other programs write are read as their tables. These programs take too much room to be a part of BaCa.
package columnar

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"

	bacaparquet "baca/algo/parquet"

	"baca/build/internal/try"
)

var update = flag.Bool("update", false, "write the files of the tests of algo/parquet")

func unzstd(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) }

var codecs = bacaparquet.Codecs{Zstd: unzstd, Brotli: func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }}

var molecules = []string{"CCO", "CC(=O)Oc1ccccc1C(=O)O", "c1ccccc1", "", "C1CC", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"}

// cells are those of row i: SMILES, id, count, a wide and a narrow float, a truth. A nil is null.
func cells(i int) []*string {
	s, id, n := molecules[i%len(molecules)], fmt.Sprintf("mol-%d", i), fmt.Sprint(i*i*7919-5)
	x := []float64{0.1, -1e-300, math.MaxFloat64, 0, 12.5, math.Inf(1)}[i%6] + float64(i/6)
	wide, narrow, yes := strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(float64(i)/7, 'g', -1, 32), strconv.FormatBool(i%3 == 0)
	row := []*string{&s, &id, &n, &wide, &narrow, &yes}
	for column, null := range map[int]bool{0: i%7 == 3, 2: i%11 == 5, 3: i%7 == 2, 5: i%7 == 2} {
		if null {
			row[column] = nil
		}
	}
	return row
}

// keep writes a file for the tests of algo.
func keep(t *testing.T, name string, data []byte) {
	if !*update {
		return
	}
	dir := "../../algo/parquet/testdata"
	try.Check(os.MkdirAll(dir, 0o777))
	try.Check(os.WriteFile(filepath.Join(dir, name), data, 0o666))
}

// check compares rows with the first of their cells.
func check(t *testing.T, n int, rows iter.Seq2[[][]byte, error]) {
	t.Helper()
	i := 0
	for row, err := range rows {
		try.Check(err)
		want := cells(i)
		for k, cell := range row {
			if (cell == nil) != (want[k] == nil) || cell != nil && string(cell) != *want[k] {
				t.Fatalf("row %d, column %d: %q (null %v)", i, k, cell, cell == nil)
			}
		}
		i++
	}
	if i != n {
		t.Fatalf("%d rows, want %d", i, n)
	}
}

// record has n rows, with a list and a struct behind the columns that are read.
func record(t *testing.T, n int) arrow.RecordBatch {
	t.Helper()
	list := arrow.ListOf(arrow.PrimitiveTypes.Float64)
	structs := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "parts", Type: structs}, {Name: "list", Type: list}, {Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "smiles", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "id", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "wide", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "narrow", Type: arrow.PrimitiveTypes.Float32}, {Name: "yes", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		s := b.Field(0).(*array.StructBuilder)
		s.Append(true)
		s.FieldBuilder(0).AppendValueFromString("1")
		s.FieldBuilder(1).AppendValueFromString("a text that is longer than 12 bytes")
		l := b.Field(1).(*array.ListBuilder)
		l.Append(true)
		for k := range i % 3 {
			l.ValueBuilder().(*array.Float64Builder).Append(float64(k))
		}
		b.Field(2).(*array.BooleanBuilder).Append(i%2 == 0)
		for k, cell := range cells(i) {
			if cell == nil {
				b.Field(3 + k).AppendNull()
			} else {
				try.Check(b.Field(3 + k).AppendValueFromString(*cell))
			}
		}
	}
	return b.NewRecordBatch()
}

func TestParquet(t *testing.T) {
	compressions := map[string]compress.Compression{
		"plain": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
		"zstd": compress.Codecs.Zstd, "brotli": compress.Codecs.Brotli, "lz4": compress.Codecs.Lz4Raw,
	}
	for codec, c := range compressions {
		for version, v := range map[string]parquet.DataPageVersion{"v1": parquet.DataPageV1, "v2": parquet.DataPageV2} {
			for _, encoding := range []string{"words", "plain"} {
				for _, n := range []int{0, 1, 40, 30_000} {
					t.Run(fmt.Sprint(codec, version, encoding, n), func(t *testing.T) {
						r := record(t, n)
						options := []parquet.WriterProperty{parquet.WithCompression(c), parquet.WithDataPageVersion(v), parquet.WithDictionaryDefault(encoding == "words"), parquet.WithDataPageSize(1 << 14)}
						if version == "v2" && encoding == "plain" {
							options = append(options, parquet.WithEncodingFor("yes", parquet.Encodings.RLE))
						}
						var b bytes.Buffer
						w := try.To(pqarrow.NewFileWriter(r.Schema(), &b, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps()))
						for from := 0; from < n; from += 13_000 {
							try.Check(w.Write(r.NewSlice(int64(from), int64(min(n, from+13_000)))))
						}
						try.Check(w.Close())
						if n == 40 {
							keep(t, codec+"-"+version+"-"+encoding+".parquet", b.Bytes())
						}
						f := try.To(bacaparquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), codecs))
						check(t, n, f.Rows(3, 4, 5, 6, 7, 8))
					})
				}
			}
		}
	}
}

type row struct {
	SMILES *string `parquet:"smiles,dict,optional,zstd"`
	ID     string  `parquet:"id,dict"`
	N      *int64  `parquet:"n,optional,snappy"`
}

func TestParquetGo(t *testing.T) {
	for _, n := range []int{0, 1, 40, 30_000} {
		var b bytes.Buffer
		w := pq.NewGenericWriter[row](&b, pq.MaxRowsPerRowGroup(9000))
		for i := range n {
			c := cells(i)
			r := row{SMILES: c[0], ID: *c[1]}
			if c[2] != nil {
				var x int64
				fmt.Sscan(*c[2], &x)
				r.N = &x
			}
			try.To(w.Write([]row{r}))
		}
		try.Check(w.Close())
		if n == 40 {
			keep(t, "parquet-go.parquet", b.Bytes())
		}
		f := try.To(bacaparquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), codecs))
		places := map[string]int{}
		for i, c := range f.Columns() {
			places[c.Name] = i
		}
		check(t, n, f.Rows(places["smiles"], places["id"], places["n"]))
	}
}

type written struct {
	Text    *string   `parquet:"text,optional"`
	Number  *float64  `parquet:"number,optional"`
	Truth   *bool     `parquet:"truth,optional"`
	Texts   []string  `parquet:"texts,list"`
	Numbers []float64 `parquet:"numbers,list"`
}

// What is written is what two others read.
func TestWriter(t *testing.T) {
	for _, n := range []int{0, 1, 3, 100, 70_000} {
		for _, distinct := range []int{1, 2, 300, 5000} {
			var b bytes.Buffer
			columns := []bacaparquet.Cells{
				{Name: "text", Kind: bacaparquet.Texts}, {Name: "number", Kind: bacaparquet.Numbers}, {Name: "truth", Kind: bacaparquet.Truths},
				{Name: "texts", Kind: bacaparquet.TextLists}, {Name: "numbers", Kind: bacaparquet.NumberLists},
			}
			w := bacaparquet.NewWriter(&b, "a test", columns)
			var want []written
			for i := range n {
				var r written
				text, number, truth := "", math.NaN(), math.NaN()
				if i%5 != 2 {
					text, number, truth = strings.Repeat("x", i%3)+fmt.Sprint(i*i%distinct), float64(i)/3, float64(i/3%2)
					isTrue := truth == 1
					r.Text, r.Number, r.Truth = &text, &number, &isTrue
				}
				var texts []string
				var numbers []float64
				if i%9 > 0 {
					texts, numbers = []string{}, []float64{}
				}
				for k := range i % 4 * min(i%9, 1) {
					texts, numbers = append(texts, fmt.Sprint(k%2)), append(numbers, float64(i+k))
				}
				if len(texts) > 0 {
					r.Texts, r.Numbers = texts, numbers
				}
				for k, c := range columns {
					columns[k].Texts, columns[k].Numbers = append(c.Texts, text), append(c.Numbers, map[bool]float64{false: number, true: truth}[c.Kind == bacaparquet.Truths])
					columns[k].TextLists, columns[k].NumberLists = append(c.TextLists, texts), append(c.NumberLists, numbers)
				}
				want = append(want, r)
			}
			w.Write(columns)
			try.Check(w.Close())
			got, err := pq.Read[written](bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil {
				t.Fatalf("%d rows, %d words: %v", n, distinct, err)
			}
			if len(got) != len(want) {
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			for i := range got {
				if len(got[i].Texts) == 0 {
					got[i].Texts, got[i].Numbers = nil, nil
				}
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("%d rows, %d words: parquet-go reads %+v in row %d, want %+v", n, distinct, got[i], i, want[i])
				}
			}
			table, err := pqarrow.ReadTable(t.Context(), bytes.NewReader(b.Bytes()), parquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
			if err != nil {
				t.Fatalf("Arrow: %v", err)
			}
			if table.NumRows() != int64(n) || table.NumCols() != 5 {
				t.Fatalf("Arrow reads %d rows of %d columns", table.NumRows(), table.NumCols())
			}
			rows := array.NewTableReader(table, 1000)
			i := 0
			for rows.Next() {
				r := rows.RecordBatch()
				for k := range int(r.NumRows()) {
					text := r.Column(0).(*array.String)
					if text.IsNull(k) != (want[i].Text == nil) || want[i].Text != nil && text.Value(k) != *want[i].Text {
						t.Fatalf("Arrow: row %d has text %q", i, text.Value(k))
					}
					numbers := r.Column(4).(*array.List)
					from, to := numbers.ValueOffsets(k)
					if int(to-from) != len(want[i].Numbers) || numbers.IsNull(k) != (i%9 == 0) {
						t.Fatalf("Arrow: row %d has %d numbers", i, to-from)
					}
					i++
				}
			}
			// And what this project reads.
			f := try.To(bacaparquet.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), bacaparquet.Codecs{}))
			i = 0
			for cells, err := range f.Rows(0) {
				try.Check(err)
				if (cells[0] == nil) != (want[i].Text == nil) || cells[0] != nil && string(cells[0]) != *want[i].Text {
					t.Fatalf("row %d has text %q", i, cells[0])
				}
				i++
			}
		}
	}
}

package columnar

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	ours "baca/algo/parquet"

	"baca/build/internal/try"
)

// measured are the values of row i: of a wide and a narrow float, and a truth. Every seventh is null.
func measured(i int) (wide float64, narrow float32, yes, null bool) {
	wide = []float64{0.1, -1e-300, math.MaxFloat64, 0, 12.5, math.Inf(1)}[i%6] + float64(i/6)
	return wide, float32(i) / 7, i%3 == 0, i%7 == 2
}

// numbersRecord has n rows of these.
func numbersRecord(n int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "wide", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "narrow", Type: arrow.PrimitiveTypes.Float32}, {Name: "yes", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil))
	for i := range n {
		wide, narrow, yes, null := measured(i)
		b.Field(1).(*array.Float32Builder).Append(narrow)
		if null {
			b.Field(0).AppendNull()
			b.Field(2).AppendNull()
			continue
		}
		b.Field(0).(*array.Float64Builder).Append(wide)
		b.Field(2).(*array.BooleanBuilder).Append(yes)
	}
	return b.NewRecordBatch()
}

// checkNumbers compares what is read: the same number comes back of its text.
func checkNumbers(t *testing.T, n int, rows iter.Seq2[[][]byte, error]) {
	t.Helper()
	i := 0
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		wide, narrow, yes, null := measured(i)
		if y, err := strconv.ParseFloat(string(row[1]), 32); err != nil || float32(y) != narrow {
			t.Fatalf("row %d: %q, want %g", i, row[1], narrow)
		}
		if null != (row[0] == nil) || null != (row[2] == nil) {
			t.Fatalf("row %d: %q", i, row)
		}
		if x, err := strconv.ParseFloat(string(row[0]), 64); !null && (err != nil || x != wide || string(row[2]) != strconv.FormatBool(yes)) {
			t.Fatalf("row %d: %q, want %g and %v", i, row, wide, yes)
		}
		i++
	}
	if i != n {
		t.Fatalf("%d rows, want %d", i, n)
	}
}

func TestNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 40, 9000} {
		r := numbersRecord(n)
		for version, v := range map[string]parquet.DataPageVersion{"v1": parquet.DataPageV1, "v2": parquet.DataPageV2} {
			for _, words := range []bool{true, false} {
				t.Run(fmt.Sprint(n, version, words), func(t *testing.T) {
					var b bytes.Buffer
					options := []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageVersion(v), parquet.WithDictionaryDefault(words), parquet.WithDataPageSize(1 << 12)}
					if version == "v2" && !words {
						options = append(options, parquet.WithEncodingFor("yes", parquet.Encodings.RLE))
					}
					w := try.To(pqarrow.NewFileWriter(r.Schema(), &b, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps()))
					try.Check(w.Write(r))
					try.Check(w.Close())
					f := try.To(ours.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), codecs))
					checkNumbers(t, n, f.Rows(0, 1, 2))
				})
			}
		}
	}
}

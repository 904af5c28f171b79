package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/parquet"
)

// list reads all records as text, the final error last.
func list(r io.Reader, opt Options) []string {
	var got []string
	for rec, err := range Records(r, opt) {
		switch {
		case err != nil:
			got = append(got, "end: "+err.Error())
		case rec.Err != nil:
			got = append(got, fmt.Sprintf("%d@%d refused %v", rec.Row, rec.Line, rec.Err))
		default:
			got = append(got, fmt.Sprintf("%d@%d %s <%s>", rec.Row, rec.Line, rec.SMILES, rec.ID))
		}
	}
	return got
}

// molBlock is a molfile with two atoms of an element.
func molBlock(name, element string) string {
	return name + "\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" +
		fmt.Sprintf("    0.0000    0.0000    0.0000 %-3s 0  0\n    1.0000    0.0000    0.0000 %-3s 0  0\n", element, element) +
		"  1  2  1  0\nM  END\n"
}

type recordsCase struct {
	Case string
	optionsCase
	Text string
	Want []string
}

// An optionsCase has the options of a case in a file.
type optionsCase struct {
	Name, Column, ID string
	Format           Format
	Cells            []string
	Most             int // bytes of a record
}

func (c *optionsCase) options() Options {
	return Options{Name: c.Name, Column: c.Column, ID: c.ID, Format: c.Format, Cells: c.Cells, maxRecord: c.Most}
}

func TestRecords(t *testing.T) {
	named := optionsCase{Name: "f.csv"}
	for _, test := range golden.Cases(t, "records.jsonl", []recordsCase{
		{"header beyond the head", named, "id," + strings.Repeat("x,", headSize/2) + "smiles\na," + strings.Repeat(",", headSize/2) + "C\n",
			[]string{"1@2 C <a>"}},
		{"widest header", named, "smiles" + strings.Repeat(",", maxColumns-1) + "\nC\n", []string{"1@2 C <>"}},
		{"wide blank row", named, strings.Repeat(",", maxColumns-1) + "\nsmiles\nC\n", []string{"1@3 C <>"}},
		{"wide header", named, strings.Repeat(",", maxColumns), []string{"end: f.csv: header of 65537 columns: want at most 65536"}},
		{"zstd", optionsCase{Name: "f.smi.zst"}, "\x28\xb5\x2f\xfdxxxx",
			[]string{"end: f.smi.zst: zstd-compressed data: want plain text or gzip, decompress it first"}},
	}...) {
		if got := list(strings.NewReader(test.Text), test.options()); !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%s:\n got %q\nwant %q", test.Case, got, test.Want)
		}
		// Compressed, and in single bytes, the same; but data that are compressed twice are refused.
		if strings.HasPrefix(test.Case, "zstd") || test.Case == "zip" {
			continue
		}
		r := iotest.OneByteReader(bytes.NewReader(zipped(t, test.Text)))
		if got := list(r, test.options()); !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%s, compressed:\n got %q\nwant %q", test.Case, got, test.Want)
		}
	}
}

// A stream that breaks ends with an error, after the rows that are whole.
func TestRecordsBroken(t *testing.T) {
	broken := errors.New("cable pulled")
	type brokenCase struct {
		Text   string
		Format Format
		Want   []string
	}
	for _, test := range golden.Cases[brokenCase](t, "broken.jsonl") {
		r := io.MultiReader(strings.NewReader(test.Text), iotest.ErrReader(broken))
		if got := list(r, Options{Name: "in", Format: test.Format, maxRecord: 50}); !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%q:\n got %q\nwant %q", test.Text, got, test.Want)
		}
	}

	cut := zipped(t, strings.Repeat("CCO\n", 1000))
	for want, r := range map[error]io.Reader{
		io.ErrUnexpectedEOF: bytes.NewReader(cut[:len(cut)-6]), io.ErrNoProgress: stuck{},
		iotest.ErrTimeout: iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("CCO\n"))),
	} {
		var last error
		for _, err := range Records(r, Options{Format: SMI}) {
			last = err
		}
		if !errors.Is(last, want) || want == io.ErrUnexpectedEOF && !strings.Contains(last.Error(), "looks truncated") {
			t.Errorf("%v, want %v", last, want)
		}
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// Memory does not grow with the length of a stream, nor of a line.
func TestRecordsMemory(t *testing.T) {
	for _, text := range []io.Reader{
		io.MultiReader(strings.NewReader("smiles\n"), &repeat{line: []byte("C"), left: 40 << 20}),
		io.MultiReader(strings.NewReader("smiles\n\""), &repeat{line: []byte("C"), left: 40 << 20}),
		io.MultiReader(strings.NewReader("smiles\n"), &repeat{line: []byte("CC\"O,,\n"), left: 10 << 20}),
		io.MultiReader(strings.NewReader("smiles\n"), &repeat{line: []byte(",\"\"\n"), left: 10 << 20}),
		io.MultiReader(strings.NewReader("smiles\n"), &repeat{line: []byte(","), left: 10 << 20}),
	} {
		var before, after runtime.MemStats
		runtime.GC() // what other tests have left sets how far the heap may grow
		runtime.ReadMemStats(&before)
		for rec, err := range Records(text, Options{Format: CSV, maxRecord: 1 << 20}) {
			must.Do(err)
			if len(rec.SMILES) > 4 {
				t.Errorf("SMILES of %d bytes", len(rec.SMILES))
			}
		}
		runtime.ReadMemStats(&after)
		if after.HeapSys > before.HeapSys+8<<20 {
			t.Errorf("heap grew from %d to %d bytes", before.HeapSys, after.HeapSys)
		}
	}
}

// repeat is a text of one line again and again.
type repeat struct {
	line []byte
	left int
	next int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.left)
	for i := range n {
		p[i] = r.line[(r.next+i)%len(r.line)]
	}
	r.next += n
	r.left -= n
	return n, nil
}

// Text that tempts a reader to look at the same bytes again and again. If the time grew with the square of the length
// this test would run into go test's limit.
func TestRecordsLinear(t *testing.T) {
	const size = 1 << 20
	for _, line := range []string{
		"\"\n", "\"a\n", "\"\"\n", "\"\"\"\n", "\"\"\"a\n", "x,\"\n", "x,\"\"a\n", "\"a\",\"b\n", "a\"\n", "\",\"\n", "\"\r\n", ",", "\"\"", "\"x\"", "a,\"\"\"\"\n", "\n",
	} {
		text := "smiles\n\"" + strings.Repeat(line, size/len(line))
		rows := 0
		for _, err := range Records(strings.NewReader(text), Options{Format: CSV, maxRecord: 1 << 20}) {
			must.Do(err)
			rows++
		}
		if lines := strings.Count(text, "\n"); rows > lines {
			t.Errorf("%q: %d rows of %d lines", line, rows, lines)
		}
	}
}

func TestFormat(t *testing.T) {
	type formatCase struct {
		Name, Head string
		Want       Format
	}
	for _, test := range golden.Cases(t, "formats.jsonl",
		formatCase{"x.gz", string(zipped(t, "id,smiles\nx,C\n"))[:30], CSV},
		formatCase{"", "\xff\xfei\x00d\x00,\x00s\x00m\x00i\x00l\x00e\x00s\x00", CSV},
	) {
		text, err := NewText(strings.NewReader(test.Head), Unpack{})
		if err != nil {
			t.Errorf("%q: %v", test.Head, err)
		} else if got := text.Format(test.Name); got != test.Want {
			t.Errorf("%q with the text %q is %q, want %q", test.Name, test.Head, got, test.Want)
		}
	}
	for _, name := range append(Formats(false), "x") {
		f := ParseFormat(name)
		if string(f) != name || f.Graphs() != slices.Contains([]Format{TU, NodeLink, GraphML}, f) ||
			f.Graphs() == slices.Contains(append(Formats(true), "x"), name) {
			t.Errorf("%q holds plain graphs: %v", f, f.Graphs())
		}
	}
	if list := Extensions(); ParseFormat("auto") != Auto || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) ||
		!slices.Contains(list, ".sdf") || !slices.Contains(list, ".gz") {
		t.Errorf("extensions %q", list)
	}
}

func TestMoleculesSDF(t *testing.T) {
	text := molBlock("a", "C") + "$$$$\n" + molBlock("b", "Xx") + "> <id>\n2\n\n$$$$\n" + strings.ReplaceAll(molBlock("", "O")+"> <id>\n3\n\n", "\n", "\r\n") +
		"$$$$\r\n\n\n\n\n$$$$\nd" + strings.Replace(molBlock("", "N"), "M  END\n", "", 1) + "$$$$\n" + molBlock("e", "S")
	want := []string{"a 2 1", `b f.sdf:14:32: "Xx" is no element: want a symbol such as C or Cl`, "3 2 1",
		"4 f.sdf:37:1: no counts line: want the numbers of atoms and bonds on line 4, after three lines of header", "d f.sdf:46:1: the text ends before M  END", "e 2 1"}
	for _, workers := range []int{1, 3} {
		for _, r := range []io.Reader{strings.NewReader(text), bytes.NewReader(zipped(t, text))} {
			var got []string
			for rec, err := range Molecules(context.Background(), r, Options{Name: "f.sdf", Workers: workers}) {
				if must.Do(err); rec.Err != nil {
					got = append(got, rec.ID+" "+rec.Err.Error())
					continue
				}
				got = append(got, fmt.Sprintf("%s %d %d", rec.ID, rec.Graph.N(), rec.Graph.M()))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers:\n got %q\nwant %q", workers, got, want)
			}
		}
	}
}

// FuzzCSV compares with encoding/csv where that accepts the text.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"id,smiles\na,C\n", "\"a\"\"b\",\"c\nd\"\r\n\r\n,x", "\"\n\"\n", "a\"b,c\r", "\"a\"x\n", "\ufeffsmiles\nC", ",\n\"\"\n", "\"\r\n\"\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkStream(t, text, CSV)
		text, ok := naiveText(text)
		if !ok {
			return
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		for _, fields := range want {
			for k := range fields {
				fields[k] = strings.TrimSpace(fields[k])
			}
		}
		var all [][]string
		s := scanner{window: newWindow(strings.NewReader(text), 16, 1<<20)}
		c := table{scanner: &s, separator: ',', columns: maxColumns}
		for {
			size, next, err := c.next()
			if err != nil {
				if err != errEnd {
					t.Fatalf("record %d: %v, but encoding/csv accepts %q", len(all), err, text)
				}
				break
			}
			var got []string
			for k := range c.fields {
				got = append(got, string(c.text(k, 0)))
			}
			s.consume(size, next)
			all = append(all, got)
		}
		blank := func(fields []string) bool { return len(fields) == 1 && fields[0] == "" }
		all, want = slices.DeleteFunc(all, blank), slices.DeleteFunc(want, blank)
		if !slices.EqualFunc(all, want, slices.Equal[[]string]) {
			t.Fatalf("records %q, want %q", all, want)
		}
	})
}

// FuzzSMI compares with a splitting by the standard library.
func FuzzSMI(f *testing.F) {
	for _, s := range []string{"C methane\n", "# x\n\nC\r\nN a b", "smiles id\nC 1", " C\t", "\ufeffC", "\x1f\x8b", "C a\rN\r\rO", "\xff\xfeC\x00\r\x00\n\x00N\x00", "C\vN\u2028O\u00a0a\u0085\fS", "C\xe9 \x80", "“C” a\n”\n[C][C]\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkStream(t, text, SMI)
		plain, ok := naiveText(text)
		if !ok || strings.HasPrefix(plain, string(zipMagic)) || beginsParquet([]byte(text)) || strings.ContainsAny(plain, "\x00[“”„‟‘’‚‛«»") {
			return // TestNotations has such
		}
		if read, err := NewText(strings.NewReader(text), Unpack{}); err != nil {
			return
		} else if p, _ := placeOf(read.head()); p != first {
			return // TestPastes has such
		}
		var want []string
		front := true
		for i, lines := range strings.Split(plain, "\n") {
			for _, line := range strings.FieldsFunc(lines, func(r rune) bool { return strings.ContainsRune("\v\f\u0085\u2028\u2029", r) }) {
				words := strings.FieldsFunc(line, isSpace)
				if len(words) == 0 || words[0][0] == '#' {
					continue
				}
				if header := first.isHeader([]byte(line)); !header || !front {
					id := strings.TrimLeftFunc(line, isSpace)[len(words[0]):]
					want = append(want, fmt.Sprintf("%d@%d %s <%s>", len(want)+1, i+1, nameOf([]byte(words[0])), nameOf([]byte(strings.TrimFunc(id, isSpace)))))
				}
				front = false
			}
		}
		if got := list(strings.NewReader(text), Options{Format: SMI}); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// severalOnLine are formats of which a line may hold several records.
var severalOnLine = map[Format]bool{SMI: true, JSONL: true, NodeLink: true, GraphML: true}

// checkStream reads text under a small limit and checks what must hold of all streams.
func checkStream(t *testing.T, text string, format Format) {
	t.Helper()
	opt := Options{Format: format, Plain: true, maxRecord: 40} // texts in Windows-1252 are longer in UTF-8
	row, line := 1, 0
	for rec, err := range Records(strings.NewReader(text), opt) {
		if err != nil {
			break
		}
		if rec.Row != row || rec.Line < line || rec.Line == line && !severalOnLine[format] || len(rec.SMILES) > 3*40 || len(rec.ID) > 3*40 || !utf8.ValidString(rec.SMILES+rec.ID) || rec.Graph != nil && format != GraphML {
			t.Fatalf("record %+v behind row %d of line %d", rec, row-1, line)
		}
		if rec.Err == nil && rec.SMILES == "" && rec.Graph == nil && !rec.linked {
			t.Fatalf("record %+v has nothing", rec)
		}
		row, line = row+1, rec.Line
	}
	if plain, ok := naiveText(text); ok && line > strings.Count(plain, "\n")+1 {
		t.Fatalf("record on line %d of %d", line, strings.Count(plain, "\n")+1)
	}
	whole := list(strings.NewReader(text), opt)
	if bytewise := list(iotest.OneByteReader(strings.NewReader(text)), opt); !reflect.DeepEqual(whole, bytewise) {
		t.Fatalf("whole %q, byte by byte %q", whole, bytewise)
	}
}

func BenchmarkRecords(b *testing.B) {
	const n = 20000
	smi := strings.Repeat("CC(C)NCC(O)COc1cccc2ccccc12 M1\n", n)
	csv := "id,name,smiles,activity\n" + strings.Repeat("1,\"4-methoxy-N,N-dimethyl\",CC(C)NCC(O)COc1cccc2ccccc12,0.5\n", n)
	for name, data := range map[string][]byte{
		"a.smi":    []byte(smi),
		"a.smi.gz": zipped(b, smi),
		"a.csv":    []byte(csv),
		"a.csv.gz": zipped(b, csv),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				got := 0
				for rec, err := range Records(bytes.NewReader(data), Options{Name: name}) {
					must.Do(cmp.Or(err, rec.Err))
					got++
				}
				if got != n {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// A molecule in a list is read as the same text in a cell of CSV.
func TestListed(t *testing.T) {
	texts := []string{"CCO", "  c1ccccc1 ", "C(C", " CX", "C C", "\tC[N+](C)(C)C\t", "é", strings.Repeat("C", MaxField+1)}
	row := 0
	for want, err := range Molecules(context.Background(), strings.NewReader("smiles\n"+strings.Join(texts, "\n")+"\n"), Options{Format: CSV}) {
		must.Do(err)
		got := Listed(row+1, texts[row]).Parsed()
		if got.Row != want.Row || got.SMILES != want.SMILES || !reflect.DeepEqual(got.Graph, want.Graph) || (got.Err == nil) != (want.Err == nil) {
			t.Errorf("%.20q: row %d, SMILES %.20q, %v; want %d, %.20q with the same graph, %v", texts[row], got.Row, got.SMILES, got.Err, want.Row, want.SMILES, want.Err)
		} else if got.Err != nil {
			_, text, _ := strings.Cut(want.Err.Error(), ", ") // behind the line
			if text = strings.Replace(text, "column", "character", 1); got.Err.Error() != text {
				t.Errorf("%.20q: %v, want %s", texts[row], got.Err, text)
			}
		}
		row++
	}
	if row != len(texts) {
		t.Errorf("%d rows, want %d", row, len(texts))
	}
	if r := Listed(0, strings.Repeat("C", MaxField)); r.Err != nil || len(r.SMILES) != MaxField {
		t.Errorf("the longest: %d bytes, %v", len(r.SMILES), r.Err)
	}
	if err := Listed(0, " ").Err; err == nil || err.Error() != "character 2: no SMILES: want a molecule" {
		t.Errorf("blank: %v", err)
	}
}

// Columns are read by their names. A column that is asked for, or taken, must be there, and the only one of its name. Names may be in
// Latin-1.
func TestColumnsByName(t *testing.T) {
	type columnsCase struct {
		optionsCase
		Text    string
		Parquet []string // names of its columns, in place of a text
		Want    string   // the first record and its cells, or the error
	}
	for _, test := range golden.Cases(t, "columns.jsonl", []columnsCase{
		{optionsCase{Cells: []string{"Wert µM"}}, "smiles;Wert \xb5M\nC;1 \xb5g \x96 3 \x80\n", nil, "C <> [1 µg – 3 €]"},
		{optionsCase{Column: "Straße", Cells: []string{"wert µm"}}, "Stra\xdfe;Wert \xb5M;a\nC;1,2;x\n", nil, "C <> [1,2]"},
	}...) {
		if test.Parquet != nil {
			var columns []parquet.Cells
			for i, name := range test.Parquet { // with CC, CCC and so on
				columns = append(columns, parquet.Cells{Name: name, Kind: parquet.Texts, Texts: []string{strings.Repeat("C", i+2)}})
			}
			test.Text = parquetOf(1, columns...)
		}
		test.Name = "f.csv"
		got := ""
		for r, err := range Records(strings.NewReader(test.Text), test.options()) {
			if got = fmt.Sprintf("%s <%s> %v", r.SMILES, r.ID, r.Cells); cmp.Or(err, r.Err) != nil {
				got = cmp.Or(err, r.Err).Error()
			}
			break
		}
		if got != test.Want {
			t.Errorf("%q, %+v:\n got %s\nwant %s", test.Text, test.optionsCase, got, test.Want)
		}
	}
}

// parquetOf is a file that has the rows of the columns so many times.
func parquetOf(times int, columns ...parquet.Cells) string {
	var b strings.Builder
	w := parquet.NewWriter(&b, "a test", columns)
	for range times {
		w.Write(columns)
	}
	must.Do(w.Close())
	return b.String()
}

// Readers tell the names of all columns, once and before any record. The input's own columns are all but
// those of the SMILES and the id. A loop that is left early is not called again.
func TestOwn(t *testing.T) {
	columns := []parquet.Cells{
		{Name: "id", Kind: parquet.Texts, Texts: slices.Repeat([]string{"a"}, 40)}, {Name: "y", Kind: parquet.Numbers},
		{Name: "smiles", Kind: parquet.Texts, Texts: slices.Repeat([]string{"CC"}, 40)},
	}
	sevens := slices.Repeat([]string{"7"}, 40)
	for i := range sevens { // levels in runs and packed
		x := 7.0
		if i%3 > 0 && i <= 30 {
			x, sevens[i] = math.NaN(), ""
		}
		columns[1].Numbers = append(columns[1].Numbers, x)
	}
	for name, test := range map[string]struct {
		text string
		all  []string
		own  []string // cells of the first records
	}{
		"a.csv": {"id,Price EUR,smiles\na,7,CC\n,,CC\n\"\n,,C\n", []string{"id", "Price EUR", "smiles"}, []string{"7", ""}},
		"a.tsv": {"a\tCCO\t1\nb\tCCN\t2\nc\tCCS\t3\n", []string{"column 1", "column 2", "column 3"}, []string{"1", "2"}},
		"a.jsonl": {`{"id":"a","y":7,"smiles":"CC"}` + "\n" + `{"smiles":"CCN","done":true}` + "\n" + `{"smiles":"C"}`,
			[]string{"done", "id", "smiles", "y"}, []string{" 7", "true "}},
		"a.parquet": {parquetOf(1, columns...), []string{"id", "y", "smiles"}, sevens},
		"a.sdf": {molBlock("\xe9", "C") + "> <y>\n7\n\n> <y>\n8\n\n> <\xb5>\n\xb9\n\n$$$$\n" +
			molBlock("", "C") + "> <other>\n1\n\n$$$$\n" + molBlock("", "N"), []string{"y", "µ"}, []string{"8 ¹", " "}},
		"a.smi": {"CCO a\nC\nN\n", nil, []string{"", ""}},
	} {
		var all []string
		calls, i := 0, 0
		o := Options{Name: name, Own: func(names, _ []string) {
			if calls++; i > 0 {
				t.Errorf("%s: the names come after a record", name)
			}
			all = names
		}}
		for rec, err := range Records(strings.NewReader(test.text), o) {
			if got := strings.Join(rec.Own, " "); err != nil || !utf8.ValidString(rec.Molfile()) || rec.Err != nil || got != test.own[i] || !slices.Equal(all, test.all) || calls > 1 {
				t.Errorf("%s: record %d has %q of %q in %d calls, %v, %v; want %q of %q", name, i, got, all, calls, err, rec.Err, test.own[i], test.all)
			}
			if i++; i == len(test.own) {
				break
			}
		}
		if i < len(test.own) {
			t.Errorf("%s: %d records", name, i)
		}
	}
}

// A guess is told once, and not where there was nothing to choose from.
func TestGuessed(t *testing.T) {
	const table = "id,Structure\na,CCO\nb,CCN\n"
	for text, want := range map[string][]string{
		table: {"Structure"}, "id,smiles\na,CCO\n": nil, "Structure\nCCO\n": nil,
		string(zipOf(t, packedFile{"a.csv", table}, packedFile{"b.csv", table})): {"Structure"},
	} {
		var got []string
		for _, err := range Records(strings.NewReader(text), Options{Format: CSV, Guessed: func(column string) { got = append(got, column) }}) {
			must.Do(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: guessed %q, want %q", text, got, want)
		}
		for range Records(strings.NewReader(text), Options{Format: CSV}) {
			break // which ends an archive, too
		}
	}
}

// Errors name their place, as far as it is known.
func TestPlaces(t *testing.T) {
	cause := errors.New("no")
	for want, err := range map[string]*SyntaxError{
		"f: row 3: no": {File: "f", Row: 3, Err: cause}, "input: row 3, character 2: no": {Row: 3, Column: 2, Err: cause},
		"character 2: no":      {Column: 2, Err: cause},
		"line 4, column 2: no": {Line: 4, Column: 2, Err: cause}, "f:4:2: no": {File: "f", Line: 4, Column: 2, Err: cause},
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r := Entry{Line: 5, cellAt: [][2]int{{6, 9}}, at: SyntaxError{File: "f"}}
	if first, second := r.FailCell(0, cause), r.FailCell(1, cause); first.Error() != "f:6:9: no" || second.Error() != "f:5:1: no" {
		t.Errorf("%v, %v", first, second)
	}
	if r.at.Row = 2; r.FailCell(1, cause).Error() != "f: row 2: no" {
		t.Error(r.FailCell(1, cause))
	}
	// A file of columns has rows.
	for name, want := range map[string]string{"smiles": "input: row 2, character 2: ring bond 1 is never closed",
		"y": `input: column "y" holds numbers: want text, the SMILES`} {
		file := parquetOf(1, parquet.Cells{Name: "y", Kind: parquet.Numbers, Numbers: []float64{1, 2}},
			parquet.Cells{Name: "smiles", Texts: []string{"C", "C1CC"}})
		var last error
		for rec, err := range Molecules(context.Background(), strings.NewReader(file), Options{Column: name}) {
			last = cmp.Or(err, rec.Err)
		}
		if last == nil || last.Error() != want {
			t.Errorf("column %s: %v, want %s", name, last, want)
		}
	}
	// The longest texts are read, longer ones refused.
	for _, c := range []struct{ smiles, id, want string }{
		{strings.Repeat("C", MaxField), strings.Repeat("x", MaxField), ""},
		{"C", strings.Repeat("x", MaxField+1), "id of 65537 bytes: want at most 65536"},
		{strings.Repeat("C", MaxField+1), "x", "SMILES of 65537 bytes: want at most 65536"},
	} {
		for rec, err := range Records(strings.NewReader(c.smiles+" "+c.id), Options{Format: SMI}) {
			if must.Do(err); (rec.Err == nil) != (c.want == "") || rec.Err != nil && rec.Err.Error() != "line 1, column 1: "+c.want ||
				rec.Err == nil && (rec.SMILES != c.smiles || rec.ID != c.id) {
				t.Errorf("%d and %d bytes: %d and %d, %v", len(c.smiles), len(c.id), len(rec.SMILES), len(rec.ID), rec.Err)
			}
		}
	}
}

package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// A tab of a workbook: its name, its state, and the XML of its rows.
type tab struct{ name, state, rows string }

// workbookOf packs a workbook, with the XML of shared texts.
func workbookOf(t *testing.T, tabs []tab, texts ...string) []byte {
	var sheets, relations strings.Builder
	files := []packedFile{{"xl/sharedStrings.xml", "<sst>" + strings.Join(texts, "") + "</sst>"}}
	for i, tab := range tabs {
		fmt.Fprintf(&sheets, `<sheet name="%s" state="%s" r:id="r%d"/>`, tab.name, cmp.Or(tab.state, "visible"), i)
		fmt.Fprintf(&relations, `<Relationship Id="r%d" Target="%d.xml"/>`, i, i)
		files = append(files, packedFile{fmt.Sprintf("xl/%d.xml", i), "<worksheet><sheetData>" + tab.rows + "</sheetData></worksheet>"})
	}
	return zipOf(t, append(files,
		packedFile{"xl/workbook.xml", "<workbook><sheets>" + sheets.String() + "</sheets></workbook>"},
		packedFile{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="s" Type="x/sharedStrings" Target="sharedStrings.xml"/>` + relations.String() + "</Relationships>"})...)
}

// rowsOf has a row for each line, with a cell for each word.
func rowsOf(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("<row>")
		for _, word := range strings.Fields(line) {
			fmt.Fprintf(&b, "<c><v>%s</v></c>", word)
		}
		b.WriteString("</row>")
	}
	return b.String()
}

func TestWorkbooks(t *testing.T) {
	ethanol, benzene := rowsOf("smiles id", "CCO e"), rowsOf("smiles id", "c1ccccc1 b", "C m")
	about := rowsOf("About", "This workbook", "holds molecules")
	far := strings.Repeat(`<row><c><v>C</v></c><c r="XFD1"><v>1</v></c></row>`, 1<<17)
	shared := "<si><t>" + strings.Repeat("C", 60_000) + "</t></si>"
	damaged := workbookOf(t, []tab{{"a", "", about}, {"b", "", ethanol}})
	damaged[bytes.Index(damaged, []byte("PK\x01\x02"))+16]++ // the checksum of the shared texts
	for name, test := range map[string]struct {
		data          []byte
		sheet, column string
		want          []string // ids, or what ends them
		note          string
	}{
		"rows of Excel, and where one is refused": {data: must.Have(os.ReadFile("../xlsx/testdata/exceljs.xlsx")),
			want: []string{"2 aspirin", "4 caffeine", "5 in.xlsx:5:9: ring bond 1 is never closed", "6 ethanol"}},
		"escapes": {data: must.Have(os.ReadFile(filepath.Join("testdata", "other", "cr.xlsx"))),
			want: []string{"2 m1", "3 m2", "4 m3", "5 in.xlsx:5:2: a second SMILES"}},
		"the first sheet with structures": {data: workbookOf(t, []tab{{"Read me", "", about}, {"empty", "", "<row/>"}, {"x", "", ethanol}, {"y", "", benzene}}),
			want: []string{"2 e"}, note: `sheet "x" is read, and not "Read me" (rows: 3), "y" (rows: 3)`},
		"hidden sheets":       {data: workbookOf(t, []tab{{"x", "hidden", ethanol}, {"y", "", benzene}, {"z", "veryHidden", ethanol}}), want: []string{"2 b", "3 m"}},
		"the column":          {data: workbookOf(t, []tab{{"x", "", ethanol}, {"y", "", rowsOf("mine id", "N n")}}), column: "mine", want: []string{"2 n"}, note: `sheet "y" is read, and not "x" (rows: 2)`},
		"a name":              {data: workbookOf(t, []tab{{"x", "", ethanol}, {"Y", "", benzene}, {"y", "hidden", ethanol}}), sheet: "y", want: []string{"2 e"}},
		"a name in any case":  {data: workbookOf(t, []tab{{"x", "", ethanol}, {"Data", "hidden", benzene}}), sheet: "data", want: []string{"2 b", "3 m"}},
		"another name":        {data: workbookOf(t, []tab{{"x", "", ethanol}, {"y", "hidden", benzene}}), sheet: "z", want: []string{`in.xlsx: no sheet is called "z": want one of "x", "y"`}},
		"a sheet of CSV":      {data: []byte("smiles\nC\n"), sheet: "x", want: []string{`in.xlsx: sheet "x" of what is no Excel workbook: name none`}},
		"no structures":       {data: workbookOf(t, []tab{{"x", "", "<row/>"}, {"y", "", rowsOf("a b", "1 2")}}), want: []string{`in.xlsx: no column holds SMILES: there are "a", "b"`}},
		"empty":               {data: workbookOf(t, []tab{{"x", "", "<row/>"}}), want: []string{"in.xlsx: a workbook whose visible sheets are empty: want one with molecules"}},
		"CSV in a folder xl":  {data: zipOf(t, packedFile{"xl/a.csv", "smiles,id\nC,m\n"}), want: []string{"2 m"}},
		"a binary workbook":   {data: zipOf(t, packedFile{"xl/workbook.bin", "\x83"}), want: []string{"in.xlsx: this is a binary Excel workbook (.xlsb): save it as .xlsx or CSV and give that"}},
		"a missing sheet":     {data: zipOf(t, packedFile{"xl/workbook.xml", `<workbook><sheet name="x" id="a"/></workbook>`}), want: []string{"in.xlsx: workbook: open xl/_rels/workbook.xml.rels: file does not exist"}},
		"damaged texts":       {data: damaged, want: []string{`in.xlsx: workbook: xl/sharedStrings.xml: zip: checksum error`}},
		"a cell far right":    {data: workbookOf(t, []tab{{"x", "", rowsOf("smiles", "C", "N") + far}}), want: []string{`in.xlsx: at row `}},
		"a text in each cell": {data: workbookOf(t, []tab{{"x", "", strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 1<<16)}}, shared), want: []string{`in.xlsx: at row `}},
	} {
		var got []string
		note := ""
		sheets := ""
		options := Options{Name: "in.xlsx", Sheet: test.sheet, Column: test.column, Note: func(sentence string) { note += sentence },
			Sheets: func(visible []string, read string) { sheets = fmt.Sprintf("%q of %q", read, visible) }}
		for r, err := range Molecules(t.Context(), bytes.NewReader(test.data), options) {
			switch {
			case err != nil:
				got = append(got, err.Error())
			case r.Err != nil:
				got = append(got, fmt.Sprint(r.Line, " ", r.Err))
			default:
				got = append(got, fmt.Sprint(r.Line, " ", r.ID))
			}
		}
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) || note != test.note {
			t.Errorf("%s: %q, note %q\nwant %q, note %q", name, got, note, test.want, test.note)
		}
		if want, asked := map[string]string{
			"hidden sheets": `"y" of ["y"]`, "the first sheet with structures": `"x" of ["Read me" "empty" "x" "y"]`, "a name in any case": `"Data" of ["x"]`,
			"another name": "", "CSV in a folder xl": "",
		}[name]; asked && sheets != want {
			t.Errorf("%s: reads %s, want %s", name, sheets, want)
		}
	}
}

// A workbook takes memory in proportion to its size, whatever its few bytes stand for.
func TestWorkbookMemory(t *testing.T) {
	const once = `<row><c><v>smiles</v></c><c><v>x</v></c></row><row><c><v>C</v></c><c t="s"><v>0</v></c></row>`
	for name, of := range map[string]func(n int) (rows, texts string){
		"rows": func(n int) (string, string) { return once + strings.Repeat("<row><c><v>C</v></c></row>", n), "<si/>" },
		"columns": func(n int) (string, string) {
			return once + "<row>" + strings.Repeat("<c><v>C</v></c>", n/8) + "</row>", "<si/>"
		},
		"texts": func(n int) (string, string) { return once, "<si><t>C</t></si>" + strings.Repeat("<si/>", n) },
		"runs":  func(n int) (string, string) { return once, "<si>" + strings.Repeat("<r><t>xq</t></r>", n) + "</si>" },
	} {
		taken := func(n int) uint64 {
			rows, texts := of(n)
			noise := make([]byte, 4*n) // a sheet that is not read lets the others shrink more than any cells do
			rand.NewChaCha8([32]byte{}).Read(noise)
			data := workbookOf(t, []tab{{"x", "", rows}, {"y", "hidden", string(noise)}}, texts)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := readIn("in.xlsx", data)
			if runtime.ReadMemStats(&after); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		const n = 1 << 15
		if few, many := taken(n), taken(2*n); 10*many > 23*few || many > 64<<20 {
			t.Errorf("%s: %d bytes for %d, %d for twice as many", name, few, n, many)
		}
	}
}

// A damaged workbook ends in an error, or gives the rows of the sound one.
func FuzzWorkbook(f *testing.F) {
	var files [][]byte
	for _, name := range must.Have(filepath.Glob("../xlsx/testdata/*.xlsx")) {
		files = append(files, must.Have(os.ReadFile(name)))
	}
	read := func(data []byte) (rows []string, err error) {
		for r, err := range Records(bytes.NewReader(data), Options{Name: "in.xlsx"}) {
			if err != nil {
				return rows, err
			}
			rows = append(rows, fmt.Sprint(r.Line, r.SMILES, r.ID, r.Err))
		}
		return rows, nil
	}
	for at := uint32(0); at < uint32(len(files[0])); at += 23 {
		f.Add(uint8(0), at, uint8(1<<(at%8)), uint32(1<<30))
		f.Add(uint8(0), at, uint8(0), at)
	}
	f.Fuzz(func(t *testing.T, file uint8, at uint32, mask uint8, size uint32) {
		sound := files[int(file)%len(files)]
		data := bytes.Clone(sound)
		data[int(at)%len(data)] ^= mask
		data = data[:max(len(zipMagic), min(len(data), int(size)))]
		got, err := read(data)
		if err != nil {
			return
		}
		if want := must.Have(read(sound)); !slices.Equal(got, want) {
			t.Errorf("file %d, byte %d ^ %#x, size %d: %q, want %q", file, at, mask, size, got, want)
		}
	})
}

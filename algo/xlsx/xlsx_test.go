package xlsx

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Two JavaScript libraries wrote the files of testdata: ExcelJS 4.4 and SheetJS 0.18.
func TestOtherWriters(t *testing.T) {
	for name, want := range map[string]string{
		"exceljs.xlsx": `Compound,SMILES,pIC50,made,active,comment
aspirin,CC(=O)Oc1ccccc1C(=O)O,4.5,2026-01-31,TRUE,first line second line

caffeine,Cn1cnc2c1c(=O)n(C)c(=O)n2C,3,,FALSE,"rich text, with ""quotes"""
broken,C1CC
ethanol,CCO,#N/A,,,5 & 6 < 7
`,
		"sheetjs.xlsx":        "smiles,name\nCCO,ethanol\nc1ccccc1,benzene\nCC(=O)O,acide acétique\n",
		"sheetjs-shared.xlsx": "smiles,name\nCCO,ethanol\nc1ccccc1,benzene\nCC(=O)O,acide acétique\n",
	} {
		data := must.Have(os.ReadFile(filepath.Join("testdata", name)))
		if got, err := csvOf(data); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

func csvOf(data []byte) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	text, err := CSV(archive)
	if err != nil {
		return "", err
	}
	got, err := io.ReadAll(text)
	return string(got), err
}

// book packs a workbook of one sheet with the given rows, styles and properties.
func book(rows, styles, properties string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` + properties +
			`<sheets><sheet name="a" r:id="one"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="one" Target="/xl/first.xml"/></Relationships>`,
		"xl/first.xml":               "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
		"xl/styles.xml":              "<styleSheet>" + styles + "</styleSheet>",
		"xl/sharedStrings.xml":       "<sst><si><t>shared</t></si></sst>",
	} {
		w, _ := z.Create(name)
		io.WriteString(w, text)
	}
	z.Close()
	return b.Bytes()
}

func TestCells(t *testing.T) {
	const formats = `<numFmts><numFmt numFmtId="170" formatCode="[$-409]d\-mmm"/><numFmt numFmtId="171" formatCode="0.0&quot; days&quot;"/><numFmt numFmtId="172" formatCode="0\d"/></numFmts>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="22"/><xf numFmtId="172"/><xf numFmtId="17"/></cellXfs>`
	for name, test := range map[string]struct{ rows, properties, want, err string }{
		"places": {rows: `<row><c><v>1</v></c><c r="AB1"><v>2</v></c><c><v>3</v></c><c r="AZ1"><v>4</v></c></row>`,
			want: "1" + strings.Repeat(",", 27) + "2,3" + strings.Repeat(",", 23) + "4\n"},
		"blank rows": {rows: `<row r="2"><c><v>1</v></c></row><row r="5"/><row><c><v>2</v></c></row>`, want: "\n1\n\n\n\n2\n"},
		"kinds":      {rows: `<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c><c t="b"><v>0</v></c></row>`, want: "shared,inline,FALSE\n"},
		"dates":      {rows: `<row><c s="1"><v>1</v></c><c s="2"><v>61</v></c><c s="3"><v>61</v></c><c s="4"><v>46053.75</v></c></row>`, want: "1900-01-01,1900-03-01,61,2026-01-31 18:00:00\n"},
		"first days": {rows: `<row><c s="1"><v>0</v></c><c s="1"><v>59</v></c><c s="6"><v>60</v></c></row>`, want: "1899-12-31,1900-02-28,1900-02-28\n"},
		"no dates": {rows: `<row><c s="1"><v>-1</v></c><c s="1"><v>3e6</v></c><c s="5"><v>61</v></c><c s="7"><v>61</v></c><c s="-1"><v>61</v></c></row>`,
			want: "-1,3e6,61,61,61\n"},
		"last place":  {rows: `<row r="1048576"><c r="XFD1"><v>1</v></c></row>`, want: strings.Repeat("\n", 1<<20-1) + strings.Repeat(",", 1<<14-1) + "1\n"},
		"no text":     {rows: `<row><c t="s"><v>-1</v></c></row>`, err: `after row 1 of the sheet: cell "": text "-1" of 1 shared ones`},
		"dates 1904":  {rows: `<row><c s="1"><v>0</v></c></row>`, properties: `<workbookPr date1904="1"/>`, want: "1904-01-01\n"},
		"text":        {rows: `<row><c t="s"><v>1</v></c></row>`, err: `after row 1 of the sheet: cell "": text "1" of 1 shared ones`},
		"rows back":   {rows: `<row r="3"/><row r="3"/>`, want: "\n\n\n", err: "after row 3 of the sheet: a row with number 3: want a larger one, at most 1048576"},
		"far row":     {rows: `<row r="1048577"/>`, err: "after row 0 of the sheet: a row with number 1048577: want a larger one, at most 1048576"},
		"far column":  {rows: `<row><c r="XFE1"><v>1</v></c></row>`, err: `after row 1 of the sheet: cell "XFE1": want columns in order, at most 16384`},
		"cells back":  {rows: `<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`, err: `after row 1 of the sheet: cell "A1": want columns in order, at most 16384`},
		"cut":         {rows: `<row><c r="B1"><v>1`, err: "after row 0 of the sheet: XML syntax error"},
		"endless row": {rows: `<row><c><v>` + strings.Repeat("1", 2*maxRow), err: "after row 0 of the sheet: more than 1048576 bytes of XML: want a shorter row"},
	} {
		got, err := csvOf(book(test.rows, formats, test.properties))
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%s: %q, %v, want %q, %s", name, got, err, test.want, test.err)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add(`<row><c r="A1" t="s"><v>0</v></c></row>`, `<cellXfs><xf numFmtId="14"/></cellXfs>`)
	f.Fuzz(func(t *testing.T, rows, styles string) {
		got, _ := csvOf(book(rows, styles, ""))
		if len(got) > 4*maxRows+maxColumns*(1+len(rows)) {
			t.Errorf("%d bytes of text of %d", len(got), len(rows))
		}
	})
}

package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// Other programs wrote the files of testdata, see TestWorkbooks of build/columnar.
func TestOtherWriters(t *testing.T) {
	table := string(must.Have(os.ReadFile("testdata/table.csv")))
	unescaped := strings.Replace(table, "_x000D_", `" "`, 1)
	for name, want := range map[string]string{
		"table-libreoffice.xlsx": table, "table-xlsxwriter-inline.xlsx": table, "table-pandas.xlsx": unescaped,
		"table-openpyxl-iso.xlsx": unescaped, "table-exceljs-1904.xlsx": unescaped, "table-sheetjs-dates.xlsx": unescaped,
		"exceljs.xlsx": `Compound,SMILES,pIC50,made,active,comment
aspirin,CC(=O)Oc1ccccc1C(=O)O,4.5,2026-01-31,TRUE,"first line second line"

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
	b, err := Open(archive, 32<<20, func(int) error { return nil })
	if err != nil {
		return "", err
	}
	text, err := b.CSV(b.Sheets[slices.IndexFunc(b.Sheets, func(s Sheet) bool { return !s.Hidden && s.Name != "Read me" })])
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
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="one" Target="/xl/first.xml"/><Relationship Id="b" Type="u/styles" Target="styles.xml"/><Relationship Id="c" Type="u/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
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
	const formats = `<numFmts><numFmt numFmtId="170" formatCode="[$-409]d\-mmm"/>` +
		`<numFmt numFmtId="171" formatCode="0.0&quot; days&quot;"/><numFmt numFmtId="172" formatCode="0\d"/></numFmts>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/>` +
		`<xf numFmtId="22"/><xf numFmtId="172"/><xf numFmtId="17"/></cellXfs>`
	type cellsCase struct{ Case, Rows, Properties, Want, Error string }
	for _, test := range golden.Cases(t, "cells.jsonl", []cellsCase{
		{"last place", `<row r="1048576"><c r="XFD1"><v>1</v></c></row>`, "", strings.Repeat("\n", 1<<20-1) + strings.Repeat(",", 1<<14-1) +
			"1\n", ""},
		{"endless row", `<row><c><v>` + strings.Repeat("1", 2*maxText), "", "",
			"at row 1 of sheet \"a\": cell \"\": more than 1048576 bytes of XML without a tag: want less"},
	}...) {
		got, err := csvOf(book(test.Rows, formats, test.Properties))
		if got != test.Want || (err == nil) != (test.Error == "") || err != nil && !strings.HasPrefix(err.Error(), test.Error) {
			t.Errorf("%s: %q, %v, want %q, %s", test.Case, got, err, test.Want, test.Error)
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

// What encoding/xml reads is read alike: starts and ends of elements, and the text in them.
func FuzzXML(f *testing.F) {
	f.Add(`<?xml version="1.0"?><a x:b="1>2" c='"'><!-- > - --><x:b/>1 &amp; &lt;2<![CDATA[<&]]>]&gt;</a>`)
	f.Add("<a><b></a></b>")
	f.Fuzz(func(t *testing.T, text string) {
		declares := strings.Count(text, "<!") > strings.Count(text, "<!--")+strings.Count(text, "<![CDATA[")
		if declares || strings.ContainsAny(text, "\r") || strings.Contains(text, "&#") {
			return // nothing that workbooks have, other line ends, and Windows-1252 by number
		}
		var want, got, before []string
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			tag := ""
			switch token := token.(type) {
			case nil:
				return // it is refused
			case xml.CharData:
				before = append(before, string(token))
			case xml.StartElement:
				tag = "<" + token.Name.Local
			case xml.EndElement:
				tag = "/" + token.Name.Local
			}
			if strings.Contains(tag, ":") {
				return // a colon without a prefix
			}
			if tag != "" {
				want = append(want, strings.Join(before, "")+tag)
				before = nil
			}
		}
		x := newXML(strings.NewReader(text))
		err := x.next()
		for ; err == nil; err = x.next() {
			got = append(got, string(x.text)+map[bool]string{false: "<", true: "/"}[x.end]+string(x.name))
		}
		if err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	})
}

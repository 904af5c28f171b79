package mutants

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"baca/algo/dataset"
	"baca/algo/parquet"
	"baca/build/internal/try"
)

// records is how many each clean file has.
const records = 30

// A text is how records are written: head, those of the file with edge between them, tail.
type text struct {
	head, edge, tail string
	record           func(k int) string
}

func (t *text) of(from, to int) string {
	var list []string
	for k := from; k < to; k++ {
		list = append(list, t.record(k))
	}
	return t.head + strings.Join(list, t.edge) + t.tail
}

// id is unique, and nothing else in a file contains it.
func id(k int) string { return fmt.Sprintf("q%02dq", k) }

func smiles(k int) string { return strings.Repeat("C", k%7+1) + "O" }

// row writes a record, given its SMILES, id and a number.
func row(format string) func(k int) string {
	return func(k int) string { return fmt.Sprintf(format, smiles(k), id(k), k, k+2) }
}

const (
	graphML  = `<graph id="%[2]s"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph>`
	nodeLink = `{"name": "%[2]s", "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}`
	molfile  = "%[2]s\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 O   0  0\nM  END\n> <y>\n%[3]d\n\n"
	cells    = `<row r="%[4]d"><c t="inlineStr"><is><t>%[1]s</t></is></c><c t="inlineStr"><is><t>%[2]s</t></is></c><c><v>%[3]d</v></c></row>`
	shared   = `<row r="%[4]d"><c t="s"><v>%[3]d</v></c><c t="inlineStr"><is><t>%[2]s</t></is></c><c><v>%[3]d</v></c></row>`
	above    = `<row r="1"><c t="inlineStr"><is><t>smiles</t></is></c><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>y</t></is></c></row>`
	object   = `{"smiles": "%s", "id": "%s", "y": %[3]d}`
)

var (
	csv   = text{"smiles,id,y\n", "\n", "\n", row(`%s,%s,"%[3]d, x"`)}
	lines = text{"", "\n", "\n", row(object)}
)

// An entry is a file of an archive.
type entry struct{ name, text string }

// A kind is a container with clean files.
type kind struct {
	name    string // of the file
	text    text
	entries []entry
	pack    func([]entry) []byte
	file    []byte // the clean one
	plain   bool   // bytes are not covered by a checksum, but are those of the text
	sealed  bool   // the text is not at hand: only bytes are changed
	counted bool   // sealed without a checksum: values may change, not how many rows there are
	rename  bool   // entries are read under any name of a table
	opt     dataset.Options
}

func alone(list []entry) []byte { return []byte(list[0].text) }

func kinds() []*kind {
	var list []*kind
	table := dataset.Options{Column: "smiles", ID: "id", Cells: []string{"y"}}
	plain := func(name string, t text, opt dataset.Options) {
		list = append(list, &kind{name: name, text: t, entries: []entry{{name, t.of(0, records)}}, pack: alone, plain: true, opt: opt})
	}
	plain("list.json", text{"[", ",\n ", "]\n", row(object)}, table)
	plain("line.json", text{"[", ", ", "]", row(object)}, table)
	plain("indented.json", text{"[\n    ", ",\n    ", "\n]", row("{\n        \"smiles\": \"%s\",\n        \"id\": \"%s\",\n        \"y\": %[3]d\n    }")}, table)
	plain("lines.jsonl", lines, table)
	plain("table.csv", csv, table)
	same := dataset.Options{ID: "id"}
	plain("equal names.csv", text{"c,C,smiles,c ,id" + strings.Repeat(",c,C", 20) + "\n", "\n", "\n", row("a,b,%s,,%s" + strings.Repeat(",%[3]d,", 20))}, same)
	plain("table.tsv", text{"smiles\tid\ty\n", "\n", "\n", row("%s\t%s\t%[3]d")}, table)
	plain("list.smi", text{"", "\n", "\n", row("%s %[2]s")}, dataset.Options{})
	plain("list.sdf", text{"", "$$$$\n", "$$$$\n", row(molfile)}, dataset.Options{Cells: []string{"y"}})
	plain("list.graphml", text{"<graphml>\n", "\n", "\n</graphml>\n", row(graphML)}, dataset.Options{})
	plain("graphs.json", text{"[", ",\n ", "]\n", row(nodeLink)}, dataset.Options{})

	one, two := []entry{{"a.csv", csv.of(0, records)}}, []entry{{"a.csv", csv.of(0, records/2)}, {"b/b.csv", csv.of(records/2, records)}}
	packed := func(name string, t text, files []entry, pack func([]entry) []byte) *kind {
		k := &kind{name: name, text: t, entries: files, pack: pack, rename: len(files) == 2, opt: table}
		list = append(list, k)
		return k
	}
	packed("table.csv.gz", csv, one, func(e []entry) []byte { return gz(alone(e)) })
	packed("table.csv.zst", csv, one, func(e []entry) []byte {
		return with(func(w io.Writer) io.WriteCloser { return try.To(zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))) }, alone(e))
	})
	packed("two.zip", csv, two, zipOf)
	packed("two.tar", csv, two, tarOf).plain = true
	packed("two.tar.gz", csv, two, func(e []entry) []byte { return gz(tarOf(e)) })
	packed("cells.xlsx", text{"<worksheet><sheetData>" + above, "", "</sheetData></worksheet>", row(cells)}, nil, zipOf)
	packed("shared.xlsx", text{"<worksheet><sheetData>" + above, "", "</sheetData></worksheet>", row(shared)}, nil, zipOf).sealed = true
	for _, k := range list[len(list)-2:] {
		k.entries = workbook(k.text.of(0, records))
	}
	packed("table.parquet", csv, []entry{{"", string(columns())}}, alone).sealed = true
	for _, name := range []string{"two.tar.xz", "two.tar.bz2"} {
		packed(name, csv, []entry{{"", string(try.To(fixtures.ReadFile("testdata/" + name)))}}, alone).sealed = true
	}
	for _, k := range list {
		k.file = k.pack(k.entries)
	}
	return list
}

// The programs xz and bzip2 packed two.tar.
//
//go:embed testdata/two.tar.*
var fixtures embed.FS

func with(open func(io.Writer) io.WriteCloser, data []byte) []byte {
	var b bytes.Buffer
	w := open(&b)
	w.Write(data)
	try.Check(w.Close())
	return b.Bytes()
}

func gz(data []byte) []byte {
	return with(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, data)
}

func zipOf(list []entry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range list {
		io.WriteString(try.To(z.Create(e.name)), e.text)
	}
	try.Check(z.Close())
	return b.Bytes()
}

func tarOf(list []entry) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		try.Check(w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.text)), Mode: 0o644}))
		io.WriteString(w, e.text)
	}
	try.Check(w.Close())
	return b.Bytes()
}

func workbook(sheet string) []entry {
	var texts strings.Builder
	for k := range records {
		texts.WriteString("<si><t>" + smiles(k) + "</t></si>")
	}
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	relation := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id="%s" Type="%s/%s" Target="%s"/>`, id, relations, kind, target)
	}
	return []entry{
		{"xl/workbook.xml", `<workbook xmlns:r="` + relations + `"><sheets><sheet name="a" r:id="one"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", "<Relationships>" + relation("one", "worksheet", "sheet.xml") + relation("two", "sharedStrings", "sharedStrings.xml") +
			relation("three", "styles", "styles.xml") + "</Relationships>"},
		{"xl/sharedStrings.xml", "<sst>" + texts.String() + "</sst>"},
		{"xl/styles.xml", "<styleSheet></styleSheet>"},
		{"xl/sheet.xml", sheet},
	}
}

func columns() []byte {
	list := []parquet.Cells{{Name: "smiles"}, {Name: "id"}, {Name: "y"}}
	for k := range records {
		for i, cell := range []string{smiles(k), id(k), strconv.Itoa(k)} {
			list[i].Texts = append(list[i].Texts, cell)
		}
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, "mutants", list)
	w.Write(list)
	try.Check(w.Close())
	return b.Bytes()
}

// whole counts the records of a text that are as they were, and those that are damaged.
func (t *text) whole(data string) (whole [records]int, damaged int) {
	data = t.edge + data + cmp.Or(t.edge, " ")
	for k := range records {
		whole[k] = strings.Count(data, t.edge+t.record(k)+t.edge)
		if strings.Count(data, id(k)) > whole[k] {
			damaged++
		}
	}
	return whole, damaged
}

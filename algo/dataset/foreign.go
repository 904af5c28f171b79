package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// A foreignFormat is a file type that people give by mistake.
type foreignFormat struct {
	begins string // its first bytes
	has    string // what its head must also contain; empty for nothing
	what   string
	advice string // what to give instead; if empty, wantText
}

const (
	wantText   = "want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"
	saveAsCSV  = "save it as CSV and give that"
	asParquet  = "write it as Parquet or CSV"
	asGraphML  = "write it as GraphML"
	asSDF      = "write it as SDF or SMILES, for example with Open Babel"
	copyAsText = "copy its structures out as SMILES"
)

// oldOffice begins files of Office before 2007, and later ones with a password.
const oldOffice = "\xd0\xcf\x11\xe0"

// foreignFormats are in order of comparison.
var foreignFormats = []foreignFormat{
	{"PK\x03\x04", "opendocument.spreadsheet", "a LibreOffice spreadsheet", "save it as .xlsx or CSV and give that"},
	{"PK\x03\x04", "word/", "a Word document", copyAsText},
	{"PK\x03\x04", "opendocument.text", "a LibreOffice document", copyAsText},
	{"PK\x03\x04", "ppt/", "a PowerPoint presentation", copyAsText},
	{"PK\x03\x04", ".npy", "a NumPy archive", ""},
	{"PK\x03\x04", "data.pkl", "a PyTorch file", ""},
	{oldOffice, "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e",
		"a password-protected Excel or Word file", "save it without a password and give that"},
	{oldOffice, "", "an old Excel or Word file", saveAsCSV},
	{"ARROW1", "", "an Arrow or Feather file", asParquet},
	{"\xff\xff\xff\xff", "", "a stream of Arrow", asParquet},
	{"FEA1", "", "a Feather file", asParquet},
	{"SQLite format 3", "", "an SQLite database", saveAsCSV},
	{"\x89HDF", "", "an HDF5 file", saveAsCSV},
	{"\x93NUMPY", "", "a NumPy array", ""},
	{"%PDF-", "", "a PDF", copyAsText},
	{"{\\rtf", "", "an RTF document", copyAsText},
	{"\x89PNG", "", "a PNG picture", ""},
	{"\xff\xd8\xff", "", "a JPEG picture", ""},
	{"GIF8", "", "a GIF picture", ""},
	{"II*\x00", "", "a TIFF picture", ""},
	{"VjCD", "", "a ChemDraw file", asSDF},
	{"<?xml", "CDXML", "a ChemDraw file", asSDF},
	{"<?xml", "<gexf", "a GEXF graph", asGraphML},
	{"<?xml", "", "XML", ""},
	{"<!DOCTYPE", "", "a web page", ""},
	{"<!doctype", "", "a web page", ""},
	{"<html", "", "a web page", ""},
	{"@<TRIPOS>", "", "a MOL2 file", asSDF},
	{"HEADER    ", "", "a PDB file", asSDF},
	{"ATOM      ", "", "a PDB file", asSDF},
	{"HETATM", "", "a PDB file", asSDF},
	{"$RXN", "", "a reaction", asSDF},
	{"$RDFILE", "", "an RDF file of reactions or molecules", asSDF},
	{"<datawarrior-fileinfo>", "", "a DataWarrior file", "write it as SDF or CSV, which DataWarrior does"},
	{"{", "s_m_m2io_version", "a Maestro file", asSDF},
	{"graph [", "", "a GML graph", asGraphML},
	{">>graph6<<", "", "a list of graphs in graph6", asGraphML},
	{">", "", "FASTA, sequences of amino or nucleic acids", ""},
	{"[\"", "\"", "JSON of texts", "want an object with a SMILES for each molecule"},
	{"version https://git-lfs", "", "the address of a file in Git LFS", "get the file by `git lfs pull`"},
	{"7z\xbc\xaf", "", "a 7z archive", "unpack it first"},
	{"Rar!", "", "a RAR archive", "unpack it first"},
	{"\x7fELF", "", "a program", ""},
	{"MZ", "This program", "a program", ""},
	{"\x80\x02", "", "a Python pickle", "write it as CSV"},
	{"\x80\x03", "", "a Python pickle", "write it as CSV"},
	{"\x80\x04", "", "a Python pickle", "write it as CSV"},
	{"\x80\x05", "", "a Python pickle", "write it as CSV"},
}

// foreignTexts are recognised by more than their first bytes.
var foreignTexts = []struct {
	begins       *regexp.Regexp
	what, advice string
}{
	{regexp.MustCompile(`^\d+[ \t]*\n.*\n[ \t]*([A-Z][a-z]?|\d{1,3})([ \t]+[-+]?\d*\.?\d+([eE][-+]?\d+)?){3}\s`),
		"an XYZ file, coordinates without bonds", asSDF},
	{regexp.MustCompile(`^(#.*\n|\s)*data_\S*\s+(#.*\n|\s)*(_|loop_)`), "a CIF file", asSDF},
	{regexp.MustCompile(`(?s)^(TITLE|COMPND|AUTHOR|REMARK|CRYST1|MODEL) .*\n(ATOM  |HETATM)`), "a PDB file", asSDF},
	{regexp.MustCompile(`^\{\s*"root"\s*:\s*\{\s*"nodes"\s*:`), "a Ketcher file", asSDF},
	{regexp.MustCompile(`^\{\s*"columns"\s*:\s*\[`), orient("split"), asRecords},
	{regexp.MustCompile(`^\{\s*"schema"\s*:\s*\{\s*"fields"\s*:`), orient("table"), asRecords},
	{regexp.MustCompile(`^\[\s*\[\s*("|-?\d|null|true|false)`), orient("values"), asRecords},
}

const asRecords = `want a list of objects, as with orient="records"`

func orient(name string) string { return fmt.Sprintf("JSON as pandas writes it with orient=%q", name) }

// labelled returns the name by which pandas calls the orientation of a JSON text: columns or index. Such a text is an
// object of objects of plain values. For other texts it returns "". open is set if the head ends too early to tell.
func labelled(head []byte) (called string, open bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if begin, _ := d.Token(); begin != json.Delim('{') {
		return "", false
	}
	var names, labels []string // of the objects, and the first key of each
	for !open && d.More() {    // open: the text ends here
		name, _ := d.Token()
		begin, err := d.Token()
		if open = err != nil; !open && begin != json.Delim('{') {
			return "", false
		}
		for n := 0; !open; n++ {
			token, err := d.Token()
			if open = err != nil; open || token == json.Delim('}') {
				break
			}
			if _, nested := token.(json.Delim); nested {
				return "", false
			}
			if n == 0 {
				names, labels = append(names, name.(string)), append(labels, token.(string))
			}
		}
	}
	switch {
	case len(slices.Compact(labels)) != 1: // in both orientations all objects begin with the same key
		return "", open && labels == nil
	case labels[0] == "0" || slices.Contains(smilesNames, columnName(names[0])): // an object for each column
		return "columns", false
	case names[0] == "0" || len(names) > 1: // an object for each row
		return "index", false
	}
	return "", open
}

// foreign returns an error if the first bytes of t show that it is not text of molecules. It accepts zip archives, which
// may hold a TUDataset set.
func foreign(t *Text) error {
	head, _ := t.Peek(headSize / 16)
	if bytes.HasPrefix(head, []byte(oldOffice)) {
		head, _ = t.Peek(headSize) // its list of contents may stand anywhere
	}
	if beginsMolfile(head) || beginsGraphML(head) {
		return nil // the first line of a molfile may be anything, and GraphML begins as other XML
	}
	trimmed := bytes.TrimLeft(head, " \t\n")
	for _, f := range foreignFormats {
		if bytes.HasPrefix(trimmed, []byte(f.begins)) && bytes.Contains(head, []byte(f.has)) {
			return fmt.Errorf("this is %s: %s", f.what, cmp.Or(f.advice, wantText))
		}
	}
	for _, f := range foreignTexts {
		if f.begins.Match(trimmed) {
			return fmt.Errorf("this is %s: %s", f.what, f.advice)
		}
	}
	called, open := labelled(trimmed)
	if open {
		head, _ := t.Peek(headSize)
		called, _ = labelled(head)
	}
	if called != "" {
		return fmt.Errorf("this is %s: %s", orient(called), asRecords)
	}
	if i := bytes.IndexByte(head, 0); i >= 0 && !beginsZip(head) {
		line := 1 + bytes.Count(head[:i], []byte("\n"))
		return fmt.Errorf("this is binary data, line %d has a zero byte: %s", line, wantText)
	}
	return nil
}

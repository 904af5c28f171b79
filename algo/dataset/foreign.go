package dataset

import (
	"bytes"
	"cmp"
	"fmt"
)

// A foreignFormat is a file type that people give by mistake.
type foreignFormat struct {
	begins string // its first bytes
	has    string // required elsewhere in its head; empty for any
	what   string
	advice string // what to give instead; empty for wantText
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
	{oldOffice, "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e", "a password-protected Excel or Word file", "save it without a password and give that"},
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
	{"data_", "_cell_", "a CIF file", asSDF},
	{"graph [", "", "a GML graph", asGraphML},
	{">>graph6<<", "", "a list of graphs in graph6", asGraphML},
	{">", "", "FASTA, sequences of amino or nucleic acids", ""},
	{"{\"", "\":{\"0\":", "JSON by columns", `want a list of objects, as pandas writes with orient="records"`},
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

// foreign returns an error if t is no text of molecules by its first bytes. Zip archives pass: they
// may hold a TUDataset set.
func foreign(t *Text) error {
	head, _ := t.Peek(headSize / 16)
	if bytes.HasPrefix(head, []byte(oldOffice)) {
		head, _ = t.Peek(headSize) // its list of contents may stand anywhere
	}
	if beginsMolfile(head) || beginsGraphML(head) {
		return nil // its first line may be anything
	}
	trimmed := bytes.TrimLeft(head, " \t\n")
	for _, f := range foreignFormats {
		if bytes.HasPrefix(trimmed, []byte(f.begins)) && bytes.Contains(head, []byte(f.has)) {
			return fmt.Errorf("this is %s: %s", f.what, cmp.Or(f.advice, wantText))
		}
	}
	if i := bytes.IndexByte(head, 0); i >= 0 && !beginsZip(head) {
		line := 1 + bytes.Count(head[:i], []byte("\n"))
		return fmt.Errorf("this is binary data, line %d has a zero byte: %s", line, wantText)
	}
	return nil
}

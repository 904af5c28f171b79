package dataset

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"baca/algo/parquet"
)

// A Format is a kind of file.
type Format string

// The formats. [Records] reads all except TU, which is for [ReadTU] and [ReadTUZip].
const (
	Auto     Format = ""         // by the name and the text, see [Options.Text]
	SMI      Format = "smi"      // SMILES, blank, name on each line
	CSV      Format = "csv"      // fields separated by commas, semicolons, tabs or bars; an Excel workbook
	TSV      Format = "tsv"      // fields separated by tabs
	JSONL    Format = "jsonl"    // a JSON object with a SMILES on each line, or a list of them
	SDF      Format = "sdf"      // molfiles
	Parquet  Format = "parquet"  // columns
	NodeLink Format = "nodelink" // node-link JSON on each line, or a list
	GraphML  Format = "graphml"  // plain graphs
	TU       Format = "tu"       // a zip archive or text file of a TUDataset set
)

// A fileFormat declares a format.
type fileFormat struct {
	name   Format
	suffix []string // of file names, in lower case
	graphs bool     // plain graphs
	// begins recognises the head of a text. contentFormat decides between SMI, CSV and TSV.
	begins func(head []byte) bool
	// read emits records. It is nil for TU, which is not a stream.
	read func(s *scanner, column string) error
}

// formats are in the order in which they are tried. The last one fits any text.
var formats = []fileFormat{
	{TU, []string{".zip", strings.ToLower(edgesSuffix), indicatorSuffix}, true, beginsZip, nil},
	{Parquet, []string{".parquet", ".pq"}, false, beginsParquet, (*scanner).readParquet},
	{GraphML, []string{".graphml"}, true, beginsGraphML, (*scanner).readGraphML},
	{NodeLink, []string{".jsonl", ".ndjson", ".json"}, true, beginsNodeLink, (*scanner).readNodeLink},
	{JSONL, []string{".jsonl", ".ndjson", ".json"}, false, beginsJSON, (*scanner).readJSONL},
	{SDF, []string{".sdf", ".sd", ".mol"}, false, beginsMolfile, (*scanner).readSDF},
	{TSV, []string{".tsv", ".tab"}, false, func(head []byte) bool { return headed(head, "\t") }, readFields(TSV)},
	{CSV, []string{".csv", ".xlsx"}, false,
		func(head []byte) bool { return headed(head, ",;") || bytes.HasPrefix(firstLine(head), []byte(`"`)) },
		readFields(CSV)},
	{SMI, []string{".smi", ".smiles", ".cxsmiles", ".cxsmi", ".ism", ".can"}, false, func([]byte) bool { return true }, (*scanner).readSMI},
}

// named reports whether a file name, in lower case, has one of the format's suffixes.
func (f *fileFormat) named(name string) bool {
	return slices.ContainsFunc(f.suffix, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// of returns the declaration of a format, or nil.
func (f Format) of() *fileFormat {
	i := slices.IndexFunc(formats, func(x fileFormat) bool { return x.name == f })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// Graphs reports whether a format holds plain graphs. An unknown format does not.
func (f Format) Graphs() bool {
	x := f.of()
	return x != nil && x.graphs
}

// ParseFormat returns the format with a name, which it does not check. The name "auto" gives Auto.
func ParseFormat(name string) Format {
	if name == "auto" {
		return Auto
	}
	return Format(name)
}

// Formats lists the names of all formats, or only of those with molecules.
func Formats(molecules bool) []string {
	var names []string
	for _, f := range formats {
		if !molecules || !f.graphs {
			names = append(names, string(f.name))
		}
	}
	slices.Reverse(names) // well-known ones first
	return names
}

// Extensions lists the extensions of readable files, also compressed ones and archives, in alphabetical order.
func Extensions() []string {
	list := []string{".tar", ".tgz"}
	for _, f := range formats {
		for _, suffix := range f.suffix {
			list = append(list, path.Ext(suffix))
		}
	}
	for _, c := range compressions {
		list = append(list, c.suffix)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// PlainName strips the compression extension of a file name.
func PlainName(name string) string {
	for _, c := range compressions {
		name = strings.TrimSuffix(name, c.suffix)
	}
	return name
}

// Format returns the format of t by the file name, or by the head of t if the name does not tell. For a file of an archive
// it takes the name there. Files named as JSON or SMI are looked into: they may be plain graphs or a table. Unrecognised
// text is SMI. An error of reading comes again when the text is read.
func (t *Text) Format(name string) Format {
	if t.parquet {
		return Parquet
	}
	if t.file != "" {
		name = t.file
	}
	name = PlainName(strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/"))))
	named := slices.IndexFunc(formats, func(f fileFormat) bool { return f.named(name) })
	head, start := t.head(), t.start()
	if named >= 0 && formats[named].name == NodeLink && !beginsNodeLink(start) {
		return JSONL
	}
	if named >= 0 && formats[named].name != SMI {
		return formats[named].name
	}
	if magic, _ := t.Peek(len(zipMagic)); named < 0 && beginsZip(magic) {
		return TU
	}
	if named >= 0 { // SMI
		if headed(head, "\t") {
			return TSV
		}
		return contentFormat(head, SMI)
	}
	i := slices.IndexFunc(formats, func(f fileFormat) bool { return f.begins(start) })
	if formats[i].name == SMI {
		return contentFormat(head, likelyFormat(head))
	}
	return formats[i].name
}

func beginsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte(parquet.Magic)) }

func beginsZip(head []byte) bool { return bytes.HasPrefix(head, zipMagic) }

// beginsMolfile recognises a molfile by line 4, the counts line, which ends in the version.
func beginsMolfile(head []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 5)
	return len(lines) >= 4 && (bytes.Contains(lines[3], []byte("V2000")) || bytes.Contains(lines[3], []byte("V3000")))
}

// headed reports whether the first line is a header that contains one of the separators. A header has the word smiles in
// it and does not begin with a molecule.
func headed(head []byte, separators string) bool {
	line := firstLine(head)
	word, _, _ := first.cut(line)
	return bytes.Contains(bytes.ToLower(line), []byte(smilesNames[0])) && atoms(word) == 0 && bytes.ContainsAny(line, separators)
}

// likelyFormat returns the format of lines without a molecule: CSV if the first comma, semicolon or blank of the first
// line is a comma, else SMI. A comma after a blank may belong to a name.
func likelyFormat(head []byte) Format {
	line := firstLine(head)
	if separator := bytes.IndexAny(line, ",;\t "); separator >= 0 && line[separator] == ',' {
		return CSV
	}
	return SMI
}

// firstLine returns the first line that is neither blank nor a comment, trimmed, or nil if there is none.
func firstLine(head []byte) []byte {
	for line := range lines(head) {
		return line
	}
	return nil
}

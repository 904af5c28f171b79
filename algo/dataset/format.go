package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"strings"
)

// A Format is a kind of file.
type Format string

// The formats. [Records] reads SMI, CSV, TSV and SDF; TU is for [ReadTU] and
// [ReadTUZip].
const (
	Auto Format = ""    // by DetectFormat
	SMI  Format = "smi" // SMILES, blank, name on each line
	CSV  Format = "csv" // fields separated by commas, or by semicolons
	TSV  Format = "tsv" // fields separated by tabs
	SDF  Format = "sdf" // molfiles
	TU   Format = "tu"  // a zip archive, or a text file of a TUDataset set
)

// DetectFormat tells the format of a file from its name, and where the name
// says nothing from head, the first bytes of the file, compressed or not. It
// looks through .gz and .zst. What it does not recognise it takes for SMI.
func DetectFormat(name string, head []byte) Format {
	if f := formatOfName(name); f != Auto {
		return f
	}
	if bytes.HasPrefix(head, gzipMagic) {
		if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			// The head is cut off, so there will be an error behind what counts.
			head, _ = io.ReadAll(io.LimitReader(z, headSize))
		}
	}
	return formatOfText(head)
}

// formatOfName returns Auto if the name says nothing.
func formatOfName(name string) Format {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch path.Ext(name) {
	case ".smi", ".smiles", ".ism", ".can":
		return SMI
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".sdf", ".sd", ".mol":
		return SDF
	case ".zip":
		return TU
	case ".txt":
		for _, suffix := range []string{edgesSuffix, indicatorSuffix} {
			if strings.HasSuffix(name, strings.ToLower(suffix)) {
				return TU
			}
		}
	}
	return Auto
}

func formatOfText(head []byte) Format {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return TU
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	// Line 4 of a molfile is its counts line, which ends in the version.
	lines := bytes.SplitN(head, []byte("\n"), 5)
	if len(lines) >= 4 && (bytes.Contains(lines[3], []byte("V2000")) || bytes.Contains(lines[3], []byte("V3000"))) {
		return SDF
	}
	// A header tells; else a comma does, which no SMILES has: but it may be
	// in a name, behind the blank.
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		header := bytes.Contains(bytes.ToLower(line), []byte("smiles"))
		switch separator := bytes.IndexAny(line, ",;\t "); {
		case header && bytes.IndexByte(line, '\t') >= 0:
			return TSV
		case header && bytes.ContainsAny(line, ",;"),
			separator >= 0 && line[separator] == ',',
			line[0] == '"':
			return CSV
		}
		break
	}
	return SMI
}

// headSize is as much of a text as its format is told from.
const headSize = 4096

var byteOrderMark = []byte("\xef\xbb\xbf")

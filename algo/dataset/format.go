package dataset

import (
	"bytes"
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
	CSV  Format = "csv" // fields separated by commas, semicolons or tabs
	TSV  Format = "tsv" // fields separated by tabs
	SDF  Format = "sdf" // molfiles
	TU   Format = "tu"  // a zip archive, or a text file of a TUDataset set
)

// Format tells the format of t from the name of its file, through .gz and .zst, and where
// the name says nothing from how the text begins. What it does not recognise it takes for
// SMI. Errors of reading come again when the text is read.
func (t *Text) Format(name string) Format {
	if f := formatOfName(name); f != Auto {
		return f
	}
	if t.isZip() {
		return TU
	}
	head, _ := t.Peek(headSize)
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

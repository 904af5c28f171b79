package engine

import (
	"bufio"
	"io"
	"strings"

	"baca/algo/dataset"
)

// A Source is a file that is read where it lies, a piece at a time, so that it may
// be larger than the memory.
type Source interface {
	io.ReaderAt
	Size() int64
}

// readSize is how much of a source is read at once. A file of the browser is a
// question to another process each time.
const readSize = 256 << 10

// all reads the input from its first byte, and counts if it is asked to.
func (in *input) all(c *counter) io.Reader {
	var r io.Reader = io.NewSectionReader(in.source, 0, in.source.Size())
	if c != nil {
		c.r, r = r, c
	}
	return bufio.NewReaderSize(r, readSize)
}

// A counter counts what is read, and passes it on to w.
type counter struct {
	r io.Reader
	w io.Writer
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	c.w.Write(p[:n])
	return n, err
}

// labelColumns are the names of a column that says which records the user knows to
// be outside.
var labelColumns = []string{"ood", "is_ood", "outside"}

// readLabels reads what the user knows of the records of a CSV or TSV file: 1 for
// outside, 0 for inside, −1 for unknown.
func (in *input) readLabels(p *pulse) error {
	if in.format != dataset.CSV && in.format != dataset.TSV {
		return nil
	}
	for _, column := range labelColumns {
		// The text of the column takes the place of the SMILES.
		o := in.options()
		o.Column = column
		labels := make([]int8, 0, in.opened.Records)
		for r, err := range dataset.Records(in.all(nil), o) {
			if err != nil {
				labels = nil // there is no such column, or no header
				break
			}
			label := int8(-1)
			if r.Err == nil {
				switch strings.ToLower(r.SMILES) {
				case "1", "1.0", "true", "yes", "ood", "outside":
					label = 1
				case "0", "0.0", "false", "no", "id", "inside":
					label = 0
				}
			}
			labels = append(labels, label)
			p.Err()
		}
		if len(labels) == in.opened.Records && len(labels) > 0 {
			in.labels = labels
			return nil
		}
	}
	return nil
}

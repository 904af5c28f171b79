package engine

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// A Source is a file that is read in place, piece by piece. It may be larger than the memory.
type Source interface {
	io.ReaderAt
	Size() int64
}

// readSize is how much of a source is read at once. A file of the browser is a question to another process each time.
const readSize = 256 << 10

// all reads the input from its first byte, and counts if it is asked to.
func (in *input) all(c *counter) io.Reader {
	var r io.Reader = io.NewSectionReader(in.source, 0, in.source.Size())
	if c != nil {
		c.r, r = r, c
	}
	return bufio.NewReaderSize(r, readSize)
}

// A counter counts the bytes read, and writes them to w.
type counter struct {
	r io.Reader
	w io.Writer
	n int
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	c.w.Write(p[:n])
	return n, err
}

// labelColumns are the names of a column that says which records the user knows to be outside.
var labelColumns = []string{"ood", "is_ood", "outside"}

// labelIn returns the place of the first of labelColumns among names, in any case of letters, or −1 for none.
func labelIn(names []string) int {
	for _, label := range labelColumns {
		if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, label) }); i >= 0 {
			return i
		}
	}
	return -1
}

// labelOf reads a cell of a column of labels: 1 for outside, 0 for inside, −1 for anything else.
func labelOf(cell string) int8 {
	switch strings.ToLower(cell) {
	case "1", "1.0", "true", "yes", "ood", "outside":
		return 1
	case "0", "0.0", "false", "no", "id", "inside":
		return 0
	}
	return -1
}

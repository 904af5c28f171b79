package dataset

import "fmt"

// MaxExpand is how many units of work each byte of an input may demand, beyond freeExpand units in all. A byte of text is
// one unit, whether it was compressed or not.
//
// Columns of molecules expand 3- to 6-fold (gzip), a wide table such as toxcast 41-fold (zstd -19), and
// TUDataset graph numbers up to 103-fold. Bombs expand 1032-fold (deflate) to 10 000-fold (zstd, bzip2).
// A bomb's rows are short, and each costs a molecule's time. So the first text is released only after aheadExpand
// bytes of it have kept the bound, or after its end: a bomb fails before its first row.
const (
	MaxExpand  = 256
	freeExpand = 1 << 20

	// Decompressors get readAhead bytes at once.
	readAhead   = 4096
	aheadExpand = freeExpand + MaxExpand*readAhead + readAhead
)

// Units of work that costs more than its bytes. A unit is the time of a byte, 5 ns.
const (
	unitsOfCell   = 2
	unitsOfLine   = 8
	unitsOfRecord = 256 // 1 to 2 µs, refused or not
	unitsOfFile   = 4096
)

// An ExpandError reports an input that asks for too much work.
type ExpandError struct{}

// Error says from which ratio on data are refused.
func (*ExpandError) Error() string {
	return fmt.Sprintf("the data expand more than %d-fold beyond the first %d MiB: refused as a decompression bomb",
		MaxExpand, freeExpand>>20)
}

var errBomb = new(ExpandError)

// A meter bounds the work that one input demands, through all layers of unpacking and all files of an archive. It
// also ends the input when stop returns an error.
type meter struct {
	read  int64 // bytes of the input
	spent int64 // units
	stop  func() error
}

// spend adds units of work. It returns errBomb if they are more than the bytes read allow, or the error of stop. After an
// error the input must end.
func (m *meter) spend(units int) error {
	m.spent += int64(units)
	switch {
	case m.lacks(0):
		return errBomb
	case m.stop != nil:
		return m.stop()
	}
	return nil
}

// lacks reports whether the bytes read allow fewer than so many units more.
func (m *meter) lacks(units int64) bool { return (m.spent+units-freeExpand)/MaxExpand > m.read }

package dataset

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"baca/algo/xlsx"
)

// maxFiles bounds the files of a zip archive. The archive is kept in memory, since its list of files is at its end.
const maxFiles = 10_000

// files returns the next file of an archive that holds molecules or graphs. After the last one the error is io.EOF.
type files func() (name string, r io.Reader, err error)

// text returns the next file as text, or io.EOF after the last one. A file that is compressed again is an error.
func (next files) text(u Unpack) (*Text, error) {
	u.archive = true
	name, r, err := next()
	if err != nil {
		return nil, err
	}
	t, err := NewText(r, u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.file, t.more = name, func() (*Text, error) { return next.text(u) }
	return t, nil
}

// wanted reports whether a file of an archive is read, by its name. Archives also hold notes for readers, and files that
// macOS adds.
func wanted(name string) bool {
	base := PlainName(strings.ToLower(path.Base(name)))
	if hidden(strings.TrimPrefix(name, "./")) || hidden(base) || strings.HasSuffix(name, "/") {
		return false
	}
	known := slices.ContainsFunc(formats, func(f fileFormat) bool { return f.read != nil && f.named(base) })
	note := strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "license")
	return known || strings.HasSuffix(base, ".txt") && !note
}

// others lists the files of an archive that are not read.
type others struct {
	names []string // the first ones
	count int
}

// add counts a file that was not read, and keeps the first maxNamed names.
func (o *others) add(name string) {
	if o.count++; o.count <= maxNamed {
		o.names = append(o.names, clip(name))
	}
}

// String lists the names kept, and says how many more there are.
func (o *others) String() string {
	list := strings.Join(o.names, ", ")
	if more := o.count - len(o.names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// errNothing is the error for an archive that holds only files that are not read.
func (o *others) errNothing() error {
	return fmt.Errorf("this is an archive of %s: want one with CSV, SMI, SDF or other files of molecules, or a TUDataset set", o)
}

// tellUnread calls note with the files that are not read, if there are any.
func (o *others) tellUnread(note func(string)) {
	if o.count > 0 && note != nil {
		note(fmt.Sprintf("not read: %s", o))
	}
}

var errManyFiles = fmt.Errorf("a zip archive of more than %d files: want less, or a tar archive", maxFiles)

// beginsTar recognises the header of the first file of a tar archive.
func beginsTar(head []byte) bool {
	const magic = 257
	return len(head) > magic+5 && string(head[magic:magic+5]) == "ustar"
}

// openTar returns the files of a tar archive. After the last file it reads r to the end, so that a compressed archive
// checks its checksum.
func openTar(r io.Reader, u *Unpack) files {
	in := &tarBlocks{r: r}
	archive, left, some := tar.NewReader(in), new(others), false
	return func() (string, io.Reader, error) {
		for {
			header, err := archive.Next()
			if err == nil {
				err = u.meter.spend(unitsOfFile)
			}
			switch {
			case err == io.EOF:
				if err := in.finish(); err != nil {
					return "", nil, err
				}
				if !some {
					return "", nil, left.errNothing()
				}
				left.tellUnread(u.note)
				return "", nil, io.EOF
			case err == io.ErrUnexpectedEOF:
				return "", nil, errArchiveEnds
			case err != nil:
				return "", nil, err
			case header.Typeflag == tar.TypeReg && wanted(header.Name):
				some = true
				return header.Name, &tarFile{archive, in, u.meter}, nil
			case header.Typeflag != tar.TypeDir:
				left.add(header.Name)
			}
		}
	}
}

var (
	errArchiveEnds = errors.New("the archive ends early, the file looks truncated")
	errBehindEnd   = errors.New("the archive has more data behind its end: want one archive, or each in a file of its own")
	errShared      = errors.New("files of this archive share their bytes: refused as a decompression bomb")
)

// tarBlocks counts the bytes of a tar archive and the zeros at its end.
type tarBlocks struct {
	r     io.Reader
	n     int64
	zeros int // at the end
}

// Read reads blocks, and counts their bytes and the zero bytes at their end.
func (b *tarBlocks) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.n += int64(n)
	if text := bytes.TrimRight(p[:n], "\x00"); len(text) > 0 {
		b.zeros = n - len(text)
	} else {
		b.zeros += n
	}
	return n, err
}

// finish reads to the end after the last file. It fails unless a block of zeros was read, and then nothing but zeros.
func (b *tarBlocks) finish() error {
	const block = 512
	before, ended := b.n, b.zeros >= block
	if _, err := io.Copy(io.Discard, b); err != nil {
		return err
	}
	switch {
	case !ended:
		return errArchiveEnds
	case int64(b.zeros) < b.n-before:
		return errBehindEnd
	}
	return nil
}

// A tarFile is a file of a tar archive. The meter counts its holes, which take no room in the archive.
type tarFile struct {
	archive *tar.Reader
	in      *tarBlocks
	meter   *meter
}

// Read reads the text of a file. It charges the meter for text that a sparse file does not hold.
func (f *tarFile) Read(p []byte) (int, error) {
	before := f.in.n
	n, err := f.archive.Read(p)
	if over := f.meter.spend(max(n-int(f.in.n-before), 0)); over != nil {
		return 0, over
	}
	return n, endsEarly(err)
}

// openZip opens a zip archive. It returns one of four results:
//   - list, for an archive with files of molecules or graphs
//   - plain, the text of a sheet, for an Excel workbook
//   - plain, the bytes of the archive, for a TUDataset set, or if the archive is unreadable or too large to keep
//   - err, if nothing can be read; plain has the bytes if they may still be of another format
func openZip(b *bufio.Reader, u *Unpack) (list files, plain io.Reader, err error) {
	data, err := io.ReadAll(io.LimitReader(b, MaxKept+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(data) > MaxKept:
		return nil, io.MultiReader(bytes.NewReader(data), b), nil
	case bytes.Count(data, []byte("PK\x01\x02")) > maxFiles: // these bytes begin each entry of the list of files
		return nil, nil, errManyFiles
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil && bytes.Contains(data, []byte("xl/workbook.xml")):
		return nil, nil, fmt.Errorf("an Excel workbook that cannot be unpacked: %w", err)
	case err != nil:
		return nil, bytes.NewReader(data), nil
	}
	if workbook, err := xlsx.Is(archive); workbook {
		if err != nil {
			return nil, nil, err
		}
		plain, err = u.sheetOf(archive, len(data))
		return nil, plain, err
	}
	u.meter.inflate(archive)
	list, err = filesOfZip(archive, u)
	return list, bytes.NewReader(data), err
}

// inflate makes the meter count what the files of a zip archive expand to.
func (m *meter) inflate(archive *zip.Reader) {
	archive.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return io.NopCloser(&bounded{flate.NewReader(r), m})
	})
}

// filesOfZip returns the files of an archive that hold molecules or graphs. It returns nil for a TUDataset set, and an
// error for other archives without such files.
func filesOfZip(archive *zip.Reader, u *Unpack) (files, error) {
	var list []*zip.File
	left := new(others)
	for _, f := range archive.File {
		switch {
		case strings.Contains(f.Name, indicatorSuffix) || strings.Contains(f.Name, edgesSuffix):
			return nil, nil
		case wanted(f.Name):
			list = append(list, f)
		case !strings.HasSuffix(f.Name, "/"):
			left.add(f.Name)
		}
	}
	if list == nil {
		return nil, left.errNothing()
	}
	if err := u.checkZip(list); err != nil {
		return nil, err
	}
	left.tellUnread(u.note)
	return func() (string, io.Reader, error) {
		if len(list) == 0 {
			return "", nil, io.EOF
		}
		f := list[0]
		list = list[1:]
		r, err := f.Open()
		if err == nil {
			err = u.meter.spend(unitsOfFile)
		}
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		return f.Name, r, nil
	}, nil
}

// checkZip returns an error for files that cannot be read, and for bombs: files that together are said to be too large,
// or that share their bytes. Package zip does not let a file exceed the size it is said to have.
func (u *Unpack) checkZip(list []*zip.File) error {
	size := int64(0)
	type part struct{ from, to int64 }
	var parts []part
	for _, f := range list {
		switch {
		case f.Flags&1 != 0:
			return fmt.Errorf("%s: protected by a password: want an archive without one", clip(f.Name))
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return fmt.Errorf("%s: compressed by method %d: want an archive that any program can unpack, with "+
				"method deflate", clip(f.Name), f.Method)
		case f.UncompressedSize64 > math.MaxInt64/maxFiles:
			return errBomb
		}
		from, err := f.DataOffset()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		parts = append(parts, part{from, from + int64(f.CompressedSize64)})
		size += int64(f.UncompressedSize64)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(parts); i++ {
		if parts[i].from < parts[i-1].to {
			return errShared
		}
	}
	if u.meter.lacks(size) {
		return errBomb
	}
	return nil
}

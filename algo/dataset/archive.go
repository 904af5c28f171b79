package dataset

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"baca/algo/xlsx"
)

// A zip archive is kept in memory, as its list of files is at its end.
const maxFiles = 10_000 // in an archive

// files gives the files of an archive that hold molecules or graphs, io.EOF after the last.
type files func() (name string, r io.Reader, err error)

// text returns the next file as text. Within an archive nothing is compressed again.
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

// wanted reports a file to read, by its name. Archives also have notes for readers, and what macOS adds.
func wanted(name string) bool {
	base := PlainName(strings.ToLower(path.Base(name)))
	if hidden(name) || hidden(base) || strings.HasSuffix(name, "/") {
		return false
	}
	known := slices.ContainsFunc(formats, func(f fileFormat) bool { return f.read != nil && f.named(base) })
	note := strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "license")
	return known || strings.HasSuffix(base, ".txt") && !note
}

// errNothingIn names some of an archive's files, none of which is read.
func errNothingIn(names []string) error {
	return fmt.Errorf("this is an archive of %s: want one with CSV, SMI, SDF or other files of molecules, or a TUDataset set",
		strings.Join(names, ", "))
}

var errManyFiles = fmt.Errorf("an archive of more than %d files: want less", maxFiles)

// beginsTar recognises a header of a file in a tar archive.
func beginsTar(head []byte) bool {
	const magic = 257
	return len(head) > magic+5 && string(head[magic:magic+5]) == "ustar"
}

// openTar returns the files of a tar archive.
func openTar(r io.Reader) files {
	in := &counter{r: r}
	archive, others, some := tar.NewReader(in), []string(nil), false
	return func() (string, io.Reader, error) {
		for n := 0; ; n++ {
			header, err := archive.Next()
			switch {
			case err == io.EOF && !some:
				return "", nil, errNothingIn(others)
			case err == io.ErrUnexpectedEOF:
				return "", nil, errors.New("the archive ends early, the file looks truncated")
			case err != nil:
				return "", nil, err
			case n == maxFiles:
				return "", nil, errManyFiles
			case header.Typeflag == tar.TypeReg && wanted(header.Name):
				some = true
				return header.Name, &bounded{z: archive, in: in}, nil // holes take no room in the archive
			case len(others) < maxNamed && header.Typeflag == tar.TypeReg:
				others = append(others, clip(header.Name))
			}
		}
	}
}

// openZip returns the files of a zip archive, or an Excel workbook as text, or the archive itself: a
// TUDataset set or, with an error, what may be recognised otherwise.
func openZip(b *bufio.Reader, u Unpack) (list files, plain io.Reader, err error) {
	data, err := io.ReadAll(io.LimitReader(b, MaxKept+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(data) > MaxKept:
		return nil, io.MultiReader(bytes.NewReader(data), b), nil
	case bytes.Count(data, []byte("PK\x01\x02")) > maxFiles:
		return nil, nil, errManyFiles
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil && bytes.Contains(data, []byte("xl/workbook.xml")):
		return nil, nil, fmt.Errorf("an Excel workbook that cannot be unpacked: %w", err)
	case err != nil:
		return nil, bytes.NewReader(data), nil
	}
	archive.RegisterDecompressor(zip.Deflate, inflate)
	if workbook, err := xlsx.Is(archive); workbook {
		if err != nil {
			return nil, nil, err
		}
		plain, err = u.sheetOf(archive, len(data))
		return nil, plain, err
	}
	list, err = filesOfZip(archive)
	return list, bytes.NewReader(data), err
}

// filesOfZip returns the files of an archive, or nil for a TUDataset set, and with an error for others.
func filesOfZip(archive *zip.Reader) (files, error) {
	var list []*zip.File
	var others []string
	for _, f := range archive.File {
		if strings.Contains(f.Name, indicatorSuffix) || strings.Contains(f.Name, edgesSuffix) {
			return nil, nil
		}
		if wanted(f.Name) {
			list = append(list, f)
		} else if len(others) < maxNamed {
			others = append(others, clip(f.Name))
		}
	}
	if list == nil {
		return nil, errNothingIn(others)
	}
	return func() (string, io.Reader, error) {
		if len(list) == 0 {
			return "", nil, io.EOF
		}
		f := list[0]
		list = list[1:]
		r, err := f.Open()
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		text, err := ahead(r)
		return f.Name, text, err
	}, nil
}

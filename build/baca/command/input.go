package command

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vbauerster/mpb/v8/cwriter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/run"
	"baca/build/internal/opened"
	"baca/build/internal/unpack"
	"baca/build/internal/usage"
)

// An input is an open input of a source.
type input struct {
	schema   string // schema of the graphs
	warnings []string
	// stream has the records, not parsed. It can be read several times for a TUDataset set only. An error concerns the
	// whole input and is the last element.
	stream iter.Seq2[dataset.Record, error]
	files  *opened.Files // files of a TUDataset set, else nil
	close  func()
}

// plain reports whether the graphs are plain graphs, not molecules.
func (in *input) plain() bool { return in.schema == algo.Constant }

// openFor opens the input for a model. If it is a TUDataset set, or consists of regular files or folders of Parquet files,
// run.Input.Again opens it again. It returns an error for graphs that the model cannot read.
func (s *source) openFor(m *algo.Model) (*input, run.Input, error) {
	in, err := s.open()
	if err != nil {
		return nil, run.Input{}, err
	}
	if err := checkSchema(m, in.schema); err != nil {
		in.close()
		return nil, run.Input{}, err
	}
	records := run.Input{Records: in.stream}
	switch {
	case in.files != nil:
		records.Again = func() (iter.Seq2[dataset.Record, error], func(), error) { return in.stream, func() {}, nil }
	case !slices.ContainsFunc(s.paths, func(path string) bool { return !regular(path) && partsOf(path) == nil }):
		records.Again = s.readAgain
	}
	return in, records, nil
}

// readAgain opens the inputs once more, and returns their records and what closes them. It returns an error if the file that was
// read first has changed or is no file of molecules any more.
func (s *source) readAgain() (iter.Seq2[dataset.Record, error], func(), error) {
	first := s.file
	if first != nil {
		if err := first.unchanged(); err != nil {
			return nil, nil, err
		}
		s.digests[first.file.Name()] = first.digest()
	}
	s.again = true
	in, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	if first != nil && s.file == nil {
		in.close()
		return nil, nil, fmt.Errorf("%s is no longer a file of molecules", s.paths[0])
	}
	return in.stream, in.close, nil
}

// piece is the number of graphs that are taken together.
const piece = 1024

// regular reports whether a path is a regular file.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// open opens the inputs and finds their format. Molecules are read on demand, a TUDataset set at once. Several inputs are
// read as one, one after the other.
func (s *source) open() (*input, error) {
	for _, path := range s.paths {
		if len(s.paths) == 1 {
			break
		}
		if path == "-" {
			return nil, usage.Errorf("standard input cannot be combined with other inputs")
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, usage.Errorf("%s is a folder: want files where there are several inputs", path)
		}
	}
	in, err := s.openOne(s.paths[0])
	if err != nil {
		return nil, err
	}
	if in.plain() && len(s.cells) > 0 {
		in.close()
		return nil, usage.Errorf("%s holds plain graphs: there is no column %s", s.paths[0], s.cells[0])
	}
	if len(s.paths) > 1 {
		return s.chain(in), nil
	}
	return in, nil
}

// chain returns an input that continues with the further inputs after the first one, and numbers their rows consecutively. An
// input that cannot be read, or of another kind, ends it with an error.
func (s *source) chain(first *input) *input {
	all, in, row := *first, first, 0 // in is the input that is open
	all.close = func() { in.close() }
	all.stream = func(yield func(dataset.Record, error) bool) {
		for i, path := range s.paths {
			var err error
			if i > 0 {
				in.close()
				var next *input
				if next, err = s.openOne(path); err == nil {
					in = next
				}
			}
			switch {
			case err != nil: // of opening it
			case in.files != nil:
				err = fmt.Errorf("%s is a TUDataset set, which is read alone", path)
			case in.schema != all.schema:
				err = fmt.Errorf("%s and %s hold molecules and plain graphs: want one of the two", s.paths[0], path)
			}
			if err != nil {
				yield(dataset.Record{}, err)
				return
			}
			for rec, err := range in.stream {
				row++
				rec.Row = row
				if !yield(rec, err) || err != nil {
					return
				}
			}
			if s.file != nil && !s.again {
				s.digests[path] = s.file.digest()
			}
		}
	}
	return &all
}

// openOne opens a file, a folder or, for "-", standard input. It sets s.file if the path is a regular file of molecules, else to nil.
func (s *source) openOne(path string) (*input, error) {
	s.file = nil
	if path == "-" {
		switch stdin := s.c.InOrStdin(); {
		case s.format == "tu":
			return nil, usage.Errorf("--format tu: want the path of the folder or zip archive, not standard input")
		case isTerminal(stdin):
			return nil, usage.Errorf("no input: give a file, or - and molecules on standard input")
		default:
			return s.readStream("standard input", waiting(s.c.Context(), stdin), func() {})
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if parts := partsOf(path); parts != nil && (s.format == "auto" || s.format == "parquet") {
		return s.folder(path, parts)
	}
	if info.IsDir() && s.format != "auto" && s.format != "tu" {
		return nil, usage.Errorf("%s is a folder: want a file for --format %s", path, s.format)
	}
	if info.IsDir() || s.format == "tu" {
		return s.tu(path, info)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if s.file, err = newInputFile(f, s.digests[path]); err != nil {
		f.Close()
		return nil, err
	}
	var r io.Reader = s.file
	if s.file == nil {
		r = waiting(s.c.Context(), f)
	}
	in, err := s.readStream(path, r, func() { f.Close() })
	if err != nil {
		f.Close()
	}
	if errors.Is(err, errTU) {
		s.file = nil
		return s.tu(path, info)
	}
	return in, err
}

// partsOf returns the names of the Parquet files of a folder, which form one table, as Spark and Polars write it. It
// returns nil if there are none.
func partsOf(folder string) (names []string) {
	entries, _ := os.ReadDir(folder) // none for a file
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if ext := filepath.Ext(name); (ext == ".parquet" || ext == ".pq") && !strings.ContainsAny(name[:1], "._") && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// folder reads the named files of a folder as if they were in an archive.
func (s *source) folder(path string, names []string) (*input, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(tarOf(w, path, names)) }()
	in, err := s.readStream(path, r, func() { r.Close() })
	if err != nil {
		r.Close()
	}
	return in, err
}

// tarOf writes the named files of a folder as a tar archive.
func tarOf(w io.Writer, folder string, names []string) error {
	archive := tar.NewWriter(w)
	for _, name := range names {
		if err := tarFile(archive, folder, name); err != nil {
			return err
		}
	}
	return archive.Close()
}

// tarFile adds a file of a folder to an archive.
func tarFile(archive *tar.Writer, folder, name string) error {
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.Copy(archive, f)
	return err
}

// errTU is the error for a TUDataset archive that is read as a stream.
var errTU = errors.New("a TUDataset archive: give the path of the folder or zip file")

// readStream finds the format of r and returns its records. If s.file is not nil, r reads from it. end closes the input. The error
// wraps errTU for a TUDataset archive.
func (s *source) readStream(name string, r io.Reader, end func()) (*input, error) {
	opt := dataset.Options{
		Name: name, Format: dataset.ParseFormat(s.format), Column: s.column, ID: s.id, Sheet: s.sheet,
		Workers: s.workers, Form: s.form, Unpack: unpack.All, Plain: true, Keep: unpack.Keep, Cells: s.cells,
		Own:  s.own,
		Stop: s.c.Context().Err,
	}
	if !s.again {
		opt.Guessed = func(column string) {
			fmt.Fprintf(s.c.ErrOrStderr(), "SMILES taken from column %s\n", strconv.Quote(column))
		}
		opt.Note = func(sentence string) { fmt.Fprintf(s.c.ErrOrStderr(), "%s: %s\n", name, sentence) }
	}
	text, format, err := opt.Text(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case format == dataset.TU:
		return nil, fmt.Errorf("%s: %w", name, errTU)
	case s.columnSet && (format == dataset.SMI || format == dataset.SDF || format.Graphs()):
		return nil, usage.Errorf("--column names a column of a table, and %s is read as %s; --format csv reads it as CSV", name, format)
	}
	opt.Format = format
	in := &input{schema: algo.SchemaOf(s.form), stream: dataset.Records(text, opt), close: end}
	if format.Graphs() {
		in.schema = algo.Constant
	}
	if s.file != nil {
		in.stream = s.file.checked(in.stream)
	}
	return in, nil
}

// checkRead returns an error if nothing was read, or if everything was refused. why has the reasons that the user has not
// seen yet.
func checkRead(read, refused int, why ...string) error {
	switch {
	case read == 0:
		return errors.New("the input holds no records")
	case read == refused:
		all := fmt.Sprintf("no record can be used, %d refused; --format and --column say how the input is read", read)
		return errors.New(strings.Join(append([]string{all}, why...), "\n"))
	}
	return nil
}

// tu reads a TUDataset set. The path is its folder, its zip archive, or one of its files.
func (s *source) tu(path string, info fs.FileInfo) (*input, error) {
	if s.columnSet || s.id != "" || s.sheet != "" {
		return nil, usage.Errorf("--column, --id and --sheet concern tables, and %s is a TUDataset set", path)
	}
	folder, name := path, ""
	if !info.IsDir() {
		folder, name = filepath.Dir(path), setOfFile(path)
	}
	in := &input{schema: algo.Constant, files: &opened.Files{FS: os.DirFS(folder)}, close: func() {}}
	var set *dataset.Set
	var err error
	if info.IsDir() || name != "" {
		set, err = dataset.ReadTU(in.files, name, unpack.All)
	} else {
		set, err = readZip(in.files, filepath.Base(path), info.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	in.warnings = set.Warnings
	in.stream = func(yield func(dataset.Record, error) bool) {
		for i, g := range set.Graphs {
			if !yield(dataset.Record{Entry: dataset.Entry{Row: i + 1}, Graph: g}, nil) {
				return
			}
		}
	}
	return in, nil
}

// readZip reads the TUDataset set in a zip archive.
func readZip(files fs.FS, name string, size int64) (*dataset.Set, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadTUZip(f.(io.ReaderAt), size, "", unpack.All)
}

// partsOfTU are the endings of the names of a set's files.
var partsOfTU = []string{
	"_graph_indicator", "_graph_labels", "_graph_attributes", "_node_labels", "_node_attributes",
	"_edge_labels", "_edge_attributes", "_A",
}

// setOfFile returns the name of the TUDataset set to which a file belongs by its name, or "".
func setOfFile(path string) string {
	if base, ok := strings.CutSuffix(dataset.PlainName(filepath.Base(path)), ".txt"); ok {
		for _, part := range partsOfTU {
			if set, ok := strings.CutSuffix(base, part); ok {
				return set
			}
		}
	}
	return ""
}

// sum returns the SHA-256 of the file or set at the first path.
func (s *source) sum(in *input) (string, error) {
	if in.files != nil {
		return in.files.Sum()
	}
	if parts := partsOf(s.paths[0]); parts != nil {
		return opened.Sum(os.DirFS(s.paths[0]), parts...)
	}
	return sha256OfFile(s.paths[0])
}

// waiting returns a reader that ends with ctx even while r blocks. The blocked goroutine stays until the process ends.
func waiting(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// isTerminal reports whether f is a terminal, not a file or pipe.
func isTerminal(f any) bool {
	if s, ok := f.(*screen); ok {
		f = s.to
	}
	file, ok := f.(*os.File)
	return ok && cwriter.IsTerminal(int(file.Fd()))
}

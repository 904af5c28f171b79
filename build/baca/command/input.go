package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8/cwriter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/build/internal/opened"
	"baca/build/internal/unpack"
	"baca/build/internal/usage"
	"baca/weights"
)

// A source is where graphs come from: the flags --model, --format and --column, and the arguments
// INPUT.
type source struct {
	model          string // empty for none
	ordered        bool   // atom order matters
	formats        []string
	format, column string
	columnSet      bool // --column was given
	path           string
	more           []string // paths of further inputs, read after it
	workers        int
	form           molecule.Form     // of molecules
	again          bool              // Notices were already printed.
	digests        map[string]string // of several files read before, or nil
	cells          []string          // further columns to read
	own            func([]string)    // see dataset.Options.Own
	labels         *labels           // of cells, or nil
}

// register adds the flags of an input in one of some formats.
func (s *source) register(fs *pflag.FlagSet, formats ...string) {
	s.formats = formats
	fs.StringVar(&s.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	fs.StringVar(&s.column, "column", "smiles", "`name` of the column with the SMILES; without it the one that holds them")
}

// registerModel adds --model, with more help, and registerWorkers --workers.
func (s *source) registerModel(fs *pflag.FlagSet, more string) {
	fs.StringVar(&s.model, "model", weights.Default, "built-in model by `NAME`, or a model file"+more)
}

func (s *source) registerWorkers(fs *pflag.FlagSet) {
	fs.IntVar(&s.workers, "workers", 0, "cores to use, 0 for all; nothing else depends on it")
}

// rules are conditions on flags, each with its message.
type rules []struct {
	broken bool
	says   string
}

func (list rules) check() error {
	for _, r := range list {
		if r.broken {
			return usage.Errorf("%s", r.says)
		}
	}
	return nil
}

// inRange wraps a flag value's error, nil for a good one.
func inRange(flag string, err error) error {
	if err == nil {
		return nil
	}
	return usage.Errorf("--%s: %w", flag, err)
}

// oneInput allows one argument.
var oneInput = usage.Args(0, 1, "%d inputs: want one, or none for standard input")

// set reads the arguments INPUT, standard input without one, and whether --column was given.
func (s *source) set(c *cobra.Command, args []string) {
	s.path, s.columnSet = "-", c.Flags().Changed("column")
	if len(args) > 0 {
		s.path, s.more = args[0], args[1:]
	}
}

// expand replaces patterns by files. Windows shells do not.
func expand(args []string) (list []string, err error) {
	for _, arg := range args {
		if strings.Contains(arg, "://") {
			return nil, usage.Errorf("%s: BaCa reads files, and nothing from a network: download it first", arg)
		}
		if _, err := os.Stat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			list = append(list, arg)
			continue
		}
		found, err := filepath.Glob(arg)
		if err != nil {
			return nil, usage.Errorf("%s: %w", arg, err)
		}
		if found == nil {
			return nil, usage.Errorf("%s: no file has such a name", arg)
		}
		list = append(list, found...)
	}
	return list, nil
}

// unpack configures decompression.
func (s *source) unpack() dataset.Unpack { return dataset.Unpack{Zstd: unpack.Zstd} }

// Values of --format, all and those of molecules.
var (
	formats         = append([]string{"auto"}, dataset.Formats(false)...)
	moleculeFormats = append([]string{"auto"}, dataset.Formats(true)...)
)

// An input is an open source.
type input struct {
	schema string // of the graphs
	// file is the regular file with the records, or nil.
	file     *inputFile
	graphs   string        // SHA-256 of a TUDataset set's graphs
	files    *opened.Files // of a TUDataset folder, nil for other input
	warnings []string
	// digests are the SHA-256 of several files that were read; nil if one cannot be read again.
	digests map[string]string
	// records can be read once, except of a TUDataset. An error is the last, and concerns the whole
	// input.
	records iter.Seq2[table.Unread, error]
	// stream has the same records unparsed, nil for a TUDataset set, molecules the same, nil for
	// plain graphs. Only one of the three can be read.
	stream, molecules iter.Seq2[dataset.Record, error]
	close             func()
}

// openFor opens the input for a model, repeatedly if scoring needs it and it is a file or folder.
func (s source) openFor(ctx context.Context, c *cobra.Command, m *algo.Model) (*input, job.Input, error) {
	in, err := s.open(ctx, c)
	if err != nil {
		return nil, job.Input{}, err
	}
	if err := checkSchema(m, in.schema); err != nil {
		in.close()
		return nil, job.Input{}, err
	}
	records := job.Input{Records: in.records}
	switch {
	case len(s.more) > 0:
		if in.digests == nil {
			break
		}
		digests := in.digests
		records.Again = func() (iter.Seq2[table.Unread, error], func(), error) {
			s.again, s.digests = true, digests
			again, err := s.open(ctx, c)
			if err != nil {
				return nil, nil, err
			}
			return again.records, again.close, nil
		}
	case in.graphs != "":
		records.Again = func() (iter.Seq2[table.Unread, error], func(), error) { return in.records, func() {}, nil }
	case in.file != nil:
		records.Again = func() (iter.Seq2[table.Unread, error], func(), error) {
			first := in.file
			if err := first.unchanged(); err != nil {
				return nil, nil, err
			}
			s.again = true
			again, err := s.open(ctx, c)
			if err != nil {
				return nil, nil, err
			}
			if again.file == nil {
				again.close()
				return nil, nil, fmt.Errorf("%s is no longer a file of molecules", s.path)
			}
			in.file = again.file
			in.file.sample = first.digest()
			return again.records, again.close, nil
		}
	}
	return in, records, nil
}

// open finds the format. Molecules are then read on demand until ctx ends; a TUDataset set is read
// at once.
func (s source) open(ctx context.Context, c *cobra.Command) (in *input, err error) {
	if len(s.more) > 0 {
		in, err = s.openAll(ctx, c)
	} else {
		in, err = s.openOne(ctx, c)
	}
	if err == nil && in.molecules == nil && len(s.cells) > 0 {
		in.close()
		return nil, usage.Errorf("%s holds plain graphs: there is no column %s", s.path, s.cells[0])
	}
	return in, err
}

func (s source) openOne(ctx context.Context, c *cobra.Command) (*input, error) {
	if s.path == "-" {
		if s.format == "tu" {
			return nil, usage.Errorf("--format tu: give the path of the folder or zip archive, standard input will not do")
		}
		if isTerminal(c.InOrStdin()) {
			return nil, usage.Errorf("no input: give a file, or - and molecules on standard input")
		}
		in, err := s.molecules(ctx, c, waiting(ctx, c.InOrStdin()), "standard input")
		if err != nil {
			return nil, err
		}
		in.close = func() {}
		return in, nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if s.format != "auto" && s.format != "tu" {
			return nil, usage.Errorf("%s is a folder: want a file for --format %s", s.path, s.format)
		}
		return s.tu(info)
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	if s.format == "tu" {
		f.Close()
		return s.tu(info)
	}
	file, err := newInputFile(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	var r io.Reader = file
	if file == nil {
		r = waiting(ctx, f)
	}
	in, err := s.molecules(ctx, c, r, s.path)
	if errors.Is(err, errTU) {
		f.Close()
		return s.tu(info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in.close = func() { f.Close() }
	if file != nil {
		in.file = file
		in.stream = whole(file, in.stream)
		in.fill(s.form)
	}
	return in, nil
}

// openAll opens several inputs as one, each after the previous ended. It checks first that all
// exist.
func (s source) openAll(ctx context.Context, c *cobra.Command) (*input, error) {
	paths := append([]string{s.path}, s.more...)
	all := &input{digests: map[string]string{}}
	for _, path := range paths {
		if path == "-" {
			return nil, usage.Errorf("standard input and other inputs: want one of the two")
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, usage.Errorf("%s is a folder: several inputs are files", path)
		}
		if !info.Mode().IsRegular() {
			all.digests = nil
		}
	}
	one := s
	one.more = nil
	in, err := one.open(ctx, c)
	if err != nil {
		return nil, err
	}
	all.schema, all.close = in.schema, func() { in.close() }
	row := 0
	all.stream = func(yield func(dataset.Record, error) bool) {
		for i, path := range paths {
			if i > 0 {
				in.close()
				one.path = path
				next, err := one.open(ctx, c)
				if err != nil {
					yield(dataset.Record{}, err)
					return
				}
				in = next
			}
			switch {
			case in.stream == nil:
				yield(dataset.Record{}, fmt.Errorf("%s is a TUDataset set, which is read alone", path))
				return
			case in.schema != all.schema:
				yield(dataset.Record{}, fmt.Errorf("%s and %s hold molecules and plain graphs: want one of the two", paths[0], path))
				return
			}
			if in.file != nil {
				in.file.sample = s.digests[path]
			}
			for rec, err := range in.stream {
				rec.Row = row // rows are numbered consecutively
				if row++; !yield(rec, err) || err != nil {
					return
				}
			}
			if all.digests != nil {
				all.digests[path] = in.file.digest()
			}
		}
	}
	all.fill(s.form)
	return all, nil
}

// fill sets records and molecules from the stream.
func (in *input) fill(form molecule.Form) {
	in.records = table.Each(in.stream, form)
	if in.molecules = in.stream; in.schema == algo.Constant {
		in.molecules = nil
	}
}

// errTU reports a TUDataset set among molecules.
var errTU = errors.New("a TUDataset archive: give the path of the folder or zip file")

// molecules reads a stream.
func (s source) molecules(ctx context.Context, c *cobra.Command, r io.Reader, name string) (*input, error) {
	opt := dataset.Options{
		Name: name, Format: dataset.ParseFormat(s.format), Column: s.column, Workers: s.workers, Form: s.form, Unpack: s.unpack(), Plain: true, Keep: unpack.Keep, Cells: s.cells, Own: s.own,
	}
	if !s.again {
		opt.Guessed = func(column string) {
			fmt.Fprintf(c.ErrOrStderr(), "SMILES taken from column %s\n", strconv.Quote(column))
		}
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
	in := &input{schema: algo.SchemaOf(s.form), stream: dataset.Records(text, opt)}
	if format.Graphs() {
		in.schema = algo.Constant
	}
	in.fill(s.form)
	return in, nil
}

// checkRead returns an error if nothing was read or everything was refused.
func checkRead(read, refused int) error {
	switch {
	case read == 0:
		return errors.New("the input holds no records")
	case read == refused:
		return fmt.Errorf("no record can be used, %d refused; --format and --column say how the input is read", read)
	}
	return nil
}

// tu reads a TUDataset set: a folder, a zip archive, or a set with s.path among its files.
func (s source) tu(info fs.FileInfo) (*input, error) {
	if s.columnSet {
		return nil, usage.Errorf("--column names a column of a CSV file, and %s is a TUDataset set", s.path)
	}
	in := &input{schema: algo.Constant, close: func() {}}
	var set *dataset.Set
	var err error
	if info.IsDir() {
		in.files = &opened.Files{FS: os.DirFS(s.path)}
		set, err = dataset.ReadTU(in.files, "", s.unpack())
	} else {
		set, err = readTU(s.path, info, s.unpack())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	in.warnings, in.records, in.graphs = set.Info.Warnings, table.Graphs(set.Graphs), digestOf(set.Graphs)
	return in, nil
}

// partsOfTU are the suffixes of a set's files.
var partsOfTU = []string{
	"_graph_indicator", "_graph_labels", "_graph_attributes", "_node_labels", "_node_attributes",
	"_edge_labels", "_edge_attributes", "_A",
}

// setOfFile is a file's set by its name, or empty.
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

// readTU reads the set of a file, or the set in a zip archive.
func readTU(path string, info fs.FileInfo, u dataset.Unpack) (*dataset.Set, error) {
	if set := setOfFile(path); set != "" {
		return dataset.ReadTU(os.DirFS(filepath.Dir(path)), set, u)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadTUZip(f, info.Size(), "", u)
}

// waiting stops waiting for a blocking reader when ctx ends. The blocked goroutine ends with the
// process.
func waiting(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out
}

// isTerminal distinguishes terminals from files and pipes.
func isTerminal(f any) bool {
	if s, ok := f.(*screen); ok {
		f = s.to
	}
	file, ok := f.(*os.File)
	return ok && cwriter.IsTerminal(int(file.Fd()))
}

package command

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/document"
	"baca/algo/molecule"
	"baca/algo/run"
	"baca/build/internal/apart"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/weights"
)

// A source holds what all verbs have in common: the model, the inputs, and the files to write.
type source struct {
	c              *cobra.Command
	model          string // --model; empty for none
	formats        []string
	format, column string
	id             string   // --id; empty for none
	sheet          string   // --sheet; empty for none
	columnSet      bool     // whether --column was given
	paths          []string // the inputs, read one after the other; - is standard input
	further        []string // other files that are read
	workers        int
	outs           []outFlag

	form  molecule.Form           // the form in which molecules are read
	cells []string                // further columns to read
	own   func(all, own []string) // see dataset.Options.Own

	again   bool              // whether the inputs are read once more
	file    *inputFile        // the regular file that is being read, or nil
	digests map[string]string // SHA-256 of the files that were read, by path
}

// An outFlag names a file to write.
type outFlag struct {
	flag string
	name *string
	exts []string // allowed endings of the name; nil for any
}

// Values of --format: all formats, and those of molecules.
var (
	formats         = append([]string{"auto"}, dataset.Formats(false)...)
	moleculeFormats = append([]string{"auto"}, dataset.Formats(true)...)
)

// registerInput adds the flags of an input in one of the formats.
func (s *source) registerInput(fs *pflag.FlagSet, formats ...string) {
	s.formats = formats
	fs.StringVar(&s.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	fs.StringVar(&s.column, "column", "smiles", "`name` of the column with the SMILES; without it the one that holds them")
	fs.StringVar(&s.id, "id", "", "`name` of the column with the ids; found by default")
	fs.StringVar(&s.sheet, "sheet", "", "`name` of a workbook's sheet; found by default")
}

// registerModel adds --model. more continues its help.
func (s *source) registerModel(fs *pflag.FlagSet, more string) {
	fs.StringVar(&s.model, "model", weights.Default, "built-in model by `NAME`, or a model file"+more)
}

// registerWorkers adds --workers.
func (s *source) registerWorkers(fs *pflag.FlagSet) {
	fs.IntVar(&s.workers, "workers", 0, "cores to use, 0 for all; results do not depend on it")
}

// registerOut adds a flag that names a file to write.
func (s *source) registerOut(fs *pflag.FlagSet, name *string, flag, usage string, exts ...string) {
	fs.StringVar(name, flag, "", usage)
	s.outs = append(s.outs, outFlag{flag, name, exts})
}

// verb completes a command that reads its arguments, checks its flags, and runs.
func (s *source) verb(c *cobra.Command, check, run func() error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := s.set(c, args); err != nil {
			return err
		}
		if err := cmp.Or(check(), s.check()); err != nil {
			return err
		}
		return run()
	}
	return c
}

// rules are conditions on flags. A broken one gives its message.
type rules []struct {
	broken bool
	says   string
}

// check returns the first broken rule as an error of usage.
func (list rules) check() error {
	for _, r := range list {
		if r.broken {
			return usage.Errorf("%s", r.says)
		}
	}
	return nil
}

// inRange returns an error for a flag whose value err is about, or nil if err is nil.
func inRange(flag string, err error) error {
	if err == nil {
		return nil
	}
	return usage.Errorf("--%s: %w", flag, err)
}

// oneInput allows at most one argument.
var oneInput = usage.Args(0, 1, "%d inputs: want one, or none for standard input")

// set takes the arguments as inputs, or standard input if there are none, and checks their number. It replaces patterns by the files
// that match, since shells of Windows do not.
func (s *source) set(c *cobra.Command, args []string) error {
	s.c, s.columnSet, s.paths = c, c.Flags().Changed("column"), nil
	for _, arg := range args {
		if strings.Contains(arg, "://") {
			return usage.Errorf("%s: BaCa reads no network: download the file first", arg)
		}
		if _, err := os.Stat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			s.paths = append(s.paths, arg)
			continue
		}
		found, err := filepath.Glob(arg)
		if err != nil {
			return usage.Errorf("%s: %w", arg, err)
		}
		if found == nil {
			return usage.Errorf("%s: no file has such a name", arg)
		}
		s.paths = append(s.paths, found...)
	}
	s.digests = map[string]string{}
	if c.Args != nil {
		if err := c.Args(c, s.paths); err != nil {
			return err
		}
	}
	if s.paths == nil {
		s.paths = []string{"-"}
	}
	return nil
}

// check returns an error for flags out of range, for names of files to write with a wrong ending, and for files that are
// both read and written.
func (s *source) check() error {
	err := rules{{s.workers < 0, fmt.Sprintf("--workers %d: want 0 for all cores, or more", s.workers)}}.check()
	if s.formats != nil {
		err = cmp.Or(err, usage.OneOf("format", s.format, s.formats...))
	}
	var writes []apart.File
	more := []apart.File{{Role: "standard output", Stream: os.Stdout}} // unless there is --out, which has files beside it
	for _, o := range s.outs {
		if *o.name == "" {
			continue
		}
		err = cmp.Or(err, o.check())
		writes = append(writes, apart.File{Role: "--" + o.flag, Name: *o.name})
		if o.flag == "out" || o.flag == "rejects" {
			writes = append(writes, apart.File{Role: "the part", Name: *o.name + replace.PartExt})
		}
		if o.flag == "out" {
			more = []apart.File{{Role: "the checkpoint", Name: *o.name + checkpointExt}, {Role: "the lock", Name: *o.name + lockExt}}
		}
	}
	return cmp.Or(err, apart.Check(s.reads(), append(writes, more...)))
}

// check returns an error for a name in a folder that does not exist, or with none of the endings exts. .htm counts as
// .html, and nil allows any ending.
func (o outFlag) check() error {
	ext := strings.ToLower(filepath.Ext(*o.name))
	if ext == ".htm" {
		ext = ".html"
	}
	if o.exts != nil && !slices.Contains(o.exts, ext) {
		return usage.Errorf("--%s %s: want the name of an %s file", o.flag, *o.name, strings.Join(o.exts, " or "))
	}
	dir := filepath.Dir(*o.name)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return fmt.Errorf("--%s %s: there is no folder %s", o.flag, *o.name, dir)
	}
	return nil
}

// reads returns the files that the run reads: models, inputs, and in folders the files of a TUDataset set or a table of several files.
func (s *source) reads() (list []apart.File) {
	for _, name := range s.models() {
		if !slices.Contains(weights.Names(), name) {
			list = append(list, apart.File{Role: "the model", Name: name})
		}
	}
	for _, path := range append(s.further, s.paths...) {
		if path == "-" {
			list = append(list, apart.File{Role: "standard input", Stream: os.Stdin})
			continue
		}
		list = append(list, apart.File{Role: "the input", Name: path})
		folder := path
		if setOfFile(path) != "" {
			folder = filepath.Dir(path)
		}
		entries, _ := os.ReadDir(folder) // none for a file
		parts := partsOf(path)
		for _, e := range entries {
			if setOfFile(e.Name()) != "" || slices.Contains(parts, e.Name()) {
				list = append(list, apart.File{Role: "the input", Name: filepath.Join(folder, e.Name())})
			}
		}
	}
	return list
}

// models returns the comma-separated values of --model. An existing file whose name has a comma is one value.
func (s *source) models() []string {
	if _, err := os.Stat(s.model); err == nil || s.model == "" {
		return []string{s.model}
	}
	return strings.Split(s.model, ",")
}

// unrelatedFlags do not affect the rows or the document that is written.
var unrelatedFlags = []string{"workers", "device", "rejects", "resume", "fail-on", "plot", "json", "help"}

// settings returns the flags that do not have their usual values, as on a command line, without some of them. It always
// includes the model and the seed, whose usual values may change.
func (s *source) settings(without ...string) string {
	text := ""
	s.c.Flags().VisitAll(func(f *pflag.Flag) {
		usual := f.Value.String() == f.DefValue && f.Name != "model" && f.Name != "seed"
		if usual || slices.Contains(unrelatedFlags, f.Name) || slices.Contains(without, f.Name) {
			return
		}
		text += " --" + f.Name
		if f.Value.Type() != "bool" {
			text += " " + document.Quote(f.Value.String())
		}
	})
	return text
}

// command returns the command line that does the same, without some flags.
func (s *source) command(without ...string) string {
	return document.Command(s.c.CommandPath()+s.settings(without...), nil, s.paths...)
}

// An opening is a model and the input for it.
type opening struct {
	model *algo.Model
	data  []byte // the model's file
	alone *algo.SingleScorer
	*input
	records run.Input
}

// openModel opens a model, and has molecules read in its form. If ordered, their atoms have the order of the form; otherwise they may
// have any. The scorer and the input come with begin.
func (s *source) openModel(name string, ordered bool) (*opening, error) {
	m, data, err := openModelFile(name)
	if err != nil {
		return nil, err
	}
	s.form = m.Form()
	if !ordered {
		s.form = s.form.Unordered()
	}
	return &opening{model: m, data: data}, nil
}

// single makes the scorer of single graphs, unless it exists.
func (s *source) single(o *opening) (err error) {
	if o.alone == nil {
		o.alone, err = algo.NewSingleScorer(s.c.Context(), o.model, s.workers)
	}
	return err
}

// begin makes the scorer of single graphs and opens the input.
func (s *source) begin(o *opening) (err error) {
	if err := s.single(o); err != nil {
		return err
	}
	o.input, o.records, err = s.openFor(o.model)
	return err
}

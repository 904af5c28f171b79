package dataset

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/molecule"
)

// MaxTUBytes bounds the decompressed text of one TUDataset file. The largest sets stay below half of it. Node numbers
// have 32 bits.
const (
	MaxTUBytes = 1 << 30
	maxTUNodes = 1 << 27
)

const (
	indicatorSuffix = "_graph_indicator.txt"
	edgesSuffix     = "_A.txt"
	labelsSuffix    = "_graph_labels.txt"
)

// A Set is a TUDataset set.
type Set struct {
	Name   string
	Graphs []*graph.Graph
	Labels []int // of the graphs, nil for none; the method does not use them
	// What was dropped: self-loops and repeated directed edges.
	SelfLoops, Duplicates int
	Warnings              []string
}

// ReadTU reads the TUDataset set called name from the files
//
//	NAME_graph_indicator.txt  line i: the graph that node i belongs to, 1, 1, …, 2, …
//	NAME_A.txt                a, b on each line: an edge between nodes a and b, from 1
//	NAME_graph_labels.txt     optional, line i: the label of graph i
//
// plain or .gz, in fsys or a folder below it. An empty name means the only set there.
//
// Node counts come from the indicator, so isolated nodes are kept. Edges become undirected; self-loops and repeats are
// dropped and counted. The feature view is the constant 1, as in the published protocol; other labels and attributes
// are ignored. Unusable graph labels give a warning. Other mistakes are errors, a [*SyntaxError] where a line is wrong.
func ReadTU(fsys fs.FS, name string, u Unpack) (*Set, error) {
	files, err := findTU(fsys, name)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: files.name}
	graphOf, starts, err := readIndicator(fsys, u, files.indicator)
	if err != nil {
		return nil, err
	}
	edges, err := readEdges(fsys, u, files.edges, graphOf)
	if err != nil {
		return nil, err
	}
	if err := s.build(starts, edges); err != nil {
		return nil, err
	}
	if files.labels != "" {
		if s.Labels, err = readLabels(fsys, u, files.labels, len(s.Graphs)); err != nil {
			s.Warnings = append(s.Warnings, "graph labels left out: "+err.Error())
		}
	}
	return s, nil
}

// ReadTUZip is [ReadTU] for a zip archive, whose files must not be compressed again.
func ReadTUZip(r io.ReaderAt, size int64, name string, u Unpack) (*Set, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("zip archive: %w", err)
	}
	u.archive, u.meter = true, &meter{read: size}
	u.meter.inflate(z)
	return ReadTU(z, name, u)
}

// tuFiles are the paths of one set. labels is empty if the set has none.
type tuFiles struct{ name, indicator, edges, labels string }

// findTU looks for a set in fsys, and if there is none in the folders in it. An empty name means the only set there. It
// fails if there is no set, or more than one.
func findTU(fsys fs.FS, name string) (tuFiles, error) {
	if _, err := fs.ReadDir(fsys, "."); err != nil {
		return tuFiles{}, err
	}
	// pick returns the path of a file, plain or else compressed, or "" if there is none.
	pick := func(file string) string {
		for _, f := range []string{file, file + ".gz"} {
			if info, err := fs.Stat(fsys, f); err == nil && !info.IsDir() {
				return f
			}
		}
		return ""
	}
	var found []tuFiles
	lone := "" // an indicator file without its edges
	for _, folder := range []string{".", "*"} {
		files, _ := fs.Glob(fsys, path.Join(folder, "*"+indicatorSuffix+"*"))
		for _, file := range files {
			plain := strings.TrimSuffix(file, ".gz")
			stem, ok := strings.CutSuffix(plain, indicatorSuffix)
			set := path.Base(stem)
			if !ok || hidden(file) || hidden(set) || name != "" && set != name || pick(plain) != file {
				continue // also a compressed file beside the plain one
			}
			f := tuFiles{set, file, pick(stem + edgesSuffix), pick(stem + labelsSuffix)}
			if f.edges == "" {
				lone = cmp.Or(lone, file)
				continue
			}
			found = append(found, f)
		}
		if found != nil {
			break
		}
	}
	return onlySet(found, lone, name)
}

// onlySet returns the only set of found. If there is none or more than one, it returns an error: lone is an indicator file
// without its edges, or "", and name the set that was asked for, or "".
func onlySet(found []tuFiles, lone, name string) (tuFiles, error) {
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := lists.Map(found[:min(len(found), 2*maxNamed)], func(f tuFiles) string { return f.name })
		return tuFiles{}, fmt.Errorf("%d data sets, want one or its name: %s", len(found), strings.Join(names, ", "))
	case lone != "":
		return tuFiles{}, fmt.Errorf("%s without the file NAME%s that belongs to it: want both", lone, edgesSuffix)
	case name != "":
		return tuFiles{}, fmt.Errorf("no data set %q: want %s%s and %s%s, plain or .gz, here or in one folder", name,
			name, edgesSuffix, name, indicatorSuffix)
	}
	return tuFiles{}, fmt.Errorf("no data set: want NAME%s and NAME%s, plain or .gz, here or in one folder", edgesSuffix, indicatorSuffix)
}

// hidden recognises names that macOS adds to archives.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "__MACOSX")
}

// eachLine calls f with every line of a file, without its line feed. Blank lines are allowed at the end only. It fails for
// more than limit bytes of text, at the first error of f, and if the file cannot be read. It adds file and line to errors.
func eachLine(fsys fs.FS, u Unpack, file string, limit int, f func(text []byte) error) error {
	in, err := fsys.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := NewText(in, u)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	const longest = 64 << 10
	w := newWindow(&allowance{r, limit + 1, limit}, longest, longest)
	blank := 0 // the first blank line; 0 for none
	w.eachLine(func(text []byte, whole bool) bool {
		switch isBlankLine := len(bytes.TrimLeft(text, " \t")) == 0; {
		case !whole:
			err = syntaxError(0, 1, fmt.Errorf("line of more than %d bytes: want numbers", longest))
		case isBlankLine:
			blank = cmp.Or(blank, w.line)
		case blank > 0:
			err = syntaxError(blank, 1, errors.New("blank line: want a number"))
		default:
			err = f(text)
		}
		if at, ok := err.(*SyntaxError); ok {
			at.File, at.Line = file, cmp.Or(at.Line, w.line)
		}
		return err == nil
	})
	if broken := w.broken(); err == nil && broken != nil {
		return fmt.Errorf("%s: line %d: %w", file, w.line, broken)
	}
	return err
}

// number reads an unsigned decimal number of at most 9 digits at text[i], after blanks. next is the index after the number
// and its blanks, or negative if there is no such number.
func number(text []byte, i int) (value, next int) {
	i = skipBlanks(text, i)
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		value = 10*value + int(text[i]-'0')
		if i++; i-from > 9 {
			return 0, -1
		}
	}
	if i == from {
		return 0, -1
	}
	return value, skipBlanks(text, i)
}

// skipBlanks returns the index of the first byte from i on that is no space or tab.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// unexpected returns the error for finding text[i:] instead of want. eachLine adds file and line.
func unexpected(text []byte, i int, want string, args ...any) error {
	i = skipBlanks(text, i)
	want = fmt.Sprintf(want, args...)
	token := text[i:]
	if end := bytes.IndexAny(token, ", \t"); end > 0 {
		token = token[:end]
	}
	if len(token) == 0 {
		return &SyntaxError{Column: i + 1, Err: fmt.Errorf("end of line: want %s", want)}
	}
	return &SyntaxError{Column: i + 1, Err: fmt.Errorf("found %s: want %s", clip(token), want)}
}

// readIndicator returns the graph of each node, from 0. starts has the first node of each graph, and then the number of
// nodes.
func readIndicator(fsys fs.FS, u Unpack, file string) (graphOf, starts []int32, err error) {
	err = eachLine(fsys, u, file, MaxTUBytes, func(text []byte) error {
		id, next := number(text, 0)
		last := len(starts) // the last graph's number
		// A larger step would be a graph without nodes, or a huge number.
		if next < 0 || id != last && id != last+1 || id == 0 {
			if last == 0 {
				return unexpected(text, 0, "1, the number of the first graph")
			}
			return unexpected(text, 0, "graph %d or %d, ascending without gaps", last, last+1)
		}
		if next < len(text) {
			return unexpected(text, next, "the end of the line")
		}
		if len(graphOf) == maxTUNodes {
			return &SyntaxError{Column: 1, Err: fmt.Errorf("more than %d nodes: want less", maxTUNodes)}
		}
		if id == last+1 {
			starts = append(starts, int32(len(graphOf)))
		} else if size := len(graphOf) + 1 - int(starts[id-1]); size > graph.MaxNodes {
			return &SyntaxError{Column: 1, Err: graph.CheckSize(size, 0)}
		}
		graphOf = append(graphOf, int32(id-1))
		return nil
	})
	if err == nil && len(graphOf) == 0 {
		err = fmt.Errorf("%s: no line, want the graph number of at least one node", file)
	}
	return graphOf, append(starts, int32(len(graphOf))), err
}

// readEdges returns the directed edges. The source is in the high half of each, the target in the low half, both from 0.
// It fails unless both are nodes of one graph.
func readEdges(fsys fs.FS, u Unpack, file string, graphOf []int32) (edges []uint64, err error) {
	err = eachLine(fsys, u, file, MaxTUBytes, func(text []byte) error {
		a, i := number(text, 0)
		if i < 0 || a == 0 || a > len(graphOf) {
			return unexpected(text, 0, "a node from 1 to %d", len(graphOf))
		}
		if i == len(text) || text[i] != ',' {
			return unexpected(text, i, "a comma")
		}
		b, end := number(text, i+1)
		if end < 0 || b == 0 || b > len(graphOf) {
			return unexpected(text, i+1, "a node from 1 to %d", len(graphOf))
		}
		if end < len(text) {
			return unexpected(text, end, "the end of the line")
		}
		if g, h := graphOf[a-1], graphOf[b-1]; g != h {
			return &SyntaxError{Column: 1, Err: fmt.Errorf("edge from node %d of graph %d to node %d of graph %d: "+
				"want both in one graph", a, g+1, b, h+1)}
		}
		edges = append(edges, uint64(a-1)<<32|uint64(b-1))
		return nil
	})
	return edges, err
}

// readLabels returns the labels of n graphs. It fails unless each graph has one.
func readLabels(fsys fs.FS, u Unpack, file string, n int) (labels []int, err error) {
	err = eachLine(fsys, u, file, MaxTUBytes, func(text []byte) error {
		v, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 32)
		if err != nil {
			return unexpected(text, 0, "a whole number from %d to %d", math.MinInt32, math.MaxInt32)
		}
		if len(labels) == n {
			return &SyntaxError{Column: 1, Err: fmt.Errorf("more labels than graphs: want %d", n)}
		}
		labels = append(labels, int(v))
		return nil
	})
	if err == nil && len(labels) < n {
		err = fmt.Errorf("%s: %d labels: want %d, one for each graph", file, len(labels), n)
	}
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// build makes the graphs. The nodes of graph k begin at starts[k]. An edge has its source in the upper 32 bits. build
// sorts edges, leaves out loops and repeated edges, and warns of both.
func (s *Set) build(starts []int32, edges []uint64) error {
	slices.Sort(edges)
	s.Graphs = make([]*graph.Graph, len(starts)-1)
	at, oneWay := 0, 0
	var kept [][2]int32
	for k := range s.Graphs {
		from, to := starts[k], starts[k+1]
		kept = kept[:0]
		for ; at < len(edges) && int32(edges[at]>>32) < to; at++ {
			switch u, v := int32(edges[at]>>32), int32(edges[at]); {
			case u == v:
				s.SelfLoops++
			case at > 0 && edges[at] == edges[at-1]:
				s.Duplicates++
			default:
				kept = append(kept, [2]int32{u - from, v - from})
			}
		}
		g, dropped, err := graph.New(int(to-from), kept)
		if err != nil {
			return fmt.Errorf("graph %d: %w", k+1, err)
		}
		oneWay += g.M() - dropped.Duplicates // an edge in both directions is a duplicate once
		s.Graphs[k] = g
	}
	left := molecule.Asides{"self-loop": s.SelfLoops, "parallel edge": s.Duplicates}
	if said := left.Of(len(s.Graphs)); said != "" {
		s.Warnings = append(s.Warnings, said)
	}
	if oneWay > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("edges listed in one direction only, and taken as undirected: %d", oneWay))
	}
	return nil
}

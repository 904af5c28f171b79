package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule"
)

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Have(z.Write([]byte(text)))
	must.Do(z.Close())
	return b.Bytes()
}

// tiny is a triangle with a tail, listed twice like the IMDB sets, a graph of
// two isolated nodes, and an edge with a self-loop.
var tiny = map[string]string{
	"T_A.txt": "1, 2\n2, 1\n1, 2\n2, 1\n2, 3\n3, 2\n2, 3\n3, 2\n1, 3\n3, 1\n1, 3\n3, 1\n3, 4\n4, 3\n3, 4\n4, 3\n" +
		"7, 8\n8, 7\n8, 8\n",
	"T_graph_indicator.txt": "1\n1\n1\n1\n2\n2\n3\n3\n",
	"T_graph_labels.txt":    "-1\n1\n1\n",
}

const tinyAside = "of 3 graphs 1 self-loop was left out, 8 parallel edges merged"

func checkTiny(t *testing.T, s *Set, err error) {
	t.Helper()
	must.Do(err)
	if s.SelfLoops != 1 || s.Duplicates != 8 || !slices.Equal(s.Warnings, []string{tinyAside}) {
		t.Errorf("%d self-loops, %d duplicates, %q", s.SelfLoops, s.Duplicates, s.Warnings)
	}
	if s.Name != "T" || !slices.Equal(s.Labels, []int{-1, 1, 1}) {
		t.Errorf("name %q, labels %v", s.Name, s.Labels)
	}
	var shape [][2]int
	for _, g := range s.Graphs {
		shape = append(shape, [2]int{g.N(), g.M()})
		if g.Features != 1 || !slices.Equal(g.X, slices.Repeat([]float32{1}, g.N())) {
			t.Errorf("features %v, want the constant 1", g.X)
		}
	}
	if !slices.Equal(shape, [][2]int{{4, 4}, {2, 0}, {2, 1}}) {
		t.Errorf("nodes and edges %v", shape)
	}
	if g := s.Graphs[0]; !slices.Equal(g.Row(2), []int32{0, 1, 3}) {
		t.Errorf("neighbours of node 2: %v", g.Row(2))
	}
}

func mapFS(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestReadTU(t *testing.T) {
	windows, packed := mapFS(tiny), fstest.MapFS{"README.md": {Data: []byte("x")}}
	archive := []packedFile{{"__MACOSX/._T_graph_indicator.txt", "x"}, {"T/README.txt", "x"}}
	for name, text := range tiny {
		packed["T/"+name+".gz"] = &fstest.MapFile{Data: zipped(t, text)}
		archive = append(archive, packedFile{"T/" + name, text})
		windows[name].Data = []byte(strings.ReplaceAll(text, "\n", " \r\n") + "\n \n")
	}
	windows["T_A.txt"].Data = []byte(" " + strings.TrimSuffix(strings.ReplaceAll(tiny["T_A.txt"], ", ", "\t,"), "\n"))
	for name, test := range map[string]struct {
		files fstest.MapFS
		set   string
	}{
		"plain": {mapFS(tiny), ""},
		"carriage returns, blank end, no line end": {windows, "T"},
		"gzip below a folder":                      {packed, ""},
		"one of two": {fstest.MapFS{
			"T/T_A.txt": {Data: []byte(tiny["T_A.txt"])}, "T/T_graph_indicator.txt": {Data: []byte(tiny["T_graph_indicator.txt"])},
			"T/T_graph_labels.txt.gz": {Data: zipped(t, tiny["T_graph_labels.txt"])}, "U/U_graph_indicator.txt": {Data: []byte("1\n")}, "U/U_A.txt": {},
		}, "T"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ReadTU(test.files, test.set, Unpack{})
			checkTiny(t, s, err)
		})
	}
	t.Run("zip", func(t *testing.T) {
		r := bytes.NewReader(zipOf(t, archive...))
		s, err := ReadTUZip(r, r.Size(), "", Unpack{})
		checkTiny(t, s, err)
		if _, err := ReadTUZip(r, r.Size()-10, "", Unpack{}); err == nil || !strings.HasPrefix(err.Error(), "zip archive: ") {
			t.Errorf("cut zip: %v", err)
		}
		empty := string(zipped(t, ""))
		r = bytes.NewReader(zipOf(t, packedFile{"T_A.txt.gz", empty}, packedFile{"T_graph_indicator.txt.gz", empty}))
		if _, err := ReadTUZip(r, r.Size(), "", Unpack{}); !errors.Is(err, errTwice) {
			t.Errorf("gzip in zip: %v", err)
		}
	})
	t.Run("one direction", func(t *testing.T) {
		s := must.Have(ReadTU(mapFS(map[string]string{"T_A.txt": "1,2\n2,3\n3,2", "T_graph_indicator.txt": "1\n1\n1"}), "", Unpack{}))
		if s.Graphs[0].M() != 2 || s.Duplicates != 0 || s.Labels != nil ||
			!slices.Equal(s.Warnings, []string{"edges listed in one direction only, and taken as undirected: 1"}) {
			t.Errorf("%d edges, %d duplicates, %q", s.Graphs[0].M(), s.Duplicates, s.Warnings)
		}
	})
	t.Run("no edge at all", func(t *testing.T) {
		s, err := ReadTU(mapFS(map[string]string{"T_A.txt": "", "T_graph_indicator.txt": "1\n2"}), "", Unpack{})
		if err != nil || len(s.Graphs) != 2 || s.Graphs[1].N() != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestReadTUErrors(t *testing.T) {
	const ok = "1\n1\n2\n"
	type tuCase struct{ Case, Edges, Graphs, Want string }
	for _, test := range golden.Cases(t, "tu.jsonl",
		tuCase{"long line", "", strings.Repeat("1", 70<<10), "T_graph_indicator.txt:1:1: line of more than 65536 bytes: want numbers"},
		tuCase{"large graph", "", strings.Repeat("1\n", graph.MaxNodes+1),
			"T_graph_indicator.txt:32769:1: a graph of 32769 nodes and 0 edges: want at most 32768 and 131072"},
		tuCase{"largest graph", "1, 2, 3\n", strings.Repeat("1\n", graph.MaxNodes), `T_A.txt:1:5: found ", 3": want the end of the line`},
	) {
		_, err := ReadTU(mapFS(map[string]string{"T_A.txt": test.Edges, "T_graph_indicator.txt": test.Graphs}), "", Unpack{})
		if err == nil || err.Error() != test.Want || !errors.As(err, new(*SyntaxError)) && test.Case != "no node" {
			t.Errorf("%s: %v, want %s", test.Case, err, test.Want)
		}
	}

	for _, test := range []struct {
		name  string
		files fstest.MapFS
		set   string
		want  string
	}{
		{"nothing", fstest.MapFS{}, "", "no data set: want NAME_A.txt and NAME_graph_indicator.txt, plain or .gz, here or in one folder"},
		{"other name", mapFS(tiny), "S", `no data set "S": want S_A.txt and S_graph_indicator.txt, plain or .gz, here or in one folder`},
		{"no edges", fstest.MapFS{"x/T_graph_indicator.txt": {}}, "", "x/T_graph_indicator.txt without the file NAME_A.txt that belongs to it: want both"},
		{"two", fstest.MapFS{"b/T_graph_indicator.txt": {}, "b/T_A.txt": {}, "a/S_graph_indicator.txt": {}, "a/S_A.txt.gz": {}}, "",
			"2 data sets, want one or its name: S, T"},
		{"cut gzip", fstest.MapFS{"T_A.txt": {}, "T_graph_indicator.txt.gz": {Data: zipped(t, ok)[:20]}}, "",
			"T_graph_indicator.txt.gz: line 4: compressed data end early, the file looks truncated: unexpected EOF"},
		{"UTF-16 cut off", fstest.MapFS{"T_A.txt": {}, "T_graph_indicator.txt": {Data: []byte("\xff\xfe1\x00\n")}}, "",
			"T_graph_indicator.txt: line 1: text in UTF-16 ends within a character, the file looks truncated: unexpected EOF"},
	} {
		_, err := ReadTU(test.files, test.set, Unpack{})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}

}

func TestReadTULabels(t *testing.T) {
	for _, test := range []struct{ labels, want string }{
		{"1\n2\n", "graph labels left out: T_graph_labels.txt: 2 labels: want 3, one for each graph"},
		{"1\n2\n3\n4\n", "graph labels left out: T_graph_labels.txt:4:1: more labels than graphs: want 3"},
		{"1\n 0.5\n3\n", `graph labels left out: T_graph_labels.txt:2:2: found "0.5": want a whole number from -2147483648 to 2147483647`},
	} {
		files := mapFS(tiny)
		files["T_graph_labels.txt"].Data = []byte(test.labels)
		s := must.Have(ReadTU(files, "", Unpack{}))
		if s.Labels != nil || len(s.Graphs) != 3 || !slices.Equal(s.Warnings, []string{tinyAside, test.want}) {
			t.Errorf("labels %v, %d graphs, warnings %q, want %q", s.Labels, len(s.Graphs), s.Warnings, test.want)
		}
	}
}

// A number in a file must not be allocated by.
func TestReadTUMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, indicator := range []string{"1\n999999999\n", "1\n"} {
		if _, err := ReadTU(mapFS(map[string]string{"T_A.txt": "1, 999999999\n", "T_graph_indicator.txt": indicator}), "", Unpack{}); err == nil {
			t.Errorf("%q is read", indicator)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("allocated %d bytes for a file of 30", got)
	}
}

func TestReadTULimit(t *testing.T) {
	for most, want := range map[int]string{5: "x: line 4: more than 5 bytes of text: want less", 6: "<nil>"} {
		err := eachLine(mapFS(map[string]string{"x": "1\n1\n1\n"}), Unpack{}, "x", most, func([]byte) error { return nil })
		if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The figures of the table in shared/data/README.md.
func TestRealTU(t *testing.T) {
	data := os.DirFS(golden.Path(t, "data/tu"))
	for _, test := range []struct {
		name                     string
		graphs                   int
		nodes, edges             float64
		lines, duplicates, alone int
	}{
		{"BZR", 405, 35.75, 38.36, 31070, 0, 0},
		{"COX2", 467, 41.22, 43.45, 40578, 0, 0},
		{"PTC_MR", 344, 14.29, 14.69, 10108, 0, 0},
		{"MUTAG", 188, 17.93, 19.79, 7442, 0, 0},
		{"AIDS", 2000, 15.69, 16.20, 64780, 0, 210},
		{"DHFR", 756, 42.43, 44.54, 67352, 0, 0},
		{"ENZYMES", 600, 32.63, 62.14, 74564, 0, 106},
		{"PROTEINS", 1113, 39.06, 72.82, 162088, 0, 5},
		{"IMDB-MULTI", 1500, 13.00, 65.94, 395612, 395612 / 2, 0},
		{"IMDB-BINARY", 1000, 19.77, 96.53, 386124, 386124 / 2, 0},
	} {
		s, err := ReadTU(data, test.name, Unpack{})
		if err != nil {
			t.Error(err)
			continue
		}
		said := (molecule.Asides{"parallel edge": test.duplicates}).Of(test.graphs)
		if len(s.Graphs) != test.graphs || s.SelfLoops != 0 || s.Duplicates != test.duplicates || strings.Join(s.Warnings, "; ") != said {
			t.Errorf("%s: %d graphs, %d self-loops, %d duplicates, %q", test.name, len(s.Graphs), s.SelfLoops, s.Duplicates, s.Warnings)
		}
		nodes, edges, alone := 0, 0, 0
		for _, g := range s.Graphs {
			nodes += g.N()
			edges += g.M()
			for i := range g.N() {
				if g.Degree(i) == 0 {
					alone++
				}
			}
		}
		if len(s.Labels) != test.graphs || 2*edges+test.duplicates != test.lines || alone != test.alone {
			t.Errorf("%s: %d labels, %d edges, %d isolated nodes", test.name, len(s.Labels), edges, alone)
		}
		n, m := float64(nodes)/float64(test.graphs), float64(edges)/float64(test.graphs)
		if math.Abs(n-test.nodes) > 0.0051 || math.Abs(m-test.edges) > 0.0051 { // of two decimals
			t.Errorf("%s: on average %.4f nodes and %.4f edges, want %.2f and %.2f", test.name, n, m, test.nodes, test.edges)
		}
	}
}

// naiveTU is a second, simple reading of the format: nodes of each graph and
// its adjacency as a set of ordered pairs, or false.
func naiveTU(a, indicator string) (sizes []int, edges map[[2]int]bool, loops, repeats int, ok bool) {
	graphOf := map[int]int{}
	for line := range strings.SplitSeq(strings.TrimRight(indicator, " \t\n"), "\n") {
		id, err := naiveNumber(line)
		if err || id == 0 || id != len(sizes) && id != len(sizes)+1 {
			return nil, nil, 0, 0, false
		}
		if id > len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[id-1]++
		graphOf[len(graphOf)+1] = id
	}
	edges = map[[2]int]bool{}
	a = strings.TrimRight(a, " \t\n")
	if a == "" {
		return sizes, edges, 0, 0, true
	}
	for line := range strings.SplitSeq(a, "\n") {
		left, right, comma := strings.Cut(line, ",")
		u, bad := naiveNumber(left)
		v, bad2 := naiveNumber(right)
		if !comma || bad || bad2 || graphOf[u] == 0 || graphOf[u] != graphOf[v] {
			return nil, nil, 0, 0, false
		}
		switch {
		case u == v:
			loops++
		case edges[[2]int{u, v}]:
			repeats++
		default:
			edges[[2]int{u, v}] = true
		}
	}
	return sizes, edges, loops, repeats, true
}

func naiveNumber(s string) (int, bool) {
	s = strings.Trim(s, " \t")
	v, err := strconv.ParseUint(s, 10, 62)
	return int(v), err != nil || len(s) > 9
}

func FuzzTU(f *testing.F) {
	f.Add(tiny["T_A.txt"], tiny["T_graph_indicator.txt"])
	f.Add("1,2", "1\n999999999")
	f.Add("", "1")
	f.Add("1, 1\n\n", "1\n1\n2\n\n \n")
	f.Add("99999999999, 1", "1\r\n1\r\n")
	f.Add("\x1f\x8b\x08", "\x1f\x8b")
	f.Add("1, 2\n", string(zipped(f, "1\n1\n")))
	f.Add("1, 2\r2,1", "\xfe\xff\x001\x00\r\x001")
	f.Fuzz(func(t *testing.T, a, indicator string) {
		s, err := ReadTU(mapFS(map[string]string{"T_A.txt": a, "T_graph_indicator.txt": indicator}), "", Unpack{})
		plainA, ok1 := naiveText(a)
		plainIndicator, ok2 := naiveText(indicator)
		if !ok1 || !ok2 || strings.Contains(plainA+plainIndicator, "\x00") {
			return // UTF-16, marked or not: only no panic
		}
		sizes, edges, loops, repeats, ok := naiveTU(plainA, plainIndicator)
		if ok != (err == nil) {
			t.Fatalf("%v, but the naive reader accepts: %v", err, ok)
		}
		if !ok {
			return
		}
		if len(s.Graphs) != len(sizes) || s.SelfLoops != loops || s.Duplicates != repeats {
			t.Fatalf("%d graphs, %d loops, %d repeats; want %d, %d, %d", len(s.Graphs), s.SelfLoops, s.Duplicates, len(sizes), loops, repeats)
		}
		first, found := 1, 0
		for k, g := range s.Graphs {
			if g.N() != sizes[k] {
				t.Fatalf("graph %d has %d nodes, want %d", k, g.N(), sizes[k])
			}
			for i := range g.N() {
				for _, j := range g.Row(i) {
					u, v := first+i, first+int(j)
					if !edges[[2]int{u, v}] && !edges[[2]int{v, u}] {
						t.Fatalf("edge %d-%d is not in the file", u, v)
					}
					if edges[[2]int{u, v}] {
						found++
					}
				}
			}
			first += g.N()
		}
		if found != len(edges) {
			t.Fatalf("%d of %d directed edges found", found, len(edges))
		}
	})
}

package command

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/pretrain"
	"baca/build/device"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/web"
	"baca/weights"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"baca": func() { Main(nil) }, paperName: func() { Paper(embed.FS{}) }})
}

// run is Main with its surroundings as arguments.
func invoke(gpus *device.GPUs, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(newRoot(gpus), args, stdin, stdout, stderr)
}

// TestScripts runs testdata/script/*.txtar through the real main. In the scripts, $MODEL is a small model of molecules
// and $GRAPHS one of plain graphs, $EXAMPLES the built-in molecules, and $DATA the folder of benchmark data, which the
// condition [data] tells to be there. [embedded:NAME] tells of a model, [page] of the page.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	molecules, graphs, examples := filepath.Join(dir, "molecules.msgpack"), filepath.Join(dir, "graphs.msgpack"), filepath.Join(dir, "examples.csv")
	saveModel(t, molecules, moleculeModel(t))
	saveModel(t, graphs, graphModel(t))
	try.Check(os.WriteFile(examples, web.Examples(), 0o666))
	data := try.To(filepath.Abs("../../../../shared/data"))
	workbooks := try.To(filepath.Abs("../../../algo/xlsx/testdata"))
	_, missing := os.Stat(data)
	_, noPage := web.Site()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("MODEL", molecules)
			e.Setenv("GRAPHS", graphs)
			e.Setenv("EXAMPLES", examples)
			e.Setenv("DATA", data)
			e.Setenv("WORKBOOKS", workbooks)
			return nil
		},
		Condition: func(c string) (bool, error) {
			if c == "data" {
				return missing == nil, nil
			}
			if c == "page" {
				return noPage == nil, nil
			}
			if name, ok := strings.CutPrefix(c, "embedded:"); ok {
				return slices.Contains(weights.Names(), name), nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":     script("status N command…", 2, status),
			"pack":       script("pack archive file…", 2, pack),
			"lines":      script("lines N file", 2, lines),
			"cut":        script("cut from to N", 3, cut),
			"repeat":     script("repeat from to N", 3, repeat),
			"chains":     script("chains file N end…", 3, chains),
			"hold":       script("hold file", 1, hold),
			"replace":    script("replace old new file", 3, replaceIn),
			"skippable":  script("skippable from to", 2, skippable),
			"blanklines": script("blanklines file N", 2, blankLines),
		},
	})
}

// script is a command of scripts that takes so many arguments or more, all of them needed.
func script(usage string, least int, do func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least {
			ts.Fatalf("usage: %s", usage)
		}
		do(ts, args)
	}
}

// put writes a file of a script.
func put(ts *testscript.TestScript, name string, data []byte) {
	ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o666))
}

// status N COMMAND… runs a command that must exit with status N.
func status(ts *testscript.TestScript, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// pack FILE FROM… makes a .gz or .zst of one file or a .zip of some.
func pack(ts *testscript.TestScript, args []string) {
	var b bytes.Buffer
	if filepath.Ext(args[0]) == ".zip" {
		z := zip.NewWriter(&b)
		for _, name := range args[1:] {
			try.To(io.WriteString(try.To(z.Create(filepath.ToSlash(name))), ts.ReadFile(name)))
		}
		try.Check(z.Close())
	} else {
		var z io.WriteCloser = gzip.NewWriter(&b)
		if filepath.Ext(args[0]) == ".zst" {
			z = try.To(zstd.NewWriter(&b))
		}
		try.To(io.WriteString(z, ts.ReadFile(args[1])))
		try.Check(z.Close())
	}
	put(ts, args[0], b.Bytes())
}

// replace OLD NEW FILE changes the first OLD in a file, as an editor would.
func replaceIn(ts *testscript.TestScript, args []string) {
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s has no %q", args[2], args[0])
	}
	put(ts, args[2], []byte(strings.Replace(text, args[0], args[1], 1)))
}

// lines N FILE checks the number of lines of a file, or of stdout.
func lines(ts *testscript.TestScript, args []string) {
	if n := strings.Count(ts.ReadFile(args[1]), "\n"); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%s has %d lines, want %s", args[1], n, args[0])
	}
}

// cut FROM TO N writes the first N bytes of a file to another.
func cut(ts *testscript.TestScript, args []string) {
	n := try.To(strconv.Atoi(args[2]))
	put(ts, args[1], []byte(ts.ReadFile(args[0]))[:n])
}

// repeat FROM TO N writes a file N times over to another.
func repeat(ts *testscript.TestScript, args []string) {
	n := try.To(strconv.Atoi(args[2]))
	put(ts, args[1], []byte(strings.Repeat(ts.ReadFile(args[0]), n)))
}

// chains FILE N END… writes molecules: chains of up to N carbon atoms, with each end.
func chains(ts *testscript.TestScript, args []string) {
	var b bytes.Buffer
	for n := range try.To(strconv.Atoi(args[1])) {
		for _, end := range args[2:] {
			fmt.Fprintln(&b, strings.Repeat("C", n+1)+end)
		}
	}
	put(ts, args[0], b.Bytes())
}

// hold FILE locks a file as a run that writes to it does, until it is read by the script.
func hold(ts *testscript.TestScript, args []string) {
	o := try.To(openOutput(ts.MkAbs(args[0])))
	ts.Defer(func() { o.Close() })
}

// skippable FROM TO puts a zstd frame that is to be skipped before another.
func skippable(ts *testscript.TestScript, args []string) {
	frame := "\x50\x2a\x4d\x18\x04\x00\x00\x00size"
	put(ts, args[1], []byte(frame+ts.ReadFile(args[0])))
}

// blankLines FILE N writes N bytes of blank lines.
func blankLines(ts *testscript.TestScript, args []string) {
	n := try.To(strconv.Atoi(args[1]))
	put(ts, args[0], bytes.Repeat([]byte{'\n'}, n))
}

// moleculeModel is a model of the odd ones among the built-in molecules.
func moleculeModel(t *testing.T) *algo.Model {
	t.Helper()
	rows := try.To(csv.NewReader(bytes.NewReader(web.Examples())).ReadAll())
	var gs []*graph.Graph
	for i, row := range rows[1:] {
		if g := try.To(smiles.Parse(row[2])).Graph(); i%2 == 0 && g.N() > 1 {
			gs = append(gs, g)
		}
	}
	return trainSmall(t, gs, algo.OGB, "odd examples")
}

// graphModel is a model of random trees.
func graphModel(t *testing.T) *algo.Model {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "TREES")
	testset.TU(t, dir, 70, false, 1)
	set := try.To(dataset.ReadTU(os.DirFS(dir), "", dataset.Unpack{}))
	return trainSmall(t, set.Graphs, algo.Constant, "trees")
}

// trainSmall trains a small model for three epochs, says 300, which the paper's method needs, and keeps every third graph from it.
func trainSmall(t *testing.T, gs []*graph.Graph, schema, name string) *algo.Model {
	t.Helper()
	var train, holdout []int
	var trained []*graph.Graph
	for i, g := range gs {
		if i%3 == 2 {
			holdout = append(holdout, i)
		} else {
			train, trained = append(train, i), append(trained, g)
		}
	}
	o := pretrain.Defaults(gs[0].Features)
	o.Config = gin.Config{Features: gs[0].Features, Hidden: 8, Layers: 2}
	o.Seed, o.LearningRate = 1, 0.001
	trainer := try.To(pretrain.New(trained, o, nil))
	card := algo.Card{
		Name: name, Description: "A model for tests.", Schema: schema, Dataset: name,
		Seed: o.Seed, Epochs: 300, Batch: o.Batch, LearningRate: o.LearningRate, Program: "test",
	}
	for range 3 {
		loss := try.To(trainer.Epoch(context.Background()))
		card.Loss = loss.Total
	}
	return try.To(algo.NewModel(context.Background(), 0, trainer.Encoder(), gs, train, holdout, card))
}

func saveModel(t *testing.T, path string, m *algo.Model) {
	t.Helper()
	f := try.To(os.Create(path))
	try.Check(weights.Save(f, m))
	try.Check(f.Close())
}

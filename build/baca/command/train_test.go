package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/training"
	"baca/build/internal/lock"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/weights"
)

// call runs the command in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = invoke(nil, args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// succeed is call for what must work.
func succeed(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call(t, args...)
	if code != 0 {
		t.Fatalf("baca %s: exit status %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

// refuse checks that the command fails with a status and a message.
func refuse(t *testing.T, want int, message string, args ...string) {
	t.Helper()
	code, stdout, stderr := call(t, args...)
	if code != want || !strings.Contains(stderr, message) || stdout != "" {
		t.Errorf("baca %s: exit status %d, stdout %q, stderr %q; want status %d and %q",
			strings.Join(args, " "), code, stdout, stderr, want, message)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return try.To(os.ReadFile(path))
}

func load(t *testing.T, path string) *algo.Model {
	t.Helper()
	return try.To(weights.Load(read(t, path)))
}

func TestPretrain(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "TREES"), filepath.Join(dir, "m.msgpack")
	testset.TU(t, in, 40, false, 1)
	stdout, stderr := succeed(t, "train", in, "--out", out, "--epochs", "3", "--seed", "7", "--workers", "1")
	if stdout != "" {
		t.Errorf("stdout %q: want nothing", stdout)
	}
	for _, want := range []string{"epoch 1/3, loss ", "epoch 3/3, loss ", "(graphs ", "wrote " + out} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr has no %q:\n%s", want, stderr)
		}
	}
	h := sha256.New()
	for _, file := range []string{"TREES_A.txt", "TREES_graph_indicator.txt", "TREES_graph_labels.txt"} {
		h.Write(read(t, filepath.Join(in, file)))
	}
	m := load(t, out)
	train, holdout := dataset.Split(40, 7)
	want := algo.Card{
		Name: "trees", Description: "Trained on TREES for 3 epochs.", Schema: algo.Constant,
		Dataset: "TREES", DatasetSHA256: hex.EncodeToString(h.Sum(nil)), Graphs: 40, Train: len(train), HoldoutRows: holdout,
		Seed: 7, Epochs: 3, Batch: 128, LearningRate: 1e-4, Loss: m.Card.Loss, Program: algo.Version,
	}
	if got := fmt.Sprintf("%+v", m.Card); got != fmt.Sprintf("%+v", want) {
		t.Errorf("card\n%s\nwant\n%+v", got, want)
	}
	if m.Card.Loss <= 0 || m.Bank.Len() != len(train) || m.Holdout.Len() != len(holdout) {
		t.Errorf("loss %g, bank of %d, holdout of %d", m.Card.Loss, m.Bank.Len(), m.Holdout.Len())
	}
	// A seed shows.
	other := filepath.Join(dir, "other.msgpack")
	succeed(t, "train", in, "--out", other, "--epochs", "3", "--seed", "8", "--name", "Mine", "--description", "of mine")
	m = load(t, other)
	if m.Card.Name != "Mine" || m.Card.Description != "of mine" || m.Card.Seed != 8 || slices.Equal(m.Card.HoldoutRows, holdout) {
		t.Errorf("card %+v", m.Card)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d files, %v: want the set and two models, and no temporary file", len(entries), err)
	}
}

// Unless it is asked for, the length of a training is announced. Graphs that are not trained on do not count.
func TestLengthOfTraining(t *testing.T) {
	const untrained = "encoder: drawn from seed 1, not trained; --for attention trains it for the paper's method\n"
	for _, test := range []struct {
		schema, purpose string
		asked, want     int
		announced       string
	}{
		{algo.Constant, "", 0, 1, "training on 99001 graphs for 1 epoch, 774 steps; --epochs asks for another number\n"},
		{algo.Constant, algo.ByAttention, 0, 31, "training on 99001 graphs for 31 epochs, 23994 steps; --epochs asks for another number\n"},
		{algo.Constant, "", 500, 500, ""},
		{algo.OGB, "", 0, 0, untrained},
		{algo.OGB, algo.ByAttention, 0, 31, "training on 99001 graphs for 31 epochs, 23994 steps; --epochs asks for another number\n"},
		{algo.OGB, "", 2, 2, ""},
	} {
		var stderr bytes.Buffer
		card := algo.Card{Schema: test.schema, Seed: 1, Epochs: test.asked}
		training := training.Training{Graphs: make([]*graph.Graph, 100_000), Split: dataset.Hold, Card: card, For: test.purpose}
		j := trainJob{stderr: &stderr, Training: training}
		if err := j.prepare(); err != nil || j.Card.Epochs != test.want || stderr.String() != test.announced {
			t.Errorf("%+v: %d epochs, %v, and %q on stderr", test, j.Card.Epochs, err, &stderr)
		}
	}
}

const molecules = `C methane
CC ethane
CCC
CCCC
CCO ethanol
this-is-none
CCN
CCCl
CCBr
CCF
CC=O
CC(=O)O acetic acid
CC(C)C
C1CC1
C1CCC1
C1CCCC1
C1CCCCC1
c1ccccc1 benzene
Cc1ccccc1
Oc1ccccc1
Nc1ccccc1
C#N
CC#N
C(
`

func TestPretrainOnMolecules(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "Some.SMI"), filepath.Join(dir, "m.msgpack")
	testset.Write(t, in, molecules)
	succeed(t, "train", in, "--out", out, "--epochs", "1") // train.txtar has what it says
	sum := sha256.Sum256([]byte(molecules))
	if c := load(t, out).Card; c.Schema != algo.OGBParent || c.Graphs != 22 || c.Name != "some" || c.DatasetSHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("card %+v", c)
	}
	os.Remove(out)
	heldOut := []string{"--observed", "y", "--held-out", "yhat"}
	for text, want := range map[string]string{
		"":                         "none.csv: the input holds no records",
		"smiles,y,yhat\n":          "none.csv: the input holds no records",
		"smiles,y,yhat\nC,1,2\n":   "none.csv: 1 graph to train on: want at least 20",
		"smiles,y,yhat\nC((,1,2\n": "none.csv: no record can be used, 1 refused",
	} {
		none := filepath.Join(dir, "none.csv")
		testset.Write(t, none, text)
		for _, args := range [][]string{nil, heldOut} {
			refuse(t, exitFailure, want, append([]string{"train", none, "--out", out}, args...)...)
		}
	}
	refuse(t, exitFailure, "name has 5000 bytes", "train", in, "--out", out, "--name", strings.Repeat("x", 5000))
}

func TestPretrainRefuses(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "TREES"), filepath.Join(dir, "m.msgpack")
	testset.TU(t, in, 30, false, 1)
	smi := filepath.Join(dir, "some.smi")
	testset.Write(t, smi, molecules)
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{exitUsage, "want INPUT and --out MODEL", nil},
		{exitUsage, "want INPUT and --out MODEL", []string{in}},
		{exitUsage, "2 inputs: want one", []string{in, smi}},
		{exitUsage, "want a file or a folder", []string{"-", "--out", out}},
		{exitUsage, "--epochs: -1 epochs: want 1 to 1000000", []string{in, "--out", out, "--epochs", "-1"}},
		{exitUsage, "holds plain graphs, which need a trained encoder: want 1 to", []string{in, "--out", out, "--epochs", "0"}},
		{exitUsage, "--for batch: want attention", []string{smi, "--out", out, "--for", "batch"}},
		{exitUsage, "--for and --epochs: want one of them", []string{smi, "--out", out, "--for", "attention", "--epochs", "3"}},
		{exitUsage, "--workers -1: want", []string{in, "--out", out, "--workers", "-1"}},
		{exitUsage, "--format xyz: want", []string{in, "--out", out, "--format", "xyz"}},
		{exitUsage, "not a plain file", []string{smi, "--out", dir}},
		{exitUsage, "is a folder", []string{in, "--format", "smi", "--out", out}},
		{exitUsage, "--column", []string{in, "--column", "x", "--out", out}},
		{exitFailure, "no such file", []string{filepath.Join(dir, "none"), "--out", out}},
		{exitFailure, "there is no folder", []string{in, "--out", filepath.Join(dir, "none", "m.msgpack")}},
		{exitFailure, "no data set", []string{dir + "/..", "--out", out}},
	} {
		refuse(t, c.code, c.message, append([]string{"train"}, c.args...)...)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused run leaves a model: %v", err)
	}
}

// TestRunProcess is not a test: it is the command as a process of its own, for tests that end it by force.
func TestRunProcess(t *testing.T) {
	args := os.Getenv("BACA_TEST_ARGS")
	if args == "" {
		return
	}
	checkpointInterval = 0
	os.Exit(invoke(nil, strings.Split(args, "\n"), os.Stdin, os.Stdout, os.Stderr))
}

// endedAfter starts the command and sends it a signal once the checkpoint has reached an epoch.
func endedAfter(t *testing.T, signal os.Signal, checkpoint string, epoch int, args ...string) (stderr string) {
	t.Helper()
	c, _, b := startRun(t, args...)
	ended := until(t, c, func() bool {
		data, err := os.ReadFile(checkpoint)
		if err != nil {
			return false
		}
		// A file that is there is whole, however often it is replaced.
		point, err := weights.LoadCheckpoint(data)
		if err != nil {
			t.Fatalf("checkpoint: %v", err)
		}
		return point.State.Epoch >= epoch
	})
	try.Check(c.Process.Signal(signal))
	if err := <-ended; err == nil {
		t.Fatal("ended by itself before the signal")
	}
	return b.String()
}

func TestPretrainResumes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no signals to send")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "TREES")
	testset.TU(t, in, 150, false, 1) // 135 train, in two steps
	command := func(out string) []string {
		return []string{"train", in, "--out", out, "--epochs", "30"}
	}
	unbroken := filepath.Join(dir, "unbroken.msgpack")
	succeed(t, command(unbroken)...)
	for name, signal := range map[string]os.Signal{"killed": os.Kill, "interrupted": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name+".msgpack")
			checkpoint := out + ".checkpoint"
			stderr := endedAfter(t, signal, checkpoint, 3, command(out)...)
			if signal == os.Interrupt && !strings.Contains(stderr, "--resume continues from there") {
				t.Errorf("does not say how to go on:\n%s", stderr)
			}
			if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("there is a model already: %v", err)
			}
			point := try.To(weights.LoadCheckpoint(read(t, checkpoint)))
			// Again, somewhere behind that.
			endedAfter(t, signal, checkpoint, point.State.Epoch+3, append(command(out), "--resume", "--workers", "1")...)
			_, stderr = succeed(t, append(command(out), "--resume")...)
			if !strings.Contains(stderr, "resuming after epoch") {
				t.Errorf("does not say that it goes on:\n%s", stderr)
			}
			if !bytes.Equal(read(t, out), read(t, unbroken)) {
				t.Error("the model is not that of an unbroken run")
			}
			if _, err := os.Stat(checkpoint); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the checkpoint stays: %v", err)
			}
		})
	}
}

// stopping ends a run that says something.
type stopping context.CancelFunc

func (s stopping) Write(p []byte) (int, error) {
	s()
	return len(p), nil
}

// cutShort runs a job until the first line of progress.
func cutShort(t *testing.T, job *trainJob) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	job.stderr = stopping(stop)
	if _, err := job.run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a run cut short: %v", err)
	}
}

// trees is a training of four epochs on a set of TREES.
func trees(dir string) training.Training {
	set := try.To(dataset.ReadTU(os.DirFS(dir), "", dataset.Unpack{}))
	card := algo.Card{Schema: algo.Constant, Dataset: "TREES", Seed: 1, Epochs: 4}
	return training.Training{Graphs: set.Graphs, Split: dataset.Split, Card: card}
}

func TestPretrainChecksWhatItResumes(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "TREES"), filepath.Join(dir, "m.msgpack")
	testset.TU(t, in, 40, false, 1)
	args := func(more ...string) []string {
		return append([]string{"train", in, "--out", out, "--epochs", "4"}, more...)
	}
	_, stderr := succeed(t, args("--resume")...)
	if !strings.Contains(stderr, "no checkpoint "+out+".checkpoint: starting from the first epoch") {
		t.Errorf("does not say that there is nothing to resume:\n%s", stderr)
	}
	whole := read(t, out)
	training := trees(in)
	training.Card.DatasetSHA256 = load(t, out).Card.DatasetSHA256
	// The model of the earlier run stays unless the run goes on or is told otherwise.
	refuse(t, exitUsage, out+" exists already: want another name", args()...)
	refuse(t, exitUsage, out+" exists already: want another name", args("--resume")...)
	cutShort(t, &trainJob{path: out, Training: training})
	point, err := weights.LoadCheckpoint(read(t, out+".checkpoint"))
	if err != nil || point.State.Epoch != 1 || point.Loss.Epoch != 1 {
		t.Fatalf("checkpoint %+v, %v: want the first epoch", point.Loss, err)
	}
	release := try.To(lock.Acquire(out + ".lock"))
	refuse(t, exitFailure, fmt.Sprintf("held by process %d on ", os.Getpid()), args("--resume")...)
	release()
	shown := out + ".checkpoint is not a model but a checkpoint of a training run after 1 epoch;"
	refuse(t, exitFailure, shown, "model", "show", out+".checkpoint")
	refuse(t, exitFailure, "wrong kind of BaCa file", "score", "--model", out+".checkpoint", in)
	checkpoint := read(t, out+".checkpoint")
	other := filepath.Join(dir, "OTHER")
	testset.TU(t, other, 40, false, 2)
	smi := filepath.Join(dir, "some.smi")
	testset.Write(t, smi, molecules)
	refuse(t, exitFailure, "it was trained on other data", "train", other, "--out", out, "--epochs", "4", "--resume")
	refuse(t, exitFailure, "its graphs have the schema constant-1, these have ogb-atom-9", "train", smi, "--out", out, "--epochs", "4", "--resume")
	refuse(t, exitFailure, "this run does not train its encoder; want the --epochs or --for of the run that wrote it", "train", smi, "--out", out, "--resume")
	refuse(t, exitFailure, "its run had the seed 1, this one has 2", args("--resume", "--seed", "2")...)
	testset.Write(t, out+".checkpoint", string(checkpoint[:len(checkpoint)/2]))
	refuse(t, exitFailure, "truncated file", args("--resume")...)
	testset.Write(t, out+".checkpoint", string(whole))
	refuse(t, exitFailure, "wrong kind of BaCa file", args("--resume")...)
	// After the last epoch only the model is missing.
	testset.Write(t, out+".checkpoint", string(checkpoint))
	if _, stderr = succeed(t, "train", in, "--out", out, "--epochs", "1", "--resume"); !strings.Contains(stderr, "resuming after epoch 1 of 1") {
		t.Errorf("stderr %s", stderr)
	}
	if c := load(t, out).Card; c.Loss <= 0 || c.Epochs != 1 {
		t.Errorf("card %+v", c)
	}
	testset.Write(t, out+".checkpoint", string(checkpoint))
	if _, stderr = succeed(t, args("--resume")...); !strings.Contains(stderr, "epoch 2/4") || !strings.Contains(stderr, " 50 %") {
		t.Errorf("the second of four epochs is half of the work:\n%s", stderr)
	}
	before := checkpointInterval
	checkpointInterval = 0 // a checkpoint after each epoch
	t.Cleanup(func() { checkpointInterval = before })
	later := &trainJob{path: out, stderr: io.Discard, Training: training}
	try.To(later.run(context.Background()))
	refuse(t, exitFailure, "it was written after epoch 3, and this run ends after 2", "train", in, "--out", out, "--epochs", "2", "--resume")
	// Without --resume it counts for nothing, but that is said.
	os.Remove(out)
	_, stderr = succeed(t, args()...)
	if !strings.Contains(stderr, "overwriting "+out+".checkpoint of an earlier run") {
		t.Errorf("does not say what becomes of the checkpoint:\n%s", stderr)
	}
	if !bytes.Equal(read(t, out), whole) {
		t.Error("a checkpoint that is not asked for shows in the model")
	}
}

// An encoder of the paper's harness whose training was cut short is the one of a whole training,
// at any number of workers.
func TestTrainEncoderGoesOn(t *testing.T) {
	dir := t.TempDir()
	testset.TU(t, filepath.Join(dir, "TREES"), 40, false, 1)
	training := trees(filepath.Join(dir, "TREES"))
	training.Workers = 1
	whole := try.To(TrainEncoder(t.Context(), io.Discard, training, ""))
	path := filepath.Join(dir, "trees.msgpack")
	training.Workers = 2
	cutShort(t, &trainJob{path: path, Training: training})
	var stderr strings.Builder
	data, err := TrainEncoder(t.Context(), &stderr, training, path)
	if err != nil || !bytes.Equal(data, whole) || !bytes.Equal(read(t, path), whole) {
		t.Errorf("%v, or other bytes than of a whole training", err)
	}
	if !strings.Contains(stderr.String(), "resuming after epoch 1 of 4") {
		t.Errorf("does not go on:\n%s", stderr.String())
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want the encoder and the data alone", files, err)
	}
}

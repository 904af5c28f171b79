package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/build/internal/opened"
	"baca/build/internal/testset"
)

// evalJSON runs `baca eval --json` and returns the result without its seconds, which vary.
func evalJSON(t *testing.T, args ...string) string {
	t.Helper()
	text, _ := succeed(t, append([]string{"eval", "--json"}, args...)...)
	return regexp.MustCompile(`"seconds": [-+.0-9e]+`).ReplaceAllString(text, "")
}

// The encoder that was kept gives what a fresh one gives, on any number of
// workers, and so does one whose training was cut short.
func TestEvalKeepsEncoders(t *testing.T) {
	data := testset.Pair(t)
	kept := filepath.Join(t.TempDir(), "new", "encoders")
	args := []string{"--pair", "TREES/RINGS", "--data", data, "--seeds", "3", "--epochs", "4"}
	fresh := evalJSON(t, append(args, "--workers", "1")...)
	args = append(args, "--weights", kept)
	if first := evalJSON(t, append(args, "--workers", "2")...); first != fresh {
		t.Errorf("fresh %s\nkept %s", fresh, first)
	}
	path := filepath.Join(kept, "TREES-seed3-epochs4.msgpack")
	model := read(t, path)
	if second := evalJSON(t, args...); second != fresh {
		t.Errorf("fresh %s\nloaded %s", fresh, second)
	}
	if _, stderr := succeed(t, append([]string{"eval"}, args...)...); strings.Contains(stderr, "pre-training") {
		t.Errorf("trains although the encoder is there:\n%s", stderr)
	}
	if files, err := os.ReadDir(kept); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v: want the encoder alone", len(files), err)
	}

	// A run that was ended in its first epoch goes on.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	files := &opened.Files{FS: os.DirFS(data)}
	set, err := dataset.Open(t.Context(), files, "TREES", 0)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := files.Sum()
	if err != nil {
		t.Fatal(err)
	}
	cutShort(t, &trainJob{graphs: set.Graphs, split: dataset.Split, checkpoint: path + ".checkpoint", card: algo.Card{
		Schema: algo.Constant, Dataset: "TREES", DatasetSHA256: sum, Seed: 3, Epochs: 4,
	}})
	_, stderr := succeed(t, append([]string{"eval"}, args...)...)
	if !strings.Contains(stderr, "going on after epoch 1 of 4") {
		t.Errorf("does not go on:\n%s", stderr)
	}
	if !bytes.Equal(read(t, path), model) {
		t.Error("the encoder of an interrupted run differs")
	}

	// What is not the encoder of this run is not used.
	name := func(seed, epochs int) string {
		return filepath.Join(kept, fmt.Sprintf("TREES-seed%d-epochs%d.msgpack", seed, epochs))
	}
	testset.Write(t, name(3, 5), string(model))
	refuse(t, exitFailure, "trained with seed 3 for 4 epochs, want seed 3 and 5 epochs", "eval", "--weights", kept,
		"--pair", "TREES/RINGS", "--data", data, "--seeds", "3", "--epochs", "5")
	testset.Write(t, name(2, 4), string(model))
	refuse(t, exitFailure, "trained with seed 3 for 4 epochs, want seed 2", "eval", "--weights", kept,
		"--pair", "TREES/RINGS", "--data", data, "--seeds", "2", "--epochs", "4")
	testset.Write(t, path, string(model[:1000]))
	refuse(t, exitFailure, "truncated file", append([]string{"eval"}, args...)...)
	testset.Write(t, path, string(model))
	testset.TU(t, filepath.Join(data, "tu", "TREES"), 121, false, 1)
	refuse(t, exitFailure, "trained on other data", append([]string{"eval"}, args...)...)
}

// Mistakes in the command line and failures end with their own status.
func TestEvalAndBenchRefuse(t *testing.T) {
	data := testset.Pair(t)
	testset.Write(t, filepath.Join(data, "mol", "some.csv"), "smiles\nC\nCC\nCCC\n")
	testset.Write(t, filepath.Join(data, "mol", "esol.csv"), "smiles\nC\nCC\n")
	refuse(t, exitUsage, "want --pair ID/OOD and --data DIR", "eval")
	refuse(t, exitUsage, "--seeds", "eval", "--pair", "TREES/RINGS", "--data", data, "--seeds", "1,x")
	refuse(t, exitFailure, "want at least 20", "eval", "--pair", "some/esol", "--data", data)
	refuse(t, exitUsage, "want --data DIR and --out DIR", "bench", "table1")
	refuse(t, exitUsage, `"x": `+"`baca bench`"+` takes no argument`, "bench", "x")
}

// shared is the folder of public data beside the repository.
const shared = "../../../../shared/data"

func TestEvalOnRealData(t *testing.T) {
	if _, err := os.Stat(filepath.Join(shared, "tu", "PTC_MR")); err != nil {
		t.Skipf("needs the data sets in %s: %v", shared, err)
	}
	type seed struct {
		NID   int     `json:"n_id"`
		NOOD  int     `json:"n_ood"`
		Pre   float64 `json:"auroc_pre"`
		Batch float64 `json:"auroc_batch"`
		AUROC float64 `json:"auroc"`
	}
	first := func(args ...string) seed {
		t.Helper()
		var result struct{ Seeds []seed }
		text, _ := succeed(t, append([]string{"eval", "--json", "--data", shared, "--seeds", "1"}, args...)...)
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		return result.Seeds[0]
	}
	// Barely trained, the batch is far above chance already. The base is not: ℓ_g has learned
	// nothing yet, and ℓ_n has little weight.
	if s := first("--pair", "PTC_MR/MUTAG", "--epochs", "3"); s.NID != 35 || s.NOOD != 35 || s.Batch < 0.8 {
		t.Errorf("%+v", s)
	}
	// Molecules: 1 128 of esol are kept, 113 tested.
	if testing.Short() {
		return
	}
	if s := first("--pair", "esol/freesolv", "--epochs", "1", "--contamination", "0.5"); s.NID != 113 || s.NOOD != 57 || !(s.AUROC >= 0 && s.AUROC <= 1) {
		t.Errorf("%+v", s)
	}
}

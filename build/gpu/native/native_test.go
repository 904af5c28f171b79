package native

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
	"baca/algo/wgsl/check"
	"baca/build/internal/try"
)

// open opens the first adapter, or the one whose number BACA_GPU has.
func open(t testing.TB) *GPU {
	t.Helper()
	n, _ := strconv.Atoi(os.Getenv("BACA_GPU"))
	if list := Adapters(); n >= len(list) {
		t.Skipf("%d WebGPU adapters here; Debian's mesa-vulkan-drivers brings one in software", len(list))
	}
	g := try.To(Open(n))
	t.Cleanup(g.Close)
	t.Log(g)
	return g
}

// read reads a public data set.
func read(t testing.TB, name string) []*graph.Graph {
	t.Helper()
	root := "../../../../shared/data"
	if _, err := os.Stat(root); errors.Is(err, os.ErrNotExist) {
		t.Skipf("no data sets in %s", root)
	}
	set := try.To(dataset.ReadTU(os.DirFS(filepath.Join(root, "tu")), name, dataset.Unpack{}))
	return set.Graphs
}

func TestGPU(t *testing.T) { check.Run(t, open(t), nil) }

// The headers are those of the library.
func TestHeaders(t *testing.T) {
	out := try.To(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cogentcore/webgpu").Output())
	for _, name := range []string{"webgpu.h", "wgpu.h"} {
		copied := try.To(os.ReadFile(name))
		original := try.To(os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "wgpu", "lib", name)))
		if !bytes.Equal(copied, original) {
			t.Errorf("%s is not that of the module: copy it from there, and see what changed", name)
		}
	}
}

// The same on a batch of a data set.
func TestGPUOnBBBP(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute on a software adapter")
	}
	gs := read(t, "bbbp")[:64]
	for _, g := range gs {
		g.EncodeStructure()
	}
	check.Run(t, open(t), gs)
}

// Pre-training on the device ends where it ends on the processor.
func TestTrainingEndsAlike(t *testing.T) {
	d := wgsl.New(open(t), 0)
	id, ood := read(t, "PTC_MR"), read(t, "MUTAG")
	train, test := dataset.Split(len(id), 1)
	var fit, batch []*graph.Graph
	for _, k := range train {
		fit = append(fit, id[k])
	}
	var labels []bool
	for _, k := range test {
		batch, labels = append(batch, id[k]), append(labels, false)
	}
	for _, k := range dataset.TakeOOD(len(ood), len(test), dataset.First, 1) {
		batch, labels = append(batch, ood[k]), append(labels, true)
	}
	epochs := 12
	if testing.Short() {
		epochs = 4
	}
	var auroc [2]float64
	for k := range auroc {
		o := pretrain.Defaults(1)
		o.LearningRate = 1e-3 // so that few epochs move the result
		if k == 1 {
			o.Device = d
		}
		tr := try.To(pretrain.New(fit, o, nil))
		var loss pretrain.Loss
		for tr.State().Epoch < epochs {
			loss = try.To(tr.Epoch(context.Background()))
		}
		r := try.To(contrast.Represent(context.Background(), 0, tr.Encoder(), batch))
		scores := try.To(contrast.BaseScores(context.Background(), 0, r, r.Negatives(), true, contrast.PlainTerms(r)))
		auroc[k] = 100 * metric.AUROC(scores, labels)
		t.Logf("loss %.5f, AUROC %.2f", loss.Total, auroc[k])
	}
	if d := auroc[0] - auroc[1]; d > 0.5 || d < -0.5 {
		t.Errorf("AUROC %.2f on the processor, %.2f on the device: want them within 0.5", auroc[0], auroc[1])
	}
}

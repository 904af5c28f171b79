package main

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/build/gpu/native"
	"baca/build/internal/try"
	"baca/weights"
)

const molecules = `CC(=O)Oc1ccccc1C(=O)O CN1C=NC2=C1C(=O)N(C(=O)N2C)C CC(C)Cc1ccc(cc1)C(C)C(=O)O CCO CCCl CCBr
CC(=O)Nc1ccc(O)cc1 OC(=O)c1ccccc1O CC(C)NCC(O)COc1cccc2ccccc12 Clc1ccccc1 C1CCCCC1 CCCCCC CCN(CC)CC
Nc1ccc(cc1)S(=O)(=O)N O=C(O)CCCCC OCC1OC(O)C(O)C(O)C1O CCN(CC)CC(=O)Nc1c(C)cccc1C c1ccc2ccccc2c1
O=C1NC(=O)C(c2ccccc2)(c2ccccc2)N1 CCCCCCCCCC c1ccncc1 CC#N CC(C)=O c1ccsc1 C1CC1 CCOC(C)=O`

func input(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "some.smi")
	try.Check(os.WriteFile(name, []byte(strings.Join(strings.Fields(molecules), "\n")+"\n"), 0o666))
	return name
}

// TestMain runs the command itself for the tests below.
func TestMain(m *testing.M) {
	if os.Getenv("BACA_GPU_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// call runs the command and returns its exit status.
func call(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BACA_GPU_COMMAND=1")
	var out, msg bytes.Buffer
	c.Stdout, c.Stderr = &out, &msg
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), msg.String(), c.ProcessState.ExitCode()
}

// column returns the numbers of a column of a table.
func column(t *testing.T, text, name string) []float64 {
	t.Helper()
	rows := try.To(csv.NewReader(strings.NewReader(text)).ReadAll())
	var values []float64
	for k, title := range rows[0] {
		if title != name {
			continue
		}
		for _, row := range rows[1:] {
			v := try.To(strconv.ParseFloat(row[k], 64))
			values = append(values, v)
		}
	}
	return values
}

// Where a GPU is asked for and there is none, nothing else takes its place.
func TestNoSuchGPU(t *testing.T) {
	out, told, status := call(t, "score", "--device", "gpu:63", input(t))
	if status != 1 || out != "" || !strings.Contains(told, "adapter 63") {
		t.Errorf("status %d, output %q, told %q, want status 1 and an error about adapter 63 alone", status, out, told)
	}
	if _, told, status = call(t, "score", "--device", "tpu", input(t)); status != 2 || !strings.Contains(told, "want auto, cpu, gpu or gpu:N") {
		t.Errorf("status %d, told %q, want one of usage", status, told)
	}
}

func TestScoreAndPretrain(t *testing.T) {
	list := native.Adapters()
	if len(list) == 0 {
		t.Skip("no WebGPU adapter here; Debian's mesa-vulkan-drivers brings one in software")
	}
	in := input(t)
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, status := call(t, args...)
		if status != 0 {
			t.Fatalf("%v: status %d, told %s", args, status, stderr)
		}
		return stdout, stderr
	}
	if out, _ := run("version"); !strings.Contains(out, "\ngpu:0\t"+list[0].String()+"\n") {
		t.Errorf("devices: %q, want gpu:0 to be %s", out, list[0])
	}
	want, told := run("score", "--by", "batch", "--device", "cpu", in)
	if !strings.Contains(told, "device: processor, ") {
		t.Errorf("on the processor: told %q", told)
	}
	got, told := run("score", "--by", "batch", "--device", "gpu:0", in)
	if !strings.Contains(told, "device: "+list[0].String()) {
		t.Errorf("on the GPU: told %q", told)
	}
	a, b := column(t, got, "s_pre"), column(t, want, "s_pre")
	if len(a) != len(b) || len(b) != len(strings.Fields(molecules)) {
		t.Fatalf("%d and %d rows, want %d", len(a), len(b), len(strings.Fields(molecules)))
	}
	for i := range b {
		if math.Abs(a[i]-b[i]) > 1e-4*max(1, math.Abs(b[i])) {
			t.Errorf("row %d: s_pre %g on the GPU, %g on the processor", i, a[i], b[i])
		}
	}
	for _, name := range []string{"alone", "alone_p", "batch_p"} {
		a, b := column(t, got, name), column(t, want, name)
		if !floats.EqualApprox(a, b, 0.01) || len(b) == 0 {
			t.Errorf("%s is %v on the GPU, %v on the processor", name, a, b)
		}
	}
	if again, _ := run("score", "--by", "batch", "--device", "gpu:0", in); again != got {
		t.Error("two runs on one GPU differ")
	}

	model := filepath.Join(t.TempDir(), "some.msgpack")
	if _, told = run("train", in, "--device", "gpu", "--epochs", "2", "--out", model); !strings.Contains(told, "epoch 2/2") {
		t.Errorf("pretrain: told %q", told)
	}
	data := try.To(os.ReadFile(model))
	if m, err := weights.Load(data); err != nil || m.Card.Name != "some" || m.Card.Epochs != 2 {
		t.Errorf("model %+v and error %v, want one called some of 2 epochs", m, err)
	}

	// Automatic choice says why it chose.
	says := "measured: encoding 1024 graphs takes"
	if list[0].Software {
		says = "gpu:0 is the processor too: " + list[0].Name
	}
	if _, told = run("score", "--device", "auto", in); !strings.Contains(told, says) {
		t.Errorf("auto: told %q, want %q", told, says)
	}
}

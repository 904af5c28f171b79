package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/build/gpu/native"
	"baca/weights"
)

const molecules = `CC(=O)Oc1ccccc1C(=O)O CN1C=NC2=C1C(=O)N(C(=O)N2C)C CC(C)Cc1ccc(cc1)C(C)C(=O)O CCO CCCl CCBr
CC(=O)Nc1ccc(O)cc1 OC(=O)c1ccccc1O CC(C)NCC(O)COc1cccc2ccccc12 Clc1ccccc1 C1CCCCC1 CCCCCC CCN(CC)CC
Nc1ccc(cc1)S(=O)(=O)N O=C(O)CCCCC OCC1OC(O)C(O)C(O)C1O CCN(CC)CC(=O)Nc1c(C)cccc1C c1ccc2ccccc2c1
O=C1NC(=O)C(c2ccccc2)(c2ccccc2)N1 CCCCCCCCCC c1ccncc1 CC#N CC(C)=O c1ccsc1 C1CC1 CCOC(C)=O`

func input(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "some.smi")
	if err := os.WriteFile(name, []byte(strings.Join(strings.Fields(molecules), "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func try(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, msg bytes.Buffer
	err = run(context.Background(), args, &out, &msg)
	return out.String(), msg.String(), err
}

// column returns the numbers of a column of a table.
func column(t *testing.T, text, name string) []float64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for k, title := range rows[0] {
		if title != name {
			continue
		}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
	}
	return values
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"dance"}, {"score"}, {"score", "--device", "tpu", "x"}, {"pretrain", "x"}, {"pretrain", "--out", "m", "--epochs", "0", "x"}, {"score", "--none", "x"},
	} {
		var usage usageError
		if _, _, err := try(t, args...); !errors.As(err, &usage) {
			t.Errorf("%v: error %v, want one of usage", args, err)
		}
	}
}

// Where a GPU is asked for and there is none, nothing else takes its place.
func TestNoSuchGPU(t *testing.T) {
	out, _, err := try(t, "score", "--device", "gpu:63", input(t))
	if err == nil || out != "" || !strings.Contains(err.Error(), "adapter 63") {
		t.Errorf("output %q and error %v, want an error about adapter 63 alone", out, err)
	}
}

func TestScoreAndPretrain(t *testing.T) {
	list := native.Adapters()
	if len(list) == 0 {
		t.Skip("no WebGPU adapter here; Debian's mesa-vulkan-drivers brings one in software")
	}
	in := input(t)
	out, _, err := try(t, "devices")
	if err != nil || !strings.Contains(out, "gpu:0") || !strings.Contains(out, list[0].Name) {
		t.Errorf("devices: %q and error %v, want gpu:0 and %s", out, err, list[0].Name)
	}
	want, told, err := try(t, "score", "--device", "cpu", in)
	if err != nil || !strings.Contains(told, "device: processor") {
		t.Fatalf("on the processor: error %v, told %q", err, told)
	}
	got, told, err := try(t, "score", "--device", "gpu:0", in)
	if err != nil || !strings.Contains(told, "device: "+list[0].Name) {
		t.Fatalf("on the GPU: error %v, told %q", err, told)
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
	model := filepath.Join(t.TempDir(), "some.msgpack")
	_, told, err = try(t, "pretrain", "--device", "gpu", "--epochs", "2", "--out", model, in)
	if err != nil || !strings.Contains(told, "epoch 2/2") {
		t.Fatalf("pretrain: error %v, told %q", err, told)
	}
	data, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := weights.Load(data); err != nil || m.Card.Name != "some" || m.Card.Epochs != 2 {
		t.Errorf("model %+v and error %v, want one called some of 2 epochs", m, err)
	}
	// Automatic choice says what it measured.
	_, told, err = try(t, "score", "--device", "auto", in)
	if err != nil || !strings.Contains(told, "measured: encoding of 16 graphs") {
		t.Errorf("auto: error %v, told %q", err, told)
	}
}

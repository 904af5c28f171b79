// Package golden gives tests the reference values and data sets that lie in a
// folder "shared" beside the project. A test that needs a file that is not
// there skips, and says which.
package golden

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/algo/graph"
)

// Path returns the path of a file or folder in shared, found from the test's
// working directory upwards, or skips the test.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(filepath.Dir(dir), "shared", filepath.FromSlash(name))
			if _, err := os.Stat(path); err != nil {
				t.Skipf("needs shared/%s beside the project, which is not there", name)
			}
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// JSON decodes a JSON file of shared, plain or .gz.
func JSON(t testing.TB, name string, v any) {
	t.Helper()
	f, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewDecoder(r).Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A Tensor is a reference tensor, row-major.
type Tensor struct {
	Shape  []int
	Values []float64
}

// Reference is one batch of molecules with everything that an independent
// implementation computed for it.
type Reference struct {
	Tau       float64
	LossG     []float64 `json:"loss_g_f64"`
	LossN     []float64 `json:"loss_n_f64"`
	Molecules []struct {
		SMILES string      `json:"smiles"`
		N      int         `json:"n"`
		X      [][]float32 `json:"x"`
		E      [][2]int32  `json:"bonds"`
		XS     [][]float64 `json:"x_s"`
	}
	Tensors map[string]Tensor

	Encoder *gin.Encoder   `json:"-"`
	Graphs  []*graph.Graph `json:"-"`
}

// Encoder loads the reference batch and the trained encoder it was computed
// with.
func Encoder(t testing.TB) *Reference {
	t.Helper()
	var r Reference
	JSON(t, "golden/encoder/bbbp20.json", &r)
	for _, m := range r.Molecules {
		g, _, err := graph.New(m.N, m.E)
		if err != nil {
			t.Fatalf("%s: %v", m.SMILES, err)
		}
		g.Features, g.X = len(m.X[0]), nil
		for _, x := range m.X {
			g.X = append(g.X, x...)
		}
		g.EncodeStructure()
		r.Graphs = append(r.Graphs, g)
	}
	var weights map[string]any
	JSON(t, "golden/encoder/bbbp_weights.json.gz", &weights)
	r.Encoder = gin.Zero(gin.Default(9))
	names := strings.NewReplacer(
		"feature.gin.", "encoder_feat.convs.", "structure.gin.", "encoder_str.convs.",
		"feature.graph_head", "proj_head_feat_g", "structure.graph_head", "proj_head_str_g",
		"feature.node_head", "proj_head_feat_n", "structure.node_head", "proj_head_str_n")
	for _, tensor := range r.Encoder.Tensors() {
		name := names.Replace(tensor.Name)
		layers := [2]string{".0.", ".2."}
		if strings.HasPrefix(name, "encoder") {
			layers = [2]string{".nn.0.", ".nn.2."}
		}
		name = strings.NewReplacer(".first.", layers[0], ".second.", layers[1]).Replace(name)
		values := flatten(weights[name])
		if len(values) != len(tensor.Data) {
			t.Fatalf("reference weights %s: %d values for %s of shape %v", name, len(values), tensor.Name, tensor.Shape)
		}
		for i, v := range values {
			tensor.Data[i] = float32(v)
		}
	}
	return &r
}

func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var all []float64
		for _, x := range v {
			all = append(all, flatten(x)...)
		}
		return all
	}
	return nil
}

// Package gintest gives tests a trained encoder and what an independent implementation computed
// with it.
package gintest

import (
	"strings"
	"testing"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// A Tensor is a reference tensor, row-major.
type Tensor struct {
	Shape  []int
	Values []float64
}

// A Batch of molecules with the reference results.
type Batch struct {
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

// Encoder loads the reference batch and the trained encoder it was computed with.
func Encoder(t testing.TB) *Batch {
	t.Helper()
	var r Batch
	golden.JSON(t, "golden/encoder/bbbp20.json", &r)
	for _, m := range r.Molecules {
		g, _ := must.Both(graph.New(m.N, m.E))
		g.Features, g.X = len(m.X[0]), nil
		for _, x := range m.X {
			g.X = append(g.X, x...)
		}
		g.EncodeStructure()
		r.Graphs = append(r.Graphs, g)
	}
	var weights map[string]any
	golden.JSON(t, "golden/encoder/bbbp_weights.json.gz", &weights)
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

// flatten returns the numbers of nested JSON lists in order.
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

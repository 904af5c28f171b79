package pretrain_test

import (
	"context"
	"fmt"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
)

// Two epochs on rings and chains. A run that goes on from a saved state ends with the same parameters.
func Example() {
	var gs []*graph.Graph
	for n := range int32(12) {
		edges := [][2]int32{{0, n + 3}}
		for i := n % 2; i < n+3; i++ {
			edges = append(edges, [2]int32{i, i + 1})
		}
		g, _, _ := graph.New(int(n)+4, edges)
		gs = append(gs, g)
	}
	o := pretrain.Defaults(1)
	o.Config, o.Batch = gin.Config{Features: 1, Hidden: 4, Layers: 2}, 6
	t, err := pretrain.New(gs, o, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		loss, err := t.Epoch(context.Background())
		fmt.Printf("epoch %d: loss %.3f, %v\n", loss.Epoch, loss.Total, err)
	}
	state := t.State()
	again, err := pretrain.New(gs, o, &state)
	fmt.Println("goes on after epoch", again.State().Epoch, err)
	// Output:
	// epoch 1: loss 3.652, <nil>
	// epoch 2: loss 3.651, <nil>
	// goes on after epoch 2 <nil>
}

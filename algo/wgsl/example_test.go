package wgsl_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/wgsl"
)

// A printer is a GPU that computes nothing: it prints what it is told to do.
type printer struct {
	buffers wgsl.Buffer
	kernels []string
}

func (p *printer) String() string      { return "printer" }
func (p *printer) Software() bool      { return true }
func (p *printer) Limits() wgsl.Limits { return wgsl.Limits{Binding: 1 << 27, Buffer: 1 << 28} }
func (p *printer) Free(wgsl.Buffer)    {}

func (p *printer) NewBuffer(int) (wgsl.Buffer, error) {
	p.buffers++
	return p.buffers, nil
}

func (p *printer) NewKernel(name, code string, writable []bool) (wgsl.Kernel, error) {
	p.kernels = append(p.kernels, name)
	return wgsl.Kernel(len(p.kernels)), nil
}

func (p *printer) Submit(w *wgsl.Work) (wgsl.Pending, error) {
	fmt.Printf("%d writes, %d calls, %d reads\n", len(w.Writes), len(w.Calls), len(w.Reads))
	calls := make([]int, len(p.kernels)+1)
	for _, c := range w.Calls {
		calls[c.Kernel]++
	}
	for i, name := range p.kernels {
		fmt.Printf("  %d of %s\n", calls[i+1], name)
	}
	return zeros(w.Reads), nil
}

// zeros are what the printer reads.
type zeros []wgsl.Read

func (z zeros) Wait(context.Context) ([][]byte, error) {
	data := make([][]byte, len(z))
	for i, r := range z {
		data[i] = make([]byte, r.Bytes)
	}
	return data, nil
}

// A batch is one submission, after the parameters of the encoder. build/gpu and
// wasm/worker/gpu have GPUs that compute it.
func Example() {
	g, _, err := graph.New(3, [][2]int32{{0, 1}, {1, 2}, {2, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g.EncodeStructure()
	config := gin.Default(1)
	config.Layers = 1
	e := gin.New(config, rand.New(rand.NewPCG(1, 1)))

	w := e.Width()
	to := &gin.Encoding{
		Pooled:     make([]float32, 2*w),
		Projection: [gin.Views][]float32{make([]float32, w), make([]float32, w)},
		NodeLoss:   make([]float64, 1),
	}
	d := wgsl.New(&printer{}, 0)
	defer d.Close()
	if err := d.Encode(context.Background(), e, []*graph.Graph{g}, to); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 writes, 0 calls, 0 reads
	// 2 writes, 19 calls, 5 reads
	//   2 of layer
	//   5 of pool
	//   8 of gemm TM=64 TN=16
	//   1 of normalize
	//   2 of expsum TILE=32
	//   1 of loss
}

// An error says what does not fit.
func ExampleSizeError() {
	err := &wgsl.SizeError{Device: "a small GPU", What: "a batch of 100 graphs", Need: 64 << 20, Have: 16 << 20, Fits: "25 graphs"}
	fmt.Println(err)
	// Output:
	// a batch of 100 graphs needs 64.0 MiB at once, and a small GPU has buffers of at most 16.0 MiB: 25 graphs fit
}

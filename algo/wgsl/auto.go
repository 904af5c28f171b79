package wgsl

import (
	"context"
	"fmt"
	"strings"
	"time"

	"baca/algo/gin"
	"baca/algo/graph"
)

// An Auto gives each batch to the faster of two devices, as Measure found. It implements
// gin.Device. Results repeat to within rounding.
type Auto struct {
	small, large gin.Device
	// EncodeFrom and TrainFrom are the least batches for the second device, 0 for none.
	EncodeFrom, TrainFrom int
	report                []string
}

var measured = []int{16, 64, 256, 1024, 4096}

// patience bounds the slower device's time before larger batches are skipped.
const patience = 300 * time.Millisecond

// Measure times both devices on batches of drug-sized graphs with an encoder of that shape, until
// one clearly wins. Training is measured if wanted; otherwise the first device trains.
func Measure(ctx context.Context, small, large gin.Device, c gin.Config, training bool) (*Auto, error) {
	a := &Auto{small: small, large: large}
	e := gin.Zero(c)
	for i := range e.Params {
		e.Params[i] = float32(i%7-3) / 16
	}
	var err error
	a.EncodeFrom, err = a.crossover("encoding", c.Features, func(d gin.Device, gs []*graph.Graph) error {
		n := len(gs)
		return d.Encode(ctx, e, gs, &gin.Encoding{
			Pooled:     make([]float32, 2*n*c.Width()),
			Projection: [gin.Views][]float32{make([]float32, n*c.Width()), make([]float32, n*c.Width())},
			NodeLoss:   make([]float64, n),
		})
	})
	if err != nil || !training {
		return a, err
	}
	a.TrainFrom, err = a.crossover("training", c.Features, func(d gin.Device, gs []*graph.Graph) error {
		t, err := d.Train(e, 1e-3, gin.Moments{})
		for range 2 {
			if err == nil {
				err = t.Step(ctx, gs)
			}
		}
		if err == nil {
			_, _, err = t.Finish(ctx)
		}
		return err
	})
	return a, err
}

// crossover returns the batch size from which second is faster.
func (a *Auto) crossover(what string, features int, run func(gin.Device, []*graph.Graph) error) (from int, err error) {
	var gs []*graph.Graph
	var times []string
	for i, n := range measured {
		for len(gs) < n {
			g, err := example(len(gs), features)
			if err != nil {
				return 0, err
			}
			gs = append(gs, g)
		}
		var fastest [2]time.Duration
		for k, d := range []gin.Device{a.small, a.large} {
			// The first run allocates and compiles shaders.
			for try := range 3 {
				begin := time.Now()
				if err := run(d, gs[:n]); err != nil {
					return 0, fmt.Errorf("measuring %s: %w", d, err)
				}
				if t := time.Since(begin); try <= 1 || t < fastest[k] {
					fastest[k] = t
				}
				if fastest[k] > patience && (try > 0 || i > 0) {
					break
				}
			}
		}
		times = append(times, fmt.Sprintf("%d graphs %.3g and %.3g ms", n, ms(fastest[0]), ms(fastest[1])))
		if fastest[1] >= fastest[0] {
			from = 0
		} else if from == 0 {
			from = n
		}
		if max(fastest[0], fastest[1]) > patience || 3*fastest[1] < fastest[0] {
			break
		}
	}
	a.report = append(a.report, fmt.Sprintf("%s of %s", what, strings.Join(times, ", ")))
	return from, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// example is a chain of 24 nodes with a ring.
func example(k, features int) (*graph.Graph, error) {
	const n = 24
	var edges [][2]int32
	for i := int32(1); i < n; i++ {
		edges = append(edges, [2]int32{i - 1, i})
	}
	g, _, err := graph.New(n, append(edges, [2]int32{int32(k % 12), int32(k%12) + 5}))
	if err != nil {
		return nil, err
	}
	g.Features, g.X = features, make([]float32, n*features)
	for i := range g.X {
		g.X[i] = float32((i + k) % 6)
	}
	g.EncodeStructure()
	return g, nil
}

// pick returns the device for a batch of n graphs.
func (a *Auto) pick(n, from int) gin.Device {
	if from > 0 && n >= from {
		return a.large
	}
	return a.small
}

// String implements gin.Device.
func (a *Auto) String() string {
	side := func(from int) string {
		switch {
		case from == 0:
			return "all on " + a.small.String()
		case from <= measured[0]:
			return "all on " + a.large.String()
		}
		return fmt.Sprintf("from %d graphs a batch on %s, below on %s", from, a.large, a.small)
	}
	s := fmt.Sprintf("encoding %s; training %s", side(a.EncodeFrom), side(a.TrainFrom))
	if a.EncodeFrom == a.TrainFrom || len(a.report) == 1 {
		s = side(a.EncodeFrom)
	}
	return s
}

// Report describes the measurements.
func (a *Auto) Report() string { return strings.Join(a.report, "; ") }

// Encode implements gin.Device.
func (a *Auto) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	return a.pick(len(gs), a.EncodeFrom).Encode(ctx, e, gs, to)
}

// GraphLoss implements gin.Device.
func (a *Auto) GraphLoss(ctx context.Context, width int, zf, zs, nf, ns []float32, self bool, loss []float64) error {
	return a.pick(len(loss), a.EncodeFrom).GraphLoss(ctx, width, zf, zs, nf, ns, self, loss)
}

// Train implements gin.Device. The first batch decides for the whole training.
func (a *Auto) Train(e *gin.Encoder, learningRate float64, from gin.Moments) (gin.Training, error) {
	return &undecided{auto: a, encoder: e, rate: learningRate, from: from}, nil
}

// undecided is a training before its first step.
type undecided struct {
	auto    *Auto
	encoder *gin.Encoder
	rate    float64
	from    gin.Moments
	gin.Training
}

func (u *undecided) Step(ctx context.Context, gs []*graph.Graph) (err error) {
	if u.Training == nil {
		u.Training, err = u.auto.pick(len(gs), u.auto.TrainFrom).Train(u.encoder, u.rate, u.from)
		if err != nil {
			return err
		}
	}
	return u.Training.Step(ctx, gs)
}

func (u *undecided) Finish(ctx context.Context) (gin.Losses, gin.Moments, error) {
	if u.Training == nil {
		return gin.Losses{}, u.from, nil
	}
	return u.Training.Finish(ctx)
}

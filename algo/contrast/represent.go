package contrast

import (
	"context"
	"fmt"
	"math"
	"sync"

	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/kernel"
	"baca/algo/internal/parallel"
)

// A Representation is what the method keeps of n encoded graphs. E is the width of one view's embedding.
type Representation struct {
	Width int // E
	// Q is log1p of the sum-pooled embeddings, feature view then structure view, n×2E: queries and
	// keys of the dictionaries. Without the logarithm graph size would decide every cosine.
	Q []float32
	// NodeScore is ℓ_n, NaN where not defined.
	NodeScore []float64
	// Prints are the subtrees up to fingerprint.DefaultHeight. Represent leaves them out.
	Prints []fingerprint.Print

	zf, zs []float32 // see ZF
	// encoder, unless nil, computes them from Q.
	encoder *gin.Encoder

	// bare marks graphs with a single feature, see Outline.
	bare bool
}

// Len returns the number of graphs.
func (r *Representation) Len() int { return len(r.NodeScore) }

// Dim is 2E, the width of Q.
func (r *Representation) Dim() int { return 2 * r.Width }

// representChunk graphs at a time keep a goroutine's activations in cache.
const representChunk = 16

// Represent encodes graphs on the encoder's device, or on that many goroutines. Each row depends only on its graph.
func Represent(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph) (*Representation, error) {
	if err := checkFeatures(e, gs); err != nil {
		return nil, err
	}
	encode := CPU{workers}.Encode
	if e.Device != nil {
		encode = e.Device.Encode
	}
	err := parallel.For(ctx, workers, len(gs), func(_, k int) { gs[k].EncodeStructureIn(ctx) })
	if err != nil {
		return nil, err
	}
	to := gin.NewEncoding(len(gs), e.Width())
	if err := encode(ctx, e, gs, to); err != nil {
		return nil, err
	}
	kernel.Log1p(to.Pooled, to.Pooled)
	z := to.Projection
	return &Representation{Width: e.Width(), Q: to.Pooled, NodeScore: to.NodeLoss, zf: z[gin.Feature],
		zs: z[gin.Structure], bare: bare(e)}, nil
}

// A CPU encodes on this machine's processor; see [gin.Device]. pretrain.CPU trains as well.
type CPU struct{ Workers int } // goroutines, 0 for one on each core

// Encode implements gin.Device.
func (c CPU) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	pieces := (len(gs) + representChunk - 1) / representChunk
	return parallel.For(ctx, c.Workers, pieces, func(_, piece int) {
		w := spare.Get().(*representation)
		defer spare.Put(w)
		lo := piece * representChunk
		w.encode(to, lo, e, gs[lo:min(len(gs), lo+representChunk)])
	})
}

// An Outline is what the score of a single graph needs of n graphs: the feature view without projections, a tenth of
// the work of a Representation. For graphs with a single feature it has both views and ℓ_n.
type Outline struct {
	Dim       int                 // E, or 2E with both views
	Q         []float32           // that part of Representation.Q
	NodeScore []float64           // n values, or nil
	Prints    []fingerprint.Print // as in Representation
}

// bare reports whether the encoder reads a single feature, so that Outline needs both views.
func bare(e *gin.Encoder) bool { return e.Features == 1 }

// Len returns the number of graphs.
func (o *Outline) Len() int { return len(o.Prints) }

// Row returns the embedding of graph i.
func (o *Outline) Row(i int) []float32 { return o.Q[i*o.Dim : (i+1)*o.Dim] }

// OutlineOf outlines graphs on that many goroutines. Each row depends only on its graph. With several features the bits
// do not depend on the order of nodes, see fingerprint.Order, and equal those of a Representation up to rounding.
func OutlineOf(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph) (*Outline, error) {
	if bare(e) {
		r, err := Describe(ctx, workers, e, gs)
		if err != nil {
			return nil, err
		}
		return r.Outline(), nil
	}
	if err := checkFeatures(e, gs); err != nil {
		return nil, err
	}
	o := &Outline{Dim: e.Width(), Q: make([]float32, len(gs)*e.Width()), Prints: make([]fingerprint.Print, len(gs))}
	pieces := (len(gs) + representChunk - 1) / representChunk
	err := parallel.For(ctx, workers, pieces, func(_, piece int) {
		lo := piece * representChunk
		hi := min(len(gs), lo+representChunk)
		w := spare.Get().(*representation)
		defer spare.Put(w)
		w.outline(e, gs[lo:hi], o.Q[lo*o.Dim:hi*o.Dim], o.Prints[lo:hi])
	})
	return o, err
}

// outline writes the embeddings and prints of at most representChunk graphs.
func (w *representation) outline(e *gin.Encoder, gs []*graph.Graph, q []float32, prints []fingerprint.Print) {
	var ordered [representChunk]*graph.Graph
	for k, g := range gs {
		prints[k] = w.order.Arrange(g, fingerprint.DefaultHeight, e.Layers)
		w.arranged[k].Arrange(g, w.order)
		ordered[k] = &w.arranged[k].Graph
	}
	w.batch.Reset(ordered[:len(gs)])
	e.Embed(gin.Feature, &w.batch, &w.act)
	kernel.Log1p(q, w.act.Graph[gin.Feature])
}

// Outline returns the outline of r, which must have Prints.
func (r *Representation) Outline() *Outline {
	if r.bare {
		return &Outline{Dim: r.Dim(), Q: r.Q, NodeScore: r.NodeScore, Prints: r.Prints}
	}
	o := &Outline{Dim: r.Width, Q: make([]float32, r.Len()*r.Width), Prints: r.Prints}
	for i := range r.Len() {
		copy(o.Row(i), r.Q[i*r.Dim():])
	}
	return o
}

// checkFeatures returns an error if a graph has other features than the encoder reads.
func checkFeatures(e *gin.Encoder, gs []*graph.Graph) error {
	for i, g := range gs {
		if g.Features != e.Features {
			return fmt.Errorf("graph %d has %d node features, the model was trained on %d", i+1, g.Features, e.Features)
		}
	}
	return nil
}

// Describe is Represent with Prints.
func Describe(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph) (*Representation, error) {
	r, err := Represent(ctx, workers, e, gs)
	if err != nil {
		return nil, err
	}
	r.Prints, err = fingerprint.All(ctx, workers, gs, fingerprint.DefaultHeight)
	return r, err
}

// spare reuses memory between calls: streams score a few graphs at a time.
var spare = sync.Pool{New: func() any { return new(representation) }}

// A representation is a goroutine's workspace for encoding.
type representation struct {
	batch graph.Batch
	act   gin.Activations
	nodes Workspace

	// For outlines.
	order    fingerprint.Order
	arranged [representChunk]graph.Arrangement
}

// encode writes projections, pooled embeddings and ℓ_n of gs to the rows of to, from lo on.
func (w *representation) encode(to *gin.Encoding, lo int, e *gin.Encoder, gs []*graph.Graph) {
	width := e.Width()
	w.batch.Reset(gs)
	e.Forward(&w.batch, &w.act)
	for v := range gin.Views {
		copy(to.Projection[v][lo*width:], w.act.GraphProjection[v])
	}
	for k := range gs {
		for v := range gin.Views {
			copy(to.Pooled[(lo+k)*2*width+v*width:], w.act.Graph[v][k*width:(k+1)*width])
		}
		from, end := w.batch.Nodes(k)
		to.NodeLoss[lo+k] = w.nodes.NodeScore(w.act.NodeProjection[gin.Feature][from*width:end*width],
			w.act.NodeProjection[gin.Structure][from*width:end*width], width, 0, nil, nil)
	}
}

// Restore rebuilds a representation from Q (n×2E), NodeScore and Prints. Projections follow from Q
// by undoing log1p, when asked for, since single graphs need none.
func Restore(e *gin.Encoder, q []float32, nodeScore []float64, prints []fingerprint.Print) (*Representation, error) {
	width, n := e.Width(), len(nodeScore)
	if len(q) != n*2*width {
		return nil, fmt.Errorf("%d embedding values for %d graphs: want %d a graph", len(q), n, 2*width)
	}
	if len(prints) != n {
		return nil, fmt.Errorf("%d prints for %d graphs", len(prints), n)
	}
	return &Representation{Width: width, Q: q, NodeScore: nodeScore, Prints: prints, encoder: e, bare: bare(e)}, nil
}

// ZF and ZS are the projected graph embeddings of the two views, n×E.
func (r *Representation) ZF() []float32 { return r.projections(gin.Feature, r.zf) }

// ZS is described at ZF.
func (r *Representation) ZS() []float32 { return r.projections(gin.Structure, r.zs) }

// projections returns the graph projections of a view: kept if r has no encoder, else recomputed from Q.
func (r *Representation) projections(view int, kept []float32) []float32 {
	if r.encoder == nil {
		return kept
	}
	pooled := make([]float32, r.Len()*r.Width)
	for k := range r.Len() {
		for i, x := range r.Q[k*r.Dim()+view*r.Width:][:r.Width] {
			pooled[k*r.Width+i] = float32(math.Expm1(float64(x)))
		}
	}
	return r.encoder.ProjectGraphs(view, pooled)
}

// CheckProjections returns an error naming the first value that is not finite. A file may hold such embeddings.
func (r *Representation) CheckProjections() error {
	for v, z := range [][]float32{r.ZF(), r.ZS()} {
		for i, x := range z {
			if x-x != 0 {
				return fmt.Errorf("embedding %d projects to %g in view %d, want a finite number", i/r.Width, x, v)
			}
		}
	}
	return nil
}

// Select returns the rows of the given indices, copied.
func (r *Representation) Select(index []int) *Representation {
	s := &Representation{Width: r.Width, bare: r.bare, encoder: r.encoder}
	for _, i := range index {
		s.Q = append(s.Q, r.Q[i*r.Dim():(i+1)*r.Dim()]...)
		if r.zf != nil {
			s.zf = append(s.zf, r.zf[i*r.Width:(i+1)*r.Width]...)
			s.zs = append(s.zs, r.zs[i*r.Width:(i+1)*r.Width]...)
		}
		s.NodeScore = append(s.NodeScore, r.NodeScore[i])
		if r.Prints != nil {
			s.Prints = append(s.Prints, r.Prints[i])
		}
	}
	return s
}

// MeanNodeScore returns the mean of ℓ_n over the graphs that have it, or 0.
func (r *Representation) MeanNodeScore() float64 {
	sum, n := 0.0, 0
	for _, l := range r.NodeScore {
		if !math.IsNaN(l) {
			sum += l
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// Negatives returns the graphs as negatives of ℓ_g.
func (r *Representation) Negatives() *Negatives { return NewNegatives(r.ZF(), r.ZS(), r.Width) }

// Terms are the weights of the two losses in S_Pre:
//
//	S_Pre = Graph·ℓ_g + Node·ℓ_n
type Terms struct {
	Graph, Node float64
	// Typical replaces an undefined ℓ_n, of a single node.
	Typical float64
}

// PlainTerms are the paper's, S_Pre = ℓ_g + ℓ_n.
func PlainTerms(bank *Representation) Terms {
	return Terms{Graph: 1, Node: 1, Typical: bank.MeanNodeScore()}
}

// NodeShare is the weight of ℓ_n in S_Pre of a batch, both losses standardised over the batch.
const NodeShare = 0.3

// BatchScores returns S_Pre of the graphs against each other with standardised losses, ℓ_n weighted
// by [NodeShare], and the terms. A constant loss keeps its scale.
func BatchScores(ctx context.Context, workers int, r *Representation, negatives *Negatives, typical float64) ([]float64, Terms, error) {
	loss, err := negatives.Scores(ctx, workers, r.ZF(), r.ZS(), true)
	if err != nil {
		return nil, Terms{}, err
	}
	terms := Terms{1 / deviation(loss), NodeShare / deviation(r.NodeScore), typical}
	return terms.sum(loss, r.NodeScore), terms, nil
}

// BaseScores returns S_Pre of the graphs against the negatives, which are the graphs themselves if
// self is set. Without negatives ℓ_g counts as 0.
func BaseScores(ctx context.Context, workers int, r *Representation, negatives *Negatives, self bool, terms Terms) ([]float64, error) {
	loss, err := negatives.Scores(ctx, workers, r.ZF(), r.ZS(), self)
	if err != nil {
		return nil, err
	}
	return terms.sum(loss, r.NodeScore), nil
}

// Undefined counts the graphs without ℓ_n.
func (r *Representation) Undefined() int {
	n := 0
	for _, x := range r.NodeScore {
		if math.IsNaN(x) {
			n++
		}
	}
	return n
}

// sum returns S_Pre of graphs with the losses ℓ_g and ℓ_n. An undefined ℓ_g counts as 0, an undefined ℓ_n as Typical.
func (t Terms) sum(loss, nodes []float64) []float64 {
	scores := make([]float64, len(loss))
	for i, node := range nodes {
		if math.IsNaN(node) {
			node = t.Typical
		}
		if !math.IsNaN(loss[i]) {
			scores[i] = float64(t.Graph * loss[i])
		}
		scores[i] += float64(t.Node * node)
	}
	return scores
}

// deviation returns the standard deviation of the values that are not NaN, or 1 if that is 0 or there are none.
func deviation(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range values {
		if !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	square := 0.0
	for _, x := range values {
		if d := x - sum/n; !math.IsNaN(d) {
			square += float64(d * d)
		}
	}
	if d := math.Sqrt(square / n); d > 1e-12 {
		return d
	}
	return 1
}

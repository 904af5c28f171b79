package engine

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/algo/run"
	"baca/wasm/message"
)

// The most records of the input and training graphs that are on a map, and how many training
// graphs are shown as the nearest.
const mostMapped, mostTraining, nearestMapped = 400, 600, 3

// trace answers what the lab tells of a record.
func (e *Engine) trace(r *message.Trace) (*message.Traced, error) {
	l, err := e.inspect(r.Record)
	if err != nil {
		return nil, err
	}
	g, m := l.record.Graph, &message.Traced{Record: r.Record, Drawing: l.drawing}
	for _, k := range l.node {
		m.Node = append(m.Node, int32(k))
	}
	m.From, m.To = spans(m.SMILES, len(m.Atoms))
	g.EncodeStructure()
	m.Features = g.Features
	m.Width = graph.WalkSteps
	for i := range g.N() {
		for _, x := range g.X[i*g.Features : (i+1)*g.Features] {
			m.X = append(m.X, int32(x))
		}
		m.Walks = append(m.Walks, g.XS[i*graph.EncodingWidth:][:graph.WalkSteps]...)
	}
	if err := e.locate(l, m); err != nil {
		return nil, err
	}
	e.steps(m)
	return m, nil
}

// spans are where the atoms of a SMILES are written, nil where that cannot be told.
func spans(text string, atoms int) (from, to message.Ints) {
	mol, err := smiles.Parse(text)
	if text == "" || err != nil || len(mol.Atoms) != atoms {
		return nil, nil
	}
	for _, a := range mol.Atoms {
		at, end := span(a, text)
		from, to = append(from, int32(at)), append(to, int32(end))
	}
	return from, to
}

// span is the range of an atom in its SMILES, or empty.
func span(a molecule.Atom, smiles string) (at, end int) {
	at = int(a.Column) - 1
	if at < 0 || at >= len(smiles) {
		return 0, 0
	}
	end = at + 1
	switch two := smiles[at:min(at+2, len(smiles))]; {
	case smiles[at] == '[':
		for end < len(smiles) && smiles[end-1] != ']' {
			end++
		}
	case two == "Cl" || two == "Br":
		end++
	}
	return at, end
}

// steps fills in what was recorded of the training of the attention.
func (e *Engine) steps(m *message.Traced) {
	if e.last == nil {
		return
	}
	at := run.InBatch(e.last.places, m.Record)
	for _, s := range e.last.steps {
		m.Inside, m.Outside = append(m.Inside, s.inside), append(m.Outside, s.outside)
		if at >= 0 {
			m.Attn = append(m.Attn, float64(s.attn[at]))
		}
	}
}

// locate fills in where the graph of a record lies on the maps.
func (e *Engine) locate(l *inspected, m *message.Traced) (err error) {
	if e.atlas == nil {
		if e.atlas, err = e.newAtlas(l.pulse); err != nil {
			return err
		}
	}
	r, err := contrast.Represent(l, 1, e.model.Encoder, []*graph.Graph{l.record.Graph})
	if err != nil {
		return err
	}
	bank := e.model.Bank
	nearest := l.alone.NearestEmbedded(r.Q, nearestMapped)
	for _, n := range nearest {
		m.Nearest = append(m.Nearest, n.Distance)
	}
	for v, plane := range e.atlas {
		on := plane.around(part(r.Q, 0, v, r.Width))
		for _, n := range nearest {
			on.Nearest = plane.at(on.Nearest, part(bank.Q, n.Bank, v, bank.Width))
		}
		m.Maps = append(m.Maps, *on)
	}
	if e.last != nil {
		m.Keys = e.last.keysOf(r.Q, run.InBatch(e.last.places, m.Record))
	}
	return nil
}

// keysOf shows the embedding of a record of the batch, or −1, among the keys of both dictionaries.
func (c *calibrated) keysOf(q []float32, place int) *message.Map {
	a := c.scorer.Attention()
	if c.keys == nil {
		c.keys = newKeyMap(a)
	}
	m := c.keys.around(a.Query(q))
	why := a.Explain(q, place)
	for side, keys := range [][]attention.Contribution{why.InKeys, why.OutKeys} {
		for _, key := range keys {
			m.Nearest = c.keys.at(m.Nearest, a.Keys(dictionary.Side(side)).Unit(key.Key))
		}
	}
	return m
}

// newKeyMap finds the axes of all keys but most of the training set's, of which it takes an even sample.
func newKeyMap(a *attention.Calibrator) *plane {
	var known, further [][]float32
	var sides message.Ints
	for side := range dictionary.Side(2) {
		keys, d := a.Keys(side), a.Dictionary(side)
		for i := range d.Len() {
			if d.Entry(i).Origin == dictionary.Training {
				known = append(known, keys.Unit(i))
			} else {
				further, sides = append(further, keys.Unit(i)), append(sides, int32(side))
			}
		}
	}
	return newPlane(sample(known, mostTraining), further, sides, mostTraining)
}

// part is one view of row i of embeddings of both, and parts are those of all rows.
func part(q []float32, i, view, width int) []float32 {
	return q[(2*i+view)*width:][:width]
}

func parts(q []float32, view, width int) (rows [][]float32) {
	for i := range len(q) / (2 * width) {
		rows = append(rows, part(q, i, view, width))
	}
	return rows
}

// A plane is a map: the axes of embeddings, and their places.
type plane struct {
	mean            []float64
	axes            [2][]float64
	share           [2]float64
	training, batch message.Singles
	records         message.Ints // of the batch
}

// newPlane finds the axes of known and further embeddings, and places the latter and an even sample of the known ones.
func newPlane(known, further [][]float32, records message.Ints, most int) *plane {
	m := principal(slices.Concat(known, further))
	m.records = records
	for _, row := range sample(known, most) {
		m.training = m.at(m.training, row)
	}
	for _, row := range further {
		m.batch = m.at(m.batch, row)
	}
	return m
}

// sample picks up to so many rows evenly.
func sample(rows [][]float32, most int) [][]float32 {
	picked := make([][]float32, min(len(rows), most))
	for k := range picked {
		picked[k] = rows[near.Place(k, len(picked), len(rows))]
	}
	return picked
}

// around is the map with the place of an embedding.
func (m *plane) around(row []float32) *message.Map {
	return &message.Map{Training: m.training, Records: m.records, Batch: m.batch, ShareX: m.share[0],
		ShareY: m.share[1], At: m.at(nil, row)}
}

// at appends the place of an embedding.
func (m *plane) at(places message.Singles, row []float32) message.Singles {
	for _, axis := range m.axes {
		sum := 0.0
		for j, x := range row {
			sum += (float64(x) - m.mean[j]) * axis[j]
		}
		places = append(places, float32(sum))
	}
	return places
}

// newAtlas has a map of each view: of an even sample of the input and the training set.
func (e *Engine) newAtlas(p *pulse) ([]*plane, error) {
	graphs, records, err := e.evenly(p, mostMapped)
	if err != nil {
		return nil, err
	}
	batch, err := contrast.Represent(p, 1, e.model.Encoder, graphs)
	if err != nil {
		return nil, err
	}
	bank := e.model.Bank
	var atlas []*plane
	for v := range gin.Views {
		atlas = append(atlas, newPlane(parts(bank.Q, v, bank.Width), parts(batch.Q, v, batch.Width), records, mostTraining))
	}
	return atlas, nil
}

// evenly reads up to so many graphs, evenly spread over the input, with their records.
func (e *Engine) evenly(p *pulse, most int) (graphs []*graph.Graph, records message.Ints, err error) {
	n := e.input.opened.Records
	wanted := make([]int32, min(n, most))
	for k := range wanted {
		wanted[k] = int32(near.Place(k, len(wanted), n))
	}
	found, err := e.pick(p, wanted)
	if err != nil {
		return nil, nil, e.input.unreadable(err)
	}
	for _, record := range wanted {
		if r := found[int(record)]; r.Err == nil {
			graphs, records = append(graphs, r.Graph), append(records, record)
		}
	}
	return graphs, records, nil
}

// principal finds the mean of some rows, the two directions of length 1 along which they vary most, and the shares of
// the variance that these hold. The largest coordinate of a direction is positive.
func principal(rows [][]float32) *plane {
	dim := len(rows[0])
	m := &plane{mean: make([]float64, dim)}
	x := blas64.General{Rows: len(rows), Cols: dim, Stride: dim}
	for _, row := range rows {
		for j, v := range row {
			m.mean[j] += float64(v) / float64(len(rows))
		}
	}
	for _, row := range rows {
		for j, v := range row {
			x.Data = append(x.Data, float64(v)-m.mean[j])
		}
	}
	a := blas64.Symmetric{N: dim, Stride: dim, Data: make([]float64, dim*dim), Uplo: blas.Upper}
	blas64.Syrk(blas.Trans, 1, x, 0, a)
	values, work := make([]float64, dim), make([]float64, 40*dim)
	ok := lapack64.Syev(lapack.EVCompute, a, values, work, len(work))
	for k := range m.axes {
		axis := make([]float64, dim)
		m.axes[k] = axis
		if column := dim - 1 - k; column >= 0 && ok && floats.Sum(values) > 0 { // eigenvalues ascend
			for j := range axis {
				axis[j] = a.Data[j*dim+column]
			}
			if -floats.Min(axis) > floats.Max(axis) {
				floats.Scale(-1, axis)
			}
			m.share[k] = values[column] / floats.Sum(values)
		}
	}
	return m
}

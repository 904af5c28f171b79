package engine

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/algo/property"
	"baca/algo/run"
	"baca/wasm/message"
)

// detail explains a record's scores.
func (e *Engine) detail(r *message.Detail) (*message.Detailed, error) {
	l, err := e.inspect(r.Record)
	if err != nil {
		return nil, err
	}
	m := &message.Detailed{Record: r.Record, Drawing: l.drawing, SetAside: l.record.Aside.String()}
	if l.mol != nil {
		read, _, _ := smiles.In(l.mol, e.form())
		of := property.Of(read)
		m.Properties = &of
		if m.SetAside != "" {
			m.Parent = smiles.Write(read)
		}
	}
	x, err := l.alone.Explain(l, l.record.Graph, cmp.Or(e.alpha, algo.DefaultOptions().Alpha))
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	m.Explanation = byAtom(x, l.node)
	m.Nearest = l.alone.Nearest(l.record.Graph, shownNearest)
	for i := range m.Nearest {
		if n := &m.Nearest[i]; numbered.MatchString(n.Name) {
			n.Name = formula(n.SMILES)
		}
	}
	return m, e.keys(l.pulse, m, l.record.Graph)
}

// numbered matches the name of a molecule that has none in its source: build/tools/sets writes the place.
var numbered = regexp.MustCompile(`^(clintox|sider) \d+(, component \d+)?$`)

// formula names a molecule that has no name.
func formula(text string) string {
	m, err := smiles.Parse(text)
	if err != nil {
		return "without a name"
	}
	return m.Formula() + ", without a name"
}

// An inspected record, with what explains it.
type inspected struct {
	*pulse
	record  dataset.Record
	mol     *molecule.Molecule // as written, nil for a plain graph
	drawing message.Drawing
	node    []int // of each atom of the drawing, −1 for unread ones
	alone   *algo.SingleScorer
}

// inspect reads a record of the input, draws it, and prepares what explains it.
func (e *Engine) inspect(record int) (*inspected, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	l := &inspected{pulse: newPulse(e.host)}
	var err error
	if l.record, l.mol, err = e.input.at(record, e.form()); err != nil {
		return nil, err
	}
	l.drawing, l.node = draw(l.record.SMILES, l.mol, l.record.Graph, e.form())
	l.alone, err = e.single(l)
	return l, err
}

// shownNearest is how many training graphs are shown beside a record.
const shownNearest = 3

// byAtom is an explanation with atoms for nodes. node is the node of each atom, −1 for unread ones.
func byAtom(x *algo.Explanation, node []int) algo.Explanation {
	by := *x
	by.BySubtrees, by.ByEmbedding, by.Contributions = nil, nil, make([]float64, len(node))
	by.Reasons = slices.Clone(x.Reasons)
	atom := make([]int, len(x.Contributions))
	for i, k := range node {
		by.Contributions[i] = math.NaN()
		if k >= 0 {
			by.Contributions[i], atom[k] = x.Contributions[k], i
		}
	}
	for i := range by.Reasons {
		atoms := slices.Clone(x.Reasons[i].Nodes)
		for k, n := range atoms {
			atoms[k] = atom[n]
		}
		slices.Sort(atoms)
		by.Reasons[i].Nodes = atoms
	}
	return by
}

// keys sets both parts of S_Attn in m, and the keys that made them, the largest weight first. It does nothing before
// a batch is scored.
func (e *Engine) keys(p *pulse, m *message.Detailed, g *graph.Graph) error {
	if e.last == nil {
		return nil
	}
	r, err := contrast.Represent(p, 1, e.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return err
	}
	a := e.last.scorer.Attention()
	why := a.Explain(r.Q, run.InBatch(e.last.places, m.Record))
	m.AttnID, m.AttnOOD = why.In, why.Out
	rows := e.model.KnownRows()
	list := func(side dictionary.Side, keys []attention.Contribution) []message.Key {
		d := a.Dictionary(side)
		found := make([]message.Key, 0, len(keys))
		for _, k := range keys {
			entry := d.Entry(k.Key)
			key := message.Key{Origin: entry.Origin.String(), Row: -1, Weight: k.Weight, Value: k.Value}
			switch entry.Origin {
			case dictionary.Training:
				at := near.Place(entry.Index, e.model.Bank.Len(), len(rows))
				key.Row = rows[at]
				if known := e.model.Structures; known != nil {
					key.SMILES = known.SMILES[at]
					if known.Names != nil {
						key.ID = known.Names[at]
					}
				}
			case dictionary.Test:
				key.Row, key.ID = e.last.places[entry.Index], e.last.ids[entry.Index]
				key.SMILES = e.last.smiles[entry.Index]
			case dictionary.Synthetic:
				if drawn := a.Synthetic(side, entry.Index); drawn != nil {
					key.Nodes, key.Edges = drawn.N(), edges(drawn)
				}
			}
			found = append(found, key)
		}
		slices.SortStableFunc(found, func(a, b message.Key) int { return cmp.Compare(b.Weight, a.Weight) })
		return found
	}
	m.IDKeys, m.OODKeys = list(dictionary.ID, why.InKeys), list(dictionary.OOD, why.OutKeys)
	return nil
}

// draw makes a drawing, and returns the node of each atom, −1 for atoms outside of the form. Molecules
// get a SMILES with atoms in text order: as read, or canonical.
func draw(text string, mol *molecule.Molecule, g *graph.Graph, form molecule.Form) (m message.Drawing, node []int) {
	if mol == nil {
		node = make([]int, g.N())
		m.Atoms = make([]string, g.N())
		for i := range node {
			node[i] = i
		}
		for _, e := range g.Edges() {
			m.Bonds = append(m.Bonds, message.Bond{From: int(e[0]), To: int(e[1])})
		}
		return m, node
	}
	node = slices.Repeat([]int{-1}, len(mol.Atoms))
	_, read, _ := smiles.In(mol, form)
	for k, i := range read {
		node[i] = k
	}
	shown := mol
	if text == "" {
		c, order, _ := smiles.Canonical(mol)
		shown, text = c, smiles.Write(c)
		ofShown := make([]int, len(order))
		for k, i := range order {
			ofShown[k] = node[i]
		}
		node = ofShown
	}
	m.SMILES = text
	for _, a := range shown.Atoms {
		m.Atoms = append(m.Atoms, molecule.Symbol(int(a.Element)))
	}
	for _, b := range shown.Bonds {
		m.Bonds = append(m.Bonds, message.Bond{From: int(b.From), To: int(b.To)})
	}
	return m, node
}

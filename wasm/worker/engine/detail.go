package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/algo/property"
	"baca/algo/table"
	"baca/wasm/message"
)

func (e *Engine) detail(r *message.Detail) (*message.Detailed, error) {
	l, err := e.look(r.Record)
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
	return m, e.keys(l.pulse, m, l.record.Graph)
}

// A look is at one record, with what explains it.
type look struct {
	*pulse
	record  table.Record
	mol     *molecule.Molecule // as written, nil for a plain graph
	drawing message.Drawing
	node    []int // of each atom of the drawing, −1 for unread ones
	alone   *algo.SingleScorer
}

func (e *Engine) look(record int) (*look, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	l := &look{pulse: newPulse(e.host)}
	var err error
	if l.record, l.mol, err = e.input.at(record, e.form()); err != nil {
		return nil, err
	}
	l.drawing, l.node = draw(l.record.SMILES, l.mol, l.record.Graph, e.form())
	l.alone, err = e.single(l)
	return l, err
}

// shownNearest is how many training graphs are shown beside a record.
const shownNearest = 5

// byAtom is an explanation with atoms for nodes. node is the node of each atom, −1 for unread ones.
func byAtom(x *algo.Explanation, node []int) algo.Explanation {
	by := *x
	by.BySubtrees, by.ByEmbedding, by.Contributions = nil, nil, make([]float64, len(node))
	by.Reasons = slices.Clone(x.Reasons)
	atom := make([]int, len(x.Contributions))
	for i, k := range node {
		if by.Contributions[i] = math.NaN(); k >= 0 {
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

// keys fills in the keys of S_Attn.
func (e *Engine) keys(p *pulse, m *message.Detailed, g *graph.Graph) error {
	if e.last == nil {
		return nil
	}
	r, err := contrast.Represent(p, 1, e.model.Encoder, []*graph.Graph{g})
	if err != nil {
		return err
	}
	a := e.last.scorer.Attention()
	why := a.Explain(r.Q, job.InBatch(e.last.places, m.Record))
	m.AttnID, m.AttnOOD = why.In, why.Out
	rows := e.model.KnownRows()
	// place maps a bank row to a training graph.
	place := func(row int) int { return near.Place(row, e.model.Bank.Len(), len(rows)) }
	list := func(side dictionary.Side, keys []attention.Contribution) []message.Key {
		d := a.Dictionary(side)
		found := make([]message.Key, 0, len(keys))
		for _, k := range keys {
			entry := d.Entry(k.Key)
			n := message.Key{Origin: entry.Origin.String(), Row: e.rowOf(entry, func(row int) int { return rows[place(row)] }), Weight: k.Weight, Value: k.Value}
			if known := e.model.Structures; entry.Origin == dictionary.Training && known != nil {
				n.SMILES = known.SMILES[place(entry.Index)]
				if known.Names != nil {
					n.ID = known.Names[place(entry.Index)]
				}
			}
			if entry.Origin == dictionary.Test {
				n.ID, n.SMILES = e.last.ids[entry.Index], e.last.smiles[entry.Index]
			}
			if drawn := a.Synthetic(side, entry.Index); entry.Origin == dictionary.Synthetic && drawn != nil {
				n.Nodes, n.Edges = drawn.N(), edges(drawn)
			}
			found = append(found, n)
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
		if again, err := smiles.Parse(text); err == nil && len(again.Atoms) == len(c.Atoms) {
			shown = again
		}
		ofShown := make([]int, len(order))
		for k, i := range order {
			ofShown[k] = node[i]
		}
		node = ofShown
	}
	m.SMILES = text
	for _, a := range shown.Atoms {
		m.Atoms = append(m.Atoms, symbol(a, text))
	}
	for _, b := range shown.Bonds {
		m.Bonds = append(m.Bonds, message.Bond{From: int(b.From), To: int(b.To)})
	}
	return m, node
}

// symbol is the symbol of an atom in its SMILES: the first letter and the small ones after it.
func symbol(a molecule.Atom, smiles string) string {
	at, end := span(a, smiles)
	if at == end {
		return ""
	}
	text := strings.TrimLeft(smiles[at:end], "[0123456789")
	n := 1
	for n < len(text) && text[n] >= 'a' && text[n] <= 'z' {
		n++
	}
	return strings.ToUpper(text[:1]) + text[1:n]
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

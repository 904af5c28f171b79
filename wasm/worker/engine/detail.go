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
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/algo/property"
	"baca/wasm/message"
)

func (e *Engine) detail(r *message.Detail) (*message.Detailed, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	record, mol, err := e.input.at(r.Record, e.form())
	if err != nil {
		return nil, err
	}
	g := record.Graph
	m := &message.Detailed{Record: r.Record, ID: record.ID, SetAside: record.Aside.String()}
	if mol != nil {
		read, _, _ := smiles.In(mol, e.form())
		of := property.Of(read)
		m.Properties = &of
		if m.SetAside != "" {
			m.Parent = smiles.Write(read)
		}
	}
	// node[i] is the node of atom i of m, −1 for unread atoms.
	node := draw(m, record.SMILES, mol, g, e.form())
	p := newPulse(e.host)
	alone, err := e.single(p)
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	x, err := alone.Explain(p, g, cmp.Or(e.alpha, algo.DefaultOptions().Alpha))
	if err != nil {
		return nil, failf(message.CodeBadModel, "%w", err)
	}
	m.Score, m.P, m.Verdict = x.Score, x.P, string(x.Verdict)
	m.Distance, m.Ratio = x.Distance, x.Ratio
	m.Embedding, m.Subtrees, m.Counts, m.Nodes = x.Embedding, x.Subtrees, x.Counts, x.Nodes
	m.Contribution, m.Limit, m.Known = arranged(x.Contributions, node), x.Limit, x.Duplicate
	place := make([]int, g.N()) // atom of each node
	for i, k := range node {
		if k >= 0 {
			place[k] = i
		}
	}
	for _, reason := range x.Reasons {
		said := message.Reason{Text: reason.Text, About: reason.About, Unseen: reason.Weight >= explain.Unseen}
		for _, k := range reason.Nodes {
			said.Atoms = append(said.Atoms, int32(place[k]))
		}
		slices.Sort(said.Atoms)
		m.Reasons = append(m.Reasons, said)
	}
	m.Nearest = nearest(alone.Nearest(g, shownNearest))
	return m, e.keys(p, m, g)
}

// shownNearest is how many training graphs are shown beside a record.
const shownNearest = 5

// nearest are training graphs beside a record.
func nearest(list []algo.TrainingGraph) []message.Neighbor {
	var found []message.Neighbor
	for _, n := range list {
		values := cmp.Or(n.Values, &algo.Values{Observed: math.NaN(), Predicted: math.NaN()})
		found = append(found, message.Neighbor{
			Origin: dictionary.Training.String(), Row: n.Row, ID: n.Name, SMILES: n.SMILES, Similarity: n.Similarity,
			Observed: values.Observed, Predicted: values.Predicted, Score: math.NaN(), Weight: math.NaN(), Value: math.NaN(),
		})
	}
	return found
}

// arranged reorders node values by atom.
func arranged(values []float64, node []int) message.Floats {
	if values == nil {
		return nil
	}
	list := make(message.Floats, len(node))
	for i, k := range node {
		if list[i] = math.NaN(); k >= 0 {
			list[i] = values[k]
		}
	}
	return list
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
	list := func(side dictionary.Side, keys []attention.Contribution) []message.Neighbor {
		d := a.Dictionary(side)
		found := make([]message.Neighbor, 0, len(keys))
		for _, k := range keys {
			entry := d.Entry(k.Key)
			n := message.Neighbor{
				Origin: entry.Origin.String(), Row: e.rowOf(entry, func(row int) int { return rows[place(row)] }), Score: entry.Score,
				Similarity: math.NaN(), Observed: math.NaN(), Predicted: math.NaN(), Weight: k.Weight, Value: k.Value,
			}
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
			at := len(found) // after equal weights
			for at > 0 && found[at-1].Weight < n.Weight {
				at--
			}
			found = slices.Insert(found, at, n)
		}
		return found
	}
	m.IDKeys, m.OODKeys = list(dictionary.ID, why.InKeys), list(dictionary.OOD, why.OutKeys)
	return nil
}

// draw fills in what a picture needs, and returns the node of each atom, −1 for atoms outside of
// the form. Molecules get a SMILES with atoms in text order: as read, or canonical.
func draw(m *message.Detailed, text string, mol *molecule.Molecule, g *graph.Graph, form molecule.Form) []int {
	if mol == nil {
		node := make([]int, g.N())
		m.Atoms = make([]message.Atom, g.N())
		for i := range node {
			node[i] = i
		}
		for _, e := range g.Edges() {
			m.Bonds = append(m.Bonds, message.Bond{From: int(e[0]), To: int(e[1]), Order: 1})
		}
		return node
	}
	node := slices.Repeat([]int{-1}, len(mol.Atoms))
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
		m.Atoms = append(m.Atoms, atom(a, text))
	}
	for _, b := range shown.Bonds {
		order := 0
		if b.Order >= molecule.Single && b.Order <= molecule.Quadruple {
			order = int(b.Order-molecule.Single) + 1
		}
		m.Bonds = append(m.Bonds, message.Bond{From: int(b.From), To: int(b.To), Order: order, Aromatic: b.Aromatic})
	}
	return node
}

// atom describes an atom, with its symbol as in the SMILES.
func atom(a molecule.Atom, smiles string) message.Atom {
	m := message.Atom{
		Charge: int(a.Charge), Hydrogens: int(a.Hydrogens), Isotope: int(a.Isotope), Aromatic: a.Aromatic, InRing: a.InRing,
	}
	at, end := span(a, smiles)
	if at == end {
		return m
	}
	// The symbol is the first letter and the small ones after it.
	symbol := strings.TrimLeft(smiles[at:end], "[0123456789")
	n := 1
	for n < len(symbol) && symbol[n] >= 'a' && symbol[n] <= 'z' {
		n++
	}
	m.Symbol = strings.ToUpper(symbol[:1]) + symbol[1:n]
	return m
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

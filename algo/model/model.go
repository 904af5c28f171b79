package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/near"
	"baca/algo/rare"
)

// Version is the version of the program and of the models that it trains.
const Version = "0.1.0"

// Feature schemas of models.
const (
	// OGB is the nine atom features of the Open Graph Benchmark, of molecules as written.
	OGB = "ogb-atom-9"
	// OGBCanonical is OGB of the canonical form, so that every way to write a molecule has one
	// score. The chirality feature follows the order of atoms.
	OGBCanonical = "ogb-atom-9-canonical"
	// OGBParent is OGB of the parent, see [smiles.Parent]: salts, isotopes, stereoisomers and
	// charged forms have one score.
	OGBParent = "ogb-atom-9-parent"
	// Constant is the single feature 1, for graphs without node features.
	Constant = "constant-1"
)

var forms = map[string]molecule.Form{OGB: molecule.AsWritten, OGBCanonical: molecule.Canonical, OGBParent: molecule.Parent}

// SchemaWidth returns the number of node features of a schema. Its error lists the known schemas.
func SchemaWidth(schema string) (int, error) {
	if _, ok := forms[schema]; ok {
		return molecule.Features, nil
	}
	if schema == Constant {
		return 1, nil
	}
	return 0, fmt.Errorf("feature schema %q: want %q, %q, %q or %q", schema, OGB, OGBCanonical, OGBParent, Constant)
}

// FormOf returns the form in which a schema reads molecules, AsWritten for other schemas.
func FormOf(schema string) molecule.Form { return forms[schema] }

// SchemaOf returns the schema that reads molecules in a form, whether in the order of their atoms or not.
func SchemaOf(f molecule.Form) string {
	return map[molecule.Form]string{molecule.AsWritten: OGB, molecule.Canonical: OGBCanonical, molecule.Unordered: OGBCanonical, molecule.Parent: OGBParent, molecule.UnorderedParent: OGBParent}[f]
}

// Reads describes how models of a schema read molecules. For an unknown schema it returns its name.
func Reads(schema string) string {
	return cmp.Or(map[string]string{
		OGB: "molecules as written, in the order of their atoms", OGBCanonical: "molecules as written",
		OGBParent: "the parent compound", Constant: "plain graphs",
	}[schema], schema)
}

// A Model is a frozen encoder and what it knows of the in-distribution set. It is read-only; goroutines may share it.
type Model struct {
	Card    Card
	Encoder *gin.Encoder // fixed
	// Bank represents training graphs: the initial ID dictionary, and the ID side of the density ratio. It may be a sample.
	Bank *contrast.Representation
	// Subtrees are those of all training graphs. Bank samples these graphs, see near.Place.
	Subtrees *fingerprint.Index
	// Holdout represents ID graphs that training never saw. Their scores give p-values. It may be
	// empty: then there are none.
	Holdout       *contrast.Representation
	HoldoutTraits []Trait // of each
	// Residuals are the prediction errors of the holdout, nil for none.
	Residuals *Residuals
	// Shared, unless 0, is the k of Share. Reference then has the ascending scores of held-out
	// graphs, and Holdout is empty.
	Shared    int
	Reference []float64
	// Measured caches the first step of scoring single graphs. If nil, scorers compute it.
	Measured *Measured
	// Background tells the training set from other molecules. Sizes has the scores of training
	// graphs by size. Both are nil without a background.
	Background *background.Head
	Sizes      *background.Sizes
	// Rare knows the parts of all training molecules, nil for plain graphs and models for sharing.
	Rare *rare.Table
	// Profile has statistics of all training graphs. If nil, explanations have fewer reasons.
	Profile *explain.Profile
	// Structures are the molecules of the training graphs, nil if not stored.
	Structures *Structures
	// Others are unknown sections of the model's file. They are preserved.
	Others []Section
}

// A Section is a part of a model's file.
type Section struct {
	Name string // at most 16 characters of ASCII
	Data []byte
}

// A Card says how a model was trained.
type Card struct {
	Name        string // short, as in --model
	Description string // one plain sentence
	Schema      string // OGB, OGBCanonical, OGBParent or Constant

	Dataset       string // name or file name of the training set
	DatasetSHA256 string // of the file's bytes, hex
	Graphs        int    // in the whole set, as read
	Train         int    // of them trained on
	HoldoutRows   []int  // indices in the set, from 0, of the graphs kept from training
	Repeats       []int  // indices of molecules that equal an earlier one; they are left out

	Seed         uint64
	Epochs       int // 0: the encoder was drawn from the seed, and not trained
	Batch        int
	LearningRate float64
	Loss         float64 // L_Pre of the last epoch
	Program      string  // version that trained it

	Background       string // name or file name of the background, empty for none
	BackgroundGraphs int    // number of its graphs

	// Holdout, unless empty, names the file whose graphs replaced the HoldoutRows.
	Holdout string
}

// Steps returns the number of steps that the encoder was trained for.
func (c *Card) Steps() int {
	batches := (c.Train + c.Batch - 1) / max(c.Batch, 1)
	return c.Epochs * max(batches, 1)
}

// Training says how the encoder was trained.
func (c *Card) Training() string {
	if c.Epochs == 0 {
		return fmt.Sprintf("none: the encoder is as drawn from seed %d", c.Seed)
	}
	return fmt.Sprintf("%s, batches of %d, learning rate %g, seed %d", explain.Count(c.Epochs, "epoch"), c.Batch, c.LearningRate, c.Seed)
}

// Counts says how the training set was divided.
func (c *Card) Counts() string {
	text := fmt.Sprintf("%d: %d trained on, %d kept from training", c.Graphs, c.Train, len(c.HoldoutRows))
	if n := len(c.Repeats); n > 0 {
		text += fmt.Sprintf(", %d repeat another", n)
	}
	return text
}

// MaxBank and MaxHoldout bound the bank and the holdout; larger sets are sampled evenly. Subtrees
// are kept of all graphs. With 999 held-out graphs p-values go down to 0.001.
const MaxBank, MaxHoldout = 2000, 999

// New freezes an encoder into a model: the graphs of gs with the indices train become the bank, those with holdout the
// holdout. It fills in the counts of the card. It fails for a schema that does not fit the encoder.
func New(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph, train, holdout []int, card Card) (*Model, error) {
	width, err := SchemaWidth(card.Schema)
	if err != nil {
		return nil, err
	}
	if width != e.Features {
		return nil, fmt.Errorf("feature schema %q has %d features, the encoder %d", card.Schema, width, e.Features)
	}
	pick := func(index []int, n int) []*graph.Graph {
		picked := make([]*graph.Graph, n)
		for k := range picked {
			picked[k] = gs[index[near.Place(k, n, len(index))]]
		}
		return picked
	}
	card.Graphs, card.Train, card.HoldoutRows = len(gs), len(train), holdout
	e = e.Fixed()
	m := &Model{Card: card, Encoder: e}
	if m.Bank, err = contrast.Describe(ctx, workers, e, pick(train, min(len(train), MaxBank))); err != nil {
		return nil, err
	}
	prints := m.Bank.Prints
	if len(train) > len(prints) {
		if prints, err = fingerprint.All(ctx, workers, pick(train, len(train)), fingerprint.DefaultHeight); err != nil {
			return nil, err
		}
	}
	m.Subtrees = fingerprint.NewIndex(prints)
	if len(train) > 0 && width == molecule.Features {
		m.Rare = rare.New(pick(train, len(train)), places(m.Bank.Len(), len(train)))
	}
	if len(train) > 0 {
		m.Profile = explain.NewProfile(pick(train, len(train)))
	}
	return m, m.SetHoldout(ctx, workers, pick(holdout, min(len(holdout), MaxHoldout)))
}

// places returns the places of a bank of m graphs among n training graphs, see near.Place.
func places(m, n int) []int {
	list := make([]int, m)
	for k := range list {
		list[k] = near.Place(k, m, n)
	}
	return list
}

// SetHoldout replaces the holdout by graphs that the model was not trained on. It drops what was known of the former one.
func (m *Model) SetHoldout(ctx context.Context, workers int, gs []*graph.Graph) (err error) {
	m.Measured, m.Residuals = nil, nil
	if m.Holdout, err = contrast.Describe(ctx, workers, m.Encoder, gs); err == nil {
		m.HoldoutTraits = m.Traits(gs, m.Holdout.Prints)
	}
	return err
}

// Form returns the form in which the model reads molecules.
func (m *Model) Form() molecule.Form { return FormOf(m.Card.Schema) }

// CheckReading returns an error if a graph is known to be of a molecule in another form than the model reads: its score
// would say little.
func (m *Model) CheckReading(gs []*graph.Graph) error {
	want := m.Form().Reading()
	for i, g := range gs {
		if g.Reading != 0 && g.Reading != want && m.Card.Schema != Constant {
			return fmt.Errorf("graph %d was read in another way than model %s reads molecules, which is %s: want smiles.ParseIn with Model.Form", i+1, m.Card.Name, Reads(m.Card.Schema))
		}
	}
	return nil
}

// References returns the number of held-out scores, from which p-values come.
func (m *Model) References() int { return max(m.Holdout.Len(), len(m.Reference)) }

// Known returns how many training graphs the model holds the subtrees of. The bank samples them evenly, see near.Place.
func (m *Model) Known() int { return m.Subtrees.Len() }

// Trained reports whether g was trained on: its print, see package fingerprint, equals that of a training graph. A model
// made for sharing holds none, so it reports false.
func (m *Model) Trained(g *graph.Graph) bool {
	return m.Shared == 0 && m.Subtrees.Has(fingerprint.New(g, fingerprint.DefaultHeight))
}

// maxRows bounds the data sets that KnownRows spends memory on. A card only claims its numbers.
const maxRows = 1 << 24

// KnownRows returns the data set's row, from 0, of each known training graph, or −1 for all if the card does not tell: for a
// model made for sharing, and if the card's numbers do not add up.
func (m *Model) KnownRows() []int {
	rows := make([]int, m.Known())
	for k := range rows {
		rows[k] = -1
	}
	left := slices.Concat(m.Card.HoldoutRows, m.Card.Repeats) // rows that were not trained on
	if m.Shared > 0 || m.Card.Train+len(left) != m.Card.Graphs || m.Card.Graphs > maxRows || m.Card.Train < len(rows) {
		return rows
	}
	isLeft := map[int]bool{}
	for _, row := range left {
		isLeft[row] = true
	}
	var train []int
	for row := range m.Card.Graphs {
		if !isLeft[row] {
			train = append(train, row)
		}
	}
	if len(train) == m.Card.Train {
		for k := range rows {
			rows[k] = train[near.Place(k, len(rows), len(train))]
		}
	}
	return rows
}

// ForgetFiles removes file names from the card. The name of the built-in background stays.
func (c *Card) ForgetFiles() {
	const file = "a file"
	if c.Dataset != "" {
		c.Description = strings.ReplaceAll(c.Description, c.Dataset, file)
		c.Dataset = ""
	}
	if c.Background != "" && c.Background != BuiltInBackground {
		c.Background = file
	}
	if c.Holdout != "" {
		c.Holdout = file
	}
}

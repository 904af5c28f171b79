// Package algo is the front door of BaCa: give it a pre-trained model and some
// graphs, and it says which graphs lie outside what the model was trained on.
// The packages below it are for those who need one stage of the method.
//
//	model, err := weights.Open("bbbp") // or weights.Load, of a file
//	scorer, err := algo.NewScorer(ctx, model, algo.DefaultOptions())
//	g, _, err := smiles.ParseParent("CCO") // as the built-in models read molecules, see FormOf
//	rows, err := scorer.Score(ctx, []*graph.Graph{g})
//	fmt.Println(rows[0].Score, rows[0].P, rows[0].Verdict)
//
// A module of yours finds these packages in a copy of the project:
//
//	go mod edit -replace baca=FOLDER
//	go get baca/algo baca/weights
package algo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/near"
)

// The feature schemas of models: what a row of node features means.
const (
	// OGB is the nine atom features of the Open Graph Benchmark, read from
	// molecules.
	OGB = "ogb-atom-9"
	// OGBCanonical is OGB read from the canonical form of a molecule. The
	// chirality feature follows the order in which a molecule is written; with
	// this schema all ways of writing it have one score.
	OGBCanonical = "ogb-atom-9-canonical"
	// OGBParent is OGB read from the parent of a molecule, see [smiles.Parent]: its salts,
	// isotopes, stereoisomers and charged forms have one score.
	OGBParent = "ogb-atom-9-parent"
	// Constant is the single feature 1, for graphs without node features.
	Constant = "constant-1"
)

// forms are those in which molecules are read, by schema.
var forms = map[string]molecule.Form{OGB: molecule.AsWritten, OGBCanonical: molecule.Canonical, OGBParent: molecule.Parent}

// SchemaWidth returns the number of node features of a schema, or an error that
// names the known ones.
func SchemaWidth(schema string) (int, error) {
	if _, ok := forms[schema]; ok {
		return molecule.Features, nil
	}
	if schema == Constant {
		return 1, nil
	}
	return 0, fmt.Errorf("feature schema %q: want %q, %q, %q or %q", schema, OGB, OGBCanonical, OGBParent, Constant)
}

// FormOf returns the form in which molecules are read by a schema.
func FormOf(schema string) molecule.Form { return forms[schema] }

// SchemaOf returns the schema of molecules that are read in a form.
func SchemaOf(f molecule.Form) string {
	return map[molecule.Form]string{molecule.AsWritten: OGB, molecule.Canonical: OGBCanonical, molecule.Unordered: OGBCanonical, molecule.Parent: OGBParent, molecule.UnorderedParent: OGBParent}[f]
}

// A Model is a frozen encoder together with what it remembers of the
// in-distribution set. It is read-only, and several goroutines may use it at once.
type Model struct {
	Card    Card
	Encoder *gin.Encoder // fixed
	// Bank represents graphs that the encoder was trained on: the initial ID
	// dictionary, and the ID side of the density ratio. It may be a sample.
	Bank *contrast.Representation
	// Subtrees are those of all graphs that the encoder was trained on. Bank is a sample of
	// them, see near.Place, or has them all.
	Subtrees *fingerprint.Index
	// Holdout represents ID graphs that training never saw. Their scores,
	// computed in the same state as the scores of a test batch, give p-values.
	// It may be empty: then there are none.
	Holdout       *contrast.Representation
	HoldoutTraits []Trait // of each
	// Residuals are errors of predictions for the graphs of the holdout, nil for none.
	Residuals *Residuals
	// Shared, unless 0, says that the model was made by Share, for groups of so many
	// graphs. Reference then has the scores that graphs kept from training get
	// alone, ascending, and Holdout is empty.
	Shared    int
	Reference []float64
	// Measured is what scoring single graphs begins with. It may be nil: then that is
	// measured when it begins.
	Measured *Measured
	// Background tells the training set from other molecules, and Sizes then says what
	// training graphs of each size score. Both are nil without a background.
	Background *background.Head
	Sizes      *Sizes
	// Profile says in numbers what all training graphs were like. It may be nil:
	// then less can be said of why a graph is unusual.
	Profile *explain.Profile
	// Structures are the molecules of the training graphs, nil where the model does not keep them.
	Structures *Structures
	// Others are sections of the model's file that this program does not know. It keeps them.
	Others []Section
}

// A Section is a part of a model's file.
type Section struct {
	Name string // at most 16 characters of ASCII
	Data []byte
}

// A Card says what a model was trained on, and how.
type Card struct {
	Name        string // short, as in --model
	Description string // one plain sentence
	Schema      string // OGB, OGBCanonical, OGBParent or Constant

	Dataset       string // name or file name of the training set
	DatasetSHA256 string // of the file's bytes, hex
	Graphs        int    // in the whole set, as read
	Train         int    // of them trained on
	HoldoutRows   []int  // indices in the set, from 0, of the graphs kept from training
	Repeats       []int  // indices of molecules that equal an earlier one as they are read, and have no part

	Seed         uint64
	Epochs       int
	Batch        int
	LearningRate float64
	Loss         float64 // L_Pre of the last epoch
	Program      string  // version that trained it

	Background       string // name or file name of the background, empty for none
	BackgroundGraphs int    // how many it has

	// Holdout, unless empty, is the name of the file whose graphs took the place of those of
	// HoldoutRows: p-values say how often one of them scores as high.
	Holdout string
}

// Counts says how many graphs the training set had, and what became of them.
func (c *Card) Counts() string {
	text := fmt.Sprintf("%d: %d trained on, %d kept from training", c.Graphs, c.Train, len(c.HoldoutRows))
	if n := len(c.Repeats); n > 0 {
		text += fmt.Sprintf(", %d repeat another", n)
	}
	return text
}

// MaxBank and MaxHoldout bound the bank and the holdout of a model. A larger set is
// represented by that many of its graphs, evenly spread over it: landmarks for embeddings.
// Subtrees are kept of all graphs. With 999 graphs kept from training, p-values go down to
// 0.001.
const MaxBank, MaxHoldout = 2000, 999

// NewModel freezes an encoder into a model: it represents the training graphs
// (train, indices into gs) as the bank and those kept from training (holdout) as
// the holdout, and fills in the counts of the card.
func NewModel(ctx context.Context, workers int, e *gin.Encoder, gs []*graph.Graph, train, holdout []int, card Card) (*Model, error) {
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
	if len(train) > 0 {
		m.Profile = explain.NewProfile(pick(train, len(train)), salt(card))
	}
	return m, m.SetHoldout(ctx, workers, pick(holdout, min(len(holdout), MaxHoldout)))
}

// SetHoldout makes other graphs those that p-values are taken from. The model must not
// have been trained on them.
func (m *Model) SetHoldout(ctx context.Context, workers int, gs []*graph.Graph) (err error) {
	m.Measured, m.Residuals = nil, nil
	if m.Holdout, err = contrast.Describe(ctx, workers, m.Encoder, gs); err == nil {
		m.HoldoutTraits = m.Traits(gs, m.Holdout.Prints)
	}
	return err
}

// References returns how many held-out graphs there are to take p-values from.
func (m *Model) References() int { return max(m.Holdout.Len(), len(m.Reference)) }

// Known returns how many training graphs the model holds the subtrees of: all that it was
// trained on. Those of the bank are picked from them evenly, see near.Place.
func (m *Model) Known() int { return m.Subtrees.Len() }

// maxRows bounds the data sets of which KnownRows is worth its memory. The numbers
// on a card are only what a file says.
const maxRows = 1 << 24

// KnownRows returns the rows of the data set, from 0, that the training graphs were which
// the model holds, as NewModel picks them, or −1 where the card does not tell.
func (m *Model) KnownRows() []int {
	rows := make([]int, m.Known())
	for k := range rows {
		rows[k] = -1
	}
	left := slices.Concat(m.Card.HoldoutRows, m.Card.Repeats)
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

// salt is that of the hashes of a model's training graphs. It differs from model to
// model, and the same training gives the same file.
func salt(c Card) (s [explain.SaltSize]byte) {
	sum := sha256.Sum256(fmt.Appendf(nil, "baca salt\n%s\n%s\n%s\n%d", c.Name, c.Dataset, c.DatasetSHA256, c.Seed))
	copy(s[:], sum[:])
	return s
}

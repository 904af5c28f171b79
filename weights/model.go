package weights

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/near"
)

const (
	// maxRows bounds the rows of a bank or a holdout.
	maxRows = 1 << 17
	// maxKnown bounds the training graphs with subtrees or structures.
	maxKnown = 1 << 20
	// maxWork bounds rows·E². Projecting rows again takes 4·rows·E² multiply-adds, a few seconds at most.
	maxWork = 1 << 30
	// maxQ is the largest log1p of a pooled embedding. That of the largest float32 is 88.7, and the next float16 values
	// after 88 have no inverse.
	maxQ = 88
)

// Save writes a model. The same model gives the same bytes.
//
// It rounds bank embeddings to 256 values a column, holdout embeddings to float16, and node scores to float32. So score
// with the model as it is loaded again. Saving a loaded model gives the same bytes.
//
// It returns an error for a model that contradicts itself, see FORMAT.md under "What has to fit together".
func Save(w io.Writer, m *algo.Model) error {
	if m.Encoder == nil || m.Bank == nil || m.Subtrees == nil {
		return fmt.Errorf("%w: a model to save needs an encoder, a bank and subtrees", ErrFormat)
	}
	if m.Holdout == nil {
		all := *m
		all.Holdout = &contrast.Representation{Width: m.Bank.Width}
		m = &all
	}
	if err := try(func() { check(m); checkPrints(m) }); err != nil {
		return err
	}
	var sections []algo.Section
	for _, p := range parts {
		if p.has(m) {
			c := newWriter()
			if err := c.do(func() { p.fields(c, m) }); err != nil {
				return err
			}
			sections = append(sections, algo.Section{Name: p.name, Data: c.buf.Bytes()})
		}
	}
	sections[0], sections[1] = sections[1], sections[0] // the head begins the file
	sections = append(sections, m.Others...)
	if err := checkNames(sections); err != nil {
		return err
	}
	return write(w, modelKind, sections)
}

// Sum returns the SHA-256, in hex, of the file that Save writes.
func Sum(m *algo.Model) (string, error) {
	h := sha256.New()
	err := Save(h, m)
	return hex.EncodeToString(h.Sum(nil)), err
}

// Sections beside the head. All but the index are optional, as no score depends on them.
const (
	indexSection      = "index"
	residualsSection  = "residuals"
	doubtsSection     = "doubts"
	scaffoldsSection  = "scaffolds"
	structuresSection = "structures"
)

// parts lists the known sections. A section comes after those that it needs.
var parts = []struct {
	name   string
	has    func(m *algo.Model) bool
	fields func(c *codec, m *algo.Model)
}{
	{indexSection, func(*algo.Model) bool { return true }, (*codec).index},
	{headSection, func(*algo.Model) bool { return true }, (*codec).model},
	{residualsSection, func(m *algo.Model) bool { return m.Residuals != nil }, (*codec).residuals},
	{doubtsSection, hasColumn(uncertainty), besideErrors(uncertainty)},
	{scaffoldsSection, hasColumn(newScaffold), besideErrors(newScaffold)},
	{structuresSection, func(m *algo.Model) bool { return m.Structures != nil }, (*codec).structures},
}

// Numbers of entries of the maps in the head.
const (
	modelEntries      = 12
	cardEntries       = 18
	configEntries     = 3
	tensorEntries     = 2
	bankEntries       = 5
	holdoutEntries    = 6
	backgroundEntries = 7
	profileEntries    = 2
	rareEntries       = 4
	measuredEntries   = 3
)

// Load reads and checks a model from the bytes of a file. It keeps data, which must not change. An error wraps one of this
// package's.
func Load(data []byte) (*algo.Model, error) {
	sections, err := read(data, modelKind)
	if err != nil {
		return nil, err
	}
	m := new(algo.Model)
	for _, p := range parts {
		i := slices.IndexFunc(sections, func(s algo.Section) bool { return s.Name == p.name })
		if i < 0 && p.name == indexSection {
			return nil, fmt.Errorf("%w: a model without section %q", ErrFormat, indexSection)
		} else if i < 0 {
			continue
		}
		c := newReader(sections[i].Data)
		if err := c.do(func() { p.fields(c, m) }); err != nil && p.name != headSection {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		} else if err != nil {
			return nil, err
		}
		sections = slices.Delete(sections, i, i+1)
	}
	if len(sections) > 0 {
		m.Others = sections
	}
	if err := try(func() { check(m) }); err != nil {
		return nil, err
	}
	return m, nil
}

// model writes or reads the head of a model. A reader must have read the index before.
func (c *codec) model(m *algo.Model) {
	c.fields("", modelEntries)
	cardFields(c, &m.Card)
	var config gin.Config
	if c.writes {
		config = m.Encoder.Config
	}
	configFields(c, "encoder", &config)
	checkSchema(m.Card.Schema, config) // before the encoder is allocated: its size follows from three numbers
	c.encoder(config, m)
	c.bank(m)
	c.holdout(m)
	c.traits(m)
	c.background(m)
	c.rare(m)
	c.profile(m)
	c.count("shared", &m.Shared)
	c.rounded("reference", &m.Reference)
	c.measured(m)
}

// cardFields writes or reads the card.
func cardFields(c *codec, v *algo.Card) {
	c.fields("card", cardEntries)
	c.text("name", &v.Name)
	c.text("description", &v.Description)
	c.text("schema", &v.Schema)
	c.text("dataset", &v.Dataset)
	c.text("dataset_sha256", &v.DatasetSHA256)
	c.count("graphs", &v.Graphs)
	c.count("train", &v.Train)
	c.counts("holdout_rows", &v.HoldoutRows)
	c.counts("repeats", &v.Repeats)
	c.word("seed", &v.Seed)
	c.count("epochs", &v.Epochs)
	c.count("batch", &v.Batch)
	c.real("learning_rate", &v.LearningRate)
	c.real("loss", &v.Loss)
	c.text("program", &v.Program)
	c.text("background", &v.Background)
	c.count("background_graphs", &v.BackgroundGraphs)
	c.text("holdout", &v.Holdout)
}

// configFields writes or reads the sizes of an encoder.
func configFields(c *codec, key string, v *gin.Config) {
	c.fields(key, configEntries)
	c.count("features", &v.Features)
	c.count("hidden", &v.Hidden)
	c.count("layers", &v.Layers)
}

// encoder writes or reads the tensors of an encoder. A reader fails unless there are all that config asks for, in order and
// with their shapes. It makes the encoder only if so many bytes remain.
func (c *codec) encoder(config gin.Config, m *algo.Model) {
	c.key("tensors")
	e := m.Encoder
	if !c.writes {
		n := 4 * parameters(config)
		c.require(n <= c.remaining(), ErrTensor, "an encoder of %s has %d bytes of parameters, %d bytes remain",
			shape(config), n, c.remaining())
		e = gin.Zero(config)
	}
	tensors := e.Tensors()
	n := c.entries("tensors", len(tensors))
	c.require(n == len(tensors), ErrTensor, "%d tensors, want %d for an encoder of %s", n, len(tensors), shape(config))
	for _, t := range tensors {
		c.fields(t.Name, tensorEntries)
		dims := t.Shape
		c.counts("shape", &dims)
		c.require(slices.Equal(dims, t.Shape), ErrTensor, "%q has shape %v, want %v", t.Name, dims, t.Shape)
		c.floats("float32", t.Data)
	}
	if !c.writes {
		m.Encoder = e.Fixed()
	}
}

// parameters returns the number of parameters of an encoder of a valid shape.
func parameters(c gin.Config) int {
	linear := func(in, out int) int { return in*out + out }
	n := 0
	for _, in := range [gin.Views]int{c.Features, graph.EncodingWidth} {
		// Each layer is an MLP of two linear layers.
		n += linear(in, c.Hidden) + (2*c.Layers-1)*linear(c.Hidden, c.Hidden)
		// So are the head of graphs and the head of nodes.
		n += 2 * 2 * linear(c.Width(), c.Width())
	}
	return n
}

// shape describes the sizes of an encoder, for errors.
func shape(c gin.Config) string {
	return fmt.Sprintf("%d features, hidden width %d and %d layers", c.Features, c.Hidden, c.Layers)
}

// check fails for a model that is well-formed but contradicts itself.
func check(m *algo.Model) {
	checkSchema(m.Card.Schema, m.Encoder.Config)
	checkFinite("the list of all parameters", m.Encoder.Params)
	checkCard(&m.Card)
	bank, holdout := m.Bank.Len(), m.Holdout.Len()
	require(bank > 0, ErrRows, "the bank is empty, want at least one training graph")
	require(bank <= m.Card.Train, ErrRows, "the bank has %d rows, only %d graphs were trained on", bank, m.Card.Train)
	checkKnown(m)
	require(m.Card.Holdout != "" || holdout <= len(m.Card.HoldoutRows), ErrRows,
		"the holdout has %d rows, only %d graphs were kept from training", holdout, len(m.Card.HoldoutRows))
	checkRows("bank", m.Bank, m.Encoder)
	checkRows("holdout", m.Holdout, m.Encoder)
	checkRare(m, bank)
	checkTraits(m, holdout)
	checkBackground(m)
	checkProfile(m)
	checkShared(m)
	checkMeasured(m.Measured, holdout)
	checkResiduals(m, holdout)
	checkStructures(m)
}

// checkCard fails if training graphs and rows kept from training or repeated are more than the data set's graphs, and for a
// row that is out of range or listed twice.
func checkCard(c *algo.Card) {
	n := len(c.HoldoutRows) + len(c.Repeats)
	require(n <= maxList, ErrTooLarge, "%d graphs kept from training or repeated, want at most %d", n, maxList)
	require(c.Train <= c.Graphs && n <= c.Graphs-c.Train, ErrRows,
		"%d training graphs and %d kept from training or repeated, of %d", c.Train, n, c.Graphs)
	sorted := slices.Sorted(slices.Values(slices.Concat(c.HoldoutRows, c.Repeats)))
	for i, row := range sorted {
		if row < 0 || row >= c.Graphs {
			fail(ErrRows, "row %d of %d graphs is kept from training or repeated", row, c.Graphs)
		}
		if i > 0 && row == sorted[i-1] {
			fail(ErrRows, "row %d is kept from training or repeated twice", row)
		}
	}
}

// checkKnown fails unless m.Subtrees has one entry for each training graph or, in a model made for sharing, for each row of
// the bank.
func checkKnown(m *algo.Model) {
	known, want := m.Known(), m.Card.Train
	if m.Shared > 0 {
		want = m.Bank.Len()
	}
	require(known <= maxKnown, ErrTooLarge, "the subtrees of %d training graphs, want at most %d", known, maxKnown)
	require(known == want, ErrRows, "the subtrees of %d training graphs, want those of %d", known, want)
}

// checkPrints fails for a bank whose prints are not those of its training graphs. A file has these prints only once.
func checkPrints(m *algo.Model) {
	for k, p := range m.Bank.Prints {
		if !p.Equal(m.Subtrees.Print(near.Place(k, m.Bank.Len(), m.Known()))) {
			fail(ErrRows, "row %d of the bank has other subtrees than the training graph that it is", k)
		}
	}
}

// checkSchema fails for impossible sizes of an encoder, an unknown schema, and a schema with another number of features.
func checkSchema(schema string, c gin.Config) {
	err := c.Validate()
	require(err == nil, ErrFormat, "%v", err)
	width, err := algo.SchemaWidth(schema)
	require(err == nil, ErrSchema, "%v", err)
	require(c.Features == width, ErrSchema, "the encoder takes %d features, %s has %d", c.Features, schema, width)
}

// checkRows fails unless the rows of v fit each other and the encoder, with values in range.
func checkRows(key string, v *contrast.Representation, e *gin.Encoder) {
	n, width := v.Len(), e.Width()
	checkSize(key, n, width)
	require(v.Width == width && len(v.Q) == n*2*width, ErrRows,
		"%s has %d embedding values of width %d for %d graphs, want %d of width %d", key, len(v.Q), v.Width, n, n*2*width, width)
	for i, x := range v.Q {
		if !(x >= 0 && x <= maxQ) {
			fail(ErrNumber, "%s row %d has log1p embedding %g, want 0 to %d", key, i/(2*width), x, maxQ)
		}
	}
	require(len(v.Prints) == n, ErrRows, "%s has %d prints, want one for each of %d graphs", key, len(v.Prints), n)
	err := fingerprint.Check(v.Prints)
	require(err == nil, ErrRows, "%s: %w", key, err)
	for i, x := range v.NodeScore {
		if math.Abs(x) > math.MaxFloat32 {
			fail(ErrNumber, "%s row %d has node score %g, want a finite float32, or NaN for none", key, i, x)
		}
	}
}

// checkSize fails for more rows of a width than maxRows and maxWork allow. key is for the error.
func checkSize(key string, n, width int) {
	most := min(maxRows, maxWork/(width*width))
	require(n <= most, ErrTooLarge, "%s has %d rows of width %d, want at most %d", key, n, width, most)
}

// checkText fails for text that is too long or no UTF-8.
func checkText(key, v string) {
	require(len(v) <= maxText, ErrFormat, "%s has %d bytes, want at most %d", key, len(v), maxText)
	require(utf8.ValidString(v), ErrFormat, "%s is not UTF-8", key)
}

// checkFinite fails at the first number that is infinite or NaN.
func checkFinite(key string, v []float32) {
	for i, x := range v {
		if !finite(float64(x)) {
			fail(ErrNumber, "%s has %g at index %d, want a finite number", key, x, i)
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

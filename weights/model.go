package weights

import (
	"cmp"
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
	// maxWork bounds rows·E²: projecting rows again takes 4·rows·E² multiply-adds, a few seconds at
	// most.
	maxWork = 1 << 30
	// maxQ is the largest log1p of a pooled embedding: that of the largest float32 is 88.7, and
	// later float16 values have no inverse.
	maxQ = 88
)

// Save writes a model, deterministically.
//
// It rounds bank embeddings to 256 values a column, holdout embeddings to float16, and node scores
// to float32. So score with the loaded model. Saving a loaded model gives the same bytes.
//
// A contradictory model, as in FORMAT.md under "What has to fit together", is an error.
func Save(w io.Writer, m *algo.Model) error {
	if m.Encoder == nil || m.Bank == nil || m.Subtrees == nil {
		return fmt.Errorf("%w: a model to save needs an encoder, a bank and subtrees", ErrFormat)
	}
	holdout := m.Holdout
	if holdout == nil {
		holdout = &contrast.Representation{Width: m.Bank.Width}
	}
	if err := check(m, holdout); err != nil {
		return err
	}
	known := m.Known()
	for k, p := range m.Bank.Prints {
		if !p.Equal(m.Subtrees.Print(near.Place(k, m.Bank.Len(), known))) {
			return fmt.Errorf("%w: row %d of the bank has other subtrees than the training graph that it is", ErrRows, k)
		}
	}
	var sections []algo.Section
	var err error
	add := func(name string, fill func(*writer)) {
		w := newWriter()
		fill(w)
		sections, err = append(sections, algo.Section{Name: name, Data: w.buf.Bytes()}), cmp.Or(err, w.err)
	}
	add(headSection, func(w *writer) { w.model(m, holdout) })
	add(indexSection, func(w *writer) { w.index(m.Subtrees) })
	if m.Residuals != nil {
		add(residualsSection, func(w *writer) { w.residuals(m.Residuals) })
	}
	if m.Structures != nil {
		add(structuresSection, func(w *writer) { w.structures(m.Structures) })
	}
	if sections = append(sections, m.Others...); err == nil {
		err = checkNames(sections)
	}
	if err != nil {
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

// Sections beside the head. Those from residuals on are optional, as no score depends on them.
const (
	indexSection      = "index"
	residualsSection  = "residuals"
	structuresSection = "structures"
)

// Numbers of entries of the head's maps.
const (
	modelEntries      = 11
	cardEntries       = 18
	configEntries     = 3
	tensorEntries     = 2
	bankEntries       = 5
	holdoutEntries    = 6
	backgroundEntries = 7
	profileEntries    = 5
	measuredEntries   = 3
)

// model writes the head.
func (p *writer) model(m *algo.Model, holdout *contrast.Representation) {
	card := m.Card
	p.fields("", modelEntries)
	cardFields(p, &card)
	config := m.Encoder.Config
	configFields(p, "encoder", &config)
	tensors := m.Encoder.Tensors()
	p.fields("tensors", len(tensors))
	for _, t := range tensors {
		p.fields(t.Name, tensorEntries)
		p.counts("shape", &t.Shape)
		p.floats("float32", t.Data)
	}
	p.fields("bank", bankEntries)
	p.bankRows(m.Bank)
	p.fields("holdout", holdoutEntries)
	p.holdoutRows(holdout)
	p.traits(m.HoldoutTraits)
	p.background(m.Background, m.Sizes)
	p.profile(m.Profile)
	p.count("shared", &m.Shared)
	reference := make([]float32, len(m.Reference))
	for i, x := range m.Reference {
		reference[i] = float32(x)
	}
	p.floats("reference", reference)
	p.measured(m.Measured)
}

// Load reads and verifies a model from a file's bytes. It keeps data, which must not change. The
// error wraps one of this package's.
func Load(data []byte) (*algo.Model, error) {
	sections, err := read(data, modelKind)
	if err != nil {
		return nil, err
	}
	m := new(algo.Model)
	take := func(name string, load func(*reader)) error {
		for i, s := range sections {
			if s.Name == name {
				sections = slices.Delete(sections, i, i+1)
				r := newReader(s.Data)
				err := r.do(func() { load(r) })
				if err != nil && name != headSection {
					err = fmt.Errorf("%s: %w", name, err)
				}
				return err
			}
		}
		return nil
	}
	for _, s := range []struct {
		name string
		load func(*reader)
	}{
		{indexSection, func(r *reader) { m.Subtrees = r.index() }},
		{headSection, func(r *reader) { r.model(m) }},
		{residualsSection, func(r *reader) { m.Residuals = r.residuals(m.Holdout.Len()) }},
		{structuresSection, func(r *reader) { m.Structures = r.structures() }},
	} {
		if err := take(s.name, s.load); err != nil {
			return nil, err
		}
		if m.Subtrees == nil {
			return nil, fmt.Errorf("%w: a model without section %q", ErrFormat, indexSection)
		}
	}
	m.Others = sections
	if len(m.Others) == 0 {
		m.Others = nil
	}
	if err := check(m, m.Holdout); err != nil {
		return nil, err
	}
	return m, nil
}

// model reads the head of a model whose subtrees are read.
func (r *reader) model(m *algo.Model) {
	r.fields("", modelEntries)
	cardFields(r, &m.Card)
	var config gin.Config
	configFields(r, "encoder", &config)
	r.check(checkSchema(m.Card.Schema, config)) // before the encoder is allocated: its size follows from three numbers
	m.Encoder = r.encoder(config)
	m.Bank = r.bank(m.Encoder, m.Subtrees)
	m.Holdout = r.holdout(m.Encoder)
	m.HoldoutTraits = r.traits(m.Holdout)
	m.Background, m.Sizes = r.background()
	m.Profile = r.profile(config.Features)
	r.count("shared", &m.Shared)
	var reference []float32
	r.allFloats("reference", &reference)
	for _, x := range reference {
		m.Reference = append(m.Reference, float64(x))
	}
	m.Measured = r.measured(m.Holdout)
}

func cardFields(c codec, v *algo.Card) {
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

func configFields(c codec, key string, v *gin.Config) {
	c.fields(key, configEntries)
	c.count("features", &v.Features)
	c.count("hidden", &v.Hidden)
	c.count("layers", &v.Layers)
}

// encoder reads an encoder's tensors; the shape is valid unless there was an error.
func (r *reader) encoder(c gin.Config) *gin.Encoder {
	r.key("tensors")
	if n := 4 * parameters(c); n > r.remaining() {
		r.fail(ErrTensor, "an encoder of %s has %d bytes of parameters, %d bytes remain", shape(c), n, r.remaining())
	}
	e := gin.Zero(c)
	tensors := e.Tensors()
	if n := r.entries("tensors"); n != len(tensors) {
		r.fail(ErrTensor, "%d tensors, want %d for an encoder of %s", n, len(tensors), shape(c))
	}
	for _, t := range tensors {
		if name := r.str("the name of a tensor"); name != t.Name {
			r.fail(ErrTensor, "%q is not expected: want %q", name, t.Name)
		}
		r.tensor(t)
	}
	return e.Fixed()
}

// tensor reads the value of one tensor, after its name.
func (r *reader) tensor(t gin.Tensor) {
	if n := r.entries(t.Name); n != tensorEntries {
		r.fail(ErrFormat, "%s is a map of %d entries, want %d", t.Name, n, tensorEntries)
	}
	var dims []int
	r.counts("shape", &dims)
	if !slices.Equal(dims, t.Shape) {
		r.fail(ErrTensor, "%q has shape %v, want %v", t.Name, dims, t.Shape)
	}
	r.floats("float32", t.Data)
}

// parameters counts the parameters of a valid shape c.
func parameters(c gin.Config) int {
	linear := func(in, out int) int { return in*out + out }
	n := 0
	for _, in := range [gin.Views]int{c.Features, graph.EncodingWidth} {
		n += linear(in, c.Hidden) + (2*c.Layers-1)*linear(c.Hidden, c.Hidden)
		n += 4 * linear(c.Width(), c.Width())
	}
	return n
}

func shape(c gin.Config) string {
	return fmt.Sprintf("%d features, hidden width %d and %d layers", c.Features, c.Hidden, c.Layers)
}

// check rejects a model that is well-formed but useless.
func check(m *algo.Model, holdout *contrast.Representation) error {
	c := &m.Card
	if err := checkSchema(c.Schema, m.Encoder.Config); err != nil {
		return err
	}
	if err := checkFinite("the list of all parameters", m.Encoder.Params); err != nil {
		return err
	}
	if n := len(c.HoldoutRows) + len(c.Repeats); n > maxList {
		return fmt.Errorf("%w: %d graphs kept from training or repeated, want at most %d", ErrTooLarge, n, maxList)
	} else if c.Train > c.Graphs || n > c.Graphs-c.Train {
		return fmt.Errorf("%w: %d training graphs and %d kept from training or repeated, of %d", ErrRows, c.Train, n, c.Graphs)
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(c.HoldoutRows, c.Repeats)))
	for i, row := range sorted {
		if row < 0 || row >= c.Graphs {
			return fmt.Errorf("%w: row %d of %d graphs is kept from training or repeated", ErrRows, row, c.Graphs)
		}
		if i > 0 && row == sorted[i-1] {
			return fmt.Errorf("%w: row %d is kept from training or repeated twice", ErrRows, row)
		}
	}
	if m.Bank.Len() == 0 {
		return fmt.Errorf("%w: the bank is empty, want at least one training graph", ErrRows)
	}
	if m.Bank.Len() > c.Train {
		return fmt.Errorf("%w: the bank has %d rows, only %d graphs were trained on", ErrRows, m.Bank.Len(), c.Train)
	}
	if err := checkKnown(m); err != nil {
		return err
	}
	if c.Holdout == "" && holdout.Len() > len(c.HoldoutRows) {
		return fmt.Errorf("%w: the holdout has %d rows, only %d graphs were kept from training", ErrRows, holdout.Len(), len(c.HoldoutRows))
	}
	for _, err := range []error{
		checkRows("bank", m.Bank, m.Encoder), checkRows("holdout", holdout, m.Encoder), checkTraits(m.HoldoutTraits, holdout.Len()),
		checkBackground(m), checkProfile(m), checkShared(m), checkMeasured(m.Measured, holdout.Len()), checkResiduals(m, holdout.Len()), checkStructures(m),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkKnown rejects an index that does not match the training graphs.
func checkKnown(m *algo.Model) error {
	known, want := m.Known(), m.Card.Train
	if m.Shared > 0 {
		want = m.Bank.Len()
	}
	if known > maxKnown {
		return fmt.Errorf("%w: the subtrees of %d training graphs, want at most %d", ErrTooLarge, known, maxKnown)
	}
	if known != want {
		return fmt.Errorf("%w: the subtrees of %d training graphs, want those of %d", ErrRows, known, want)
	}
	return nil
}

// checkSchema rejects an encoder that does not fit the schema.
func checkSchema(schema string, c gin.Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("%w: %v", ErrFormat, err)
	}
	width, err := algo.SchemaWidth(schema)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrSchema, err)
	}
	if c.Features != width {
		return fmt.Errorf("%w: the encoder takes %d features, %s has %d", ErrSchema, c.Features, schema, width)
	}
	return nil
}

func checkRows(key string, v *contrast.Representation, e *gin.Encoder) error {
	n, width := v.Len(), e.Width()
	if err := checkSize(key, n, width); err != nil {
		return err
	}
	if v.Width != width || len(v.Q) != n*2*width {
		return fmt.Errorf("%w: %s has %d embedding values of width %d for %d graphs, want %d of width %d",
			ErrRows, key, len(v.Q), v.Width, n, n*2*width, width)
	}
	for i, x := range v.Q {
		if !(x >= 0 && x <= maxQ) {
			return fmt.Errorf("%w: %s row %d has log1p embedding %g, want 0 to %d", ErrNumber, key, i/(2*width), x, maxQ)
		}
	}
	if len(v.Prints) != n {
		return fmt.Errorf("%w: %s has %d prints, want one for each of %d graphs", ErrRows, key, len(v.Prints), n)
	}
	if err := fingerprint.Check(v.Prints); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRows, key, err)
	}
	for i, x := range v.NodeScore {
		if math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("%w: %s row %d has node score %g, want a finite float32, or NaN for none", ErrNumber, key, i, x)
		}
	}
	return nil
}

// checkSize rejects too many rows.
func checkSize(key string, n, width int) error {
	if n > maxRows || n*width*width > maxWork {
		return fmt.Errorf("%w: %s has %d rows of width %d, want at most %d", ErrTooLarge, key, n, width, min(maxRows, maxWork/(width*width)))
	}
	return nil
}

func checkText(key, v string) error {
	if len(v) > maxText {
		return fmt.Errorf("%w: %s has %d bytes, want at most %d", ErrFormat, key, len(v), maxText)
	}
	if !utf8.ValidString(v) {
		return fmt.Errorf("%w: %s is not UTF-8", ErrFormat, key)
	}
	return nil
}

func checkFinite(key string, v []float32) error {
	for i, x := range v {
		if !finite(float64(x)) {
			return fmt.Errorf("%w: %s has %g at index %d, want a finite number", ErrNumber, key, x, i)
		}
	}
	return nil
}

func checkReal(key string, v float64) error {
	if !finite(v) {
		return fmt.Errorf("%w: %s is %g, want a finite number", ErrNumber, key, v)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

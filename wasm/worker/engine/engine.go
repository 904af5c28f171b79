// Package engine answers the requests of package message (Engine.Handle). A Host carries its
// answers, so tests need no browser.
package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/gin"
	"baca/algo/molecule"
	"baca/algo/run"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

type Host interface {
	// Post sends an event or a reply to a request.
	Post(number uint32, m any)
	// Yield lets the host receive messages. The engine calls it often.
	Yield()
	// Waiting takes the next request if it is [Light].
	Waiting() (uint32, message.Request, bool)
	// Fetch returns a file of the site.
	Fetch(name string) ([]byte, error)
	// File returns the file that came with a message.
	File(number int) (Source, error)
	// Zstd decompresses zstd, which is loaded on demand: it is a tenth of a first visit, and rarely needed.
	Zstd(r io.Reader) (io.Reader, error)
	// Cores is the number of workers that can compute at once, with this one.
	Cores() int
	// Device returns the best device for batches of that many graphs, and its name: nil for the processor.
	Device(ctx context.Context, shape gin.Config, graphs int, training bool) (gin.Device, string)
	// Spawn starts another worker. It implements [message.Spawn].
	Spawn(receive func(data []byte), died func(reason string)) message.Port
}

// Start is the site's file with the Welcome.
const Start = "start.msgpack"

// Drawer is the site's drawing script, embedded in reports.
const Drawer = "web/lib/draw.js"

// An Engine holds a model, an input and the state of the last batch. It is used by one goroutine, except for Pause.
type Engine struct {
	host    Host
	welcome *message.Welcome

	model *algo.Model
	file  []byte             // of the model
	card  message.Model      // rows name the model by its SHA-256
	alone *algo.SingleScorer // nil until used

	input  *input
	last   *calibrated // nil without
	atlas  []*plane    // of input and model, by view, nil until used
	chart  *chart      // of the model, nil until used
	alpha  float64     // of the last Score, 0 before
	team   *team       // helpers for the input, nil without
	shared *scoring    // with a worker that has the input, see Share

	paused bool // Pause was called since the pausable request began

	// Tests lower these.
	batch      int // graphs that are scored together
	minShared  int
	minScored  int // threshold for another device
	minTrained int
}

// New returns an engine without model and input.
func New(h Host) *Engine {
	return &Engine{host: h, batch: run.MaxGraphs, minShared: minShared, minScored: minDeviceGraphs, minTrained: minDeviceTrained}
}

// Handle answers a request and posts the reply under the request's number. An error becomes a Failed, with CodeInternal
// unless it has a code.
func (e *Engine) Handle(number uint32, r message.Request) {
	reply, err := e.answer(number, r)
	if err != nil {
		var failed *message.Failed
		if !errors.As(err, &failed) {
			failed = &message.Failed{Code: message.CodeInternal, Text: err.Error()}
		}
		reply = failed
	}
	e.host.Post(number, reply)
}

// Pause ends a Train after its epoch, and other pausable requests soon. It may be called while
// Handle runs, on the same thread.
func (e *Engine) Pause() { e.paused = true }

// Light reports whether a request takes little time and changes nothing, so that it can be answered during another one.
func Light(r message.Request) bool {
	switch r.(type) {
	case *message.Hello, *message.Detail, *message.Trace, *message.Graphons:
		return true
	}
	return false
}

// failf makes a failure of the given code.
func failf(code, format string, args ...any) error {
	return &message.Failed{Code: code, Text: fmt.Errorf(format, args...).Error()}
}

// coded is a failure of the given code for an error, nil for none.
func coded(code string, err error) error {
	if err == nil {
		return nil
	}
	return failf(code, "%w", err)
}

// answer returns the reply to a request, or an error. Events go to the page meanwhile.
func (e *Engine) answer(number uint32, r message.Request) (message.Reply, error) {
	post := func(ev message.Event) { e.host.Post(number, ev) }
	switch r.(type) {
	case *message.Score, *message.Pause:
	default:
		if !Light(r) {
			e.dismiss() // nobody waits for what they score
		}
	}
	switch r := r.(type) {
	case *message.Hello:
		return e.hello()
	case *message.LoadModel:
		return e.loadModel(r)
	case *message.Open:
		return e.open(r, post)
	case *message.Score:
		return e.score(r, post)
	case *message.Share:
		return e.share(r)
	case *message.Piece:
		return e.piece(r)
	case *message.Detail:
		return e.detail(r)
	case *message.Trace:
		return e.trace(r)
	case *message.Graphons:
		return e.graphons(r)
	case *message.Reasons:
		return long(e, post, r, e.reasons)
	case *message.Compute:
		return long(e, post, r, e.compute)
	case *message.Ask:
		return long(e, post, r, e.ask)
	case *message.Compare:
		return long(e, post, r, e.compare)
	case *message.Suggest:
		return long(e, post, r, e.suggest)
	case *message.Trust:
		return long(e, post, r, e.trust)
	case *message.Report:
		return long(e, post, r, e.report)
	case *message.Domain:
		return long(e, post, r, e.domain)
	case *message.Publish:
		return publish(e, r)
	case *message.Train:
		return e.train(r, post)
	case *message.Pause:
		e.Pause()
		return &message.Paused{}, nil
	}
	return nil, failf(message.CodeInternal, "%T is not answered", r)
}

// hello returns what the site and the engine offer. The first call fetches it.
func (e *Engine) hello() (*message.Welcome, error) {
	if e.welcome != nil {
		return e.welcome, nil
	}
	data, err := e.host.Fetch(Start)
	if err != nil {
		return nil, err
	}
	_, m, err := message.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Start, err)
	}
	w, ok := m.(*message.Welcome)
	if !ok {
		return nil, fmt.Errorf("%s holds a %T, want a Welcome", Start, m)
	}
	e.welcome = w
	for _, t := range tools() {
		w.Tools = append(w.Tools, t.Tool)
	}
	return w, nil
}

// loadModel loads a file that the page passes, or a model of the site by its name. That one must have the SHA-256
// that its card tells.
func (e *Engine) loadModel(r *message.LoadModel) (card *message.Model, err error) {
	at := &message.Model{Name: r.Name}
	data := r.Data
	if data == nil {
		if at, err = e.find(r); err != nil {
			return nil, err
		}
		if data, err = e.host.Fetch(at.File); err != nil {
			return nil, failf(message.CodeBadModel, "model %s: %w", at.Name, err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != at.SHA256 {
			return nil, failf(message.CodeBadModel, "model %s is not what it should be: its sha-256 is %x, want "+
				"%s; load the page again", at.Name, sum, at.SHA256)
		}
	}
	m, err := weights.Load(data)
	if err != nil {
		return nil, failf(message.CodeBadModel, "model %s: %w", at.Name, err)
	}
	if m.Card.Name == "" {
		m.Card.Name = r.Name
	}
	e.model, e.file, e.alone, e.last, e.atlas, e.chart = m, data, nil, nil, nil, nil
	e.card = Card(m, data)
	e.card.File, e.card.BuiltIn, e.card.Published = at.File, at.File != "" && at.Published == nil, at.Published
	if p := e.card.Published; p != nil {
		p.HTML = cardHTML(e, p.Date)
	}
	reply := e.card
	return &reply, nil
}

// find finds a model of the site, by its name or that of its domain.
func (e *Engine) find(r *message.LoadModel) (*message.Model, error) {
	if r.Domain != "" && published != nil {
		at, err := published(e, r.Domain)
		return at, coded(message.CodeBadModel, err)
	}
	w, err := e.hello()
	if err != nil {
		return nil, err
	}
	for i := range w.Models {
		if r.Name == "" || r.Name == w.Models[i].Name {
			return &w.Models[i], nil
		}
	}
	return nil, failf(message.CodeBadModel, "model %q does not come with this page", r.Name)
}

// Card describes a model with its file's bytes.
func Card(m *algo.Model, data []byte) message.Model {
	c, sum := m.Card, sha256.Sum256(data)
	card := message.Model{
		Name: c.Name, Description: c.Description,
		Molecules: c.Schema != algo.Constant, Reads: algo.Reads(c.Schema), Train: c.Train,
		Holdout: m.References(), HoldoutFile: c.Holdout, Epochs: c.Epochs, Paper: batch.CheckModel(m, algo.ByAttention) == nil, Program: c.Program,
		Bytes: len(data), SHA256: hex.EncodeToString(sum[:]),
		SmallestP: 1 / float64(1+m.References()), Shared: m.Shared,
		Background: c.Background, BackgroundGraphs: c.BackgroundGraphs,
	}
	if r := m.Residuals; r != nil {
		card.Residuals, card.Observed, card.Predicted, card.Classes = r.Known(), r.Observed, r.Predicted, r.Classes
	}
	return card
}

// known is 1 for a training graph, see message.Part.
func (e *Engine) known(r table.Row) byte {
	if s, scored := r.(*table.Scored); scored && e.model.Trained(s.Graph) {
		return 1
	}
	return 0
}

// single returns the model's scorer of graphs by themselves, made on the first call.
func (e *Engine) single(ctx context.Context) (*algo.SingleScorer, error) {
	if e.alone == nil {
		a, err := algo.NewSingleScorer(ctx, e.model, 1)
		if err != nil {
			return nil, coded(message.CodeBadModel, err)
		}
		e.alone = a
	}
	return e.alone, nil
}

func (e *Engine) form() molecule.Form { return e.model.Form() }

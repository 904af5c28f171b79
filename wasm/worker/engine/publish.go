package engine

import (
	"fmt"

	"baca/algo"
	"baca/algo/feature/domain"
	"baca/wasm/message"
	"baca/weights"
)

// What Publishing sets.
var (
	published func(*Engine, string) (*message.Model, error)
	cardHTML  func(*Engine, string) string
	publish   = func(*Engine, *message.Publish) (*message.Publication, error) {
		return nil, failf(message.CodeInternal, "this program publishes nothing")
	}
)

// Publishing has engines open and publish domains. The npm package goes without, and is 10 kB smaller.
func Publishing() {
	published, cardHTML, publish = (*Engine).published, (*Engine).cardHTML, (*Engine).publish
}

// publish makes the files of a model's domain, as `baca model publish` does. It returns an error for a file that is no model
// of molecules.
func (e *Engine) publish(r *message.Publish) (*message.Publication, error) {
	m, err := weights.Load(r.Data)
	if err != nil {
		return nil, coded(message.CodeBadModel, err)
	}
	alone, err := algo.NewSingleScorer(newPulse(e.host), m, 1)
	if err != nil {
		return nil, coded(message.CodeBadModel, err)
	}
	sum := Card(m, r.Data).SHA256
	files, err := domain.Publish(alone, r.Data, sum, r.Date, "baca "+algo.Version)
	if err != nil {
		return nil, coded(message.CodeBadModel, err)
	}
	p := &message.Publication{Card: message.Published{Name: domain.LinkName(m.Card.Name), Date: r.Date,
		HTML: domain.CardHTML(m, sum, len(r.Data), r.Date)}}
	for _, f := range files {
		p.Paths, p.Files = append(p.Paths, f.Path), append(p.Files, f.Data)
	}
	return p, nil
}

func (e *Engine) cardHTML(date string) string {
	return domain.CardHTML(e.model, e.card.SHA256, e.card.Bytes, date)
}

// published returns where the model of a published domain is, and its SHA-256, from the domain's card. It returns an
// error if the site has no such card.
func (e *Engine) published(name string) (*message.Model, error) {
	path, err := domain.CardPath(name)
	if err != nil {
		return nil, err
	}
	data, err := e.host.Fetch(path)
	if err != nil {
		return nil, fmt.Errorf("domain %s is not published here: %w", name, err)
	}
	date, sum, file, err := domain.ReadCard(name, data)
	if err != nil {
		return nil, fmt.Errorf("domain %s: %w", name, err)
	}
	return &message.Model{Name: name, File: file, SHA256: sum, Published: &message.Published{Name: name, Date: date}}, nil
}

package engine

import (
	"context"
	"fmt"

	"baca/algo"
	"baca/algo/feature/domain"
	"baca/wasm/message"
)

// What Publishing sets.
var (
	publish   func(*Engine, *message.Publish) (*message.Publication, error)
	published func(*Engine, string) (*message.Model, error)
	cardHTML  func(*Engine, string) string
)

// Publishing has engines publish domains and open published ones. The npm package goes without, and is 10 kB smaller.
func Publishing() {
	publish, published, cardHTML = (*Engine).publish, (*Engine).published, (*Engine).cardHTML
}

func (e *Engine) cardHTML(date string) string {
	return domain.CardHTML(e.model, e.card.SHA256, e.card.Bytes, date)
}

// published reads the card of a domain that was published with the page.
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

// publish makes the files of the loaded model's domain.
func (e *Engine) publish(r *message.Publish) (*message.Publication, error) {
	if e.model == nil {
		return nil, failf(message.CodeNotReady, "no model is loaded")
	}
	alone, err := e.single(context.Background())
	if err != nil {
		return nil, err
	}
	files, err := domain.Publish(alone, e.file, e.card.SHA256, r.Date, "baca "+algo.Version)
	if err != nil {
		return nil, coded(message.CodeBadOption, err)
	}
	p := &message.Publication{Published: message.Published{
		Name: domain.LinkName(e.model.Card.Name), Date: r.Date, HTML: e.cardHTML(r.Date),
	}}
	for _, f := range files {
		p.Files = append(p.Files, message.Exported{Name: f.Path, Data: f.Data})
	}
	return p, nil
}

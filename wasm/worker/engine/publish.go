package engine

import (
	"fmt"

	"baca/algo/feature/domain"
	"baca/wasm/message"
)

// What Publishing sets.
var (
	published func(*Engine, string) (*message.Model, error)
	cardHTML  func(*Engine, string) string
)

// Publishing has engines open published domains. The npm package goes without, and is 10 kB smaller.
func Publishing() {
	published, cardHTML = (*Engine).published, (*Engine).cardHTML
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

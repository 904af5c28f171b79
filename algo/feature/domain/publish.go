package domain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"baca/algo/alone"
	"baca/algo/document"
	"baca/algo/model"
)

// Folder is where a site keeps its published domains.
const Folder = "domains/"

// A File belongs to a published domain. Its path is below the page's folder.
type File struct {
	Path string
	Data []byte
}

const mostName, cardFormat = 40, "baca domain 1"

// LinkName makes a name for a link from a model's name: up to 40 small letters, digits and single hyphens, or nothing.
// Such a name is its own LinkName, and names no other folder.
func LinkName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	text := strings.Join(words, "-")
	return strings.Trim(text[:min(len(text), mostName)], "-")
}

// CardPath is the path of the card of a domain.
func CardPath(name string) (string, error) {
	if name == "" || name != LinkName(name) {
		return "", fmt.Errorf("domain %.60q: want a name of up to %d small letters, digits and single hyphens", name, mostName)
	}
	return Folder + name + ".json", nil
}

// modelPath has the start of the file's hash, so that no cache mixes two publications.
func modelPath(name, sum string) string { return Folder + name + "." + sum[:16] + ".msgpack" }

// Publish returns the files of the domain of a scorer's model: its card, its page, and the model's file.
func Publish(s *alone.Scorer, file []byte, sum, date, program string) ([]File, error) {
	m := s.Model()
	name := LinkName(m.Card.Name)
	card, err := CardPath(name)
	if err == nil {
		_, err = time.Parse(time.DateOnly, date)
	}
	if m.Card.Schema == model.Constant {
		err = fmt.Errorf("model %s reads plain graphs: want a model of molecules to publish", m.Card.Name)
	}
	if err != nil {
		return nil, err
	}
	at := modelPath(name, sum)
	d := New(Domain{Model: m, SHA256: sum, Bytes: len(file), Program: program, Alpha: 0.05, Confidence: Confidence, Alone: s,
		Name: path.Base(at)}).ModelPage(name + ".html")
	d.Published, d.Again = date, "With the same model file the command finds the same, without the date and without what the file reveals."
	var page, text bytes.Buffer
	if err := cmp.Or(WriteModelPage(&page, d), document.WriteJSON(&text, d.card(name, at))); err != nil {
		return nil, err
	}
	return []File{{card, text.Bytes()}, {Folder + name + ".html", page.Bytes()}, {at, file}}, nil
}

// visit is what visitors are told of a domain.
const visit = `<h2>Is your molecule inside %s?</h2>
<p>%s</p>
<p class="quiet small">published %s · %d molecules of %s, %d of them kept for p-values · errors of %d predictions · %d kB · sha256 %.16s…</p>
<details class="small"><summary>What the model's file reveals</summary>%s</details>
`

// CardHTML is what visitors are told of a model's domain, with what its file reveals.
func CardHTML(m *model.Model, sum string, bytes int, date string) string {
	c := &m.Card
	return fmt.Sprintf(visit, document.Escape(c.Name), document.Escape(c.Description), document.Escape(date), c.Graphs, document.Escape(c.Dataset),
		m.References(), KnownErrors(m), bytes/1000, sum, revealedHTML(m))
}

// revealedHTML is a list of what a model's file reveals.
func revealedHTML(m *model.Model) string {
	list := "<ul>"
	for _, text := range Reveals(m) {
		list += "<li>" + document.Escape(text) + "</li>"
	}
	return list + "</ul>"
}

// card is the card of a published domain.
func (d *Domain) card(name, at string) document.Object {
	c := &d.Model.Card
	return document.Object{
		{"format", cardFormat}, {"name", name}, {"date", d.Published}, {"model", path.Base(at)}, {"bytes", d.Bytes}, {"sha256", d.SHA256},
		{"title", c.Name}, {"description", c.Description}, {"program", d.Program}, {"reveals", Reveals(d.Model)},
	}
}

// KnownErrors counts the predictions whose errors a model keeps.
func KnownErrors(m *model.Model) int {
	if m.Residuals == nil {
		return 0
	}
	return m.Residuals.Known()
}

// ReadCard returns the date of a card, and the hash and the path of the model's file. All else is read from that file.
func ReadCard(name string, data []byte) (date, sum, model string, err error) {
	var c struct{ Format, Date, SHA256 string }
	if err := json.Unmarshal(data, &c); err != nil {
		return "", "", "", fmt.Errorf("its card is no JSON: %w", err)
	}
	_, err = time.Parse(time.DateOnly, c.Date)
	if c.Format != cardFormat || err != nil || len(c.SHA256) != 64 || strings.Trim(c.SHA256, "0123456789abcdef") != "" {
		return "", "", "", errors.New("its card is not one that baca model publish writes")
	}
	return c.Date, c.SHA256, modelPath(name, c.SHA256), nil
}

package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"baca/wasm/message"
)

// An OwnModel is not built in: from a file or trained here. The browser stores its card and its
// files by name, the model among them.
type OwnModel struct {
	Card message.Model
	// Data is the model file, nil until a stored one is used.
	Data []byte
	Kept bool
	// Problem says why it is not stored or usable.
	Problem string
}

// A Deleted model can be restored until the tab closes.
type Deleted struct {
	Model OwnModel
	files map[string][]byte // by name in the store
}

// Store names of a model's data, with its SHA-256.
const (
	cardsPrefix = "card/"
	filesPrefix = "model/"
	modelFile   = "model" // the model among its files
)

func cardName(sum string) string    { return cardsPrefix + sum }
func filesOf(sum string) string     { return filesPrefix + sum + "/" }
func fileName(sum, n string) string { return filesOf(sum) + n }

// Key names a model in an address: a built-in one by name, others with the start of their hash.
func Key(m *message.Model) string {
	if m.BuiltIn {
		return m.Name
	}
	return m.Name + "@" + m.SHA256[:min(len(m.SHA256), keyDigits)]
}

// keyDigits of a hash separate models of one name.
const keyDigits = 8

// ownBy finds an own model by key.
func (m *Models) ownBy(key string) int {
	_, sum, ok := cutLast(key, "@")
	if !ok || len(sum) < keyDigits {
		return -1
	}
	return slices.IndexFunc(m.Own, func(o OwnModel) bool { return strings.HasPrefix(o.Card.SHA256, sum) })
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// remember lists an own model and stores it.
func (m *Models) remember(card message.Model, data []byte) {
	own := OwnModel{Card: card, Data: data}
	if i := m.ownIndex(card.SHA256); i >= 0 {
		own.Kept = m.Own[i].Kept
		m.Own[i] = own
	} else {
		m.Own = append(m.Own, own)
	}
	if !own.Kept {
		m.keep(card.SHA256, map[string][]byte{fileName(card.SHA256, modelFile): data})
	}
}

func (m *Models) ownIndex(sum string) int {
	return slices.IndexFunc(m.Own, func(o OwnModel) bool { return o.Card.SHA256 == sum })
}

// keep stores a model's files, then its card: without a card there is no model.
func (m *Models) keep(sum string, files map[string][]byte) {
	if m.store == nil {
		return
	}
	m.store.Last()
	left, problem := len(files), ""
	for name, data := range files {
		m.store.Put(name, data, func(failure string) {
			if left, problem = left-1, problem+failure; left > 0 {
				return
			}
			m.keepCard(sum, problem)
		})
	}
}

// keepCard stores a model's card unless there was a problem.
func (m *Models) keepCard(sum, problem string) {
	i := m.ownIndex(sum)
	if i < 0 {
		return // deleted meanwhile
	}
	card, err := json.Marshal(m.Own[i].Card)
	if err != nil {
		problem = err.Error()
	}
	if problem != "" {
		m.unkept(sum, problem)
		return
	}
	m.store.Put(cardName(sum), card, func(problem string) {
		if problem != "" {
			m.unkept(sum, problem)
			return
		}
		if i := m.ownIndex(sum); i >= 0 {
			m.Own[i].Kept, m.Own[i].Problem = true, ""
			m.session.Rev.State++
			m.moved()
		}
	})
}

// unkept marks a model that ends with the tab.
func (m *Models) unkept(sum, problem string) {
	m.store.Drop(fileName(sum, modelFile), func() {})
	if i := m.ownIndex(sum); i >= 0 {
		m.Own[i].Problem = "This browser does not keep it (" + strings.TrimSuffix(problem, ".") + "). It works until the tab closes: download it to have it later."
		m.session.Rev.State++
	}
}

// Recall lists the stored models, and then calls back. Files are read on use.
func (m *Models) Recall(store Store, then func()) {
	m.store = store
	store.All(cardsPrefix, func(cards map[string][]byte, _ string) {
		for name, data := range cards {
			sum := strings.TrimPrefix(name, cardsPrefix)
			if m.ownIndex(sum) < 0 {
				m.Own = append(m.Own, ownOf(sum, data))
			}
		}
		slices.SortStableFunc(m.Own, func(x, y OwnModel) int { return strings.Compare(x.Card.Name, y.Card.Name) })
		m.session.Rev.State++
		then()
	})
}

// ownOf makes a model of a card, for display; the file is checked on use.
func ownOf(sum string, data []byte) OwnModel {
	own := OwnModel{Kept: true}
	if err := json.Unmarshal(data, &own.Card); err != nil || own.Card.SHA256 != sum {
		own.Card = message.Model{Name: "A model that cannot be read", SHA256: sum}
		own.Problem = "What this browser keeps of it is damaged. Delete it."
	}
	own.Card.BuiltIn, own.Card.File = false, ""
	return own
}

// Use selects an own model.
func (m *Models) Use(i int) {
	card := m.Own[i].Card
	m.File(i, func(data []byte) {
		if data != nil {
			m.Load(card.Name, data)
		}
	})
}

// File passes an own model's file, nil if it changed.
func (m *Models) File(i int, then func([]byte)) {
	own := m.Own[i]
	if own.Data != nil {
		then(own.Data)
		return
	}
	sum := own.Card.SHA256
	m.store.Get(fileName(sum, modelFile), func(data []byte) {
		if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != sum {
			data = nil
		}
		if i := m.ownIndex(sum); i >= 0 && data == nil {
			m.Own[i].Problem = "What this browser keeps of it is damaged: the hash is not that of the model. Delete it, and load its file again."
			m.Failure = &message.Failed{Code: message.CodeBadModel, Text: "What this browser keeps of " + own.Card.Name + " is damaged: the hash is not that of the model. Delete it under Models."}
			m.session.Rev.All()
		} else if i >= 0 {
			m.Own[i].Data = data
		}
		then(data)
	})
}

// Delete deletes an own model. It can be used until the tab closes or another is chosen.
func (m *Models) Delete(i int) {
	own := m.Own[i]
	m.Own = slices.Delete(m.Own, i, i+1)
	m.session.Rev.State++
	sum, files := own.Card.SHA256, map[string][]byte{}
	if own.Data != nil {
		files[fileName(sum, modelFile)] = own.Data
	}
	if m.store == nil {
		m.Gone = &Deleted{own, files}
		return
	}
	m.store.All(filesOf(sum), func(kept map[string][]byte, _ string) {
		maps.Copy(files, kept)
		m.dropAll(append(slices.Sorted(maps.Keys(kept)), cardName(sum)), func() {
			m.Gone = &Deleted{own, files}
			m.session.Rev.State++
			m.moved()
		})
	})
}

// dropAll drops stored values in turn, the card last, and then calls back.
func (m *Models) dropAll(names []string, then func()) {
	if len(names) == 0 {
		then()
		return
	}
	m.store.Drop(names[0], func() { m.dropAll(names[1:], then) })
}

// Undelete restores the last deleted model.
func (m *Models) Undelete() {
	gone := m.Gone
	if gone == nil {
		return
	}
	m.Gone = nil
	m.session.Rev.State++
	if sum := gone.Model.Card.SHA256; m.ownIndex(sum) < 0 {
		gone.Model.Kept = false
		m.Own = append(m.Own, gone.Model)
		m.keep(sum, gone.files)
	}
}

func (m *Models) moved() {
	if m.session.Moved != nil {
		m.session.Moved()
	}
}

// InAddress is a model that will exist after a reload.
func (m *Models) InAddress() *message.Model {
	u := m.Used
	if u == nil || u.BuiltIn {
		return u
	}
	if i := m.ownIndex(u.SHA256); i >= 0 && m.Own[i].Kept {
		return u
	}
	return nil
}

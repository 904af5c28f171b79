package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"baca/wasm/message"
)

// An OwnModel is not built in: from a file or trained here. The browser stores its card and its
// file.
type OwnModel struct {
	Card message.Model
	// Data is the model file, nil until a stored one is used.
	Data []byte
	Kept bool
	// Problem says why it is not stored or usable.
	Problem string
}

// Store names of a model, with its SHA-256 behind them.
const (
	cardsPrefix = "card/"
	filesPrefix = "model/"
)

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
	at := strings.LastIndex(key, "@")
	sum := key[at+1:]
	if at < 0 || len(sum) < keyDigits {
		return -1
	}
	return slices.IndexFunc(m.Own, func(o OwnModel) bool { return strings.HasPrefix(o.Card.SHA256, sum) })
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
		m.keep(own)
	}
}

func (m *Models) ownIndex(sum string) int {
	return slices.IndexFunc(m.Own, func(o OwnModel) bool { return o.Card.SHA256 == sum })
}

// keep stores a model's file, then its card: without a card there is no model.
func (m *Models) keep(own OwnModel) {
	if m.store == nil {
		return
	}
	sum := own.Card.SHA256
	card, err := json.Marshal(own.Card)
	if err != nil {
		panic(err) // a card has plain values
	}
	m.store.Last()
	m.store.Put(filesPrefix+sum, own.Data, func(problem string) {
		if problem != "" {
			m.kept(sum, problem)
			return
		}
		if m.ownIndex(sum) >= 0 { // not deleted meanwhile
			m.store.Put(cardsPrefix+sum, card, func(problem string) { m.kept(sum, problem) })
		}
	})
}

// kept marks a model as stored, or with a problem as one that ends with the tab.
func (m *Models) kept(sum, problem string) {
	if problem != "" {
		m.store.Drop(filesPrefix+sum, func() {})
	}
	i := m.ownIndex(sum)
	if i < 0 {
		return
	}
	own := &m.Own[i]
	own.Kept, own.Problem = problem == "", ""
	if problem != "" {
		own.Problem = "This browser does not keep it (" + strings.TrimSuffix(problem, ".") + "). It works until the tab closes: download it to have it later."
	}
	m.session.Rev.State++
	m.moved()
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
	m.store.Get(filesPrefix+sum, func(data []byte) {
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

// Delete deletes an own model. It can be used until the tab closes or another is chosen, and until
// then Undelete brings it back.
func (m *Models) Delete(i int) {
	sum := m.Own[i].Card.SHA256
	deleted := func(data []byte) {
		i := m.ownIndex(sum)
		if i < 0 {
			return
		}
		own := m.Own[i]
		own.Data, m.Own = data, slices.Delete(m.Own, i, i+1)
		m.session.Rev.State++
		dropped := func() {
			m.Gone = &own
			m.session.Rev.State++
			m.moved()
		}
		if m.store == nil {
			dropped()
			return
		}
		m.store.Drop(filesPrefix+sum, func() { m.store.Drop(cardsPrefix+sum, dropped) })
	}
	if m.store == nil || m.Own[i].Data != nil {
		deleted(m.Own[i].Data)
		return
	}
	m.store.Get(filesPrefix+sum, deleted)
}

// Undelete restores the last deleted model.
func (m *Models) Undelete() {
	gone := m.Gone
	if gone == nil {
		return
	}
	m.Gone = nil
	m.session.Rev.State++
	if m.ownIndex(gone.Card.SHA256) < 0 {
		gone.Kept = false
		m.Own = append(m.Own, *gone)
		m.keep(*gone)
	}
}

func (m *Models) moved() {
	if m.session.Moved != nil {
		m.session.Moved()
	}
}

// inAddress is the key of the used model if it will be there after a reload.
func (m *Models) inAddress() string {
	u := m.Used
	if u == nil {
		return ""
	}
	if i := m.ownIndex(u.SHA256); u.BuiltIn || i >= 0 && m.Own[i].Kept {
		return Key(u)
	}
	return ""
}

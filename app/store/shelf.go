package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"baca/wasm/message"
)

// A Shelf holds the models that are not built in: from files or trained here. The browser stores
// each one's card and file.
type Shelf struct {
	Own  []OwnModel
	Gone *OwnModel // the last deleted one

	store   Store
	changed func()
}

// An OwnModel is a model on the shelf.
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
	mapsPrefix  = "map/"
)

// damaged is the Problem of a model whose stored file or card has changed.
const damaged = "This browser's copy of it is damaged. Delete it, and load its file again."

// Key names a model in an address: a built-in one by name, others with the start of their hash.
func Key(m *message.Model) string {
	if m.BuiltIn {
		return m.Name
	}
	return m.Name + "@" + m.SHA256[:min(len(m.SHA256), keyDigits)]
}

// keyDigits of a hash separate models of one name.
const keyDigits = 8

// Find returns the place in Own of the model with a key, −1 if it is not there. Built-in models never are.
func (s *Shelf) Find(key string) int {
	at := strings.LastIndex(key, "@")
	sum := key[at+1:]
	if at < 0 || len(sum) < keyDigits {
		return -1
	}
	return slices.IndexFunc(s.Own, func(o OwnModel) bool { return strings.HasPrefix(o.Card.SHA256, sum) })
}

// index returns the place in Own of the model with this SHA-256, −1 if it is not there.
func (s *Shelf) index(sum string) int {
	return slices.IndexFunc(s.Own, func(o OwnModel) bool { return o.Card.SHA256 == sum })
}

// Lasts reports whether a model is there after a reload.
func (s *Shelf) Lasts(m *message.Model) bool {
	i := s.index(m.SHA256)
	return m.BuiltIn || i >= 0 && s.Own[i].Kept
}

// Recall lists the stored models, and then calls back. Files are read on use. changed hears of changes from then on.
func (s *Shelf) Recall(store Store, changed, then func()) {
	s.store, s.changed = store, changed
	store.All(cardsPrefix, func(cards map[string][]byte, _ string) {
		for name, data := range cards {
			sum := strings.TrimPrefix(name, cardsPrefix)
			if s.index(sum) < 0 {
				s.Own = append(s.Own, ownOf(sum, data))
			}
		}
		slices.SortStableFunc(s.Own, func(x, y OwnModel) int { return strings.Compare(x.Card.Name, y.Card.Name) })
		changed()
		then()
	})
}

// ownOf makes a model of a card, for display; the file is checked on use.
func ownOf(sum string, data []byte) OwnModel {
	own := OwnModel{Kept: true}
	if err := json.Unmarshal(data, &own.Card); err != nil || own.Card.SHA256 != sum {
		own.Card = message.Model{Name: "A model that cannot be read", SHA256: sum}
		own.Problem = damaged
	}
	own.Card.BuiltIn, own.Card.File = false, ""
	return own
}

// Add lists a model, or replaces the one with its SHA-256, and stores it unless that is done.
func (s *Shelf) Add(card message.Model, data []byte) {
	i := s.index(card.SHA256)
	if i < 0 {
		i, s.Own = len(s.Own), append(s.Own, OwnModel{})
	}
	own := &s.Own[i]
	own.Card, own.Data, own.Problem = card, data, ""
	if !own.Kept {
		s.keep(*own)
	}
}

// keep stores a model's file, then its card: without a card there is no model.
func (s *Shelf) keep(own OwnModel) {
	sum := own.Card.SHA256
	card, err := json.Marshal(own.Card)
	if err != nil {
		panic(err) // a card has plain values
	}
	s.store.Last()
	s.store.Put(filesPrefix+sum, NewFile("", own.Data), func(problem string) {
		if problem != "" {
			s.kept(sum, problem)
			return
		}
		if s.index(sum) >= 0 { // not deleted meanwhile
			s.store.Put(cardsPrefix+sum, NewFile("", card), func(problem string) { s.kept(sum, problem) })
		}
	})
}

// kept marks a model as stored, or with a problem as one that ends with the tab.
func (s *Shelf) kept(sum, problem string) {
	if problem != "" {
		s.store.Drop(filesPrefix+sum, func() {})
		problem = "This browser does not keep it (" + strings.TrimSuffix(problem, ".") +
			"). It works until the tab closes: download it to have it later."
	}
	if i := s.index(sum); i >= 0 {
		s.Own[i].Kept, s.Own[i].Problem = problem == "", problem
		s.changed()
	}
}

// File passes the file of model i of Own to then, nil if the stored one is missing or has another SHA-256. It also
// keeps the file, or the problem, in Own.
func (s *Shelf) File(i int, then func([]byte)) {
	sum := s.Own[i].Card.SHA256
	s.data(i, func(data []byte) {
		if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != sum {
			data = nil
		}
		if i := s.index(sum); i >= 0 {
			s.Own[i].Data = data
			if data == nil {
				s.Own[i].Problem = damaged
			}
		}
		then(data)
	})
}

// Map passes the places of a model's training graphs on its map to then, nil if none are stored.
func (s *Shelf) Map(sum string, then func(message.Singles)) {
	if s.store == nil {
		then(nil)
		return
	}
	s.store.Get(mapsPrefix+sum, func(f *File) {
		if f == nil {
			then(nil)
			return
		}
		list := make(message.Singles, len(f.Data)/4)
		binary.Decode(f.Data, binary.LittleEndian, []float32(list)) // as many as there are
		then(list)
	})
}

// KeepMap stores such places. It is no loss if that fails.
func (s *Shelf) KeepMap(sum string, list message.Singles) {
	if s.store != nil {
		data, _ := binary.Append(nil, binary.LittleEndian, []float32(list)) // a slice of numbers cannot fail
		s.store.Put(mapsPrefix+sum, NewFile("", data), func(string) {})
	}
}

// Delete deletes a model. It can be used until the tab closes or another is chosen, and until then
// Undelete brings it back.
func (s *Shelf) Delete(i int) {
	sum := s.Own[i].Card.SHA256
	s.data(i, func(data []byte) {
		i := s.index(sum)
		if i < 0 {
			return
		}
		own := s.Own[i]
		own.Data, s.Own = data, slices.Delete(s.Own, i, i+1)
		s.changed()
		s.store.Drop(mapsPrefix+sum, func() {})
		s.store.Drop(filesPrefix+sum, func() {
			s.store.Drop(cardsPrefix+sum, func() {
				s.Gone = &own
				s.changed()
			})
		})
	})
}

// data passes a model's stored file on, nil if there is none.
func (s *Shelf) data(i int, then func([]byte)) {
	own := s.Own[i]
	if own.Data != nil {
		then(own.Data)
		return
	}
	s.store.Get(filesPrefix+own.Card.SHA256, func(f *File) {
		if f != nil {
			own.Data = f.Data
		}
		then(own.Data)
	})
}

// Undelete brings back the model that was deleted last, if there is one.
func (s *Shelf) Undelete() {
	gone := s.Gone
	if gone == nil {
		return
	}
	s.Gone = nil
	if s.index(gone.Card.SHA256) < 0 {
		gone.Kept = false
		s.Own = append(s.Own, *gone)
		s.keep(*gone)
	}
	s.changed()
}

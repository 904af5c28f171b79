package run

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"baca/app/store"
	"baca/app/words"
	"baca/wasm/message"
)

// Models are the available models and the used one.
type Models struct {
	session *Session

	store.Shelf
	Welcome *message.Welcome // nil until it arrives
	Used    message.Answer[message.Model]
	wanted  string // key of the first model
	// Visit is the name of the published domain whose model is used or asked for, empty for none.
	Visit    string
	Map      message.Answer[message.Computed] // of its training set
	charting bool                             // the map is asked for
	// Loading names the model being loaded, with progress in bytes.
	Loading        string
	Loaded, ToLoad int
}

// Extensions are those of readable files, for a file dialog; empty, meaning any, until known.
func (m *Models) Extensions(more ...string) string {
	if m.Welcome == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Welcome.Extensions, more), ",")
}

// Start greets the worker and loads a model by key, or the default. Own models come from the store.
func (m *Models) Start(key string, from store.Store) {
	if m.wanted == "" {
		m.wanted = key
	}
	m.Loading = "the model"
	recalled, begun := false, false
	begin := func() {
		// A built-in model needs no store.
		if m.Welcome != nil && !begun && (recalled || m.Visit != "" || !strings.Contains(m.wanted, "@")) {
			begun = true
			if m.Visit != "" {
				m.visit(m.Visit)
			} else if !m.Choose(m.wanted) {
				m.missing(m.wanted)
				m.load(m.defaultName(), nil)
			}
		}
	}
	m.Recall(from, m.changed, func() {
		recalled = true
		begin()
	})
	m.session.ask(&message.Hello{}, nil, func(r message.Reply) {
		m.session.Rev.All()
		welcome, ok := r.(*message.Welcome)
		if !ok {
			m.Used.Failure, m.Loading = message.FailureOf(r), ""
			return
		}
		m.Welcome = welcome
		if list := welcome.Models; len(list) > 0 { // the first is the default
			words.SortModels(list[1:])
		}
		begin()
	})
}

// missing reports that a wanted model is not in this browser.
func (m *Models) missing(key string) {
	if key != "" {
		m.session.Tell("Another model is used",
			"The model "+words.Shorten(key, 60)+" is not in this browser. If you have its file, load it under Models.")
	}
}

func (m *Models) isBuiltIn(name string) bool {
	return m.Welcome != nil && slices.ContainsFunc(m.Welcome.Models, func(o message.Model) bool { return o.Name == name })
}

// defaultName is the first model's name, or empty.
func (m *Models) defaultName() string {
	if len(m.Welcome.Models) == 0 {
		return ""
	}
	return m.Welcome.Models[0].Name
}

// Load selects a built-in model, or the model file data.
func (m *Models) Load(name string, data []byte) {
	m.Used.Failure = nil
	m.load(name, data)
}

// visit notes the name of a published domain, and opens it once the worker is ready. It drops the model and its scores
// first, so that no other model judges if the domain is not there.
func (m *Models) visit(name string) {
	m.Visit = name
	if m.Welcome == nil {
		return
	}
	m.Used.Forget()
	if m.session.Opened != nil {
		m.session.clearScores()
		m.session.Judge()
		m.session.Phase = Unstarted
	}
	m.request(&message.LoadModel{Domain: name})
}

// load is Load, keeping messages about the previous model.
func (m *Models) load(name string, data []byte) {
	m.request(&message.LoadModel{Name: name, Data: data})
}

// request loads a model or a domain, after it has ended what runs with the previous one, and scores the input again.
// If loading fails, the previous model stays.
func (m *Models) request(r *message.LoadModel) {
	s, data, visit := m.session, r.Data, r.Domain
	if s.Phase == Scoring || s.Phase == Calibrating {
		s.stop()
	}
	s.EndTask()
	m.Loading, m.Loaded, m.ToLoad = cmp.Or(r.Domain, r.Name), 0, 0
	s.Rev.All()
	s.ask(r, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok {
			m.Loaded, m.ToLoad = p.Done, p.Total
			s.Rev.State++
		}
	}, func(r message.Reply) {
		m.Loading = ""
		s.Rev.All()
		plain := m.Used.Value == nil && m.wanted == "" // a first visit's address stays
		before := m.Used.Failure                       // perhaps of another model
		switch {
		case m.Used.Take(r):
			m.Used.Failure, m.Visit = before, visit
			m.Map.Forget()
			if data != nil {
				m.Add(*m.Used.Value, data)
			}
			if !plain {
				m.changed()
			}
			m.Chart()
		case m.Used.Value == nil:
			return
		}
		s.scoreAgain()
	})
}

// Chart requests the map of the visited domain's training set. It does nothing
//
//   - without a domain or its model,
//   - if there is an input: its own map shows the training set, too,
//   - if the map is there or requested already.
func (m *Models) Chart() {
	s := m.session
	if m.Visit == "" || m.Used.Value == nil || m.Map.Value != nil || m.charting || s.Phase != Empty {
		return
	}
	m.charting = true
	m.withMap(func(r *message.Compute, done func(message.Reply)) {
		s.ask(r, nil, func(reply message.Reply) {
			m.charting = false
			done(reply)
			m.Map.Take(reply)
			s.Rev.All()
		})
	})
}

// HoldoutFile is the file that p-values compare with, empty for graphs kept from training.
func (m *Models) HoldoutFile() string {
	if m.Used.Value == nil {
		return ""
	}
	return m.Used.Value.HoldoutFile
}

// want selects the model that a link names, or notes that it is missing.
func (m *Models) want(key string) {
	if m.Welcome == nil {
		m.wanted = cmp.Or(key, m.wanted)
	} else if !m.Choose(key) {
		m.missing(key)
	}
}

// Choose selects a model by key, and reports whether the browser has it.
func (m *Models) Choose(key string) bool {
	switch i := m.Find(key); {
	case m.Used.Value != nil && store.Key(m.Used.Value) == key:
	case i >= 0:
		m.Use(i)
	case m.isBuiltIn(key):
		m.Load(key, nil)
	default:
		return false
	}
	return true
}

// Use selects model i of Own. If its file is damaged and there is no model, it loads the default one.
func (m *Models) Use(i int) {
	name := m.Own[i].Card.Name
	m.File(i, func(data []byte) {
		switch {
		case data != nil:
			m.Load(name, data)
		case m.Used.Value == nil:
			m.load(m.defaultName(), nil)
		}
	})
}

// File passes the file of model i of Own to then. If it is damaged, then gets nil and Used.Failure says so.
func (m *Models) File(i int, then func([]byte)) {
	name := m.Own[i].Card.Name
	m.Shelf.File(i, func(data []byte) {
		if data == nil {
			m.Used.Failure = &message.Failed{Code: message.CodeBadModel, Text: "What this browser keeps of " + name +
				" is damaged. Delete it under Models."}
			m.session.Rev.All()
		}
		then(data)
	})
}

// changed hears of a change of the shelf or of the used model.
func (m *Models) changed() {
	m.session.Rev.State++
	if m.session.Moved != nil {
		m.session.Moved()
	}
}

// InAddress is the used model's key for the address, empty if a reload would lose the model.
func (m *Models) InAddress() string {
	if u := m.Used.Value; u != nil && m.Lasts(u) {
		return store.Key(u)
	}
	return ""
}

package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"baca/app/frame"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// full is a store without room.
type full struct{ memory }

func (full) Put(_ string, _ *store.File, then func(string)) { then("the quota is used up") }

func TestKeptModelsAreChecked(t *testing.T) {
	sum := sumOf(modelData)
	card, err := json.Marshal(message.Model{Name: "mine", SHA256: sum, BuiltIn: true, File: "models/x"})
	if err != nil {
		t.Fatal(err)
	}
	for what, kept := range map[string]memory{
		"a damaged file":    {"card/" + sum: card, "model/" + sum: []byte("another file")},
		"no file":           {"card/" + sum: card},
		"a card of another": {"card/" + sum: []byte(`{"SHA256":"ff"}`), "model/" + sum: []byte("another file")},
		"no card":           {"card/" + sum: []byte("{"), "model/" + sum: nil},
	} {
		s := newStageOf(t, "mine@"+sum[:8], kept, kept)
		if s.Models.Used.Value.Name != "bbbp" || len(s.Models.Own) != 1 || !strings.Contains(s.Models.Own[0].Problem, "damaged") || s.Models.Own[0].Card.BuiltIn {
			t.Errorf("%s: the model is %s, own ones %+v", what, s.Models.Used.Value.Name, s.Models.Own)
		}
		if s.Models.Used.Failure == nil || !strings.Contains(s.Models.Used.Failure.Text, "damaged") {
			t.Errorf("%s: the failure is %+v", what, s.Models.Used.Failure)
		}
		if s.Models.Delete(0); len(kept) != 0 {
			t.Errorf("%s: deleted, and kept are %v", what, kept)
		}
	}
}

func TestNoRoomToKeepAModel(t *testing.T) {
	s := newStageOf(t, "", full{memory{}}, nil)
	s.play("file mine", "settle")
	own := s.Models.Own[0]
	if own.Kept || !strings.Contains(own.Problem, "the quota is used up") || s.Models.Used.Value.Name != "mine" || s.Models.InAddress() != "" {
		t.Errorf("own %+v, used %s", own, s.Models.Used.Value.Name)
	}
	s.play("load bbbp", "settle")
	s.Models.Use(0)
	s.settle()
	if s.Models.Used.Value.Name != "mine" {
		t.Errorf("the model is %s", s.Models.Used.Value.Name)
	}
}

func TestLinkComesBack(t *testing.T) {
	p := newStage(t)
	p.Alpha, p.FDR, p.By = 0.1, 0.2, table.TheBatch
	p.play("give CCO ethanol;Cx refused;CC(=O)[O-] a&b=c #%", "settle", "show 2")
	text, note := p.Link()
	if !strings.Contains(note, "3 structures") || strings.Contains(note, "needs the file") {
		t.Fatalf("note %q", note)
	}
	l, err := store.ParseLink(text)
	if err != nil {
		t.Fatal(err)
	}
	// The fake reads the whole line as a SMILES and makes up names.
	want := store.Link{Settings: table.Settings{Alpha: 0.1, FDR: 0.2, By: table.TheBatch}, Model: "bbbp", Row: 2, Lines: []string{"CCO ethanol ida", "Cx refused idb", "CC(=O)[O-] a&b=c #% idc"}}
	if fmt.Sprint(*l) != fmt.Sprint(want) {
		t.Errorf("the link carries %+v, want %+v", *l, want)
	}
	// What it cannot carry it says.
	p.play("file mine", "settle")
	if _, note := p.Link(); !strings.Contains(note, "needs the file of the model mine, which no link can carry") {
		t.Errorf("with an own model the note is %q", note)
	}
	p.play("give "+strings.Repeat("CC(=O)Oc1ccccc1C(=O)O;", 900), "settle")
	if link, note := p.Link(); link != "" || !strings.Contains(note, "these 900 rows need more") {
		t.Errorf("%d characters, note %q", len(link), note)
	}
}

// A link to a published domain opens one screen, whose address and links name it. Where it is not published no other model
// judges in its place, and an input ends the map.
func TestVisit(t *testing.T) {
	p := &stage{f: newFake(t), kept: memory{}}
	p.store = p.kept
	p.desk = newDesk(message.NewClient(p.f.spawn))
	p.After = func(_ time.Duration, f func()) { p.later = append(p.later, f) }
	on(p.f, func(r *message.LoadModel, say func(any)) {
		switch r.Domain {
		case "":
			say(&message.Model{Name: r.Name})
			return
		case "nothing":
			say(&message.Failed{Code: message.CodeBadModel, Text: "domain " + r.Domain + " is not published here"})
			return
		}
		say(&message.Model{Name: "Solubility", Molecules: true, SHA256: "cc", Residuals: 5, Predicted: "yhat",
			Published: &message.Published{Name: "esol", Date: "2026-11-29", HTML: "<h2>what it is</h2>"}})
	})
	p.OpenLink("domain=esol")
	p.Models.Start("bzr", p.store)
	p.f.next(2)
	p.shows("page visiting", "<h2>what it is</h2>", `href="domains/esol.html"`, "Paste yours", "in a column yhat", "The map is laid out")
	p.f.next(-1)
	p.shows("Grey dots are training molecules")
	if got := p.Query(); got != "?alpha=0.05#domain=esol" {
		t.Errorf("the address is %s", got)
	}
	p.play("give FAR", "settle")
	p.shows("lies outside Solubility", "what it is", `id="map-canvas"`)
	if text, note := p.Link(); !strings.HasPrefix(text, "alpha=0.05&domain=esol&smiles=CCC") || strings.Contains(note, "needs the file") {
		t.Errorf("link %s, %s", text, note)
	}
	p.OpenLink("domain=nothing")
	p.settle()
	p.shows("domain nothing is not published here", "!lies outside")
	if p.Models.Used.Value != nil || p.Rows.Judged() > 0 {
		t.Errorf("%d are judged by %+v", p.Rows.Judged(), p.Models.Used.Value)
	}
	p.Models.Load("bbbp", nil)
	p.settle()
	if p.Models.Visit != "" {
		t.Error("another model is taken for the domain's")
	}
}

// Before a domain is saved, its author reads what visitors will, and what the file reveals.
func TestPublish(t *testing.T) {
	p := newStage(t)
	on(p.f, func(r *message.Publish, say func(any)) {
		if len(r.Data) == 0 {
			say(&message.Failed{Code: message.CodeBadModel, Text: "no model"})
			return
		}
		say(&message.Publication{Card: message.Published{Name: "esol", Date: r.Date, HTML: "<h2>what it is</h2><details>it reveals</details>"}})
	})
	p.Publish([]byte("model"))
	p.shows("The card and the page of the domain are made", `!id="publish-save"`)
	p.settle()
	p.shows("what it is", "<details open", "#domain=esol", `id="publish-save"`)
	p.Publish(nil)
	p.settle()
	p.shows("no model", `!id="publish-save"`)
}

// framed is a session in a frame, what asks it, and what it has answered since the latest question.
func framed(t *testing.T) (p *stage, ask func(texts ...string), answers *[]string) {
	p, answers = &stage{f: newFake(t)}, new([]string)
	p.desk = newDesk(message.NewClient(p.f.spawn))
	served := frame.Serve(p.Session, func(json string) { *answers = append(*answers, json) })
	p.Models.Start("", memory{})
	p.f.next(-1)
	return p, func(texts ...string) {
		*answers = nil
		for _, text := range texts {
			served.Ask(text)
		}
	}, answers
}

func TestFrameScores(t *testing.T) {
	p, ask, answers := framed(t)
	says := func(parts ...string) {
		t.Helper()
		p.f.next(-1)
		said := strings.Join(*answers, "\n")
		for _, part := range parts {
			if !strings.Contains(said, part) {
				t.Errorf("it answers\n%s\nwithout %s", said, part)
			}
		}
	}
	says(`{"baca":1,"models":["bbbp","bzr"],"ready":true}`)
	ask(`{"baca":1,"id":"a \"b\"","score":{"smiles":["CCO","C"],"alpha":0.1}}`, `{"baca":1,"id":2,"score":["C"]}`)
	says(`"busy"`, "\n"+`{"baca":1,"id":"a \"b\"","rows":[{"id":"ida","smiles":"CCO","score":3,`, `"by":"alone","alpha":0.1,`)
	if p.Alpha != 0.1 || p.Input.Text != "CCO\nC\n" {
		t.Errorf("α %g, text %q", p.Alpha, p.Input.Text)
	}
	ask(`{"baca":1,"id":5,"score":["# a note","CCO","C"]}`)
	says(`"code":"input"`, "3 lines were read as 2 molecules")
	// Another model is loaded first. It does not read molecules.
	ask(`{"baca":1,"id":4,"score":{"smiles":["CCO","C"],"model":"bzr"}}`)
	says("model bzr reads plain graphs")
	// What the user does to the input ends a request.
	ask(`{"baca":1,"id":3,"score":["CCO"]}`)
	p.Input.Type("N")
	says(`"interrupted"`)
}

func TestFrameRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "option", `[]`: "option", `{"id":1}`: "option", `{"id":1,"cancel":true}`: "option",
		`{"id":1,"score":[]}`: "option", `{"id":1,"score":["C\nC"]}`: "option", `{"id":1,"score":["C"],"cancel":true}`: "option",
		`{"id":null,"score":["C"]}`: "option", `{"id":{"a":1},"score":["C"]}`: "option",
		`{"id":"` + strings.Repeat("x", 200) + `","score":["C"]}`: "option",
		`{"id":1,"score":{"smiles":["C"],"model":"none"}}`:        "model", `{"id":1,"score":{"smiles":["C"],"alpha":2}}`: "option",
		`{"id":1,"score":{"smiles":["C"],"alpha":"x"}}`: "option: found string in score.alpha",
		`{"id":1,"explain":"C"}`:                        "option: found string in explain",
	} {
		code, says, _ := strings.Cut(want, ": ")
		p, ask, answers := framed(t)
		ask(text)
		got := strings.Join(*answers, "\n")
		told := strings.Contains(got, `"code":"`+code+`"`) && strings.Contains(got, says) && !strings.Contains(got, "Go")
		if len(*answers) != 1 || !told || p.Phase != run.Empty {
			t.Errorf("%.60s: it answers %q, phase %v, want %s", text, *answers, p.Phase, want)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(`{"baca":1,"id":"a","score":["C"]}`)
	f.Add(`{"baca":1,"id":1e9,"explain":{"smiles":["C a","N"],"by":"batch","alpha":0.1,"model":"bzr"}}`)
	f.Add(`{"id":-1,"cancel":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, ask, answers := framed(t)
		ask(text)
		for _, a := range *answers {
			if !json.Valid([]byte(a)) {
				t.Errorf("%q is answered by %q", text, a)
			}
		}
	})
}

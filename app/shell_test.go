package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/app/frame"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// modelData is a model file, and sumOf its hash.
const modelData = "the file of a model"

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// hashing is a worker that gives models from files their hashes.
func hashing(t *testing.T) *fake {
	f := newFake(t)
	on(f, func(r *message.LoadModel, say func(any)) {
		if r.Data == nil {
			usual(r, say)
			return
		}
		say(&message.Model{Name: r.Name, Molecules: true, SHA256: sumOf(string(r.Data)), Bytes: len(r.Data)})
	})
	return f
}

// started is a session that has begun with the model of a key.
func started(t *testing.T, key string, store store.Store) (*desk, *fake) {
	t.Helper()
	f := hashing(t)
	s := newDesk(message.NewClient(f.spawn))
	s.Models.Start(key, store)
	f.next(-1)
	if s.Models.Used.Value == nil {
		t.Fatalf("no model after the start with %q: %+v", key, s.Models.Used.Failure)
	}
	return s, f
}

// full is a store without room.
type full struct{ memory }

func (full) Put(_ string, _ *store.File, then func(string)) { then("the quota is used up") }

func TestModelsAreInTheAddress(t *testing.T) {
	s, f := started(t, "", memory{})
	s.Models.Load("mine", []byte(modelData))
	f.next(-1)
	key := store.Key(s.Models.Used.Value)
	if want := "mine@" + sumOf(modelData)[:8]; key != want || s.Query() != "?alpha=0.05&model="+strings.Replace(want, "@", "%40", 1) {
		t.Errorf("the key is %q, the address %q", key, s.Query())
	}
	if s, _ = started(t, key, memory{}); s.Models.Used.Value.Name != "bbbp" || s.Told == nil || !strings.Contains(s.Told.What, key) {
		t.Errorf("without it the model is %q, told %+v", s.Models.Used.Value.Name, s.Told)
	}
}

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
		s, _ := started(t, "mine@"+sum[:8], kept)
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
	s, f := started(t, "", full{memory{}})
	s.Models.Load("mine", []byte(modelData))
	f.next(-1)
	own := s.Models.Own[0]
	if own.Kept || !strings.Contains(own.Problem, "the quota is used up") || s.Models.Used.Value.Name != "mine" || s.Models.InAddress() != "" {
		t.Errorf("own %+v, used %s", own, s.Models.Used.Value.Name)
	}
	s.Models.Load("bbbp", nil)
	f.next(-1)
	s.Models.Use(0)
	f.next(-1)
	if s.Models.Used.Value.Name != "mine" {
		t.Errorf("the model is %s", s.Models.Used.Value.Name)
	}
}

func TestLinkComesBack(t *testing.T) {
	s, f, _ := newTest(t)
	f.scores("CCO ethanol\nCx refused\nCC(=O)[O-] a&b=c #%")
	s.Alpha, s.FDR, s.By = 0.1, 0.2, table.TheBatch
	s.Input.Give(run.Given{Text: "CCO ethanol\nCx refused\nCC(=O)[O-] a&b=c #%"})
	f.settle()
	s.Inspector.Show(2)
	text, note := s.Link()
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

	s.Models.Load("mine", []byte("mine"))
	f.settle()
	if _, note := s.Link(); !strings.Contains(note, "needs the file of the model mine, which no link can carry") {
		t.Errorf("with an own model the note is %q", note)
	}

	s, f, _ = newTest(t)
	f.scores("CCO\nCx\nCCC")
	s.OpenLink("row=1&smiles=CCO")
	f.settle()
	if s.Inspector.Record != 0 {
		t.Errorf("the link's first row is record %d", s.Inspector.Record)
	}
	s.OpenLink("model=bzr&alpha=0.2&row=3&smiles=CCO%0ACx%0ACCC")
	if s.Alpha != 0.2 || s.Input.Text != "CCO\nCx\nCCC\n" {
		t.Errorf("α %g, text %q", s.Alpha, s.Input.Text)
	}
	if !slices.ContainsFunc(f.asked, func(r any) bool { m, ok := r.(*message.LoadModel); return ok && m.Name == "bzr" }) {
		t.Error("the model of the link was not asked for")
	}
}

func TestUnreadableLinksAreTold(t *testing.T) {
	s, _, _ := newTest(t)
	before := s.Settings
	if s.OpenLink("alpha=0.2&row=2&smiles=C"); s.Told == nil || s.Settings != before || s.Input.Text != "" || s.Phase != run.Empty {
		t.Errorf("told %+v, settings %+v", s.Told, s.Settings)
	}
}

func TestLongLinks(t *testing.T) {
	s, f, _ := newTest(t)
	text := strings.Repeat("CC(=O)Oc1ccccc1C(=O)O\n", 900)
	f.scores(text)
	s.Input.Give(run.Given{Text: text})
	f.settle()
	if link, note := s.Link(); link != "" || !strings.Contains(note, "these 900 rows need more") {
		t.Errorf("%d characters, note %q", len(link), note)
	}
}

func TestFilesDoNotComeBack(t *testing.T) {
	s, _, _ := newTest(t)
	kept := ""
	s.KeepInput = func(draft string) { kept = draft }
	s.Input.Give(run.Given{File: &store.File{Name: "a.csv", Size: 1, Number: 3}})
	if s.Restore(kept); s.Told == nil || !strings.Contains(s.Told.Headline, "a.csv") {
		t.Errorf("told %+v", s.Told)
	}
	for _, damaged := range []string{"{", "[]", "7", `{"text":7}`} {
		s, _, _ := newTest(t)
		if s.Restore(damaged); s.Phase != run.Empty || s.Told != nil {
			t.Errorf("%s: phase %v, told %+v", damaged, s.Phase, s.Told)
		}
	}
}

// framed is a session in a frame, and what it has answered.
func framed(t testing.TB) (*desk, *fake, *frame.Frame, *[]string) {
	f := hashing(nil)
	f.t, _ = t.(*testing.T)
	s := newDesk(message.NewClient(f.spawn))
	var answers []string
	frame := frame.Serve(s.Session, func(json string) { answers = append(answers, json) })
	s.Models.Start("", memory{})
	f.next(-1)
	return s, f, frame, &answers
}

func TestFrameScores(t *testing.T) {
	s, f, frame, answers := framed(t)
	if got := strings.Join(*answers, "\n"); got != `{"baca":1,"models":["bbbp","bzr"],"ready":true}` {
		t.Fatalf("at the start it says %s", got)
	}
	f.scores("CCO\nC")
	*answers = nil
	frame.Ask(`{"baca":1,"id":"a \"b\"","score":{"smiles":["CCO","C"],"alpha":0.1}}`)
	frame.Ask(`{"baca":1,"id":2,"score":["C"]}`)
	f.next(-1)
	if s.Alpha != 0.1 || s.Input.Text != "CCO\nC\n" {
		t.Errorf("α %g, text %q", s.Alpha, s.Input.Text)
	}
	last := (*answers)[len(*answers)-1]
	if !strings.Contains((*answers)[0], `"busy"`) || !strings.HasPrefix(last, `{"baca":1,"id":"a \"b\"","rows":[{"id":"ida","smiles":"CCO","score":3,`) || !strings.Contains(last, `"by":"alone","alpha":0.1,`) {
		t.Errorf("it answers %s", strings.Join(*answers, "\n"))
	}
	// Another model is loaded first. It does not read molecules.
	*answers = nil
	frame.Ask(`{"baca":1,"id":4,"score":{"smiles":["CCO","C"],"model":"bzr"}}`)
	f.next(-1)
	if last := (*answers)[len(*answers)-1]; !strings.Contains(last, "this model reads plain graphs") {
		t.Errorf("with another model it answers %s", last)
	}
	// What the user does to the input ends a request.
	*answers = nil
	frame.Ask(`{"baca":1,"id":3,"score":["CCO"]}`)
	s.Input.Type("N")
	f.next(-1)
	if !strings.Contains(strings.Join(*answers, "\n"), `"interrupted"`) {
		t.Errorf("it answers %s", strings.Join(*answers, "\n"))
	}
}

func TestFrameRefuses(t *testing.T) {
	for text, code := range map[string]string{
		`{`: "option", `[]`: "option", `{"id":1}`: "option", `{"id":1,"score":[]}`: "option", `{"id":1,"score":["C\nC"]}`: "option", `{"id":1,"score":["C"],"cancel":true}`: "option",
		`{"id":null,"score":["C"]}`: "option", `{"id":{"a":1},"score":["C"]}`: "option", `{"id":"` + strings.Repeat("x", 200) + `","score":["C"]}`: "option", `{"id":1,"score":{"smiles":["C"],"alpha":2}}`: "option",
		`{"id":1,"score":{"smiles":["C"],"model":"none"}}`: "model", `{"id":1,"cancel":true}`: "option", `{"id":1,"explain":"C"}`: "option",
	} {
		s, _, frame, answers := framed(t)
		*answers = nil
		frame.Ask(text)
		if len(*answers) != 1 || !strings.Contains((*answers)[0], `"code":"`+code+`"`) || s.Phase != run.Empty {
			t.Errorf("%.60s: it answers %q, phase %v", text, *answers, s.Phase)
		}
	}
	_, _, frame, answers := framed(t)
	for text, want := range map[string]string{`{"id":1,"explain":"C"}`: "found string in explain", `{"id":1,"score":{"smiles":["C"],"alpha":"x"}}`: "found string in score.alpha"} {
		*answers = nil
		frame.Ask(text)
		if got := (*answers)[0]; !strings.Contains(got, want) || strings.Contains(got, "Go") {
			t.Errorf("%s: it answers %s, want %s", text, got, want)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(`{"baca":1,"id":"a","score":["C"]}`)
	f.Add(`{"baca":1,"id":1e9,"explain":{"smiles":["C a","N"],"by":"batch","alpha":0.1,"model":"bzr"}}`)
	f.Add(`{"id":-1,"cancel":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _, frame, answers := framed(t)
		*answers = nil
		frame.Ask(text)
		for _, a := range *answers {
			if !json.Valid([]byte(a)) {
				t.Errorf("%q is answered by %q", text, a)
			}
		}
	})
}

package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/feature/domain"
	"baca/wasm/message"
	"baca/weights"
)

// A domainFile is what is read of a report in JSON.
type domainFile struct {
	Substances []struct {
		Row       int
		Analogues []struct {
			Name     string
			Observed *float64
		}
		Command *string
	}
	Warnings []string
	Input    map[string]string
	Command  string
}

func domainOf(t *testing.T, e *Engine, h *host, records ...int32) (d domainFile) {
	t.Helper()
	_, file := must[*message.Exported](e, h, &message.Domain{Form: "qprf", Format: "json", Alpha: 0.05, Record: records})
	if err := json.Unmarshal(file.Data, &d); err != nil || file.Name != "qprf.json" || file.Type != "application/json" {
		t.Fatalf("%v: %s, %s", err, file.Name, file.Type)
	}
	return d
}

// The report on a few records says how to have it again. Its numbers are compared with the command's in
// TestThePageIsTheCommand.
func TestDomain(t *testing.T) {
	e, h := bare(t)
	fails(e, h, &message.Domain{Form: "qmrf", Format: "html", Alpha: 0.05}, message.CodeNotReady, "no model")
	must[*message.Model](e, h, &message.LoadModel{})
	h.files[Drawer] = []byte("draw()")
	must[*message.Opened](e, h, &message.Open{Name: "-a 'b.smi", Data: []byte("CCO <script>alert(1)</script>\n" + strange)})
	must[*message.Scored](e, h, &message.Score{})
	all := domainOf(t, e, h, 5, 3, 1, 0, 2, 4, 3)
	if len(all.Substances) != 5 || len(all.Warnings) != 1 || !strings.Contains(all.Warnings[0], "refused: -a 'b.smi:5:") {
		t.Fatalf("%+v", all)
	}
	if want := `baca report --qprf --model bbbp --out qprf.json './-a '\''b.smi'`; all.Command != want || all.Input["input"] != "-a 'b.smi" || all.Input["its sha256"] != e.input.opened.SHA256 {
		t.Errorf("%q of %v, want %q", all.Command, all.Input, want)
	}
	aspirin := domainOf(t, e, h, 1)
	if s := aspirin.Substances[0]; s.Row != 2 || s.Analogues[0].Name != "acetylsalicylate" || s.Analogues[0].Observed == nil || *s.Command != "printf '%s\\n' 'CC(=O)Oc1ccccc1C(=O)O aspirin' | baca score --model bbbp --format smi --explain --neighbors 5 --to jsonl -" {
		t.Errorf("%+v", s)
	}
	if want := "printf '%s\\n' 'CC(=O)Oc1ccccc1C(=O)O aspirin' | baca report --qprf --model bbbp --format smi --out qprf.json -"; aspirin.Command != want {
		t.Errorf("%q, want %q", aspirin.Command, want)
	}

	request := &message.Domain{Form: "qprf", Format: "html", Alpha: 0.1, Record: message.Ints{0, 3}}
	events, file := must[*message.Exported](e, h, request)
	page := string(file.Data)
	holds(t, page, "<h2>RDX</h2>", "&lt;script&gt;alert(1)", "α = 0.1", "--alpha 0.1 --out qprf.html -", "counts rows from 1")
	holds(t, page, "Structural analogues", `data-smiles="`, e.card.SHA256)
	if strings.Count(page, "<script") != 2 || strings.Contains(page, "NaN") || file.Type != "text/html" || file.Name != "qprf.html" {
		t.Errorf("%s, %s:\n%.500s", file.Name, file.Type, page)
	}
	if _, again := must[*message.Exported](e, h, request); string(again.Data) != page {
		t.Error("the same report has other bytes")
	}
	if p, ok := events[0].(*message.Progress); !ok || p.Stage != message.StageExplain || p.Total != 2 {
		t.Errorf("the first event is %+v", events[0])
	}
	delete(h.files, Drawer)
	if _, file := must[*message.Exported](e, h, request); strings.Contains(string(file.Data), "<script") || !strings.Contains(string(file.Data), "There are no drawings: what draws could not be loaded") {
		t.Error("nothing says why there are no drawings")
	}

	for _, format := range []string{"html", "json"} {
		_, file := must[*message.Exported](e, h, &message.Domain{Form: "qmrf", Format: format, Alpha: 0.05})
		if text := string(file.Data); file.Name != "qmrf."+format || !strings.Contains(text, "baca report --qmrf --model bbbp --out qmrf."+format) || !strings.Contains(text, e.card.SHA256) || strings.Contains(text, "RDX") {
			t.Errorf("%s: %.300s", file.Name, text)
		}
	}

	many := message.Ints(slices.Repeat([]int32{0}, message.MostSubstances))
	must[*message.Exported](e, h, &message.Domain{Form: "qprf", Format: "json", Alpha: 0.05, Record: many})
	for part, bad := range map[string]*message.Domain{
		`form "x"`:         {Form: "x", Format: "html", Alpha: 0.05},
		`format "pdf"`:     {Form: "qmrf", Format: "pdf", Alpha: 0.05},
		"false-alarm rate": {Form: "qmrf", Format: "html"},
		"0 records":        {Form: "qprf", Format: "html", Alpha: 0.05},
		"101 records":      {Form: "qprf", Format: "html", Alpha: 0.05, Record: append(many, 0)},
		"record 99999":     {Form: "qprf", Format: "html", Alpha: 0.05, Record: message.Ints{99999}},
		"all of these re":  {Form: "qprf", Format: "html", Alpha: 0.05, Record: message.Ints{4}},
	} {
		fails(e, h, bad, message.CodeBadOption, part)
	}
}

// methanol is a molfile.
const methanol = "methanol\n  x\n\n  2  1  0  0  0  0            999 V2000\n" +
	"    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n$$$$\n"

// Molecules that were read from molfiles come again from the file alone.
func TestDomainOfMolfiles(t *testing.T) {
	e, h := loaded(t, "bbbp")
	for _, c := range []struct {
		name    string
		records []int32
		command string
	}{
		{"two.sdf", []int32{0, 1}, "baca report --qprf --model bbbp --out qprf.json two.sdf"},
		{"two.sdf", []int32{1}, "baca score --model bbbp --explain --neighbors 5 --to jsonl two.sdf"},
		{"", []int32{0, 1}, "baca report --qprf --model bbbp --out qprf.json input.sdf"},
	} {
		must[*message.Opened](e, h, &message.Open{Name: c.name, Data: []byte(methanol + methanol)})
		if d := domainOf(t, e, h, c.records...); d.Command != c.command || d.Substances[0].Command != nil {
			t.Errorf("%q %v: %q, want %q", c.name, c.records, d.Command, c.command)
		}
	}
}

// A published domain is opened by its name, which is of this site, and its file is checked. Its map needs no input.
func TestPublishedDomain(t *testing.T) {
	e, _ := loaded(t, "bbbp")
	Publishing()
	files := have(domain.Publish(have(e.single(t.Context())), e.file, e.card.SHA256, "2026-11-29", "baca "+algo.Version))
	// The tab makes the files of the command, whatever model is loaded.
	visitor, there := bare(t)
	_, p := must[*message.Publication](visitor, there, &message.Publish{Data: e.file, Date: "2026-11-29"})
	for i, f := range files {
		if p.Paths[i] != f.Path || !bytes.Equal(p.Files[i], f.Data) {
			t.Errorf("%s has %d bytes, and %s of the command %d", p.Paths[i], len(p.Files[i]), f.Path, len(f.Data))
		}
	}
	fails(visitor, there, &message.Publish{Data: e.file, Date: "today"}, message.CodeBadModel, "today")
	fails(visitor, there, &message.Publish{Data: have(weights.Bytes("enzymes")), Date: "2026-11-29"}, message.CodeBadModel, "reads plain graphs")
	fails(visitor, there, &message.Publish{Data: []byte("x"), Date: "2026-11-29"}, message.CodeBadModel, "")
	open := func(name string) message.Request { return &message.LoadModel{Domain: name} }
	fails(visitor, there, open("bbbp"), message.CodeBadModel, "domain bbbp is not published here")
	fails(visitor, there, open("../bbbp"), message.CodeBadModel, `domain "../bbbp": want a name of up to 40`)
	for _, f := range files {
		there.files[f.Path] = f.Data
	}
	_, m := must[*message.Model](visitor, there, open("bbbp"))
	if m.BuiltIn || m.Published == nil || m.Published.HTML != p.Card.HTML || m.Published.Date != "2026-11-29" || !strings.Contains(m.Published.HTML, "<li>the weights") || m.SHA256 != e.card.SHA256 {
		t.Errorf("%+v", m)
	}
	_, c := must[*message.Computed](visitor, there, &message.Compute{What: message.OfPlaces})
	if n := visitor.model.Bank.Len(); len(c.Training) != 2*n || c.Places != nil {
		t.Errorf("a map of %d numbers for %d molecules, and %d for none", len(c.Training), n, len(c.Places))
	}
	fails(visitor, there, &message.Compute{What: message.OfProperties}, message.CodeNotReady, "no input")
	fails(visitor, there, &message.Compute{What: message.OfPlaces, Record: message.Ints{0}}, message.CodeNotReady, "no input")
	there.files[files[2].Path] = append(slices.Clone(files[2].Data), 0)
	fails(visitor, there, open("bbbp"), message.CodeBadModel, "model bbbp is not what it should be")
	there.files[files[0].Path] = []byte("{}")
	fails(visitor, there, open("bbbp"), message.CodeBadModel, "domain bbbp: its card is not one")
}

package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/build/service"
)

// shared keeps the models for all tests.
var shared = service.New(2)

// A server answers, and checks each request and answer against the document.
type server struct {
	*httptest.Server
	t      *testing.T
	router routers.Router
}

// serving starts a server. Limits that are not given are the usual ones.
func serving(t *testing.T, o Options) *server {
	t.Helper()
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	o.Folder = t.TempDir()
	h := try.To(New(shared, o))
	doc := document1(t)
	doc.Servers = nil
	router := try.To(gorillamux.NewRouter(doc))
	s := &server{httptest.NewServer(h), t, router}
	t.Cleanup(func() {
		s.Close()
		if left, err := os.ReadDir(o.Folder); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return s
}

// limiting starts a server that answers this machine, with some limits of its own.
func limiting(t *testing.T, change func(*Limits)) *server {
	t.Helper()
	limits := DefaultLimits()
	change(&limits)
	return serving(t, Options{Loopback: true, Limits: limits})
}

func document1(t *testing.T) *openapi3.T {
	t.Helper()
	return try.To(openapi3.NewLoader().LoadFromData(openAPI()))
}

func init() {
	text := func(b io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
		data, err := io.ReadAll(b)
		return string(data), err
	}
	for name := range readers {
		if name != "application/json" {
			openapi3filter.RegisterBodyDecoder(name, text)
		}
	}
}

// An answer is one that is read.
type answer struct {
	*http.Response
	body string
}

// ask asks with a body of a media type, and checks both sides against the document.
func (s *server) ask(method, path, mediaType, body string, fields ...string) answer {
	s.t.Helper()
	request := func() *http.Request {
		r := try.To(http.NewRequest(method, s.URL+path, strings.NewReader(body)))
		if mediaType != "" {
			r.Header.Set("Content-Type", mediaType)
		}
		for i := 0; i < len(fields); i += 2 {
			r.Header.Set(fields[i], fields[i+1])
		}
		r.Host = cmp.Or(r.Header.Get("Host"), r.Host)
		return r
	}
	response := try.To(http.DefaultClient.Do(request()))
	defer response.Body.Close()
	data := try.To(io.ReadAll(response.Body))
	s.check(request(), response, data)
	return answer{response, string(data)}
}

// methane scores one molecule.
func (s *server) methane() answer {
	s.t.Helper()
	return s.ask("POST", "/v1/score", "application/json", `{"smiles": ["C"]}`)
}

// comes asks until the answer has a status.
func (s *server) comes(status int, ask func() answer) answer {
	s.t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		a := ask()
		if a.StatusCode == status {
			return a
		}
		if time.Since(begun) > time.Minute {
			s.t.Fatalf("%s %s, want %d", a.Status, a.body, status)
		}
	}
}

// check compares a request and its answer with the document. What is refused need not be in it, nor what browsers
// ask before a request.
func (s *server) check(r *http.Request, response *http.Response, data []byte) {
	s.t.Helper()
	route, path, err := s.router.FindRoute(r)
	if err != nil {
		if response.StatusCode < 400 && r.Method != http.MethodOptions {
			s.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		return
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: path, Route: route, Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil && response.StatusCode < 400 {
		s.t.Errorf("%s %s is answered, though: %v", r.Method, r.URL, err)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: response.StatusCode, Header: response.Header, Options: &openapi3filter.Options{IncludeResponseStatus: true}}
	if err := openapi3filter.ValidateResponse(context.Background(), out.SetBodyBytes(data)); err != nil {
		s.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		if response.Header.Get("Content-Type") == string(lines) {
			s.value(map[string]string{"/v1/score": "Row", "/v1/explain": "ExplainedRow", trustPath: "JudgedRow"}[r.URL.Path], line)
		}
	}
}

// value compares JSON with a schema of the document.
func (s *server) value(schema string, text []byte) {
	s.t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		s.t.Errorf("%s: %v", text, err)
	} else if err := document1(s.t).Components.Schemas[schema].Value.VisitJSON(v); err != nil {
		s.t.Errorf("%s is no %s: %v", text, schema, err)
	}
}

var local = Options{Loopback: true}

const aspirin, rdx = "CC(=O)Oc1ccccc1C(=O)O", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"

// The document is one, of this version, and has the columns of the table.
func TestDocument(t *testing.T) {
	doc := document1(t)
	try.Check(doc.Validate(context.Background()))
	if doc.Info.Version != algo.Version {
		t.Errorf("version %s, want %s", doc.Info.Version, algo.Version)
	}
	if row := doc.Components.Schemas["Row"].Value; len(row.Properties) != 22 || len(row.Required) != 12 || row.Properties["score"].Value.Type.Slice()[0] != "number" {
		t.Errorf("rows have %v and require %v", row.Properties, row.Required)
	}
	if got := slices.Sorted(maps.Keys(doc.Components.RequestBodies["Records"].Value.Content)); !slices.Equal(got, mediaTypes()) {
		t.Errorf("media types %v, want %v", got, mediaTypes())
	}
	schemas := doc.Components.Schemas
	list := schemas["List"].Value.Properties["smiles"].Value
	fields := schemas["Training"].Value.Properties
	least, most := fields["smiles"].Value.MinItems, fields["epochs"].Value.Max
	if *list.MaxItems != service.MaxBatch || least != training.MinTraining || *most != training.MaxEpochs {
		t.Errorf("%d molecules, %d to train on, %g epochs are not the server's limits", *list.MaxItems, least, *most)
	}
	s := serving(t, local)
	for nodes, refused := range map[int]int{graph.MaxNodes: 0, graph.MaxNodes + 1: 1} {
		a := s.ask("POST", "/v1/score?model=ptc_mr", "application/json", fmt.Sprintf(`{"graphs": [{"n": %d}]}`, nodes))
		if says := fmt.Sprintf("more than %d nodes", graph.MaxNodes); !strings.Contains(a.body, fmt.Sprintf(`"refused":%d`, refused)) || !strings.Contains(schemas["Graph"].Value.Description, says) {
			t.Errorf("a graph of %d nodes: %s %s", nodes, a.Status, a.body)
		}
	}
	if a := s.ask("GET", "/v1/openapi.json", "", ""); a.StatusCode != 200 || a.body != string(openAPI()) {
		t.Errorf("%s", a.Status)
	}
	var models struct{ Models []service.Summary }
	if a := s.ask("GET", "/v1/models", "", ""); json.Unmarshal([]byte(a.body), &models) != nil || !slices.ContainsFunc(models.Models, func(m service.Summary) bool { return m.Name == "bbbp" }) {
		t.Errorf("%s", a.body)
	}
}

// Answers about predictions are as the document says in every form, and what cannot be judged is refused.
func TestTrust(t *testing.T) {
	asked := service.Training{Recipe: service.Recipe{Name: "errors", Seed: 1, KeepStructures: true}, Columns: algo.ValueColumns{Observed: "y", Predicted: "p"}}
	for n := range 80 {
		for _, end := range []string{"O", "N", "C(=O)O"} {
			asked.List.SMILES = append(asked.List.SMILES, strings.Repeat("C", n+1)+end)
			v := algo.NoValues()
			v.Observed, v.Predicted = float64(n), float64(n+len(end)%3)
			asked.Values = append(asked.Values, *v)
		}
	}
	trained := try.To(shared.Train(context.Background(), asked, func(service.Progress) error { return nil }))
	m := try.To(shared.Open(context.Background(), trained.File))
	s := serving(t, local)
	two := `"smiles": ["CCO", "C(", "CCCCN"], "predicted": [1.5, 2, null]`
	for _, accept := range []string{"application/json", "application/x-ndjson", "text/csv"} {
		a := s.ask("POST", "/v1/trust?model="+m.Name, "application/json", `{`+two+`, "coverage": 0.8, "errors_by": "score"}`, "Accept", accept)
		if a.StatusCode != 200 || strings.Count(a.body, "the branch is never closed") != 1 || len(a.Header[noteField]) < 3 {
			t.Errorf("%s: %s %s", accept, a.Status, a.body)
		}
	}
	for asks, want := range map[string]string{
		`drugs {` + two + `}`:                                         "model drugs knows no held-out errors",
		m.Name + ` {"smiles": ["C"], "predicted": []}`:                "0 predictions for 1 records: want one for each",
		m.Name + ` {"smiles": ["C"]}`:                                 "0 predictions for 1 records: want one for each",
		m.Name + ` {` + two + `, "uncertainty": [1]}`:                 "1 uncertainties for 3 predictions",
		m.Name + ` {` + two + `, "coverage": 1}`:                      "a coverage of 1: want",
		m.Name + ` {` + two + `, "errors_by": "size"}`:                "errors by",
		m.Name + ` {` + two + `, "errors-by": "score"}`:               "unknown field",
		m.Name + `&by=batch {` + two + `}`:                            "judged by each molecule alone",
		m.Name + ` {"graphs": [{"n": 3}], "predicted": [1]}`:          "reads molecules",
		m.Name + ` {"predicted": [1], "smiles": ["C"], "ids": [1,2]}`: "found number in ids",
	} {
		model, body, _ := strings.Cut(asks, " ")
		if a := s.ask("POST", "/v1/trust?model="+model, "application/json", body); a.StatusCode != 400 || !strings.Contains(a.body, want) {
			t.Errorf("%.200s: %s %s, want %q", asks, a.Status, a.body, want)
		}
	}
	if a := s.ask("POST", "/v1/trust", "text/csv", "smiles\nC\n"); a.StatusCode != 415 || !strings.Contains(a.body, "want one of application/json") {
		t.Errorf("%s %s", a.Status, a.body)
	}
}

// All forms of requests and answers hold the same rows, and a bad record is named with its place.
func TestForms(t *testing.T) {
	s := serving(t, local)
	requests := map[string][2]string{
		"application/json":          {`{"smiles": ["` + aspirin + `", "C(", "", "` + rdx + `"], "ids": ["a", "b", "c", "d"]}`, "character 2: |character 1: "},
		"application/x-ndjson":      {`{"id": "a", "smiles": "` + aspirin + "\"}\n\n{\"id\": \"b\", \"smiles\": \"C(\"}\r\n{\"id\":\"c\",\"smiles\":\"\"}\n{\"id\":\"d\",\"smiles\":\"" + rdx + `"}`, "line 3, column 25: |line 4, column 1: "},
		"application/jsonl":         {`{"id": "a", "smiles": "` + aspirin + "\"}\n{\"id\": \"b\", \"smiles\": \"C(\"}\n{\"id\":\"c\",\"smiles\":\"\"}\n{\"id\":\"d\",\"smiles\":\"" + rdx + `"}`, "line 2, column 25: |line 3, column 1: "},
		"text/csv":                  {"id,smiles\na," + aspirin + "\nb,C(\nc,\nd," + rdx + "\n", "line 3, column 4: |line 4, column 3: "},
		"text/tab-separated-values": {"id\tsmiles\na\t" + aspirin + "\nb\tC(\nc\t\nd\t" + rdx + "\n", "line 3, column 4: |line 4, column 3: "},
	}
	var want string
	for mediaType, request := range requests {
		var rows []map[string]any
		a := s.ask("POST", "/v1/score?alpha=0.06", mediaType, request[0], "Accept", "text/csv;q=0.5, application/json;q=0.9")
		var got struct {
			Rows   []map[string]any
			Counts map[string]int
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got.Rows) != 4 {
			t.Fatalf("%s: %s, %v", mediaType, a.body, err)
		}
		if got.Counts["records"] != 4 || got.Counts["refused"] != 2 || got.Counts["outside"] != 1 {
			t.Errorf("%s: %v", mediaType, got.Counts)
		}
		l := s.ask("POST", "/v1/score?alpha=0.06", mediaType, request[0], "Accept", "text/csv;q=0, application/x-ndjson")
		for line := range strings.Lines(l.body) {
			var row map[string]any
			try.Check(json.Unmarshal([]byte(line), &row))
			rows = append(rows, row)
		}
		if fmt.Sprint(rows) != fmt.Sprint(got.Rows) {
			t.Errorf("%s: lines %v\ndocument %v", mediaType, rows, got.Rows)
		}
		for i, place := range strings.Split(request[1], "|") {
			if text, ok := rows[1+i]["error"].(string); !ok || !strings.HasPrefix(text, place) {
				t.Errorf("%s: row %d has the error %v, want that of %s", mediaType, 1+i, rows[1+i]["error"], place)
			}
			delete(rows[1+i], "error")
		}
		if text := fmt.Sprint(rows); want == "" {
			want = text
		} else if text != want {
			t.Errorf("%s: %s, want %s", mediaType, text, want)
		}
	}
	if !strings.Contains(want, "verdict:outside") || !strings.Contains(want, "verdict:inside") {
		t.Errorf("%s", want)
	}
	if a := s.ask("POST", "/v1/score", "text/plain", aspirin+" a\nC( b\n"); a.Header.Get("Content-Type") != "text/csv" || !strings.Contains(a.body, `"line 2, column 2:`) {
		t.Errorf("%s", a.body)
	}
	for _, empty := range []string{`{"smiles": []}`, `{"graphs": []}`} {
		if a := s.ask("POST", "/v1/score", "application/json", empty); a.StatusCode != 200 || !strings.Contains(a.body, `"records":0`) {
			t.Errorf("%s: %s", empty, a.body)
		}
	}
}

// What of the records is not read is told in a field of any answer.
func TestNotes(t *testing.T) {
	s := serving(t, local)
	const more = "{\"smiles\": \"C\"}\n{\"smiles\": \"C\", \"\u00b5\\n\": 1}\n"
	far := strings.Repeat(`{"smiles": "C", "y": "`+strings.Repeat("x", 30_000)+"\"}\n", 3)
	for _, accept := range []string{"application/json", "application/x-ndjson", "text/csv"} {
		notes := s.ask("POST", "/v1/score", "application/x-ndjson", far+more, "Accept", accept).Header.Values("Baca-Note")
		if len(notes) != 1 || !strings.Contains(notes[0], "occurs first in row 5: columns that the first records lack are not read") {
			t.Errorf("%s: %q", accept, notes)
		}
	}
}

func TestExplain(t *testing.T) {
	s := serving(t, local)
	var got struct{ Rows []map[string]any }
	a := s.ask("POST", "/v1/explain", "application/json", `{"smiles": ["C(", "`+rdx+`"]}`)
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Rows[0]["error"] == nil ||
		len(got.Rows[1]["reasons"].([]any)) == 0 || len(got.Rows[1]["atoms"].([]any)) != 15 ||
		len(got.Rows[1]["nearest_smiles"].([]any)) != algo.NearestExplained {
		t.Errorf("%s, %v", a.body, err)
	}
	s.ask("POST", "/v1/explain", "application/x-ndjson", `{"smiles": "`+rdx+`"}`)
	for line := range strings.Lines(string(try.To(os.ReadFile("../../../algo/explain/testdata/first.txt")))) {
		text, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		a := s.ask("POST", "/v1/explain", "application/json", `{"smiles": ["`+text+`"]}`)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Rows[0]["reasons"].([]any)[0] != reason {
			t.Errorf("%s: %v, %v, want %q", text, err, got.Rows[0]["reasons"], reason)
		}
	}
}

func TestGraphs(t *testing.T) {
	s := serving(t, local)
	list := `{"graphs": [{"n": 3, "edges": [[0, 1], [1, 2], [2, 0]]}, {"n": 2, "edges": [[0, 2]]}, {"n": 1}, {"n": 0}]}`
	a := s.ask("POST", "/v1/score?model=ptc_mr", "application/json", list, "Accept", "application/x-ndjson")
	rows := strings.Split(a.body, "\n")
	if !strings.Contains(rows[0], `"error":null`) || !strings.Contains(rows[1], `edge 0 `) {
		t.Errorf("%s", a.body)
	}
	b := s.ask("POST", "/v1/score?model=ptc_mr", "application/x-ndjson", `{"nodes": [{"id": 0}, {"id": 1}, {"id": 2}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 2, "target": 0}]}`+"\n[]\n")
	lines := strings.Split(b.body, "\n")
	if lines[0] != rows[0] || !strings.Contains(lines[1], "line 2, column 1: ") {
		t.Errorf("%s, want %s", b.body, rows[0])
	}
	if a := s.ask("POST", "/v1/score", "application/json", list); a.StatusCode != 400 || !strings.Contains(a.body, "reads molecules") {
		t.Errorf("%s", a.body)
	}
}

func TestBatch(t *testing.T) {
	s := serving(t, local)
	var texts []string
	for n := range 30 {
		texts = append(texts, strings.Repeat("C", 2+n)+"N")
	}
	var got struct {
		Rows  []map[string]any
		Whole *service.Whole
	}
	a := s.ask("POST", "/v1/score?by=batch&seed=2", "application/json", `{"smiles": ["`+strings.Join(texts, `","`)+`"]}`)
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Whole == nil || got.Whole.Few || *got.Whole.P > 0.05 || got.Rows[0]["by"] != "batch" {
		t.Errorf("%s, %v", a.body, err)
	}
	first := got.Rows[0]
	a = s.ask("POST", "/v1/score?by=both&seed=2", "application/json", `{"smiles": ["`+strings.Join(texts, `","`)+`"]}`)
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Rows[0]["by"] != "alone" || got.Rows[0]["score"] != first["alone"] {
		t.Errorf("by both: %s, %v", a.body, err)
	}
	for _, name := range []string{"alone_p", "batch_p", "batch_foreign", "batch_verdict"} {
		if first[name] == nil || got.Rows[0][name] != first[name] {
			t.Errorf("%s: %v by batch, %v by both", name, first[name], got.Rows[0][name])
		}
	}
	a = s.ask("POST", "/v1/score?by=batch", "application/json", `{"smiles": ["C"]}`)
	if !strings.Contains(a.body, `"by":"alone"`) || !strings.Contains(a.body, `"few":true`) {
		t.Errorf("%s", a.body)
	}
}

func TestRefusals(t *testing.T) {
	s := limiting(t, func(l *Limits) { l.Bytes = 100_000 })
	const json = "application/json"
	good := `{"smiles": ["C"]}`
	graph := func(fields string) string { return `{"graphs": [{` + fields + `}]}` }
	for _, c := range []struct {
		status                        int
		method, path, mediaType, body string
		want                          string
		fields                        []string
	}{
		{400, "POST", "/v1/score?alpha=2", json, good, "between 0 and 1", nil},
		{400, "POST", "/v1/score?alpha=NaN", json, good, "between 0 and 1", nil},
		{400, "POST", "/v1/score?alpha=0", json, good, "between 0 and 1", nil},
		{400, "POST", "/v1/score?alpha=", json, good, "with a value", nil},
		{400, "POST", "/v1/score?by=", json, good, "with a value", nil},
		{400, "POST", "/v1/score?by=me", json, good, "alone, batch, attention", nil},
		{400, "POST", "/v1/score?seed=-1", json, good, "from 0", nil},
		{400, "POST", "/v1/score?colour=red", json, good, "colour", nil},
		{400, "POST", "/v1/score?by=batch&by=alone", json, good, "once", nil},
		{400, "POST", "/v1/score?a=%zz", json, good, "escape", nil},
		{400, "POST", "/v1/score", json, `{"smiles": "C"}`, "found string in smiles at byte ", nil},
		{400, "POST", "/v1/score", json, `["C"]`, "found array in place of an object", nil},
		{400, "POST", "/v1/score", json, `{"smiles"`, "it ends too early: want such as ", nil},
		{400, "POST", "/v1/score", json, `{"smiles": ["C"], "model": "bbbp"}`, "the JSON document: unknown field", nil},
		{400, "POST", "/v1/score", json, `{"smiles": ["C"], "SMILES": ["N"]}`, "the JSON document: unknown field", nil},
		{400, "POST", "/v1/score", json, good + "2", "text after the JSON document", nil},
		{400, "POST", "/v1/score", json, `{"smiles": ["C"], "smiles": ["N"]}`, `twice: want it once, at byte 19`, nil},
		{400, "POST", "/v1/score", json, `{}`, "smiles and graphs", nil},
		{400, "POST", "/v1/score", json, `{"smiles": ["C"], "ids": []}`, "ids has 0: want 1, one for each record", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0, 1], [1, 2, 7]]`), "edge 2 of a graph: want two whole numbers: want such as", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0]]`), "edge 1 of a graph: want", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0, null]]`), "edge 1 of a graph: want", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0, 1.5]]`), "edge 1 of a graph: want", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0, 1], [0, 4294967297]]`), "edge 2 of a graph: want", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [null]`), "edge 1 of a graph: want", nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "edges": [[0, 1]], "edges": []`), `a graph: key \"edges\" is there twice`, nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"n": 3, "N": 1`), `unknown field \"N\" of a graph`, nil},
		{400, "POST", "/v1/score?model=ptc_mr", json, graph(`"edges": [[0, 1]]`), `n of a graph is \"\": want a number of nodes`, nil},
		{400, "POST", "/v1/score", json, "", "it is empty: want such as ", nil},
		{400, "POST", "/v1/score", "text/csv", "a,b\n1,2\n", "column", nil},
		{400, "POST", "/v1/score?sheet=a", "text/csv", "smiles\nC\n", "no Excel workbook", nil},
		{400, "POST", "/v1/score?column=nobody", "text/csv", "a,b\n1,2\n", "nobody", nil},
		{400, "POST", "/v1/score?model=ptc_mr", "text/csv", "smiles\nC\n", "plain graphs", nil},
		{404, "POST", "/v1/score?model=nobody", json, good, `tox21"}`, nil},
		{404, "GET", "/v1/score/", "", "", "there is no", nil},
		{405, "GET", "/v1/score", "", "", "want POST", nil},
		{405, "DELETE", "/v1/models", "", "", "want GET", nil},
		{406, "POST", "/v1/score", json, good, "image/png", []string{"Accept", "image/png"}},
		{413, "POST", "/v1/score", json, good + strings.Repeat(" ", 100_000), "100000 bytes", nil},
		{415, "POST", "/v1/score", "", good, "Content-Type", nil},
		{415, "POST", "/v1/score", "text/csv", "\x1f\x8b\b\x00", "compressed", nil},
		{415, "POST", "/v1/score", json, good, "gzip", []string{"Content-Encoding", "gzip"}},
		{403, "POST", "/v1/score", json, good, "pages of other sites", []string{"Origin", "http://example.com"}},
		{403, "POST", "/v1/score", json, good, "pages of other sites", []string{"Sec-Fetch-Site", "cross-site"}},
		{421, "POST", "/v1/score", json, good, "example.com", []string{"Host", "example.com:80", "Origin", "http://example.com:80"}},
		{421, "GET", "/v1/models", "", "", "127.0.0.1.example.com", []string{"Host", "127.0.0.1.example.com"}},
		{421, "GET", "/v1/models", "", "", "192.0.2.1", []string{"Host", "192.0.2.1:80"}},
	} {
		a := s.ask(c.method, c.path, c.mediaType, c.body, c.fields...)
		if a.StatusCode != c.status || !strings.Contains(a.body, c.want) || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s %q: %s %s, want %d and %q", c.method, c.path, c.body[:min(50, len(c.body))], a.Status, a.body, c.status, c.want)
		}
	}
	for _, host := range []string{"localhost", "localhost:1", "127.0.0.9", "[::1]:80", "[::1]"} {
		if a := s.ask("GET", "/healthz", "", "", "Host", host); a.StatusCode != 200 {
			t.Errorf("host %s: %s", host, a.Status)
		}
	}
	// A body whose length is not told is refused when it turns out to be too long.
	r, err := http.Post(s.URL+"/v1/score", "application/x-ndjson", io.MultiReader(strings.NewReader(strings.Repeat("\n", 100_001))))
	if err != nil || r.StatusCode != 413 {
		t.Errorf("%v, %v", r, err)
	}
}

func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	s := serving(t, Options{Token: token})
	for field, status := range map[string]int{"": 401, "Bearer " + token: 200, "bearer " + token: 200, "Bearer " + token[:15]: 401, "Basic " + token: 401, token: 401} {
		a := s.ask("GET", "/v1/models", "", "", "Authorization", field)
		if a.StatusCode != status || strings.Contains(a.body, token) || (status == 401) != (a.Header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%q: %s %v", field, a.Status, a.Header)
		}
	}
	if a := s.ask("GET", "/healthz", "", "", "Host", "example.com"); a.StatusCode != 200 {
		t.Errorf("healthz: %s", a.Status)
	}
	for _, o := range []Options{{}, {Token: "short"}, {Loopback: true, Token: "short"}} {
		o.Limits = DefaultLimits()
		if _, err := New(shared, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for i, change := range []func(*Limits){
		func(l *Limits) { l.Bytes = 0 }, func(l *Limits) { l.Time = 0 }, func(l *Limits) { l.Requests = 0 }, func(l *Limits) { l.Waiting = -1 },
		func(l *Limits) { l.Wait = 0 }, func(l *Limits) { l.Stall = 0 }, func(l *Limits) { l.Waiting = 0 }, // nobody need wait
	} {
		limits := DefaultLimits()
		change(&limits)
		if _, err := New(shared, Options{Loopback: true, Limits: limits}); (err == nil) != (i == 6) {
			t.Errorf("limits %+v: %v", limits, err)
		}
	}
	if IsLoopback(&net.TCPAddr{IP: net.IPv4zero}) || !IsLoopback(&net.TCPAddr{IP: net.IPv6loopback}) {
		t.Error("what is loopback")
	}
}

// Pages of an allowed origin ask as browsers do: first, without the token, whether they may. Those of others may not.
func TestOrigins(t *testing.T) {
	const token, lab = "0123456789abcdef", "https://lab.example"
	for _, o := range []Options{{Token: token}, {Loopback: true}} {
		o.Origins = []string{lab, "http://localhost:3000"}
		s := serving(t, o)
		for origin, allowed := range map[string]bool{lab: true, "http://localhost:3000": true, lab + ":8443": false, "http://lab.example": false, "null": false} {
			ask := func(method string, status int, fields ...string) {
				t.Helper()
				a := s.ask(method, "/v1/score", "application/json", `{"smiles": ["C"]}`, append(fields, "Origin", origin, "Sec-Fetch-Site", "cross-site")...)
				shared := a.Header.Get("Access-Control-Allow-Origin")
				if a.StatusCode != status || a.Header.Get("Vary") != "Origin" || allowed != (shared == origin) || !allowed && shared != "" {
					t.Errorf("%s of %s: %s, %v; want %d", method, origin, a.Status, a.Header, status)
				}
			}
			preflight, post, options := 204, 200, 405
			if o.Token != "" {
				options = 401
			}
			if !allowed {
				preflight, post = options, 403
			}
			ask("OPTIONS", options) // which is no preflight
			ask("OPTIONS", preflight, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
			ask("POST", post, "Authorization", "Bearer "+token)
			if o.Token != "" {
				ask("POST", 401) // which the page can read
			}
		}
		a := s.ask("OPTIONS", "/v1/score", "", "", "Origin", lab, "Access-Control-Request-Method", "POST")
		if h := a.Header; h.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type" || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight %v", h)
		}
	}
	for _, origin := range []string{"*", "null", "lab.example", lab + "/page", ""} {
		if _, err := New(shared, Options{Limits: DefaultLimits(), Loopback: true, Origins: []string{origin}}); err == nil {
			t.Errorf("origin %q: no error", origin)
		}
	}
	if a := serving(t, local).ask("GET", "/healthz", "", "", "Origin", lab); a.Header.Get("Vary")+a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without origins: %v", a.Header)
	}
}

// manyLines is a body of n records.
func manyLines(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 32<<10)
		for i := range n {
			if _, err := fmt.Fprintf(b, "{\"id\":\"%d\",\"smiles\":\"%sO\"}\n", i, strings.Repeat("C", 1+i%30)); err != nil {
				return
			}
		}
		w.CloseWithError(b.Flush())
	}()
	return r
}

const linesHead = "POST /v1/score HTTP/1.1\nHost: localhost\nContent-Type: application/x-ndjson\n" +
	"Transfer-Encoding: chunked\nConnection: close\n\n"

// connect sends the head of a request with lines, and leaves the rest to the caller.
func (s *server) connect() net.Conn {
	s.t.Helper()
	c := try.To(net.Dial("tcp", s.Listener.Addr().String()))
	s.t.Cleanup(func() { c.Close() })
	try.To(io.WriteString(c, strings.ReplaceAll(linesHead, "\n", "\r\n")))
	return c
}

// A client that reads nothing before it has sent all gets every row, whatever fits into the buffers of the system. Until
// it reads, it keeps nobody from being served, and memory does not grow with its rows.
func TestSendsAllBeforeItReadsMemory(t *testing.T) {
	n := 60_000
	if testing.Short() {
		n = 20_000
	}
	s := limiting(t, func(l *Limits) { l.Requests, l.Wait = 1, 10*time.Minute })
	c := s.connect()
	var most uint64
	stop, watched := make(chan bool), make(chan bool)
	go func() {
		defer close(watched)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	}()
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	body := manyLines(n)
	try.To(io.Copy(httputil.NewChunkedWriter(c), body))
	io.WriteString(c, "0\r\n\r\n")
	for range 3 {
		if a := s.methane(); a.StatusCode != 200 {
			t.Errorf("another client got %s", a.Status)
		}
	}
	r := try.To(http.ReadResponse(bufio.NewReader(c), nil))
	data := try.To(io.ReadAll(r.Body))
	close(stop)
	<-watched
	if got := bytes.Count(data, []byte(`"verdict":"`)); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
	// The answer is 15 MB, and twice that while it is read here.
	t.Logf("answer of %d MB; heap of %d MB before and at most %d MB", len(data)>>20, before.HeapInuse>>20, most>>20)
	if most > before.HeapInuse+uint64(3*len(data))+64<<20 {
		t.Errorf("the heap grew from %d to %d MB", before.HeapInuse>>20, most>>20)
	}
}

// A client that sends nothing, or next to nothing, is told so. It keeps nobody from being served.
func TestSlowSender(t *testing.T) {
	s := limiting(t, func(l *Limits) { l.Requests, l.Stall = 1, 300*time.Millisecond })
	for _, every := range []time.Duration{time.Hour, 50 * time.Millisecond} {
		c := s.connect()
		go func() {
			for range time.Tick(every) {
				if _, err := httputil.NewChunkedWriter(c).Write([]byte("\n")); err != nil {
					return
				}
			}
		}()
		if a := s.methane(); a.StatusCode != 200 {
			t.Errorf("another client got %s", a.Status)
		}
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		data := make([]byte, 4096)
		n, err := c.Read(data)
		if !strings.HasPrefix(string(data[:n]), "HTTP/1.1 408 ") {
			t.Errorf("a line every %v: %q, %v", every, data[:n], err)
		}
	}
}

// Of many requests at once those that cannot wait are told when to come again, and all others
// get their rows.
func TestManyAtOnce(t *testing.T) {
	for _, waiting := range []int{256, 20} {
		s := limiting(t, func(l *Limits) { l.Requests, l.Waiting = 2, waiting })
		var all sync.WaitGroup
		var mu sync.Mutex
		answers := map[int]int{}
		for range 200 {
			all.Go(func() {
				a := s.ask("POST", "/v1/score", "application/json", `{"smiles": ["`+aspirin+`", "`+rdx+`"]}`)
				mu.Lock()
				defer mu.Unlock()
				answers[a.StatusCode]++
				switch {
				case a.StatusCode == 200 && strings.Count(a.body, `"error":null`) != 2:
					t.Errorf("%s", a.body)
				case a.StatusCode == 429 && a.Header.Get("Retry-After") != "5":
					t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
				}
			})
		}
		all.Wait()
		t.Logf("%d may wait: %v", waiting, answers)
		if answers[200]+answers[429] != 200 || answers[200] < min(200, waiting) || waiting > 200 && answers[429] > 0 {
			t.Errorf("%d may wait: %v", waiting, answers)
		}
	}
}

// Whoever waits too long for a turn is told so, too.
func TestWaits(t *testing.T) {
	s := limiting(t, func(l *Limits) { l.Requests, l.Wait = 1, 50*time.Millisecond })
	s.methane() // loads the model, which takes longer
	c := s.connect()
	go io.Copy(httputil.NewChunkedWriter(c), manyLines(100_000_000))
	if a := s.comes(429, s.methane); a.Header.Get("Retry-After") != "1" || !strings.Contains(a.body, "waited") {
		t.Errorf("%s %s", a.Status, a.body)
	}
	c.Close()
	s.comes(200, s.methane) // the client that left makes room
}

// The body and the answer end with the request, whatever computes between them.
func TestEndsWithRequest(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := newBody(ctx, strings.NewReader("C"), http.NewResponseController(httptest.NewRecorder()), DefaultLimits())
	out := &reply{ctx: ctx}
	if _, err := out.Write([]byte("C")); err != nil {
		t.Error(err)
	}
	cancel(errTime)
	if _, err := b.Read(make([]byte, 1)); err != errTime {
		t.Errorf("a body: %v", err)
	}
	if _, err := out.Write([]byte("C")); err != errTime {
		t.Errorf("an answer: %v", err)
	}
	out.Close()
}

// A request that takes too long ends in a problem.
func TestTakesTooLong(t *testing.T) {
	s := limiting(t, func(l *Limits) { l.Time = 700 * time.Millisecond })
	c := s.connect()
	go io.Copy(httputil.NewChunkedWriter(c), manyLines(100_000_000))
	r := try.To(http.ReadResponse(bufio.NewReader(c), nil))
	data, _ := io.ReadAll(r.Body)
	s.value("Problem", data)
	if r.StatusCode != http.StatusServiceUnavailable || !bytes.Contains(data, []byte("took too long")) {
		t.Errorf("%s: %s", r.Status, data)
	}
}

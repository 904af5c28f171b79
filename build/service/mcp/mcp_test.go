package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/algo"
	"baca/algo/table"
	"baca/build/internal/try"
	"baca/build/service"
	"baca/weights"
)

const rdx = "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]"

// session is a client of a server.
func session(t *testing.T) *sdk.ClientSession {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go New(service.New(1)).Run(ctx, theirs)
	c := try.To(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, ours, nil))
	t.Cleanup(func() { c.Close() })
	return c
}

// call returns the answer of a tool, or the text of its error.
func call(t *testing.T, c *sdk.ClientSession, tool string, arguments any, answer any) string {
	t.Helper()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error()
	}
	if r.IsError {
		return r.Content[0].(*sdk.TextContent).Text
	}
	data := try.To(json.Marshal(r.StructuredContent))
	try.Check(json.Unmarshal(data, answer))
	return ""
}

func TestTools(t *testing.T) {
	c := session(t)
	if !strings.Contains(c.InitializeResult().Instructions, "verdict") {
		t.Error("the server does not say what it is for")
	}
	list, err := c.ListTools(context.Background(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, tool := range list.Tools {
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%+v", tool)
		}
	}
	var models Listed
	if why := call(t, c, "models", map[string]any{}, &models); why != "" || len(models.Models) < 2 {
		t.Errorf("models: %s %v", why, models)
	}
}

// The numbers are those of the library, as the command writes them.
func TestScore(t *testing.T) {
	c := session(t)
	texts := []string{"CC(=O)Oc1ccccc1C(=O)O", "C(", rdx}
	var scored, explained Scored
	for tool, answer := range map[string]*Scored{"score": &scored, "explain": &explained} {
		if why := call(t, c, tool, Scoring{SMILES: texts}, answer); why != "" {
			t.Fatalf("%s: %s", tool, why)
		}
	}
	m := try.To(service.New(1).Model(context.Background(), weights.Default))
	var want []table.Row
	p := m.Plan(service.How{Alpha: 0.05, By: algo.ByAlone})
	p.Rows = func(rows []table.Row) error { want = append(want, rows...); return nil }
	try.To(m.Score(context.Background(), service.List{SMILES: texts}, p))
	for _, got := range []Scored{scored, explained} {
		for i, r := range got.Rows {
			s, read := want[i].(*table.Scored)
			if !read {
				if r["error"] != "character 2: the branch is never closed" || r["score"] != nil || r["verdict"] != nil {
					t.Errorf("%+v", r)
				}
				continue
			}
			w := s.Scores
			if score, p := r["score"].(float64), r["p_value"].(float64); table.Number(score) != table.Number(w.Score) || w.Score != 0 && score == w.Score || table.Number(p) != table.Number(w.P) || r["verdict"] != string(w.Verdict) {
				t.Errorf("%+v, want %+v", r, w)
			}
		}
	}
	why := explained.Rows[2]
	if list := func(name string) []any { l, _ := why[name].([]any); return l }; len(list("reasons")) == 0 || len(list("atoms")) != 15 || len(list("nearest_smiles")) == 0 || scored.Rows[2]["reasons"] != nil {
		t.Errorf("%+v", why)
	}
	var batch Scored
	for _, by := range []string{algo.ByBatch, service.ByBoth} {
		why := call(t, c, "score", Scoring{SMILES: strings.Split(strings.Repeat(rdx+" ", 25), " ")[:25], By: by, Alpha: 0.1}, &batch)
		if why != "" || batch.Whole == nil || batch.Whole.Few || batch.Rows[0]["batch_foreign"] == nil || batch.Rows[0]["alone_p"] == nil {
			t.Errorf("by %s: %s %+v", by, why, batch)
		}
	}
}

func TestRefusals(t *testing.T) {
	c := session(t)
	one := []string{"C"}
	for want, in := range map[string]any{
		"0 molecules":              Scoring{SMILES: []string{}},
		"want 1 to 1000":           Scoring{SMILES: make([]string, MaxScored+1)},
		"unknown model":            Scoring{SMILES: one, Model: "nobody"},
		"between 0 and 1":          Scoring{SMILES: one, Alpha: 3},
		"nobody":                   Scoring{SMILES: one, By: "nobody"},
		"reads plain graphs":       Scoring{SMILES: one, Model: "ptc_mr"},
		"smiles":                   map[string]any{"smiles": 7},
		"false-alarm rate 0: want": map[string]any{"smiles": one, "alpha": 0},
		`decide by ""`:             map[string]any{"smiles": one, "by": ""},
		`unknown model ""`:         map[string]any{"smiles": one, "model": ""},
		"SMILES":                   map[string]any{"smiles": one, "SMILES": one},
		"missing properties":       json.RawMessage("null"),
	} {
		if why := call(t, c, "score", in, nil); !strings.Contains(why, want) || strings.Contains(why, "file") {
			t.Errorf("%.100v: %q, want %q", in, why, want)
		}
	}
	none := Trusting{SMILES: one, Model: "drugs", Predictions: service.Predictions{Predicted: []*float64{new(float64)}}}
	if why := call(t, c, "trust", none, nil); !strings.Contains(why, "model drugs knows no held-out errors: want a model trained with") {
		t.Errorf("%q", why)
	}
	if why := call(t, c, "explain", Scoring{SMILES: make([]string, MaxExplained+1)}, nil); !strings.Contains(why, "want 1 to 20") {
		t.Errorf("%q", why)
	}
}

// What was asked is answered though the input ends, and what is no message is refused.
func TestServeAnswersAll(t *testing.T) {
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	var out bytes.Buffer
	asked := begin
	for id := 2; id < 12; id++ {
		asked += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"score","arguments":{"smiles":["CC(=O)Oc1ccccc1C(=O)O"]}}}`+"\n", id)
	}
	try.Check(Serve(context.Background(), service.New(1), strings.NewReader(asked), &out))
	if n := strings.Count(out.String(), `"verdict":"inside"`); n != 10 || strings.Count(out.String(), "\n") != 11 {
		t.Errorf("%d answers of 10:\n%s", n, &out)
	}
	out.Reset()
	question := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
	for _, line := range []string{
		"hello", question(2) + question(3), "\xff", "", " \t\r", // three are no JSON
		`{"jsonrpc":"2.0","method":"nobody"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, // no answers to these
		"7", "{}", "[]", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":31.5,"method":"ping"}`, "[" + question(23) + "]", // six are no messages
		`{"id":20,"method":"ping"}`, `{"jsonrpc":"2.0","id":21,"method":"nobody"}`,
		`{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"score","arguments":{"smiles":["CC(=O)Oc1ccccc1C(=O)O"]}}}`, question(22),
		question(25) + "\r\n" + question(26),
		`{"jsonrpc":"2.0","id":27,"method":"ping","Method":"nobody","ID":28}`, // keys are as they are written
		`{"jsonrpc":"2.0","id":30,"method":"nobody","method":"ping"}`, `{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"models","name":"score"}}`,
		`{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"score","arguments":{"smiles":["CCO"],"alpha":0.9,"smiles":["C"]}}}`,
	} {
		begin += line + "\n"
	}
	try.Check(Serve(context.Background(), service.New(1), strings.NewReader(begin), &out))
	for want, n := range map[string]int{
		"\n": 20, `"id":27,"result":{}`: 1, `is there twice`: 3, `"code":-32700,"message":"no JSON`: 3, `"code":-32600,`: 11, `"id":21,"error":{"code":-32601,`: 1,
		`"id":22`: 2, `"id":20`: 1, `"id":30`: 3, `"id":31.5`: 1, `"verdict":"inside"`: 1, `"result":{}`: 3,
	} {
		if got := strings.Count(out.String(), want); got != n {
			t.Errorf("%d times %q, want %d in:\n%s", got, want, n, &out)
		}
	}
	if err := Serve(context.Background(), service.New(1), iotest.ErrReader(io.ErrClosedPipe), io.Discard); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
	if err := Serve(context.Background(), service.New(1), strings.NewReader(strings.Repeat(" ", maxMessage)+"7"), io.Discard); err == nil || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("a long line: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, _ := io.Pipe()
	if err := Serve(ctx, service.New(1), r, io.Discard); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}

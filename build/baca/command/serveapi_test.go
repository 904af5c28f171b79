package command

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/build/service"
	"baca/build/service/api"
	"baca/build/service/mcp"
	"baca/web"
)

// The API gives the bytes of the command. That every form of requests and answers has the same rows, package api tests.
func TestAPIGivesTheRowsOfTheCommand(t *testing.T) {
	options := api.Options{Limits: api.DefaultLimits(), Loopback: true, Folder: t.TempDir()}
	s := httptest.NewServer(try.To(api.New(service.New(2), options)))
	defer s.Close()
	input := web.Examples()
	dir := t.TempDir()
	path := filepath.Join(dir, "examples.csv")
	try.Check(os.WriteFile(path, input, 0o600))
	for query, flags := range map[string][]string{
		"score?alpha=0.1":       {"--alpha", "0.1"},
		"score?by=batch":        {"--by", "batch"},
		"score?by=attention":    {"--by", "attention", "--to", "jsonl"},
		"score?model=tox21":     {"--model", "tox21"},
		"explain?column=smiles": {"--explain", "--to", "jsonl"},
	} {
		want, _ := succeed(t, append([]string{"score", path}, flags...)...)
		r := try.To(http.NewRequest("POST", s.URL+"/v1/"+query, bytes.NewReader(input)))
		r.Header.Set("Content-Type", "text/csv")
		if r.Header.Set("Accept", "text/csv"); slices.Contains(flags, "jsonl") {
			r.Header.Set("Accept", "application/x-ndjson")
		}
		a := try.To(http.DefaultClient.Do(r))
		got := try.To(io.ReadAll(a.Body))
		a.Body.Close()
		if a.StatusCode != http.StatusOK || string(got) != want {
			t.Errorf("%s: %s, or other bytes than of %v", query, a.Status, flags)
		}
	}
}

// API and MCP judge predictions as the command does, and say what was measured nearby.
func TestServedTrustIsThatOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	lines := strings.SplitAfter(string(read(t, "../testdata/hydration.csv")), "\n")
	testset.Write(t, path("train.csv"), strings.Join(lines[:501], ""))
	testset.Write(t, path("new.csv"), lines[0]+strings.Join(lines[501:], ""))
	testset.Write(t, path("few.csv"), lines[0]+strings.Join(lines[501:510], ""))
	try.Check(os.Mkdir(path("models"), 0o777))
	succeed(t, "train", path("train.csv"), "--observed", "observed", "--held-out", "predicted", "--keep-structures", "--out", path("models/hydration.msgpack"))
	offered := service.New(2)
	try.Check(offered.Offer(path("models")))
	s := httptest.NewServer(try.To(api.New(offered, api.Options{Limits: api.DefaultLimits(), Loopback: true, Folder: dir})))
	defer s.Close()

	type answer struct {
		Rows  []map[string]any
		Notes []string
	}
	ask := func(rows []map[string]any, byMCP bool) (a answer) {
		t.Helper()
		asked := map[string][]any{}
		for _, r := range rows {
			asked["smiles"], asked["predicted"] = append(asked["smiles"], r["smiles"]), append(asked["predicted"], r["predicted"])
		}
		if !byMCP {
			r := try.To(http.Post(s.URL+"/v1/trust?model=hydration", "application/json", bytes.NewReader(try.To(json.Marshal(asked)))))
			defer r.Body.Close()
			try.Check(json.NewDecoder(r.Body).Decode(&a))
			return a
		}
		call := map[string]any{"model": "hydration", "smiles": asked["smiles"], "predicted": asked["predicted"]}
		begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
		question := try.To(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "trust", "arguments": call}}))
		var out bytes.Buffer
		try.Check(mcp.Serve(t.Context(), offered, strings.NewReader(begin+string(question)+"\n"), &out))
		for line := range bytes.Lines(out.Bytes()) {
			var m struct {
				ID     int
				Result struct{ StructuredContent answer }
			}
			if try.Check(json.Unmarshal(line, &m)); m.ID == 2 {
				return m.Result.StructuredContent
			}
		}
		return a
	}
	for file, byMCP := range map[string]bool{"new.csv": false, "few.csv": true} {
		text, _ := succeed(t, "trust", "--model", path("models/hydration.msgpack"), "--predicted", "predicted", "--neighbors", "3", "--to", "jsonl", path(file))
		var want []map[string]any
		for line := range strings.Lines(text) {
			var row map[string]any
			try.Check(json.Unmarshal([]byte(line), &row))
			want = append(want, row)
		}
		got := ask(want, byMCP)
		if len(got.Rows) != len(want) || len(want) < 9 || len(got.Notes) < 3 {
			t.Fatalf("%s: %d rows, want %d, with notes %q", file, len(got.Rows), len(want), got.Notes)
		}
		for i, row := range want {
			for _, name := range []string{
				"smiles", "score", "p_value", "predicted", "expected_error", "interval_low", "interval_high", "trust", "interval_batch_low", "interval_batch_high", "trust_batch",
				"nearest_smiles", "nearest_similarity", "nearest_observed",
			} {
				if served := got.Rows[i][name]; !reflect.DeepEqual(served, row[name]) {
					t.Errorf("%s, row %d: %s is %v, want %v", file, i, name, served, row[name])
				}
			}
			if reasons, _ := got.Rows[i]["reasons"].([]any); len(reasons) == 0 && row["verdict"] == "outside" || row["expected_error"] == nil && row["trust"] != "do-not-use" {
				t.Errorf("%s, row %d: %v", file, i, got.Rows[i])
			}
		}
	}
}

// The token is found in a file or in the environment.
func TestAPIToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	t.Setenv(tokenVariable, " from-the-environment\n")
	if token, err := (&apiFlags{}).token(); token != "from-the-environment" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
	for text, want := range map[string]string{"0123456789abcdef\n": "0123456789abcdef", "short": "", "0123456789 abcdef": "", strings.Repeat("x", 5000): ""} {
		try.Check(os.WriteFile(path, []byte(text), 0o600))
		token, err := (&apiFlags{tokenFile: path}).token()
		if token != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), strings.TrimSpace(text)) {
			t.Errorf("%s: %q, %v", strconv.Quote(text[:10%len(text)]), token, err)
		}
	}
}

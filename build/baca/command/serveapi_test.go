package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/build/service"
	"baca/build/service/api"
	"baca/web"
)

func newAPI(t *testing.T) http.Handler {
	t.Helper()
	return try.To(api.New(service.New(2), api.Options{Limits: api.DefaultLimits(), Loopback: true, Folder: t.TempDir()}))
}

// post returns the body of an answer that must be one.
func post(t *testing.T, url, mediaType, accept string, body []byte) []byte {
	t.Helper()
	r := try.To(http.NewRequest("POST", url, bytes.NewReader(body)))
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("Accept", accept)
	a := try.To(http.DefaultClient.Do(r))
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s, %v", url, a.Status, data, err)
	}
	return data
}

// The API gives the bytes of the command, and in every form the same numbers to the last digit.
func TestAPIGivesTheRowsOfTheCommand(t *testing.T) {
	s := httptest.NewServer(newAPI(t))
	defer s.Close()
	input := web.Examples()
	dir := t.TempDir()
	path := filepath.Join(dir, "examples.csv")
	try.Check(os.WriteFile(path, input, 0o600))
	score := func(args ...string) string {
		rows, _ := succeed(t, append([]string{"score"}, args...)...)
		return rows
	}
	for query, flags := range map[string][]string{
		"score?alpha=0.1":       {"--alpha", "0.1"},
		"score?by=batch":        {"--by", "batch"},
		"score?by=attention":    {"--by", "attention"},
		"score?model=tox21":     {"--model", "tox21"},
		"explain?column=smiles": {"--explain"},
	} {
		for to, mediaType := range map[string]string{"csv": "text/csv", "jsonl": "application/x-ndjson"} {
			want := score(append(flags, "--to", to, path)...)
			got := post(t, s.URL+"/v1/"+query, "text/csv", mediaType, input)
			if string(got) != want {
				t.Errorf("%s as %s: other bytes than of %v", query, to, flags)
			}
		}
	}
	// A list in JSON has no file, but the same numbers.
	rows := try.To(csv.NewReader(strings.NewReader(score("--by", "batch", path))).ReadAll())
	at := func(name string) int { return slices.Index(rows[0], name) }
	var texts []string
	for _, row := range rows[1:] {
		texts = append(texts, row[at("smiles")])
	}
	body := try.To(json.Marshal(map[string]any{"smiles": texts}))
	var got struct{ Rows []map[string]any }
	d := json.NewDecoder(bytes.NewReader(post(t, s.URL+"/v1/score?by=batch", "application/json", "application/json", body)))
	d.UseNumber()
	if err := d.Decode(&got); err != nil || len(got.Rows) != len(texts) {
		t.Fatalf("%d rows, %v", len(got.Rows), err)
	}
	for i, row := range got.Rows {
		for _, name := range []string{"score", "p_value", "s_attn", "verdict"} {
			if text := fmt.Sprint(row[name]); text != rows[1+i][at(name)] {
				t.Errorf("row %d: %s is %s, want %s", i+1, name, text, rows[1+i][at(name)])
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

package command

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/build/service"
	"baca/build/service/api"
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
		"score?by=attention":    {"--by", "attention"},
		"score?model=tox21":     {"--model", "tox21"},
		"explain?column=smiles": {"--explain"},
	} {
		for to, mediaType := range map[string]string{"csv": "text/csv", "jsonl": "application/x-ndjson"} {
			want, _ := succeed(t, append([]string{"score", "--to", to, path}, flags...)...)
			r := try.To(http.NewRequest("POST", s.URL+"/v1/"+query, bytes.NewReader(input)))
			r.Header.Set("Content-Type", "text/csv")
			r.Header.Set("Accept", mediaType)
			a := try.To(http.DefaultClient.Do(r))
			got := try.To(io.ReadAll(a.Body))
			a.Body.Close()
			if a.StatusCode != http.StatusOK || string(got) != want {
				t.Errorf("%s as %s: %s, or other bytes than of %v", query, to, a.Status, flags)
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

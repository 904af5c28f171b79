package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/build/service"
)

// library is a JSON document of so many alcohols, with further fields.
func library(n int, fields string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%q", strings.Repeat("C", i+1)+"O")
	}
	return `{"smiles": [` + strings.Join(list, ", ") + `]` + fields + `}`
}

// The answer has the file that the service makes of the same list, which can be opened.
func TestTraining(t *testing.T) {
	s := serving(t, Options{Loopback: true, Train: true})
	a := s.ask("POST", "/v1/train", "application/json", library(30, `, "name": "mine", "epochs": 2, "keep_structures": true`))
	var got trained
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.StatusCode != 200 {
		t.Fatalf("%s %s, %v", a.Status, a.body, err)
	}
	var list service.List
	try.Check(json.Unmarshal([]byte(library(30, "")), &list))
	want, err := shared.Train(context.Background(), service.Training{List: list, Recipe: service.Recipe{Name: "mine", Epochs: 2, Seed: 1, KeepStructures: true}}, func(service.Progress) error { return nil })
	if err != nil || !bytes.Equal(got.File, want.File) || got.Name != "mine" || got.SHA256 != service.Sum(want.File) {
		t.Errorf("%s, %s of %d bytes: want %d bytes, %v", got.Name, got.SHA256, len(got.File), len(want.File), err)
	}
	if m, err := shared.Open(context.Background(), got.File); err != nil || m.Card.Name != "mine" || m.Structures == nil {
		t.Errorf("%v", err)
	}
	a = s.ask("POST", "/v1/train", "application/json", strings.Replace(library(30, `, "name": "mine", "epochs": 1`), `"CO"`, `"C("`, 1))
	if !strings.Contains(a.body, `"refused":[{"row":1,"error":"character 2: the branch is never closed"}]`) {
		t.Errorf("%s %.300s", a.Status, a.body)
	}
}

// A model of the API has no trained encoder unless it is asked for, and then does not decide by attention.
func TestUntrainedAnswersNotByAttention(t *testing.T) {
	list := service.List{SMILES: make([]string, 30)}
	for i := range list.SMILES {
		list.SMILES[i] = strings.Repeat("C", i+1) + "O"
	}
	made := try.To(shared.Train(t.Context(), service.Training{List: list, Recipe: service.Recipe{Name: "drawn", Seed: 1}}, nil))
	dir := t.TempDir()
	try.Check(os.WriteFile(filepath.Join(dir, "drawn.msgpack"), made.File, 0o666))
	offering := service.New(1)
	try.Check(offering.Offer(dir))
	api := httptest.NewServer(try.To(New(offering, Options{Loopback: true, Limits: DefaultLimits(), Folder: t.TempDir()})))
	defer api.Close()
	for by, want := range map[string]int{"batch": 200, "attention": 400} {
		a := try.To(http.Post(api.URL+"/v1/score?model=drawn&by="+by, "text/plain", strings.NewReader(strings.Join(list.SMILES, "\n"))))
		body := string(try.To(io.ReadAll(a.Body)))
		a.Body.Close()
		if a.StatusCode != want || strings.Contains(body, "the encoder of model drawn is not trained") != (want == 400) {
			t.Errorf("by %s: %s %.200s", by, a.Status, body)
		}
	}
}

func TestTrainingRefusals(t *testing.T) {
	s := serving(t, Options{Loopback: true, Train: true})
	closed := serving(t, local)
	const json = "application/json"
	for _, c := range []struct {
		status                    int
		s                         *server
		path, mediaType, in, want string
	}{
		{403, closed, "", json, library(30, `, "name": "a"`), "--allow-train allows it"},
		{405, s, "", "", "", "want POST"},
		{415, s, "", "text/csv", "smiles\nC\n", "want application/json"},
		{400, s, "?model=drugs", json, library(30, `, "name": "a"`), "want none"},
		{400, s, "", json, library(30, ``), "name"},
		{400, s, "", json, library(30, `, "name": "../a"`), "letters, digits"},
		{400, s, "", json, library(30, `, "name": "a", "name": "b"`), "twice"},
		{400, s, "", json, library(30, `, "name": "a", "path": "/tmp"`), "unknown field"},
		{400, s, "", json, library(30, `, "name": "a", "graphs": []`), "want one of the lists"},
		{400, s, "", json, library(30, `, "name": "a", "epochs": -1`), "epochs"},
		{400, s, "", json, library(30, `, "name": "a", "for": "batch"`), "want attention, or none"},
		{400, s, "", json, library(30, `, "name": "a", "epochs": 1.5`), "found number 1.5 in epochs at byte"},
		{400, s, "", json, library(3, `, "name": "a"`), "want at least 20"},
		// Of 200 chains three are read: a step of training would take 3 GB.
		{413, s, "", json, `{"name": "a", "smiles": ["` + strings.Repeat(strings.Repeat("C", 30000)+`","`, 199) + `C"]}`, "up to record 3 the 3 largest have 90000 nodes together, want at most 65536"},
	} {
		method := map[bool]string{true: "GET", false: "POST"}[c.status == 405]
		if a := c.s.ask(method, "/v1/train"+c.path, c.mediaType, c.in); a.StatusCode != c.status || !strings.Contains(a.body, c.want) {
			t.Errorf("%s %.60q: %s %s, want %d and %q", c.path, c.in, a.Status, a.body, c.status, c.want)
		}
	}
}

// A second training is refused while the first goes on. A client that leaves ends its training.
func TestOneTrainingAtATime(t *testing.T) {
	s := serving(t, Options{Loopback: true, Train: true})
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan struct{})
	go func() {
		defer close(left)
		for ctx.Err() == nil { // the other may be first
			r, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/train", strings.NewReader(library(100, `, "name": "long", "epochs": 100000`)))
			r.Header.Set("Content-Type", "application/json")
			if answer, err := http.DefaultClient.Do(r); err == nil {
				answer.Body.Close()
			}
		}
	}()
	short := func() answer {
		return s.ask("POST", "/v1/train", "application/json", library(30, `, "name": "b", "epochs": 1`))
	}
	if a := s.comes(429, short); a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "another model is being trained") {
		t.Errorf("%s %s", a.Status, a.body)
	}
	leave()
	<-left
	s.comes(200, short)
}

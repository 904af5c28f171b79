package api

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"

	"baca/algo"
	"baca/build/service"
)

// A trainRequest is the JSON document of /v1/train.
type trainRequest struct {
	SMILES []string        `json:"smiles"`
	Graphs []service.Plain `json:"graphs"`
	service.Recipe
}

// check returns an error for a request from which no model can be trained.
func (t *trainRequest) check() error {
	switch {
	case (t.SMILES == nil) == (t.Graphs == nil):
		return inputf("want one of the lists smiles and graphs")
	case !modelName.MatchString(t.Name):
		return inputf("name %.80q: want 1 to 64 letters, digits, points, dashes and underlines, a letter or digit first", t.Name)
	}
	return nil
}

// A trained is the answer to a training request. The server does not keep the model.
type trained struct {
	Name    string    `json:"name"`
	SHA256  string    `json:"sha256"`
	File    []byte    `json:"file"` // in base64
	Refused []refused `json:"refused"`
	Warning string    `json:"warning"`
}

type refused struct {
	Row   int    `json:"row"` // from 1
	Error string `json:"error"`
}

// stepNodes bounds the nodes of a training step, and so its memory to half a gigabyte. A step of molecules has some 4 000.
const stepNodes = 1 << 16

// modelName matches names that can also be file names.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// trainModel answers /v1/train if the operator allows it. It trains one model at a time.
func (a *API) trainModel(w http.ResponseWriter, r *http.Request) {
	in, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case !a.options.Train:
		fail(w, problemf(http.StatusForbidden, "training is not allowed here; baca serve --api --allow-train allows it"))
		return
	case in != string(whole):
		fail(w, problemf(http.StatusUnsupportedMediaType, "Content-Type %.80q: want %s", in, whole))
		return
	case r.URL.RawQuery != "":
		fail(w, problemf(http.StatusBadRequest, "parameters %.40q: want none, since the JSON document has all", r.URL.RawQuery))
		return
	}
	a.respond(w, r, whole, a.train)
}

// train answers with a model trained on the list in body. One training runs at a time; others are refused.
func (a *API) train(ctx context.Context, body *body, out *reply) error {
	asked := trainRequest{Recipe: service.Recipe{Seed: algo.DefaultOptions().Seed}}
	if err := decode(body, &asked, `{"smiles": ["CCO", …], "name": "mine"}`); err != nil {
		return err
	}
	if err := asked.check(); err != nil {
		return err
	}
	select {
	case a.training <- struct{}{}:
		defer func() { <-a.training }()
	default:
		p := problemf(http.StatusTooManyRequests, "another model is being trained")
		p.retry = a.options.Limits.Wait
		return p
	}
	list := service.List{SMILES: asked.SMILES, Graphs: asked.Graphs}
	done, err := a.service.Train(ctx, service.Training{List: list, Recipe: asked.Recipe, StepNodes: stepNodes},
		func(service.Progress) error { return nil })
	if errors.Is(err, service.ErrLarge) {
		return problemf(http.StatusRequestEntityTooLarge, "%v", err)
	}
	if err != nil {
		return wrapped(err)
	}
	answer := trained{Name: asked.Name, SHA256: service.Sum(done.File), File: done.File, Warning: done.Warning, Refused: []refused{}}
	for _, r := range done.Refused {
		answer.Refused = append(answer.Refused, refused{r.Row, r.Err.Error()})
	}
	return json.NewEncoder(out).Encode(answer)
}

// Package api serves package service over HTTP (New). It answers rows as JSON, CSV and JSON lines, as `baca score` writes
// them. README.md shows it at work, and the OpenAPI document that it serves is the reference.
//
// Memory does not grow with a request: records are read as they come, and rows wait in a file until
// all are there. Limits bound the rest. Errors are problem documents (RFC 9457).
package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed" // the document
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"baca/algo/graph"
	"baca/algo/table"
	"baca/algo/training"
	"baca/build/service"
)

//go:embed openapi.json
var outline []byte

// limits of requests, by their place in the document under components.schemas.
var limits = map[string]any{
	"Graph/description":                      fmt.Sprintf("A graph of more than %d nodes or %d edges is a record with an error.", graph.MaxNodes, graph.MaxEdges),
	"List/properties/smiles/maxItems":        service.MaxBatch,
	"List/properties/graphs/maxItems":        service.MaxBatch,
	"List/properties/ids/maxItems":           service.MaxBatch,
	"Predictions/properties/smiles/maxItems": service.MaxExplained,
	"Training/properties/smiles/maxItems":    service.MaxTraining,
	"Training/properties/graphs/maxItems":    service.MaxTraining,
	"Training/properties/smiles/minItems":    training.MinTraining,
	"Training/properties/graphs/minItems":    training.MinTraining,
	"Training/properties/epochs/maximum":     training.MaxEpochs,
}

// The columns of answers. Those of OfPaper and OfValues may be missing.
const (
	explained = table.Usual | table.OfReasons | table.OfNeighbors | table.OfValues
	judged    = explained | table.OfTrust
)

// openAPI returns the document: the outline with the columns of rows and the limits filled in.
var openAPI = sync.OnceValue(func() []byte {
	var doc map[string]any
	err := json.Unmarshal(outline, &doc)
	if err == nil {
		schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
		schemas["Row"] = rowSchema(table.Usual | table.OfBatch)
		schemas["ExplainedRow"] = rowSchema(explained | table.OfBatch)
		schemas["JudgedRow"] = rowSchema(judged)
		for place, limit := range limits {
			steps := strings.Split(place, "/")
			at := schemas
			for _, step := range steps[:len(steps)-1] {
				at = at[step].(map[string]any)
			}
			at[steps[len(steps)-1]] = limit
		}
		outline, err = json.Marshal(doc)
	}
	if err != nil {
		panic(err) // the outline is known
	}
	return outline
})

// rowSchema returns the schema of rows with the columns of these groups. Those of OfBatch and OfValues are not
// required: only rows of a batch, or of a model that knows values of its training set, have them.
func rowSchema(groups table.Group) map[string]any {
	fields := append(table.Fields(groups), (&table.Run{}).Fields()...)
	properties, required := map[string]any{}, []string{}
	for i, c := range table.Of(fields, nil) {
		schema := map[string]any{"type": table.JSONType(c.Kind), "nullable": true, "description": fields[i].Doc}
		switch c.Kind {
		case table.TextLists:
			schema["items"] = map[string]any{"type": "string"}
		case table.NumberLists:
			schema["items"] = map[string]any{"type": "number", "nullable": true}
		}
		properties[c.Name] = schema
		if fields[i].Group&(table.OfBatch|table.OfValues) == 0 {
			required = append(required, c.Name)
		}
	}
	own := map[string]any{"type": "string", "nullable": true, "description": "A column of the input."}
	return map[string]any{"type": "object", "required": required, "properties": properties, "additionalProperties": own}
}

// Limits are what clients may use.
type Limits struct {
	Bytes    int64         // the largest body of a request
	Time     time.Duration // the longest request, from its start
	Requests int           // requests that are computed at once
	Waiting  int           // requests that wait for that
	Wait     time.Duration // the longest wait for that
	Stall    time.Duration // the longest silence of a client
}

// DefaultLimits suit one machine with few users.
func DefaultLimits() Limits {
	return Limits{
		Bytes: 1 << 30, Time: 15 * time.Minute, Requests: 2 * runtime.GOMAXPROCS(0), Waiting: 256,
		Wait: 30 * time.Second, Stall: 30 * time.Second,
	}
}

// Limits that bound memory.
const (
	headSize  = 64 << 10 // bytes of a body that are read before the request computes
	maxJSON   = 16 << 20 // bytes of a JSON document, which is read whole
	leastRate = 1 << 10  // bytes a second that a client must send on average
)

type Options struct {
	Limits Limits
	// Token, unless empty, is required in requests.
	Token string
	// Loopback answers only requests for this machine. A request for another host comes from a page whose name was
	// made to point here.
	Loopback bool
	// Origins are the sites, such as https://lab.example, whose pages may ask.
	Origins []string
	// Train allows /v1/train.
	Train bool
	// Folder holds waiting rows; empty means the system's temporary folder.
	Folder string
}

// MinToken is the smallest number of characters of a token.
const MinToken = 16

type API struct {
	options Options
	service *service.Service
	mux     *http.ServeMux
	turns   chan struct{} // has an element for each request that computes
	queue   chan struct{} // has an element for each request that computes or waits
	models  func() ([]service.Summary, error)

	training chan struct{} // has an element while a model is trained
}

// New returns a handler for a service. It returns an error for limits that are not positive, and if other machines could
// ask without a token.
func New(s *service.Service, o Options) (http.Handler, error) {
	l := o.Limits
	switch {
	case l.Bytes < 1 || l.Time <= 0 || l.Requests < 1 || l.Waiting < 0 || l.Wait <= 0 || l.Stall <= 0:
		return nil, fmt.Errorf("limits %+v: want positive ones", l)
	case o.Token != "" && len(o.Token) < MinToken:
		return nil, fmt.Errorf("a token of %d characters: want at least %d", len(o.Token), MinToken)
	case o.Token == "" && !o.Loopback:
		return nil, errors.New("other machines can reach the API: want a token")
	}
	a := &API{
		options: o, service: s, mux: http.NewServeMux(), models: sync.OnceValues(s.Models),
		turns: make(chan struct{}, l.Requests), queue: make(chan struct{}, l.Requests+l.Waiting), training: make(chan struct{}, 1),
	}
	a.mux.HandleFunc("POST /v1/score", a.rows)
	a.mux.HandleFunc("POST /v1/explain", a.rows)
	a.mux.HandleFunc("POST "+trustPath, a.rows)
	a.mux.HandleFunc("POST /v1/train", a.trainModel)
	a.mux.HandleFunc("GET /v1/models", a.listModels)
	a.mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(openAPI())
	})
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]string{"status": "ok"}) })
	for _, path := range []string{"/v1/score", "/v1/explain", trustPath, "/v1/train"} {
		a.mux.HandleFunc(path, methodNotAllowed("POST"))
	}
	for _, path := range []string{"/v1/models", "/v1/openapi.json", "/healthz"} {
		a.mux.HandleFunc(path, methodNotAllowed("GET, HEAD"))
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, problemf(http.StatusNotFound, "there is no %.80q; /v1/openapi.json lists what there is", r.URL.Path))
	})
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, problemf(http.StatusForbidden, "pages of other sites may not ask; baca serve --api --allow-origin ORIGIN allows one"))
	}))
	for _, origin := range o.Origins {
		if err := sameOrigin.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("%w: want such as https://lab.example", err)
		}
	}
	return a.guard(sameOrigin.Handler(a.mux)), nil
}

// methodNotAllowed returns a handler that answers with status 405. methods are the allowed ones, for the field Allow.
func methodNotAllowed(methods string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		fail(w, problemf(http.StatusMethodNotAllowed, "method %.20s: want %s", r.Method, methods))
	}
}

// guard passes to next the requests that may ask: to this machine's name if Loopback is set, and with the token, which /healthz
// does not need. It answers all others, and preflights.
func (a *API) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(a.options.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if a.options.Loopback && !isLoopback(r.Host) {
			fail(w, problemf(http.StatusMisdirectedRequest,
				"host %.80q: this service answers only its own machine: want localhost or 127.0.0.1", r.Host))
			return
		}
		if a.share(h, r) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if a.options.Token != "" && r.URL.Path != "/healthz" {
			scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(token))) // hashes have one length
			if subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !strings.EqualFold(scheme, "bearer") {
				h.Set("WWW-Authenticate", "Bearer")
				fail(w, problemf(http.StatusUnauthorized, "no token, or a wrong one: want the field Authorization: Bearer TOKEN"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// share allows pages of the allowed origins to read the answer. It reports whether the request is a preflight: a browser
// asks, without the token, whether such a page may ask.
func (a *API) share(h http.Header, r *http.Request) (preflight bool) {
	if len(a.options.Origins) > 0 {
		h.Set("Vary", "Origin")
	}
	origin := r.Header.Get("Origin")
	if !slices.Contains(a.options.Origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Retry-After, "+noteField)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "600")
	return true
}

// isLoopback reports whether host, which may have a port, always means this machine: localhost or a loopback address.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// IsLoopback reports whether only this machine can reach an address.
func IsLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// A problem is an error response.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	retry time.Duration // when to try again; 0: never
}

// problemf returns a problem with a status and a formatted detail.
func problemf(status int, format string, args ...any) *problem {
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

func (p *problem) Error() string { return p.Detail }

// fail answers with a problem document.
func fail(w http.ResponseWriter, p *problem) {
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p) // a client that is gone needs no answer
}

// writeJSON answers with v as JSON.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// listModels answers with the models.
func (a *API) listModels(w http.ResponseWriter, _ *http.Request) {
	models, err := a.models()
	if err != nil {
		fail(w, problemf(http.StatusInternalServerError, "%v", err))
		return
	}
	writeJSON(w, map[string]any{"models": models})
}

// errTime is the cause of a timeout.
var errTime = errors.New("the request took too long")

// enter counts a request among those that compute or wait, until leave is called. It returns a problem if its body is too large or
// too many wait already. bytes is the size of the body, negative if unknown.
func (a *API) enter(bytes int64) (leave func(), err error) {
	if bytes > a.options.Limits.Bytes {
		return nil, tooLarge(a.options.Limits.Bytes)
	}
	select {
	case a.queue <- struct{}{}:
		return func() { <-a.queue }, nil
	default:
		p := problemf(http.StatusTooManyRequests, "%d requests are being computed, and %d wait", a.options.Limits.Requests,
			a.options.Limits.Waiting)
		p.retry = a.options.Limits.Wait / 6
		return nil, p
	}
}

// turn waits until the request may compute, until done is called. If ctx ends or the wait is too long, it returns an error.
func (a *API) turn(ctx context.Context) (done func(), err error) {
	late := time.NewTimer(a.options.Limits.Wait)
	defer late.Stop()
	select {
	case a.turns <- struct{}{}:
		return sync.OnceFunc(func() { <-a.turns }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-late.C:
		p := problemf(http.StatusTooManyRequests, "the request waited %v for its turn; %d are computed at once",
			a.options.Limits.Wait, a.options.Limits.Requests)
		p.retry = a.options.Limits.Wait
		return nil, p
	}
}

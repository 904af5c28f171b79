// Package site holds the built page: it reads the files that build/page makes,
// serves them with the right headers, and writes them out for any static host.
package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// CSP is the content security policy, sent as a header and held by the page
// itself: nothing is fetched from, and nothing sent to, any other place.
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; manifest-src 'self'; base-uri 'none'; form-action 'none'"

// List is the file that names all others. In a folder that Write wrote it holds a mark.
const List = "files.json"

// A File is one file of the site.
type File struct {
	Path   string `json:"path"` // below the root of the site
	Type   string `json:"type"` // media type
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"` // of the content, hex
	// Brotli says that the content is kept compressed, with .br behind the path.
	Brotli bool `json:"brotli,omitempty"`
	// Model is the name of the embedded model that this is. Its content is not
	// kept twice.
	Model string `json:"model,omitempty"`
	// Hashed says that the path holds a hash, so that the content never changes.
	Hashed bool `json:"hashed,omitempty"`
}

// TypeOf returns the media type for a path.
func TypeOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".wasm":
		return "application/wasm"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".msgpack":
		return "application/vnd.msgpack"
	case ".gz":
		return "application/gzip"
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
		return "application/octet-stream"
	}
}

// Compresses tells whether a type is worth compressing.
func Compresses(mediaType string) bool {
	t, _, _ := strings.Cut(mediaType, ";")
	switch t {
	case "application/wasm", "application/json", "application/manifest+json", "application/vnd.msgpack", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(t, "text/")
}

// A Site is a built page.
type Site struct {
	files fs.FS
	model func(name string) ([]byte, error)
	list  []File
	by    map[string]*entry
}

type entry struct {
	File
	site *Site

	once sync.Once
	gzip []byte
	err  error
}

// Open reads the list of a site's files. model returns the file of an embedded
// model; its hash is checked.
func Open(files fs.FS, model func(name string) ([]byte, error)) (*Site, error) {
	data, err := fs.ReadFile(files, List)
	if err != nil {
		return nil, err
	}
	s := &Site{files: files, model: model, by: map[string]*entry{}}
	if err := json.Unmarshal(data, &s.list); err != nil {
		return nil, fmt.Errorf("%s: %w", List, err)
	}
	for _, f := range s.list {
		if !fs.ValidPath(f.Path) {
			return nil, fmt.Errorf("%s: %q is no path", List, f.Path)
		}
		s.by[f.Path] = &entry{File: f, site: s}
		if f.Model == "" {
			continue
		}
		data, err := model(f.Model)
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
			return nil, fmt.Errorf("the page was built for another model %s than this program holds: build both again", f.Model)
		}
	}
	if s.by["index.html"] == nil {
		return nil, fmt.Errorf("%s names no index.html", List)
	}
	return s, nil
}

// Files returns the files, which must not be changed.
func (s *Site) Files() []File { return s.list }

// stored returns the content as it is kept.
func (e *entry) stored() ([]byte, error) {
	switch {
	case e.Model != "":
		return e.site.model(e.Model)
	case e.Brotli:
		return fs.ReadFile(e.site.files, e.Path+".br")
	}
	return fs.ReadFile(e.site.files, e.Path)
}

// plain returns the content.
func (e *entry) plain() ([]byte, error) {
	data, err := e.stored()
	if err != nil || !e.Brotli {
		return data, err
	}
	data, err = io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(data)), int64(e.Size)+1))
	if err == nil && len(data) != e.Size {
		err = fmt.Errorf("%s has %d bytes, want %d", e.Path, len(data), e.Size)
	}
	return data, err
}

// zipped returns the content compressed by gzip, the first time it is asked for.
func (e *entry) zipped() ([]byte, error) {
	e.once.Do(func() {
		var data []byte
		if data, e.err = e.plain(); e.err != nil {
			return
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			panic(err) // the level is a constant
		}
		w.Write(data)
		w.Close()
		e.gzip = b.Bytes()
	})
	return e.gzip, e.err
}

// ServeHTTP serves the site from the root of the path: GET and HEAD alone.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this site is only read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	e := s.by[name]
	if e == nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	// One tag for each form, as the standard asks.
	accepted := r.Header.Get("Accept-Encoding")
	encoding, read := "", e.plain
	if e.Brotli {
		h.Set("Vary", "Accept-Encoding")
		switch {
		case accepts(accepted, "br"):
			encoding, read = "br", e.stored
		case accepts(accepted, "gzip"):
			encoding, read = "gzip", e.zipped
		}
	}
	tag := `"` + e.SHA256[:16] + encoding + `"`
	h.Set("ETag", tag)
	if e.Hashed {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	for _, t := range strings.Split(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(t), "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	data, err := read()
	if err != nil {
		http.Error(w, "the file cannot be read", http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", e.Type)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}
	if r.Method == http.MethodGet {
		w.Write(data)
	}
}

// accepts tells whether a header Accept-Encoding names an encoding, and not with
// the weight 0.
func accepts(header, encoding string) bool {
	for _, part := range strings.Split(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !ok || err == nil && value > 0
	}
	return false
}

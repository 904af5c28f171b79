// Package site holds the built page: it reads the files that build/tools/page makes,
// serves them with the right headers, and writes them out for any static host.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// CSP is the content security policy, sent in a header and held by the page itself:
// nothing is fetched from, and nothing sent to, any other place.
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; " +
	"style-src 'self'; img-src 'self' blob: data:; manifest-src 'self'; base-uri 'none'; form-action 'none'"

// headerCSP adds what counts in a header only: no other site shows this one in a frame.
// Pages of the same origin may, see web/EMBED.md.
const headerCSP = CSP + "; frame-ancestors 'self'"

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
	// Model is the name of the embedded model that this is. Its content is not kept twice.
	Model string `json:"model,omitempty"`
	// Hashed says that the path holds a hash, so that the content never changes.
	Hashed bool `json:"hashed,omitempty"`
}

// types are the media types of the page's files. Those of the system differ between machines.
var types = map[string]string{
	".wasm":        "application/wasm",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".json":        "application/json",
	".webmanifest": "application/manifest+json",
	".msgpack":     "application/vnd.msgpack",
	".gz":          "application/gzip",
	".txt":         "text/plain; charset=utf-8",
}

// TypeOf returns the media type for a path.
func TypeOf(name string) string { return cmp.Or(types[path.Ext(name)], "application/octet-stream") }

// Compresses reports whether files of a type are worth compressing.
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

	making sync.Mutex // a form: one at a time, since a window of brotli is 16 MB
}

// An entry holds a file in all its forms, by content encoding; the plain form has an empty one. Each is made when it is
// first asked for and kept, so that any number of requests at once hold it once.
type entry struct {
	File
	forms map[string]form
}

type form func() ([]byte, error)

// Open reads the list of a site's files. model returns the file of an embedded model; its hash is checked.
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
		s.by[f.Path] = s.entry(f)
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

// Add adds a file beside the page, to be written as it is.
func (s *Site) Add(name string, data []byte) {
	s.by[name] = &entry{File{Path: name}, map[string]form{"": func() ([]byte, error) { return data, nil }}}
}

// Content returns a file's bytes, which must not be changed.
func (s *Site) Content(name string) ([]byte, error) {
	e := s.by[name]
	if e == nil {
		return nil, fmt.Errorf("the page has no file %s", name)
	}
	return e.forms[""]()
}

// entry returns the entry of a file, with a function for each form that it has.
func (s *Site) entry(f File) *entry {
	stored := sync.OnceValues(func() ([]byte, error) {
		switch {
		case f.Model != "":
			return s.model(f.Model)
		case f.Brotli:
			return fs.ReadFile(s.files, f.Path+".br")
		}
		return fs.ReadFile(s.files, f.Path)
	})
	if !f.Brotli {
		return &entry{f, map[string]form{"": stored}}
	}
	plain := sync.OnceValues(func() ([]byte, error) { return s.plain(f, stored) })
	zipped := sync.OnceValues(func() ([]byte, error) { return s.zipped(plain) })
	return &entry{f, map[string]form{"": plain, "br": stored, "gzip": zipped}}
}

// plain decompresses a file of which the site keeps the Brotli form. It returns an error unless the content has f.Size
// bytes.
func (s *Site) plain(f File, stored form) ([]byte, error) {
	compressed, err := stored()
	if err != nil {
		return nil, err
	}
	s.making.Lock()
	defer s.making.Unlock()
	data := make([]byte, f.Size)
	r := brotli.NewReader(bytes.NewReader(compressed))
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("%s: want %d bytes: %w", f.Path, f.Size, err)
	}
	if n, _ := r.Read(make([]byte, 1)); n > 0 {
		return nil, fmt.Errorf("%s has more than %d bytes", f.Path, f.Size)
	}
	return data, nil
}

// zipped compresses the content that plain returns, by gzip.
func (s *Site) zipped(plain form) ([]byte, error) {
	data, err := plain()
	if err != nil {
		return nil, err
	}
	s.making.Lock()
	defer s.making.Unlock()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(data)
	w.Close()
	return b.Bytes(), nil
}

// ServeHTTP serves the site from the root of the path: GET and HEAD alone.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", headerCSP)
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
	h.Set("Vary", "Accept-Encoding")
	encoding := e.encoding(strings.Join(r.Header.Values("Accept-Encoding"), ","))
	// One tag for each form, as the standard asks.
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
	data, err := e.forms[encoding]()
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

// encoding returns br if the request accepts it and the file has it, else gzip under the same condition, else "" for the plain form.
func (e *entry) encoding(accept string) string {
	accepted := map[string]bool{}
	for part := range strings.SplitSeq(strings.ToLower(accept), ",") {
		name, weight, _ := strings.Cut(part, ";")
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		accepted[strings.TrimSpace(name)] = weight == "" || err == nil && q > 0
	}
	for _, form := range []string{"br", "gzip"} {
		if accepted[form] && e.forms[form] != nil {
			return form
		}
	}
	return ""
}

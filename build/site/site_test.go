package site

import (
	"baca/build/internal/try"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

var contents = map[string]string{
	"index.html":               "<!doctype html>" + strings.Repeat("<p>BaCa</p>", 100),
	"web/program.0123.wasm":    strings.Repeat("\x00asm", 500),
	"web/icon.png":             "\x89PNG",
	"models/a.4567.msgpack":    "the model",
	"web/deep/er/worker.js":    "onmessage = null;",
	"manifest.webmanifest":     "{}",
	"unknown.of-no-known-type": "?",
}

// fixture is a small site.
func fixture() (fstest.MapFS, func(string) ([]byte, error)) {
	files := fstest.MapFS{}
	var list []File
	for name, text := range contents {
		sum := sha256.Sum256([]byte(text))
		f := File{Path: name, Type: TypeOf(name), Size: len(text), SHA256: hex.EncodeToString(sum[:])}
		f.Hashed = strings.Count(name, ".") == 2
		switch {
		case strings.HasPrefix(name, "models/"):
			f.Model = "a"
		case Compresses(f.Type):
			f.Brotli = true
			var b bytes.Buffer
			w := brotli.NewWriter(&b)
			w.Write([]byte(text))
			w.Close()
			files[name+".br"] = &fstest.MapFile{Data: b.Bytes()}
		default:
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		list = append(list, f)
	}
	files[List] = &fstest.MapFile{Data: try.To(json.Marshal(list))}
	return files, func(name string) ([]byte, error) {
		if name != "a" {
			return nil, errors.New("unknown model")
		}
		return []byte("the model"), nil
	}
}

// compressed tells whether a file of the fixture is kept compressed. A model is not: it hardly gets smaller.
func compressed(name string) bool {
	return Compresses(TypeOf(name)) && !strings.HasPrefix(name, "models/")
}

func newSite() *Site { return try.To(Open(fixture())) }

func get(s *Site, method, path string, header ...string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestEveryFileIsServedInEveryForm(t *testing.T) {
	s := newSite()
	for name, text := range contents {
		for _, accept := range []string{"", "gzip", "gzip, deflate, br", "br;q=0, gzip;q=0", "br; q=0.5", "identity", "br;Q=0.0, gzip", "br;q=much"} {
			r := get(s, "GET", "/"+name, "Accept-Encoding", accept)
			body := try.To(io.ReadAll(r.Body))
			if r.ContentLength != int64(len(body)) || r.StatusCode != 200 {
				t.Errorf("%s: status %d, %d bytes of %d", name, r.StatusCode, len(body), r.ContentLength)
			}
			encoding := r.Header.Get("Content-Encoding")
			switch encoding {
			case "br":
				body = try.To(io.ReadAll(brotli.NewReader(bytes.NewReader(body))))
			case "gzip":
				body = try.To(io.ReadAll(try.To(gzip.NewReader(bytes.NewReader(body)))))
			}
			if string(body) != text {
				t.Errorf("%s as %q for %q: %d bytes, want %d", name, encoding, accept, len(body), len(text))
			}
			want := ""
			if compressed(name) {
				want = map[string]string{"gzip": "gzip", "gzip, deflate, br": "br", "br; q=0.5": "br", "br;Q=0.0, gzip": "gzip"}[accept]
			}
			if encoding != want {
				t.Errorf("%s for %q comes as %q, want %q", name, accept, encoding, want)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newSite()
	for path, want := range map[string]string{"/": "no-cache", "/index.html": "no-cache", "/web/program.0123.wasm": "public, max-age=31536000, immutable", "/web/icon.png": "no-cache"} {
		r := get(s, "GET", path)
		if got := r.Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, want)
		}
		if r.Header.Get("Content-Security-Policy") != CSP+"; frame-ancestors 'self'" || r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, r.Header)
		}
		tag := r.Header.Get("ETag")
		if r := get(s, "GET", path, "If-None-Match", `"x", W/`+tag); tag == "" || r.StatusCode != http.StatusNotModified {
			t.Errorf("%s: status %d for the tag %s", path, r.StatusCode, tag)
		}
		if r := get(s, "GET", path, "If-None-Match", tag, "Accept-Encoding", "br"); strings.HasSuffix(path, "wasm") && r.StatusCode != 200 {
			t.Errorf("%s: the tag of one form is that of another", path)
		}
		head := get(s, "HEAD", path)
		if body, _ := io.ReadAll(head.Body); len(body) > 0 || head.Header.Get("Content-Length") != r.Header.Get("Content-Length") {
			t.Errorf("%s: HEAD has %d bytes, headers %v", path, len(body), head.Header)
		}
	}
	if got := get(s, "GET", "/web/program.0123.wasm").Header.Get("Content-Type"); got != "application/wasm" {
		t.Errorf("wasm comes as %q", got)
	}
	for _, path := range []string{"/nothing", "/files.json", "/web", "/web/", "/../index.html", "//index.html", "/index.html.br"} {
		if r := get(s, "GET", path); r.StatusCode != http.StatusNotFound || r.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
	if r := get(s, "POST", "/"); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") == "" {
		t.Errorf("POST: status %d", r.StatusCode)
	}
}

// However many ask for it, each form of a file is made and held once.
func TestFormsAreHeldOnce(t *testing.T) {
	for name, form := range newSite().by["web/program.0123.wasm"].forms {
		var held sync.Map // where the bytes are
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() { held.Store(&try.To(form())[0], true) })
		}
		group.Wait()
		copies := 0
		held.Range(func(_, _ any) bool { copies++; return true })
		if copies != 1 {
			t.Errorf("%s: there are %d copies", name, copies)
		}
	}
}

// put writes a file of a test.
func put(name, text string) {
	try.Check(write(name, []byte(text)))
}

// earlier writes a folder as an earlier version did: with another page, and a program that this one has not.
func earlier(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files := []string{"index.html", "web/program.old.wasm", "web/lost.js"}
	for _, name := range files[:2] {
		put(filepath.Join(dir, name), "of old: "+name)
	}
	try.Check(writeMark(dir, files))
	return dir
}

// The site is written whole, in all forms. The files of an earlier one go, also after a run that was
// killed, and those of others stay.
func TestWrite(t *testing.T) {
	s := newSite()
	next := try.To(s.forms())
	killed := earlier(t)
	old := try.To(readMark(killed))
	try.Check(writeMark(killed, append(slices.Collect(maps.Keys(next)), old...)))
	put(filepath.Join(killed, "web/icon.png"), "half")
	for _, dir := range []string{filepath.Join(t.TempDir(), "new", "folder"), earlier(t), killed} {
		others := map[string]string{}
		if len(tree(dir)) > 0 {
			others = map[string]string{"mine.txt": "mine", "web/worker.js.part0123456789abcdef": "of another"}
			put(filepath.Join(dir, "web/icon.png.part0123456789abcdef"), "left by a killed run")
		}
		for name, text := range others {
			put(filepath.Join(dir, name), text)
		}
		for range 2 { // again over itself
			try.Check(s.Write(dir))
		}
		after := tree(dir)
		delete(after, filepath.Join(dir, List))
		for name, text := range contents {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if after[path] != text || (after[path+".br"] != "") != compressed(name) || (after[path+".gz"] != "") != compressed(name) {
				t.Errorf("%s: %d bytes, want %d; .br %d, .gz %d", path, len(after[path]), len(text), len(after[path+".br"]), len(after[path+".gz"]))
			}
			delete(after, path)
			delete(after, path+".br")
			delete(after, path+".gz")
		}
		for name, text := range others {
			if path := filepath.Join(dir, name); after[path] != text {
				t.Errorf("%s holds %q, want %q", path, after[path], text)
			}
		}
		if len(after) != len(others) {
			t.Errorf("%s still holds %v", dir, after)
		}
	}
}

// A folder of somebody else is left as it is.
func TestWriteRefuses(t *testing.T) {
	s := newSite()
	for want, make := range map[string]func(dir string){
		"holds other files, such as": func(dir string) {
			os.Remove(filepath.Join(dir, List))
			put(filepath.Join(dir, "thesis.tex"), "")
		},
		"files.json is not the list":                     func(dir string) { put(filepath.Join(dir, List), "[]") },
		"is not the list that baca serve --write writes": func(dir string) { put(filepath.Join(dir, List), `{"format":"baca site 0"}`) },
		`names "../outside", which is not`:               func(dir string) { writeMark(dir, []string{"../outside"}) },
		"icon.png is in the way":                         func(dir string) { put(filepath.Join(dir, "web/icon.png"), "my own") },
	} {
		dir := earlier(t)
		make(dir)
		before := tree(dir)
		if err := s.Write(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if after := tree(dir); !maps.Equal(before, after) {
			t.Errorf("%s: the folder had %v, it has %v", want, before, after)
		}
	}
}

// tree returns the files of a folder, none of one that is not there.
func tree(dir string) map[string]string {
	all := map[string]string{}
	filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if try.Check(err); !e.IsDir() {
			all[name] = string(try.To(os.ReadFile(name)))
		}
		return nil
	})
	return all
}

func TestOpenRefuses(t *testing.T) {
	files, model := fixture()
	other := func(string) ([]byte, error) { return []byte("another model"), nil }
	if _, err := Open(files, other); err == nil || !strings.Contains(err.Error(), "another model a") {
		t.Errorf("a model with another hash: %v", err)
	}
	for name, list := range map[string]string{
		"no list at all": "", "no JSON": "x", "no page": "[]", "a path outside": `[{"path":"../x"},{"path":"index.html"}]`,
	} {
		changed := maps.Clone(files)
		changed[List] = &fstest.MapFile{Data: []byte(list)}
		if list == "" {
			delete(changed, List)
		}
		if _, err := Open(changed, model); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

// The policy names this site and nothing else.
func TestPolicy(t *testing.T) {
	for _, directive := range strings.Split(CSP, ";") {
		words := strings.Fields(directive)
		for _, source := range words[1:] {
			if !slices.Contains([]string{"'none'", "'self'", "'wasm-unsafe-eval'", "blob:", "data:"}, source) {
				t.Errorf("%s allows %s", words[0], source)
			}
		}
	}
	if !strings.HasPrefix(CSP, "default-src 'none';") {
		t.Error("what is not named is allowed")
	}
}

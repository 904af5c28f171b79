// Command page builds the page. It compiles the program that runs in the browser, gathers the files that it needs,
// compresses them and lists them for package site.
//
//	go run ./build/tools/page            # into web/site, for `go build -tags page ./build/baca`
//	go run ./build/tools/page -fast      # with less compression, for tests
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/molecule"
	scores "baca/algo/run"
	"baca/algo/table"
	"baca/app"
	"baca/app/run"
	"baca/build/internal/browser"
	"baca/build/internal/ship"
	"baca/build/site"
	"baca/wasm/message"
	"baca/wasm/worker/engine"
	"baca/web"
	"baca/weights"
)

func main() {
	out := flag.String("out", filepath.Join("web", "site"), "folder to write")
	fast := flag.Bool("fast", false, "compress less")
	flag.Parse()
	if err := build(*out, *fast); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// A builder gathers the files of the page. It keeps the first error.
type builder struct {
	root            string // of the repository
	files           map[string]*file
	program, kernel string // names of the files of the program and of its SIMD kernel
	err             error
}

type file struct {
	site.File
	data []byte
	late bool // only loaded when it is asked for
}

// build writes the page to the folder out. If fast, it compresses less.
func build(out string, fast bool) error {
	text, err := exec.Command("go", "env", "GOMOD", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("finding the repository: %w", err)
	}
	gomod, goroot, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	b := &builder{root: filepath.Dir(gomod), files: map[string]*file{}}
	b.compile()
	b.add("wasm_exec.js", b.read(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")))
	for _, name := range []string{"page.js", "thread.js", "worker.js", "kernel.js"} {
		b.add(name, remarks.ReplaceAll(b.read(b.web(name)), nil))
	}
	b.kernel = b.hashed("web/kernel.wasm", b.read(b.web("kernel.wasm")))
	b.licenses()
	b.static()
	b.models()
	b.manifest()
	b.shell()
	if b.err != nil {
		return b.err
	}
	return b.write(out, fast)
}

// fail keeps err if it is the first error.
func (b *builder) fail(err error) { b.err = cmp.Or(b.err, err) }

func (b *builder) web(name string) string { return filepath.Join(b.root, "web", name) }

// read returns the bytes of a file. A failure becomes b.err.
func (b *builder) read(path string) []byte {
	data, err := os.ReadFile(path)
	b.fail(err)
	return data
}

// encode returns a value as indented JSON. A failure becomes b.err.
func (b *builder) encode(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	b.fail(err)
	return data
}

// add adds a file to the page, to be loaded at the first visit unless the caller sets late.
func (b *builder) add(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{data: data, File: site.File{Path: name, Type: site.TypeOf(name), Size: len(data), SHA256: hex.EncodeToString(sum[:])}}
	b.files[name] = f
	return f
}

// hashed adds a file whose name has a hash of its content, and returns that name.
func (b *builder) hashed(name string, data []byte) string {
	sum := sha256.Sum256(data)
	stem, ext, _ := strings.Cut(name, ".")
	name = fmt.Sprintf("%s.%x.%s", stem, sum[:8], ext)
	b.add(name, data).Hashed = true
	return name
}

// remarks match the comments of our own scripts and styles, which stand on lines of their own, and indentation.
var remarks = regexp.MustCompile(`(?m)^\s*(//.*|/\*.*?\*/)?\n?`)

// mostSent is the most bytes that a first visit may load.
const mostSent = 4_000_000

// compile compiles the program of the page and its workers.
func (b *builder) compile() {
	data, err := browser.Compile(b.root, "./wasm/app")
	b.fail(err)
	b.program = b.hashed("web/baca.wasm", data)
}

// licenses adds the licences of everything in the program of the page. The scripts beside it have theirs in a file of their
// own.
func (b *builder) licenses() {
	text, err := ship.Licenses(b.root, "The program of this page holds code under the licences below. The scripts "+
		"that it loads\nbeside it are listed in web/lib/LICENSES.txt.\n",
		ship.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"})
	if err != nil {
		b.fail(err)
		return
	}
	b.add("licenses.txt", text.Bytes()).late = true
	b.add("DATA-LICENSES.txt", b.read(filepath.Join(b.root, "weights", "DATA-LICENSES.txt"))).late = true
}

// static adds the files below web/static.
func (b *builder) static() {
	dir := b.web("static")
	// Without the scripts the page would draw itself and wait for ever.
	if _, err := os.Stat(filepath.Join(dir, "tools.js")); err != nil {
		b.fail(fmt.Errorf("the scripts of the page are not there, make libraries builds them: %w", err))
	}
	b.fail(fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			// Files in folders of their own are loaded when they are asked for, and large icons when the page is installed.
			data := b.read(filepath.Join(dir, name))
			if path.Ext(name) == ".css" {
				data = remarks.ReplaceAll(data, nil)
			}
			b.add("web/"+name, data).late = strings.Contains(name, "/") || path.Ext(name) == ".png"
		}
		return err
	}))
}

// models adds the models, and the message that the worker gets at its start.
func (b *builder) models() {
	w := &message.Welcome{Program: algo.Version, MinBatch: algo.MinBatch, Examples: web.Examples(), Extensions: dataset.Extensions()}
	training, fresh := web.Solubilities()
	w.Predictions = b.hashed("web/solubility-new.csv", fresh)
	b.files[w.Predictions].late = true // the example needs it
	for _, name := range weights.Names() {
		data, err := weights.Bytes(name)
		b.fail(err)
		m, err := weights.Load(data)
		if err != nil {
			b.fail(fmt.Errorf("embedded model %s: %w", name, err))
			return
		}
		card := engine.Card(m, data)
		card.Name, card.BuiltIn = name, true
		card.File = b.hashed("models/"+name+".msgpack", data)
		if name != weights.Default { // the default model is sent compressed; the others are the command's own files
			b.files[card.File].Model, b.files[card.File].late = name, true
		}
		w.Models = append(w.Models, card)
	}
	w.Background = b.hashed("web/background.smi.gz", weights.BackgroundFile())
	b.files[w.Background].late = true // only training needs it
	// The page begins with the first model, and orders the others itself.
	first := slices.IndexFunc(w.Models, func(m message.Model) bool { return m.Name == weights.Default })
	w.Models[0], w.Models[first] = w.Models[first], w.Models[0]
	b.solubility(w, training)
	data, err := message.Encode(0, w)
	b.fail(err)
	b.add(engine.Start, data)
}

// solubility trains the model of the example on predictions, as the page's worker would, and adds it.
func (b *builder) solubility(w *message.Welcome, training []byte) {
	start, err := message.Encode(0, w)
	b.fail(err)
	h := &host{files: map[string][]byte{w.Background: b.files[w.Background].data, engine.Start: start}}
	e := engine.New(h)
	e.Handle(0, &message.Open{Name: "solubility-train.csv", Data: training})
	e.Handle(0, &message.Train{Name: message.Solubility, Structures: true, Observed: "logS", Predicted: "logS_pred", HeldOut: true})
	made, ok := h.reply.(*message.Trained)
	if !ok {
		b.fail(fmt.Errorf("training the model of solubilities: %v", h.reply))
		return
	}
	card := made.Model
	card.BuiltIn, card.File = true, b.hashed("models/"+card.Name+".msgpack", made.Data)
	b.files[card.File].late = true // only the example needs it
	w.Models = append(w.Models, card)
}

// A host runs an engine like that of a worker, with files of the site. It keeps the last reply.
type host struct {
	engine.Host
	files map[string][]byte
	reply any
}

func (h *host) Post(_ uint32, m any)                     { h.reply = m }
func (h *host) Yield()                                   {}
func (h *host) Waiting() (uint32, message.Request, bool) { return 0, nil, false }
func (h *host) Fetch(name string) ([]byte, error)        { return h.files[name], nil }

// manifest adds the file that makes the page installable.
func (b *builder) manifest() {
	type icon struct {
		Src     string `json:"src"`
		Type    string `json:"type"`
		Sizes   string `json:"sizes"`
		Purpose string `json:"purpose,omitempty"`
	}
	icons := []icon{
		{"web/icon.svg", "image/svg+xml", "any", ""},
		{"web/icon-192.png", "image/png", "192x192", ""},
		{"web/icon-512.png", "image/png", "512x512", ""},
		{"web/icon-maskable.png", "image/png", "512x512", "maskable"},
	}
	data := b.encode(map[string]any{
		"name": "BaCa", "short_name": "BaCa", "description": "Which molecules lie outside what a model has seen",
		"start_url": "./", "scope": "./", "display": "standalone", "background_color": "#ffffff", "theme_color": "#0072B2",
		"icons": icons,
		// Files that an installed page opens. Chromium does not accept types that begin with chemical/.
		"file_handlers": []map[string]any{{"action": "./", "accept": map[string][]string{
			"text/x-daylight-smiles": {".smi", ".smiles"}, "text/csv": {".csv"}, "text/x-mdl-sdfile": {".sdf"},
			"application/gzip": {".smi.gz", ".csv.gz", ".sdf.gz"},
		}}},
	})
	b.add("manifest.webmanifest", append(data, '\n'))
}

// shell adds the page itself, and the script that keeps the site for use without a network. Their version is a hash of
// all files.
func (b *builder) shell() {
	page, keeper := b.read(b.web("index.html")), remarks.ReplaceAll(b.read(b.web("sw.js")), nil)
	body, err := render()
	b.fail(err)
	var head strings.Builder
	head.WriteString("<link rel=\"icon\" type=\"image/svg+xml\" href=\"web/icon.svg\">\n")
	kept, later := []string{"./"}, []string{} // kept from the first visit on, or once asked for
	const list = "web/files.txt"              // of what a published domain is packed with
	b.add(list, []byte(strings.Join(append(b.names(), "index.html", "sw.js", list), "\n"))).late = true
	all := sha256.New()
	for _, name := range b.names() {
		f := b.files[name]
		fmt.Fprintln(all, name, f.SHA256)
		top := path.Dir(name) == "web"
		switch {
		case top && path.Ext(name) == ".css":
			fmt.Fprintf(&head, "<link rel=\"stylesheet\" href=\"%s\">\n", html.EscapeString(name))
		case top && path.Ext(name) == ".js":
			fmt.Fprintf(&head, "<script defer src=\"%s\"></script>\n", html.EscapeString(name))
		}
		if f.late {
			later = append(later, name)
		} else {
			kept = append(kept, name)
		}
	}
	all.Write(page)
	all.Write(keeper)
	fmt.Fprint(all, body)
	version := hex.EncodeToString(all.Sum(nil)[:8])
	b.add("index.html", []byte(strings.NewReplacer(
		"{{csp}}", html.EscapeString(site.CSP), "{{version}}", version, "{{head}}", strings.TrimSpace(head.String()),
		"{{program}}", b.program, "{{size}}", strconv.Itoa(b.files[b.program].Size), "{{kernel}}", b.kernel,
		"{{body}}", body, "{{examples}}", b.stored(),
	).Replace(string(page))))
	b.add("sw.js", []byte(strings.NewReplacer("{{version}}", version, "{{files}}", string(b.encode(kept)),
		"{{later}}", string(b.encode(later))).Replace(string(keeper))))
}

// stored returns what the examples find, as HTML, for users who wait for the program.
func (b *builder) stored() string {
	model, err := weights.Open(weights.Default)
	b.fail(err)
	if b.err != nil {
		return ""
	}
	scoring, err := scores.New(context.Background(), scores.Plan{Model: model, Options: algo.DefaultOptions()})
	b.fail(err)
	var list strings.Builder
	for _, e := range run.Examples() {
		records, err := recordsOf(e.Molecules(web.Examples()), scoring.Form())
		b.fail(err)
		if len(records) == 0 {
			continue
		}
		rows, err := scoring.Each(context.Background(), records)
		b.fail(err)
		var outside []string
		for _, row := range rows {
			if s, scored := row.(*table.Scored); scored && s.Scores.Verdict == decide.Outside {
				outside = append(outside, s.ID)
			}
		}
		fmt.Fprintf(&list, "<li><b>%s</b>: %d of %d lie outside: %s.</li>", html.EscapeString(e.Name), len(outside),
			len(rows), html.EscapeString(strings.Join(outside, ", ")))
	}
	return list.String()
}

// recordsOf reads lines of a SMILES, a space and a name. It returns all records, and the error of the first that
// cannot be read.
func recordsOf(lines string, form molecule.Form) (records []dataset.Record, err error) {
	for line := range strings.Lines(lines) {
		text, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := dataset.Listed(1+len(records), text)
		r.ID, r.Form = name, form
		r = r.Parsed()
		err = cmp.Or(err, r.Err)
		records = append(records, r)
	}
	return records, err
}

// render returns the page as it is before its program runs. It is seen at once, and nothing in it moves afterwards.
func render() (string, error) {
	body, err := app.HTML()
	return "<div>\n" + sortAttributes(dialogs.ReplaceAllString(body, "")) + "\n</div>", err
}

var (
	dialogs   = regexp.MustCompile(`(?s)<dialog\b.*?</dialog>`) // nobody can open one before the program runs
	tag       = regexp.MustCompile(`<[\w-]+(?: [\w:-]+(?:="[^"]*")?)+`)
	attribute = regexp.MustCompile(` [\w:-]+(?:="[^"]*")?`)
)

// sortAttributes sorts the attributes of each element, which go-app writes in random order.
func sortAttributes(body string) string {
	return tag.ReplaceAllStringFunc(body, func(t string) string {
		at := strings.IndexByte(t, ' ')
		attributes := attribute.FindAllString(t[at:], -1)
		slices.Sort(attributes)
		return t[:at] + strings.Join(attributes, "")
	})
}

// names lists the names of the files, sorted.
func (b *builder) names() []string { return slices.Sorted(maps.Keys(b.files)) }

// write compresses the files and writes them to the folder out.
func (b *builder) write(out string, fast bool) error {
	next := out + ".new"
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	best := compressed(out)
	var group sync.WaitGroup
	names := b.names()
	errs := make([]error, len(names))
	room := make(chan struct{}, 2) // two at a time
	for i, name := range names {
		f := b.files[name]
		f.Brotli = f.Model == "" && site.Compresses(f.Type)
		group.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			errs[i] = f.write(next, best[f.SHA256], fast)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	list, mark := make([]site.File, len(names)), "best\n"
	for i, name := range names {
		list[i] = b.files[name].File
	}
	if fast {
		mark = "fast\n"
	}
	err := errors.Join(os.WriteFile(filepath.Join(next, compression), []byte(mark), 0o666),
		os.WriteFile(filepath.Join(next, site.List), append(b.encode(list), '\n'), 0o666), b.err, os.RemoveAll(out), os.Rename(next, out))
	sent := b.report(out)
	if !fast && sent > mostSent {
		err = errors.Join(err, fmt.Errorf("a first visit loads %d bytes, and may load %d", sent, mostSent))
	}
	return errors.Join(err, b.err)
}

// compression is the file that says how well the site is compressed.
const compression = "compression"

// compressed returns the names of well-compressed files below a folder, by the SHA-256 of their content, nil if there are none.
func compressed(folder string) map[string]string {
	mark, err := os.ReadFile(filepath.Join(folder, compression))
	if err != nil || string(mark) != "best\n" {
		return nil
	}
	var list []site.File
	data, err := os.ReadFile(filepath.Join(folder, site.List))
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	files := map[string]string{}
	for _, f := range list {
		files[f.SHA256] = filepath.Join(folder, filepath.FromSlash(f.Path)) + ".br"
	}
	return files
}

// write writes a file below a folder. old is the name of a file that has it compressed already, or empty.
func (f *file) write(folder, old string, fast bool) error {
	if f.Model != "" {
		return nil
	}
	name := filepath.Join(folder, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if !f.Brotli {
		return os.WriteFile(name, f.data, 0o666)
	}
	if data, err := os.ReadFile(old); err == nil {
		return os.WriteFile(name+".br", data, 0o666)
	}
	options := brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24}
	if fast {
		options.Quality = 3
	}
	var buffer bytes.Buffer
	w := brotli.NewWriterOptions(&buffer, options)
	w.Write(f.data)
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name+".br", buffer.Bytes(), 0o666)
}

// report prints the sizes of all files, and of what a first visit loads. It returns the bytes that a first visit loads.
func (b *builder) report(out string) (sent int) {
	raw := 0
	for _, name := range b.names() {
		f := b.files[name]
		n := f.Size
		if f.Brotli {
			n = len(b.read(filepath.Join(out, filepath.FromSlash(name)) + ".br"))
		}
		note := ""
		if f.late {
			note = "  when asked for"
		} else {
			raw, sent = raw+f.Size, sent+n
		}
		fmt.Printf("%10d %10d  %s%s\n", f.Size, n, name, note)
	}
	fmt.Printf("%10d %10d  the first visit, plain and as sent\n", raw, sent)
	return sent
}

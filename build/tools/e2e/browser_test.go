package e2e

import (
	"baca/build/internal/try"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"baca/build/internal/chromium"
	"baca/build/site"
	"baca/weights"
)

// of is the work tree of another commit whose page is measured, once `make page` has built that:
//
//	go test ./build/tools/e2e -run '^$' -bench Threads -of /path/to/it
var of = flag.String("of", "", "work tree with the built page to open, instead of this commit's")

// built is the folder with the page. It and the command beside it are built once for all tests.
var built = sync.OnceValues(func() (string, error) {
	if *of != "" {
		return filepath.Join(*of, "web", "site"), nil
	}
	if _, err := os.Stat("../../../web/static/tools.js"); err != nil {
		return "", errors.New("web/static/tools.js is not there, without which the page does not start: make libraries builds it")
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return "", err
	}
	builtIn = dir
	out := filepath.Join(dir, "site")
	for _, args := range [][]string{
		{"run", "../page", "-fast", "-out", out},
		{"build", "-o", filepath.Join(dir, "baca"), "../../baca"},
	} {
		if text, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
		}
	}
	return out, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if close := closeShared; close != nil {
		close()
	}
	os.RemoveAll(builtIn)
	os.Exit(code)
}

// builtIn is the folder of what was built, empty if no test has asked for it.
var builtIn string

// open returns the built page. The test is skipped where no browser could load it,
// and runs beside others: each has a tab with a profile of its own.
func open(t testing.TB) *site.Site {
	t.Helper()
	chromium.Need(t)
	if testing.Short() {
		t.Skip("builds the page and starts a browser")
	}
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	models := weights.Bytes
	if *of != "" {
		models = func(name string) ([]byte, error) {
			return os.ReadFile(filepath.Join(*of, "weights", "models", name+".msgpack"))
		}
	}
	return try.To(site.Open(os.DirFS(try.To(built())), models))
}

// onlyAll skips a test of great size unless all is to be tested.
func onlyAll(t testing.TB) {
	t.Helper()
	if os.Getenv("BACA_TEST") != "all" {
		t.Skip("large: make test-all runs it")
	}
}

// shared is the browser that all tests have their tabs in.
var shared = sync.OnceValues(func() (context.Context, error) {
	profile, err := os.MkdirTemp("", "e2e-profile")
	if err != nil {
		return nil, err
	}
	ctx, stop, err := chromium.Start(profile)
	closeShared = func() {
		if stop != nil {
			stop()
		}
		os.RemoveAll(profile)
	}
	return ctx, err
})

// closeShared ends the shared browser, nil if there is none.
var closeShared func()

// A tab is a page with a profile of its own.
type tab struct {
	*chromium.Tab
	t testing.TB
	// before is the number of the page's run before the latest input.
	before int

	mu    sync.Mutex
	files map[string]string // that were saved: their paths by name
	saves chan struct{}     // closed at the next one
}

// browse opens a tab in the shared browser.
func browse(t testing.TB) *tab {
	t.Helper()
	return tabIn(t, try.To(shared()))
}

// browseAlone opens a tab in a browser of its own, to measure its memory or its time.
func browseAlone(t testing.TB) *tab {
	t.Helper()
	browser, stop, err := chromium.Start(t.TempDir())
	try.Check(err)
	t.Cleanup(stop)
	return tabIn(t, browser)
}

// patience is how long a test may take: three times what the longest takes on a busy machine.
const patience = 6 * time.Minute

// ending is a context that ends when a test has taken too long, or a little before the
// whole run is killed, so that a test that waits in vain says for what, and the others run.
func ending(t testing.TB, parent context.Context) (context.Context, context.CancelFunc) {
	if t, ok := t.(*testing.T); ok {
		return context.WithDeadline(parent, latest(t))
	}
	return context.WithCancel(parent) // a benchmark
}

// latest is when a test that waits gives up.
func latest(t *testing.T) time.Time {
	at := time.Now().Add(patience)
	if end, ok := t.Deadline(); ok && end.Add(-20*time.Second).Before(at) {
		at = end.Add(-20 * time.Second)
	}
	return at
}

func tabIn(t testing.TB, browser context.Context) *tab {
	t.Helper()
	b := &tab{t: t, before: -1, files: map[string]string{}, saves: make(chan struct{})}
	elsewhere := func(method, url string) { b.Blame("a request to another place: %s %s", method, url) }
	// Whatever is not on this machine goes through this proxy, which answers nothing.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere(r.Method, r.Host+" "+r.URL.String())
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	limited, end := ending(t, browser)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(limited, chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer = strings.TrimPrefix(proxy.URL, "http://")
	}))
	t.Cleanup(func() {
		chromedp.Cancel(ctx)
		end()
	})
	b.Tab = chromium.NewTab(t, ctx)
	b.scheme("light")
	// And what the page itself asks for, wherever from.
	try.To(chromedp.Call(ctx, network.Enable, network.EnableParams{}))
	here := regexp.MustCompile(`^(http://127\.0\.0\.1:|file:|data:|blob:|about:)`)
	try.Check(chromedp.Listen(ctx, func(ev any) {
		if e, ok := ev.(*network.EventRequestWillBeSent); ok && !here.MatchString(e.Request.URL) {
			elsewhere(e.Request.Method, e.Request.URL)
		}
	}))
	return b
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	return chromium.Eval[T](b.Tab, expression)
}

// visit opens a page of ours and waits until its program runs.
func (b *tab) visit(url string) {
	b.t.Helper()
	b.Run("opening "+url, chromedp.Navigate(url))
	b.Wait(`document.documentElement.dataset.state !== undefined`)
	if state := eval[string](b, `document.documentElement.dataset.state`); state != "running" {
		b.t.Fatalf("the page is %s%s", state, b.Wrong())
	}
}

// A server serves a handler until it is closed, and can come back at the same address.
type server struct {
	*http.Server
	URL string
}

func serve(t testing.TB, h http.Handler) *server {
	t.Helper()
	l := try.To(net.Listen("tcp", "127.0.0.1:0"))
	s := &server{&http.Server{Handler: h}, "http://" + l.Addr().String()}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return s
}

// waiting has a worker that has started others go on when the first of them is ready.
// By itself it may be done before that.
//
//go:embed testdata/waiting.js
var waiting string

// changing serves a page with the texts of some of its files changed.
func changing(page http.Handler, change func(text string) string, paths ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(paths, r.URL.Path) {
			page.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		r.Header.Del("If-None-Match")
		plain := httptest.NewRecorder()
		page.ServeHTTP(plain, r)
		maps.Copy(w.Header(), plain.Header())
		w.Header().Del("Content-Length")
		w.Header().Del("ETag")
		io.WriteString(w, change(plain.Body.String()))
	})
}

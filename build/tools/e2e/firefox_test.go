package e2e

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"baca/build/internal/try"
	"baca/web"
)

// preferences keep Firefox from asking anything of the network.
const preferences = `user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
`

// firefox opens a page. The test is skipped without the browser.
func firefox(t *testing.T, page string) {
	t.Helper()
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		path, err = exec.LookPath("firefox")
	}
	if err != nil {
		t.Skip("no Firefox found (firefox-esr, firefox)")
	}
	profile := t.TempDir()
	try.Check(os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o644))
	c := exec.Command(path, "--headless", "--no-remote", "--profile", profile, page)
	c.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	try.Check(c.Start())
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
}

// inFirefox opens a page there, which has a site in a frame, and returns what that page finds. That page may say how far it is.
func inFirefox[T any](t *testing.T, site http.Handler, outer string) (found T) {
	t.Helper()
	sent := make(chan T, 1)
	var at atomic.Value
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/frames":
			io.WriteString(w, outer)
		case "/at":
			at.Store(r.URL.RawQuery)
		case "/found":
			var f T
			if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
				t.Error(err)
			}
			sent <- f
		default:
			site.ServeHTTP(w, r)
		}
	}))
	firefox(t, s.URL+"/frames")
	select {
	case found = <-sent:
	case <-time.After(time.Until(latest(t))):
		t.Fatalf("the page was never whole, the latest is %v", at.Load())
	}
	return found
}

// frames has the page in frames of several widths, one after the other, and sends what it finds in them.
//
//go:embed testdata/frames.html
var frames string

// In Firefox a link opens its case, molecules have their verdicts, they and their neighbours are drawn, and the page
// fits screens of all sizes.
func TestFirefox(t *testing.T) {
	page := open(t)
	input := "CC(=O)Oc1ccccc1C(=O)O aspirin\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\n"
	f := inFirefox[struct {
		Hash       string
		Rows, Over []string
	}](t, page, fmt.Sprintf(frames, "/#model=bbbp&smiles="+url.QueryEscape(input)))
	if f.Hash != "" || len(f.Over) > 0 {
		t.Errorf("the address keeps %q, the page is wider by %q", f.Hash, f.Over)
	}
	for id, verdict := range map[string]string{"aspirin": "in the training set", "RDX": "outside"} {
		if !slices.ContainsFunc(f.Rows, func(row string) bool { return strings.Contains(row, id) && strings.Contains(row, verdict) }) {
			t.Errorf("the page says %q, want %s %s", f.Rows, id, verdict)
		}
	}
}

// flow is one whole visit, and sends what it finds on the way.
//
//go:embed testdata/flow.html
var flow string

// In Firefox a file is dropped and judged, a row is explained, what is saved are the command's bytes, and a published domain
// says how far its predictions are off.
func TestFirefoxFlow(t *testing.T) {
	open(t)
	training, _ := web.Solubilities()
	visit := try.To(json.Marshal(map[string]string{"list": string(web.Examples()), "smiles": "CCO ethanol\nCCCCCC hexane\n"}))
	f := inFirefox[struct {
		Headline, Row, Inspector, Name, File, Card, Beside string
		Domain                                             []string
	}](t, http.FileServer(http.Dir(published(t, training))), fmt.Sprintf(flow, visit))
	holds(t, f.Headline, " of 158 lie outside ")
	holds(t, f.Inspector, f.Row, "Outside: ", "Most similar in the training set")
	if want := baca(t, "molecules.csv", web.Examples(), "score", "--spreadsheet-safe"); f.File != want || f.Name != "molecules-baca.csv" {
		t.Errorf("the page saved %s\n%.600s\nthe command wrote\n%.600s", f.Name, f.File, want)
	}
	for _, card := range []string{f.Card, f.Beside} {
		holds(t, card, "Is your molecule inside esol?", "What the model's file reveals")
	}
	if len(f.Domain) != 2 || !strings.Contains(f.Domain[0]+f.Domain[1], "± ") {
		t.Errorf("the domain's rows are %q, want ± in two of them", f.Domain)
	}
}

package e2e

import (
	"baca/build/internal/try"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// frames has the page in frames of several widths, one after the other, and sends what it finds in them.
//
//go:embed testdata/frames.html
var frames string

// In Firefox a link opens its case, molecules have their verdicts, they and their neighbours are drawn, and the page
// fits screens of all sizes.
func TestFirefox(t *testing.T) {
	page := open(t)
	input := "CC(=O)Oc1ccccc1C(=O)O aspirin\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\n"
	type finds struct {
		Hash       string
		Rows, Over []string
	}
	found := make(chan finds, 1)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/frames":
			fmt.Fprintf(w, frames, "/#model=bbbp&smiles="+url.QueryEscape(input))
		case "/found":
			var f finds
			if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
				t.Error(err)
			}
			found <- f
		default:
			page.ServeHTTP(w, r)
		}
	}))
	firefox(t, s.URL+"/frames")
	select {
	case f := <-found:
		if f.Hash != "" || len(f.Over) > 0 {
			t.Errorf("the address keeps %q, the page is wider by %q", f.Hash, f.Over)
		}
		for id, verdict := range map[string]string{"aspirin": "in the training set", "RDX": "outside"} {
			if !slices.ContainsFunc(f.Rows, func(row string) bool { return strings.Contains(row, id) && strings.Contains(row, verdict) }) {
				t.Errorf("the page says %q, want %s %s", f.Rows, id, verdict)
			}
		}
	case <-time.After(time.Until(latest(t))):
		t.Fatal("the page was never whole")
	}
}

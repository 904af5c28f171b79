package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A fox is a Firefox of its own, driven by its Marionette protocol: a length, a colon and a
// JSON array, both ways.
type fox struct {
	t    *testing.T
	conn net.Conn
	from *bufio.Reader
	sent int
}

// preferences keep Firefox from asking anything of the network, and have it write the
// port that it listens on to its profile.
const preferences = `user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
`

// firefox starts the browser. The test is skipped where there is none.
func firefox(t *testing.T) *fox {
	t.Helper()
	name := ""
	for _, n := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(n); err == nil {
			name = path
			break
		}
	}
	if name == "" {
		t.Skip("no Firefox found (firefox-esr, firefox)")
	}
	profile := t.TempDir()
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(name, "--headless", "--no-remote", "--marionette", "--profile", profile)
	c.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		c.Process.Kill()
		<-ended
	})
	f, end := &fox{t: t}, latest(t)
	for port := ""; port == ""; {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("Firefox ended at its start: %v", err)
		case <-time.After(time.Until(end)):
			t.Fatal("Firefox did not say at what port it listens")
		case <-time.After(50 * time.Millisecond):
			data, _ := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
			port = strings.TrimSpace(string(data))
		}
		if port != "" {
			var err error
			if f.conn, err = net.Dial("tcp", "127.0.0.1:"+port); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { f.conn.Close() })
	f.conn.SetDeadline(end)
	f.from = bufio.NewReader(f.conn)
	f.read() // its greeting
	f.do("WebDriver:NewSession", map[string]any{"capabilities": map[string]any{}})
	f.do("WebDriver:SetTimeouts", map[string]any{"script": 7_200_000, "pageLoad": 7_200_000}) // the run ends before
	return f
}

// read reads one message.
func (f *fox) read() []byte {
	f.t.Helper()
	length, err := f.from.ReadString(':')
	if err != nil {
		f.t.Fatalf("Firefox: %v", err)
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		f.t.Fatalf("Firefox: %v", err)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(f.from, data); err != nil {
		f.t.Fatalf("Firefox: %v", err)
	}
	return data
}

// do sends a command and returns what comes back.
func (f *fox) do(command string, parameters map[string]any) json.RawMessage {
	f.t.Helper()
	f.sent++
	data, err := json.Marshal([]any{0, f.sent, command, parameters})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(data), data); err != nil {
		f.t.Fatalf("%s: %v", command, err)
	}
	var answer [4]json.RawMessage // 1, the number, an error, a result
	if err := json.Unmarshal(f.read(), &answer); err != nil {
		f.t.Fatalf("%s: %v", command, err)
	}
	if problem := string(answer[2]); problem != "null" {
		f.t.Fatalf("%s: %.500s", command, problem)
	}
	return answer[3]
}

// wait waits until an expression of the page is true, and looks at each frame of the page.
func (f *fox) wait(expression string) {
	f.t.Helper()
	f.do("WebDriver:ExecuteAsyncScript", map[string]any{"args": []any{}, "sandbox": "system", "script": `
		const done = arguments[0];
		const look = () => { if (` + expression + `) done(true); else requestAnimationFrame(look); };
		look();`})
}

// text evaluates an expression that is a text. Scripts run beside the page and not in it,
// since its policy keeps out all others.
func (f *fox) text(expression string) string {
	f.t.Helper()
	var answer struct{ Value string }
	if err := json.Unmarshal(f.do("WebDriver:ExecuteScript", map[string]any{"args": []any{}, "sandbox": "system", "script": "return String(" + expression + ")"}), &answer); err != nil {
		f.t.Fatal(err)
	}
	return answer.Value
}

// In Firefox a link opens its case, verdicts are those of the command, molecules and
// neighbours are drawn, and the page fits screens of all sizes.
func TestFirefox(t *testing.T) {
	s := serve(t, open(t))
	f := firefox(t)
	input := "CC(=O)Oc1ccccc1C(=O)O aspirin\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\n"
	f.do("WebDriver:Navigate", map[string]any{"url": s.URL + "/#model=bbbp&smiles=" + url.QueryEscape(input)})
	f.wait(`document.querySelector("#page")?.dataset.phase === "done" && document.querySelectorAll(".row").length === 2`)
	if hash := f.text(`location.hash`); hash != "" {
		t.Errorf("the address keeps %q", hash)
	}
	for _, row := range score(t, "input.smi", input)[1:] {
		said := f.text(fmt.Sprintf(`[...document.querySelectorAll(".row")].find((r) => r.textContent.includes(%q)).textContent`, row[0]))
		if verdict := row[4]; !strings.Contains(said, verdict) {
			t.Errorf("%s: the page says %q, the command %s", row[0], said, verdict)
		}
	}
	f.wait(`document.querySelectorAll(".row .c-draw svg").length === 2`)
	f.text(`document.querySelector(".row").click()`)
	f.wait(`document.querySelectorAll(".near-card svg").length >= 3 && document.querySelectorAll(".large .towards").length > 0`)
	for _, width := range []int{1920, 1280, 1024, 768} {
		f.do("WebDriver:SetWindowRect", map[string]any{"width": width, "height": 900})
		f.wait(fmt.Sprintf(`innerWidth <= %d`, width))
		if over := f.text(`document.documentElement.scrollWidth - innerWidth`); strings.TrimPrefix(over, "-") == over && over != "0" {
			t.Errorf("a window of %d pixels: the page is %s pixels wider", width, over)
		}
	}
}

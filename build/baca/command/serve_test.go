package command

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/web"
)

func TestServeEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
	}()
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || string(body) != "page" {
		t.Errorf("got %q, %v", body, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A build without the page says how to get one; a build with it writes it.
func TestSite(t *testing.T) {
	_, missing := web.Site()
	dir := filepath.Join(t.TempDir(), "site")
	var stdout, stderr bytes.Buffer
	code := run(nil, []string{"site", "--out", dir}, strings.NewReader(""), &stdout, &stderr)
	if missing != nil {
		if code != exitFailure || !strings.Contains(stderr.String(), "make build") {
			t.Errorf("exit status %d, stderr %q", code, &stderr)
		}
		return
	}
	if code != 0 || stdout.Len() > 0 {
		t.Fatalf("exit status %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !bytes.Contains(page, []byte("Content-Security-Policy")) {
		t.Errorf("index.html: %v, %d bytes", err, len(page))
	}
}

func TestServeAndSiteUsage(t *testing.T) {
	for _, args := range [][]string{{"site"}, {"site", "folder"}, {"serve", "here"}} {
		var stderr bytes.Buffer
		if code := run(nil, args, strings.NewReader(""), io.Discard, &stderr); code != exitUsage {
			t.Errorf("%v: exit status %d, stderr %q", args, code, &stderr)
		}
	}
}

// Package chromium starts the browser for tests and measurements.
package chromium

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Path returns the path of the browser: the variable CHROMIUM, or one that is installed, or "".
func Path() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			return path
		}
	}
	return ""
}

// Need skips a test if there is no browser.
func Need(t testing.TB) {
	t.Helper()
	if Path() == "" {
		t.Skip("no Chromium found (chromium, chromium-browser, google-chrome, or the variable CHROMIUM)")
	}
}

// Start starts a browser with a profile in a folder. It returns the context for tabs, and a function that ends the
// browser. Requests that the browser itself makes, such as for updates, go to a proxy that does not exist.
func Start(profile string) (context.Context, func(), error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(Path()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater"),
		chromedp.Flag("proxy-server", "127.0.0.1:9"),
		chromedp.UserDataDir(profile),
		chromedp.WindowSize(1280, 900),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endTab := chromedp.NewContext(allocator)
	stop := func() {
		chromedp.Cancel(ctx)
		endTab()
		end()
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("starting Chromium: %w", err)
	}
	return ctx, stop, nil
}

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

// Path is the browser's path, from the variable CHROMIUM or found, or empty.
func Path() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			return path
		}
	}
	return ""
}

// Need skips a test without a browser.
func Need(t testing.TB) {
	t.Helper()
	if Path() == "" {
		t.Skip("no Chromium found (chromium, chromium-browser, google-chrome, or the variable CHROMIUM)")
	}
}

// Start starts a browser with a profile folder, and returns the context for tabs and a function to end it. The
// browser's own requests, such as updates, and those of tabs without a proxy go to a dead proxy.
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

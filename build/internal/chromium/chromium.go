// Package chromium starts the browser that tests and measurements look at pages in.
package chromium

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Path is the path of the browser, which the variable CHROMIUM may name, or empty.
func Path() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			return path
		}
	}
	return ""
}

// Need skips a test where there is no browser.
func Need(t testing.TB) {
	t.Helper()
	if Path() == "" {
		t.Skip("no Chromium found (chromium, chromium-browser, google-chrome, or the variable CHROMIUM)")
	}
}

// Start starts a browser with a folder for its profile, and returns what tabs are made from
// and what ends it. What the browser asks for by itself, such as updates of its parts, ends at
// a proxy that is not there, and so does what a tab without a proxy of its own asks of other
// machines.
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

package chromium

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A Tab is a page under test. It collects the errors and warnings of the page's console.
type Tab struct {
	T   testing.TB
	Ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// NewTab returns a Tab for the page of a context, and watches its console.
func NewTab(t testing.TB, ctx context.Context) *Tab {
	t.Helper()
	b := &Tab{T: t, Ctx: ctx}
	b.Run("opening a tab", chromedp.EmulateViewport(1280, 900))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			// Chromium itself warns a page that asks for a GPU on a machine without one.
			warning := m.Type == "warning" && m.Text != "No available adapters."
			if m.IsException() || m.Type == "error" || warning {
				b.Blame("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line)
			}
		}
	}()
	return b
}

// Blame records something that went wrong.
func (b *Tab) Blame(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// Wrong returns what went wrong so far, one a line: errors and warnings of the console, which include violations of the
// content security policy, and what Blame recorded.
func (b *Tab) Wrong() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.wrong, "\n")
}

// Quiet fails the test if something went wrong.
func (b *Tab) Quiet() {
	b.T.Helper()
	if text := b.Wrong(); text != "" {
		b.T.Errorf("console: %s", text)
	}
}

// Run runs actions. If one fails, the test ends with what.
func (b *Tab) Run(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		b.T.Fatalf("%s: %v\n%s", what, err, b.Wrong())
	}
}

// Eval returns the value of a JavaScript expression in the page, or of the promise that it gives. An exception ends the
// test.
func Eval[T any](b *Tab, expression string) T {
	b.T.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%.300s: %v\n%s", expression, err, b.Wrong())
	}
	return v
}

// Wait waits until an expression is true in the page. It goes on waiting while another page loads. A test that has
// waited in vain says what the page shows.
func (b *Tab) Wait(expression string) {
	b.T.Helper()
	ctx, cancel := b.Ctx, func() {}
	if end, ok := b.Ctx.Deadline(); ok {
		ctx, cancel = context.WithDeadline(b.Ctx, end.Add(-5*time.Second)) // the rest is for the question
	}
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(0)))
		if err == nil {
			return
		}
		if ctx.Err() != nil || !strings.Contains(err.Error(), "-32000") {
			shown, _ := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`JSON.stringify(document.getElementById("page")?.dataset) + document.body.innerText.slice(0, 3000)`))
			b.T.Fatalf("waiting for %s: %v\n%s\n%s", expression, err, b.Wrong(), shown)
		}
		time.Sleep(50 * time.Millisecond) // the page was being left; ask the next one
	}
}

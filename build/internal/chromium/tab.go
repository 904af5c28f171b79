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

// A Tab is a page under test, with the errors and warnings of its console.
type Tab struct {
	T   testing.TB
	Ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// NewTab watches the console of a context's page.
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
			// Chromium itself warns a page that asks for a GPU where none is.
			warning := m.Type == "warning" && m.Text != "No available adapters."
			if m.IsException() || m.Type == "error" || warning {
				b.Blame("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line)
			}
		}
	}()
	return b
}

// Blame notes something that went wrong.
func (b *Tab) Blame(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// Wrong is what went wrong so far: errors and warnings of the console, violations of the content
// security policy included, and what was blamed.
func (b *Tab) Wrong() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.wrong, "\n")
}

// Quiet checks that nothing went wrong.
func (b *Tab) Quiet() {
	b.T.Helper()
	if text := b.Wrong(); text != "" {
		b.T.Errorf("console: %s", text)
	}
}

// Run runs actions.
func (b *Tab) Run(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		b.T.Fatalf("%s: %v\n%s", what, err, b.Wrong())
	}
}

// Eval evaluates an expression in the page, or what its promise becomes.
func Eval[T any](b *Tab, expression string) T {
	b.T.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%.300s: %v\n%s", expression, err, b.Wrong())
	}
	return v
}

// Wait waits until an expression is true, at each frame of the page, also while one page follows another.
func (b *Tab) Wait(expression string) {
	b.T.Helper()
	for {
		_, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(0)))
		if err == nil {
			return
		}
		if b.Ctx.Err() != nil || !strings.Contains(err.Error(), "-32000") {
			b.T.Fatalf("waiting for %s: %v\n%s", expression, err, b.Wrong())
		}
		time.Sleep(50 * time.Millisecond) // the old page was asked while it was left; the new one is asked next
	}
}

// Package e2e tests the page in a real browser: Chromium, without a window, driven
// by chromedp. The tests are skipped where there is no Chromium.
package e2e

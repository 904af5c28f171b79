// Package promise waits for promises of JavaScript.
package promise

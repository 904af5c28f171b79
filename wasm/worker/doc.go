// Package worker computes for the page, in a dedicated worker of the browser: it
// carries messages between the page and package engine. There is nothing of it on
// other systems.
package worker

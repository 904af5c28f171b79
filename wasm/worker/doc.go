// Package worker computes for the page in a browser's worker (Run): it carries messages between the
// page and package engine. It is empty on other systems.
package worker

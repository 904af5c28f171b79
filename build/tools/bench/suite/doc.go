// Package suite holds benchmarks only, from parsing to the full run on a test batch. They compile for every platform, and
// build/tools/bench runs them on each. They read no files: the command adds the public sets to the program that it builds,
// see data/README.md. Without these sets, as with a plain `go test -bench`, they use the example molecules of the page.
package suite

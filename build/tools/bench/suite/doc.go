// Package suite only holds benchmarks, from parsing to the full run on a test batch. They compile for every platform;
// build/tools/bench runs them on each. They need no files: the command puts the public sets into the program as it
// builds it, see data/README.md. Without them, as under a plain `go test -bench`, the example molecules of the page
// take their place.
package suite

// Command compute is the program of the npm package: what computes in the workers of the page, without the page.
package main

import "baca/wasm/worker"

func main() { worker.Run() }

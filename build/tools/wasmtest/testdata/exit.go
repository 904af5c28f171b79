// A program that writes to both outputs and ends with a status of its own.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("arguments", os.Args[1:], "kernel", os.Getenv("BACA_KERNEL"))
	fmt.Fprintln(os.Stderr, "no files:", os.Remove("/x") != nil)
	os.Exit(3)
}

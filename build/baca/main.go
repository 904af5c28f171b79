// Command baca tells which graphs, molecules above all, lie outside what a model
// was trained on.
package main

import "baca/build/baca/command"

func main() { command.Main(nil) }

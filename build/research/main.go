// Command baca-paper repeats what the paper of BaCa reports, and measures what it
// leaves out. The product, build/baca, holds none of this.
package main

import (
	"baca/build/baca/command"
	"baca/build/research/paper"
)

func main() { command.Paper(paper.Texts, paper.Commands(command.TrainEncoder)...) }

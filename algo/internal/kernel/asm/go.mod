// The generator of the amd64 assembly is a module of its own, so that the
// program does not depend on avo.
module baca/algo/internal/kernel/asm

go 1.26

toolchain go1.26.11

require github.com/mmcloughlin/avo v0.5.0

require (
	golang.org/x/mod v0.27.0 // indirect
	golang.org/x/sync v0.16.0 // indirect
	golang.org/x/tools v0.36.0 // indirect
)

#!/bin/sh
# Guess: a Go program that reads .xz with github.com/ulikunitz/xz, the usual package, finds out that a file was cut, as xz -t does.
# Version: github.com/ulikunitz/xz v0.5.17 (2026-09), beside github.com/mikelolasagasti/xz v1.0.1, a port of XZ Embedded.
# Behaviour: of a file of several blocks, as xz -T4 and --block-size write it, whatever ends between two blocks, or within the header
# of the next one, is read to a clean end of file: index and footer are missing, and nobody says so. The port reports each cut.
# Output seen: ulikunitz/xz reads 37 of 148 cuts as whole files; mikelolasagasti/xz reads 0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > main.go <<'GO'
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	port "github.com/mikelolasagasti/xz"
	"github.com/ulikunitz/xz"
)

func main() {
	text := bytes.Repeat([]byte("CCO\n"), 150)
	var file bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 200}.NewWriter(&file)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil || w.Close() != nil {
		panic(err)
	}
	cuts := map[string]int{}
	for n := 12; n < file.Len(); n++ {
		cut := file.Bytes()[:n]
		if r, err := xz.NewReader(bytes.NewReader(cut)); err == nil {
			if _, err := io.Copy(io.Discard, r); err == nil {
				cuts["ulikunitz/xz"]++
			}
		}
		if r, err := port.NewReader(bytes.NewReader(cut), 0); err == nil {
			if _, err := io.Copy(io.Discard, r); err == nil {
				cuts["mikelolasagasti/xz"]++
			}
		}
	}
	fmt.Printf("ulikunitz/xz reads %d of %d cuts as whole files; mikelolasagasti/xz reads %d\n", cuts["ulikunitz/xz"], file.Len()-12, cuts["mikelolasagasti/xz"])
	if cuts["ulikunitz/xz"] == 0 || cuts["mikelolasagasti/xz"] > 0 {
		os.Exit(1)
	}
}
GO
go mod init cut 2>/dev/null
go get github.com/ulikunitz/xz@v0.5.17 github.com/mikelolasagasti/xz@v1.0.1 2>/dev/null
go run .

package main

import (
	"bytes"
	"compress/bzip2"
	"io"
	"os"
	"os/exec"
	"testing"

	"baca/build/internal/try"
	"baca/build/internal/unpack"
)

// The programs xz and bzip2 packed what is in two.tar; BACA_UPDATE=1 packs it anew.
func TestFixtures(t *testing.T) {
	tar := kindOf("two.tar").file
	for name, open := range map[string]func(io.Reader) (io.Reader, error){"xz": unpack.XZ, "bzip2": func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }} {
		file := map[string]string{"xz": "two.tar.xz", "bzip2": "two.tar.bz2"}[name]
		if os.Getenv("BACA_UPDATE") != "" {
			c := exec.Command(name, "-1")
			c.Stdin = bytes.NewReader(tar)
			try.Check(os.WriteFile("testdata/"+file, try.To(c.Output()), 0o666))
		}
		if got := try.To(io.ReadAll(try.To(open(try.To(os.Open("testdata/" + file)))))); !bytes.Equal(got, tar) {
			t.Errorf("%s holds another tar than two.tar", file)
		}
	}
}

func kindOf(name string) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	panic(name)
}

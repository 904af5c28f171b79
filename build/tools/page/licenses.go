package main

import "baca/build/internal/ship"

// licenses adds the licences of everything in the program of the page. Those of the
// scripts beside it are in their own file.
func (b *builder) licenses() error {
	text, err := ship.Licenses(b.root, "The program of this page holds code under the licences below. The scripts that it loads\nbeside it are listed in web/lib/LICENSES.txt.\n",
		ship.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"})
	if err != nil {
		return err
	}
	b.add("licenses.txt", text.Bytes()).late = true
	return nil
}

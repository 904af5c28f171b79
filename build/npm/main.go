// Command npm packs the package baca-wasm for browsers and Node: its own scripts, those of the
// page that start and run workers and that draw, the program that computes, and a model.
//
//	go run ./build/npm   # into out/npm
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"baca/algo"
	"baca/build/internal/browser"
	"baca/build/internal/ship"
	"baca/weights"
)

// program is what computes.
const program = "./wasm/compute"

func main() {
	out := flag.String("out", filepath.Join("out", "npm"), "folder to write, which is emptied first")
	flag.Parse()
	name, err := pack(*out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "npm:", err)
		os.Exit(1)
	}
	fmt.Println(name)
}

// pack writes the package below a folder, and returns the path of the file that `npm install` takes.
func pack(out string) (string, error) {
	root, err := ship.Folder(out)
	if err != nil {
		return "", err
	}
	if out, err = filepath.Abs(out); err != nil {
		return "", err
	}
	folder := filepath.Join(out, "baca-wasm")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "build", "npm", "package"))); err != nil {
		return "", err
	}
	files, err := gather(root)
	if err != nil {
		return "", err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), data, 0o666); err != nil {
			return "", err
		}
	}
	c := exec.Command("npm", "pack", "--silent", "--pack-destination", out)
	c.Dir = folder
	var stderr bytes.Buffer
	c.Stderr = &stderr
	packed, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("npm pack: %w\n%s", err, stderr.Bytes())
	}
	return filepath.Join(out, strings.TrimSpace(string(packed))), nil
}

// gather returns the files of the package that are not its own scripts, by name.
func gather(root string) (map[string][]byte, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, from := range map[string]string{
		"package.json":       filepath.Join(root, "build", "npm", "package", "package.json"),
		"README.md":          filepath.Join(root, "build", "npm", "README.md"),
		"LICENSE":            filepath.Join(root, "LICENSE"),
		"DATA-LICENSES.txt":  filepath.Join(root, "weights", "DATA-LICENSES.txt"),
		"files/thread.js":    filepath.Join(root, "web", "thread.js"),
		"files/worker.js":    filepath.Join(root, "web", "worker.js"),
		"files/kernel.js":    filepath.Join(root, "web", "kernel.js"),
		"files/kernel.wasm":  filepath.Join(root, "web", "kernel.wasm"),
		"files/svg.js":       filepath.Join(root, "web", "src", "svg.js"),
		"files/drawer.js":    filepath.Join(root, "web", "src", "drawer.js"),
		"files/wasm_exec.js": filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"),
	} {
		if files[name], err = os.ReadFile(from); err != nil {
			return nil, err
		}
	}
	libraries := filepath.Join(root, "web", "static", "lib")
	if files["files/draw.js"], err = os.ReadFile(filepath.Join(libraries, "draw.js")); err != nil {
		return nil, fmt.Errorf("%w: run make libraries first", err)
	}
	scripts, err := os.ReadFile(filepath.Join(libraries, "LICENSES.txt"))
	if err != nil {
		return nil, fmt.Errorf("%w: run make libraries first", err)
	}
	files["README.md"] = ship.Unlink(root, "build/npm/README.md", files["README.md"], func(string) bool { return false })
	files["package.json"] = bytes.ReplaceAll(files["package.json"], []byte("{{version}}"), []byte(algo.Version))
	if files["files/baca.wasm"], err = browser.Compile(root, program); err != nil {
		return nil, err
	}
	if files["files/model.msgpack"], err = weights.Bytes(weights.Default); err != nil {
		return nil, err
	}
	files["files/background.smi.gz"] = weights.BackgroundFile()
	others, err := ship.Licenses(root, "The program files/baca.wasm and the script files/draw.js hold code under the licences below,\nbesides their own in LICENSE.\n",
		ship.Program{OS: "js", Arch: "wasm", Package: program})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(others, "\n\n== Scripts of the page, of which files/draw.js is one ==\n\n%s\n", bytes.TrimSpace(scripts))
	files["licenses.txt"] = others.Bytes()
	return files, nil
}

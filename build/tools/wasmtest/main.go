// Wasmtest runs a js/wasm program, such as the tests of a package, in a web worker of headless Chromium. It has the
// SIMD kernel and the page's content security policy:
//
//	PATH="$PWD/build/tools/wasmtest/chromium:$PATH" GOOS=js GOARCH=wasm go test ./algo/internal/kernel
//
// With BACA_KERNEL=none in the environment there is no kernel, and the portable code runs. With BACA_WEBGPU=swiftshader
// there is a GPU, in software. The program has no files. It gets the variables whose names begin with BACA_ or GO. Its
// output and exit status become those of wasmtest.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/chromedp"

	"baca/build/internal/chromium"
	"baca/build/internal/try"
)

//go:embed page.js
var pageJS []byte

//go:embed worker.js
var workerJS []byte

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: wasmtest program.wasm [argument ...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := run(ctx, os.Args[1], os.Args[2:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wasmtest:", err)
		code = 1
	}
	os.Exit(code)
}

// run serves a program for WebAssembly to a browser, and returns the program's exit status.
func run(ctx context.Context, program string, arguments []string) (code int, err error) {
	defer try.Catch(&err)
	out := try.To(exec.Command("go", "env", "GOMOD", "GOROOT").Output())
	gomod, goroot, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	web := filepath.Join(filepath.Dir(gomod), "web")

	listener := try.To(net.Listen("tcp", "127.0.0.1:0"))
	exited := make(chan int, 1)
	server := &http.Server{Handler: handler(program, arguments, web, goroot, exited)}
	go server.Serve(listener)
	defer server.Close()

	options := chromedp.DefaultExecAllocatorOptions[:]
	if path := chromium.Path(); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	if adapter := os.Getenv("BACA_WEBGPU"); adapter != "" {
		options = append(options, chromedp.Flag("enable-unsafe-webgpu", true), chromedp.Flag("use-webgpu-adapter", adapter))
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	crashed := make(chan struct{}, 1)
	try.Check(chromedp.Listen(ctx, func(event any) {
		if _, ok := event.(*inspector.EventTargetCrashed); ok {
			select {
			case crashed <- struct{}{}:
			default: // the first is enough
			}
		}
	}))
	try.Check(chromedp.Do(ctx, chromedp.Navigate("http://"+listener.Addr().String())))
	select {
	case code := <-exited:
		return code, nil
	case <-crashed:
		return 0, fmt.Errorf("%s: the page crashed", program)
	case <-ctx.Done():
		return 0, fmt.Errorf("%s: the browser ended", program)
	}
}

// handler serves the page and the program, and receives what the program writes and its exit status.
func handler(program string, arguments []string, web, goroot string, exited chan<- int) http.Handler {
	argv := []string{filepath.Base(program)}
	for _, a := range arguments {
		// Without files, go test's cache has nothing to record.
		if !strings.HasPrefix(a, "-test.testlogfile=") {
			argv = append(argv, a)
		}
	}
	env := map[string]string{}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "BACA_") || strings.HasPrefix(name, "GO") {
			env[name] = value
		}
	}

	mux := http.NewServeMux()
	content := func(path, kind string, body []byte) { // is served at path
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write(body)
		})
	}
	file := func(path, name string) { // is served at path
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	}
	start, _ := json.Marshal(map[string]any{"argv": argv, "env": env}) // strings always can
	content("/{$}", "text/html", []byte(`<!doctype html><title>wasmtest</title><script src="page.js"></script>`))
	content("/page.js", "text/javascript", pageJS)
	content("/worker.js", "text/javascript", workerJS)
	content("/start.json", "application/json", start)
	file("/wasm_exec.js", filepath.Join(goroot, "lib/wasm/wasm_exec.js"))
	file("/kernel.js", filepath.Join(web, "kernel.js"))
	file("/program.wasm", program)
	if env["BACA_KERNEL"] != "none" {
		file("/kernel.wasm", filepath.Join(web, "kernel.wasm"))
	}
	mux.HandleFunc("POST /write/1", func(w http.ResponseWriter, r *http.Request) { io.Copy(os.Stdout, r.Body) })
	mux.HandleFunc("POST /write/2", func(w http.ResponseWriter, r *http.Request) { io.Copy(os.Stderr, r.Body) })
	mux.HandleFunc("POST /exit/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.PathValue("code"))
		if err != nil {
			code = 1
		}
		select {
		case exited <- code:
		default: // the first is enough
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	})
}

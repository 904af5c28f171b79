# BaCa: which graphs lie outside what a model was trained on.
# A bare `make` lists the targets.

.DEFAULT_GOAL := help
GO ?= go
# With this folder in PATH, `go test` runs js/wasm programs under Node, with the
# SIMD kernel beside them.
WASM = PATH="$(CURDIR)/build/wasmtest/node:$$PATH" GOOS=js GOARCH=wasm
# Packages that start goroutines.
CONCURRENT = ./algo ./algo/calibrate ./algo/contrast ./algo/dataset ./algo/internal/parallel ./algo/pretrain ./algo/table

.PHONY: help run demo build test lint bench clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: demo ## score the built-in example molecules and draw the result

demo: build
	@mkdir -p out
	bin/baca demo --plot out/scores.svg

build: ## build the command as bin/baca
	$(GO) build -o bin/baca ./build/baca

test: lint ## check everything: lint, unit tests, race detector, WebAssembly
	$(GO) test ./...
	$(GO) test -race -short $(CONCURRENT)
	$(GO) test -race -run 'Progress|Bar|Interrupt|Pipe|Waiting|WholeEpoch' ./build/baca
	$(GO) test -tags noasm ./algo/internal/kernel ./algo/gin ./algo/contrast
	GOOS=js GOARCH=wasm $(GO) vet ./algo/... ./weights/...
	$(WASM) $(GO) test -short ./algo/... ./weights/...
	$(WASM) BACA_KERNEL=none $(GO) test -short ./algo/internal/kernel ./algo/gin
	$(WASM) $(GO) test -short -tags noasm ./algo/internal/kernel

lint: ## gofmt, go vet, staticcheck, and govulncheck where its database answers
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt would change: $$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags rdkit ./algo/molecule
	$(GO) vet -tags noasm ./algo/internal/kernel
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	build/govulncheck.sh

bench: ## benchmarks of every hot path
	$(GO) test -run '^$$' -bench . -benchmem ./algo/... ./weights/...

clean: ## remove what was built
	rm -rf bin out

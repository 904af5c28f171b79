# BaCa: which graphs lie outside what a model was trained on.
# A bare `make` lists the targets.

.DEFAULT_GOAL := help
GO ?= go
DATA ?= ../shared/data
FUZZTIME ?= 1m
# With this folder in PATH, `go test` runs js/wasm programs under Node, with the
# SIMD kernel beside them.
WASM = PATH="$(CURDIR)/build/tools/wasmtest/node:$$PATH" GOOS=js GOARCH=wasm
# Packages that start goroutines.
CONCURRENT = ./algo ./algo/attention ./algo/contrast ./algo/dataset ./algo/internal/parallel ./algo/near ./algo/pretrain ./algo/ratio ./algo/table ./algo/wgsl ./build/internal/lock ./build/internal/progress ./build/service/...

# Tests of memory, growth, rates, derivatives and damaged input, which say nothing of races and take minutes under the
# detector, and those of package service that package api runs once more by requests.
NORACE = Allocations|Bombs|Memory|Linear|Fair|CopiesOfTraining|FalseAlarms|Gradient$$|Damaged|Hostile|LargeGraphs|EveryBit|Bounds|MissingCells|LateColumns|Undecided|LeakNoFeatures|TestTrust$$|TestTrain$$|^Fuzz

# A program is the same wherever a commit is built: without the paths of the folder, and
# with the commit by its name rather than as Go finds it, which does so in a clone but not
# in a work tree. CGO_ENABLED=0 keeps the C compiler out, where none is needed. Tests are
# compiled in the same way, so that packages are compiled once for them and for programs.
export CGO_ENABLED ?= 0
export GOFLAGS := $(GOFLAGS) -trimpath -buildvcs=false
COMMIT = $(shell git describe --always --dirty=.dirty --abbrev=12 --exclude='*' 2>/dev/null)
BUILD = $(GO) build -ldflags='-X baca/build/internal/version.commit=$(COMMIT)'

# The only limit of time is how long a package may take before it counts as hanging.
LIMIT ?= 2h
# Vetting is lint's, once for all tests.
TEST = $(GO) test -vet=off -timeout $(LIMIT)

.PHONY: help run demo build baca paper page libraries gpu beam release python npm test test-all checks test-race test-wasm test-gpu test-beam test-columnar test-research fuzz chaos lint bench bench-quick clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A page for this machine needs no best compression, a quarter of all that building takes.
run: FAST = -fast
run: baca ## build the command with the page in it and serve the page on 127.0.0.1:8000
	bin/baca serve

demo: baca ## score the built-in example molecules in the terminal, and write a report about them
	@mkdir -p out
	bin/baca score --by both web/examples/molecules.csv
	bin/baca report --out out/demo.html web/examples/molecules.csv

build: baca paper ## build bin/baca, the command with the page in it, and bin/baca-paper

baca: page
	$(BUILD) -tags page -o bin/baca ./build/baca

paper: ## build bin/baca-paper, which repeats the paper (a module of its own)
	cd build/research && $(BUILD) -o ../../bin/baca-paper .

page: libraries ## build the page into web/site
	$(GO) run ./build/tools/page $(FAST)

# The page's JavaScript libraries, from npm by the lockfile.
libraries: web/node_modules
	cd web && npm run --silent build >/dev/null

web/node_modules: web/package-lock.json
	cd web && npm ci --no-audit --no-fund --silent
	@touch $@

# Both say at the end what this machine cannot check.
test: ## check what may have been broken, ten minutes on two cores: lint, unit tests, WebAssembly, the page in Chromium
	@$(MAKE) --no-print-directory checks; status=$$?; build/tools/left-out.sh; exit $$status

test-all: ## check everything: large inputs, race detector, all of it as WebAssembly, research, Beam and the GPU as well
	@BACA_TEST=all $(MAKE) --no-print-directory checks test-research test-race test-wasm test-beam test-columnar test-gpu; status=$$?; build/tools/left-out.sh; exit $$status

# The longest begin first, so that they do not run alone at the end.
checks: lint page
	$(TEST) ./build/tools/e2e ./build/python/wheel ./build/npm ./...
	$(TEST) -tags noasm ./algo/internal/kernel ./algo/gin ./algo/contrast
	$(WASM) $(TEST) -short ./algo/internal/kernel ./algo/gin ./wasm/message
	$(WASM) BACA_KERNEL=none $(TEST) -short ./algo/internal/kernel ./algo/gin
	$(WASM) $(TEST) -short -tags noasm ./algo/internal/kernel

test-race: ## check what starts goroutines with the race detector
	CGO_ENABLED=1 $(TEST) -race -short -skip '$(NORACE)' $(CONCURRENT)
	CGO_ENABLED=1 $(TEST) -race -run 'Interrupt|Pipe|Waiting' ./build/baca/command

test-wasm: ## check all that is compiled to WebAssembly in Node
	GOOS=js GOARCH=wasm $(GO) vet ./algo/... ./weights/... ./wasm/... ./app/... ./build/tools/bench/suite
	$(WASM) $(TEST) -short ./algo/... ./weights/... ./wasm/worker/engine

gpu: page ## build bin/baca-gpu, the command with GPUs (needs a C compiler, downloads 110 MB once)
	cd build/gpu && CGO_ENABLED=1 $(BUILD) -tags page -o ../../bin/baca-gpu .

beam: ## build bin/baca-beam, the same scores on Apache Beam (a module of its own)
	cd build/beam && $(BUILD) -o ../../bin/baca-beam .

release: page npm ## build all that is published, for every system, into out/release
	$(GO) run ./build/python/wheel -all -commit "$(COMMIT)"
	cd out/npm && npm publish --dry-run --silent ./*.tgz
	$(GO) run ./build/tools/packaging/release -commit "$(COMMIT)" out/wheels/*.whl out/npm/*.tgz

python: ## build the wheel of the Python package for this machine into out/wheels
	$(GO) run ./build/python/wheel -commit "$(COMMIT)"

npm: libraries ## build the npm package, for browsers and Node, into out/npm
	$(GO) run ./build/npm

test-research: ## check the paper's experiments and the rivals
	cd build/research && $(TEST) ./...

test-beam: ## check the Beam pipeline
	cd build/beam && $(GO) vet ./... && $(TEST) ./...

test-columnar: ## compare Parquet and workbooks with what other programs write and read (downloads 400 MB)
	cd build/columnar && $(GO) vet ./... && $(TEST) ./...

test-gpu: ## check the GPU, natively where Vulkan is and in Chromium (downloads 110 MB once)
	GO="$(GO)" CGO_ENABLED=1 build/gpu/test.sh

fuzz: ## run every fuzz target for FUZZTIME (one minute) each and keep what they find
	GO="$(GO)" FUZZTIME="$(FUZZTIME)" build/tools/fuzz.sh

# Where a process may make a user namespace, disks that are too small can be mounted in it.
PRIVATE = $(shell unshare -rm true 2>/dev/null && echo unshare -rm)
CHAOS ?= -seed 1 -faults 600 -out build/results/chaos.md

chaos: page ## inject 600 faults into runs: kills, full disks, changing inputs, several writers, slow readers (CHAOS=flags)
	$(PRIVATE) $(GO) run ./build/tools/chaos $(CHAOS)

lint: ## gofmt, go vet, staticcheck, and govulncheck where its database answers
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt would change: $$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags rdkit ./algo/molecule/...
	$(GO) vet -tags noasm ./algo/internal/kernel
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	cd build/research && $(GO) vet ./... && $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	build/tools/govulncheck.sh

bench: ## measure natively, in Node, in Chromium, whole commands and other programs (BENCH="-against REV", -platforms, -count)
	CGO_ENABLED=1 $(GO) run ./build/tools/bench $(BENCH)

bench-quick: paper ## one pair and one seed of the results table (DATA=folder with the public sets)
	bin/baca-paper bench table1 --data $(DATA) --out out/quick --pairs PTC_MR/MUTAG --seeds 1

clean: ## remove what was built
	rm -rf bin out web/site web/static/lib web/static/tools.js web/node_modules

# Every target is described after ##; make without a target lists them.

GO        ?= go
TOOLS     := $(CURDIR)/.tools

export CGO_ENABLED ?= 0
# Set for everything, so that programs, tests and checks share the build cache.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
# The race detector needs a C compiler; if there is none, tests run without it.
RACE      := $(shell command -v gcc >/dev/null 2>&1 && echo -race)

.DEFAULT_GOAL := help
.PHONY: help build test test-race check format-check vet staticcheck generate generate-check licences vulnerabilities console-types test-console console-screenshot test-clients check-openapi generate-clients \
	release release-check platforms vet-platforms tools spec conformance demo serve sim fuzz repeat explain bodies kill kill-shared upgrade reindex costs slow soak measure bench bench-quick bench-rest bench-ingest bench-http bench-load bench-signals bench-writes bench-small bench-growth bench-service bench-service-apart bench-knn bench-relevance bench-typed bench-fields bench-first bench-vectors bench-cores bench-nested bench-micro profile locale-data clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/quire
	$(GO) build -trimpath -o bin/quire ./cmd/quire

demo: build ## Start a local node with demo data and three example searches
	$(GO) run ./examples/demo -binary bin/quire

serve: build ## Start an empty local node that requires no credentials
	bin/quire serve --dev

tools: $(TOOLS)/versitygw ## Build the S3 server that tests run against

$(TOOLS)/versitygw:
	@mkdir -p $(TOOLS)
	CGO_ENABLED=0 GOFLAGS= GOBIN=$(TOOLS) $(GO) install -trimpath -ldflags "-s -w" github.com/versity/versitygw/cmd/versitygw@v1.8.0

test: tools ## Run all tests, with invariants checked
	$(GO) test -vet=off -tags invariants -timeout 20m ./... # make check runs vet
	cd examples/embedded && $(GO) vet ./... && $(GO) test ./...

test-race: tools ## Run all tests under the race detector (needs gcc)
	CGO_ENABLED=1 $(GO) test $(RACE) -vet=off -tags invariants -timeout 60m ./...

check: format-check vet staticcheck generate-check licences vulnerabilities console-types platforms ## Format, vet, static analysis, generated files, licences, vulnerabilities, other platforms

format-check:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi

vet:
	$(GO) vet ./...

$(TOOLS)/staticcheck:
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2

staticcheck: $(TOOLS)/staticcheck
	$(TOOLS)/staticcheck ./...

generate: ## Generate the reference pages from the tables
	$(GO) test ./internal/reference -rewrite

generate-check:
	$(GO) test ./internal/reference

licences:
	@scripts/licences

vulnerabilities:
	@scripts/vulnerabilities

console-types: ## Type-check the console
	@scripts/console-tools
	.tools/console/node_modules/.bin/tsc -p internal/console/tests/tsconfig.json

test-console: build tools ## Test the console in a real Chromium against a real node
	@scripts/test-console

console-screenshot: test-console ## Update the screenshot of the console in the README
	cp .tools/console/artefacts/readme.png docs/guides/console.png

test-opensearch: ## Test importing from a real OpenSearch 3, fetched by Maven; needs mvn and Java 21
	scripts/opensearch-test

spec: ## Run the interface scripts under spec/
	$(GO) test ./internal/script -count=1

test-clients: build ## Run the tests of the TypeScript and Python clients against a real node, in Node, Deno, Bun, Chromium and Python
	@scripts/test-clients

check-openapi: build ## Lint the OpenAPI description, compile the clients of three generators, and send valid and invalid requests (EXAMPLES=5; QUICK=1: few requests)
	@scripts/check-openapi

generate-clients: build ## Generate the types of the clients from the OpenAPI description
	@scripts/generate-clients

conformance: build tools ## Run the black-box suite against a node with a directory, then against one with a bucket
	@scripts/conformance
	@STORAGE=object scripts/conformance

sim: ## Simulate several nodes with faults, one run per seed (SEEDS=10000, FIRST=1, SHARDS=all cores)
	$(GO) test ./internal/clustertest -run '^TestSimulation$$' -v -timeout 0 -seeds $(or $(SEEDS),10000) -first $(or $(FIRST),1) \
		-shards $(or $(SHARDS),$(shell nproc))

fuzz: ## Run every fuzz target for a short time (FUZZTIME=30s), or in turns until each has run for FUZZTOTAL=10m
	@scripts/fuzz

repeat: tools ## Run the tests of all packages RUNS=50 times, shuffled, with GOMAXPROCS 1, 2 and 8; continues where it was interrupted
	@scripts/repeat

explain: ## Explain every document for random searches and compare with the search results (PAIRS=30000)
	$(GO) test ./internal/search -run ExplainReproduces -v -count=1 -timeout 0 -pairs $(or $(PAIRS),30000)

bodies: ## Send damaged requests to every operation (BODIES=10000000, FIRST=1)
	$(GO) test ./internal/api -run TestDamaged -v -count=1 -timeout 0 -bodies $(or $(BODIES),10000000) -first $(or $(FIRST),1)

.PHONY: faults
faults: ## Make every call to the bucket and to the disk fail in every way, one session per fault point (FAULTS=20000, FIRST=1)
	$(GO) test ./internal/storagefaults -tags invariants -run '^TestFaultsOfStorage$$' -v -count=1 -timeout 0 -faults $(or $(FAULTS),20000) -first $(or $(FIRST),1) -stride 1

kill: ## Repeatedly kill and stop a process under load, and report acknowledged and lost writes and what the checker found (CYCLES=300, SEED=)
	QUIRE_KILL_CYCLES=$(or $(CYCLES),300) $(GO) test ./engine -run '^TestKilledProcess' -v -count=1 -timeout 0
	$(GO) test ./internal/campaign -run '^TestStoppedNodes|^TestNodesKilled' -v -count=1 -timeout 0 -cycles $(or $(CYCLES),300) -seed $(or $(SEED),0)

upgrade: build tools ## Run an earlier version (EARLIER=commit) and this one in turn on the same directory and on the same bucket
	@scripts/upgrade

kill-shared: tools ## Kill, pause and restart nodes that share a bucket (KILLS=300, STOPS=150, RESTARTS=100)
	$(GO) test ./internal/clustertest -run '^TestKilledProcess|^TestAPausedOwner|^TestRolling' -v -count=1 -timeout 0 \
		-kills $(or $(KILLS),300) -stops $(or $(STOPS),150) -restarts $(or $(RESTARTS),100) -tries 2

reindex: ## Reindex 200000 documents under load, with kills in every phase (DOCUMENTS=200000)
	$(GO) test ./internal/campaign -run Reindex -v -count=1 -timeout 0 -documents $(or $(DOCUMENTS),200000) -seed $(or $(SEED),0)

costs: ## Measure the cost of every list in a request at its limit, and write docs/reference/costs.md
	$(GO) test ./internal/campaign -run '^TestCostsOfEveryList$$' -v -count=1 -timeout 0 -costs $(CURDIR)/docs/reference/costs.md

slow: ## Keep slow clients of every kind connected to a node (CLIENTS=2000)
	$(GO) test ./internal/campaign -run 'SlowClients|RapidReset' -v -count=1 -slow $(or $(CLIENTS),2000)

soak: ## Load a node that opens, closes, merges and deletes, and watch its memory (SOAK=10m)
	$(GO) test ./internal/campaign -run Soak -v -count=1 -timeout 0 -soak $(or $(SOAK),10m) -seed $(or $(SEED),0)

measure: tools ## Measure writes and startup in local and object mode (MEASURE=10s, DELAY=0s of the bucket, CORPUS=, TEXTS=1000000)
	$(GO) test ./internal/campaign -run Measure -v -count=1 -timeout 0 -measure $(or $(MEASURE),10s) -delay $(or $(DELAY),0s) \
		-corpus $(abspath $(or $(CORPUS),../shared/data/commits.ndjson.zst)) -texts $(or $(TEXTS),1000000)

BENCH := bin/bench-run

$(BENCH): $(wildcard bench/run/*.go bench/neighbours/*.go internal/relevance/*.go)
	$(GO) build -C bench/run -o ../../$(BENCH) .

bench: $(BENCH) ## Compare with Lucene, tantivy and bleve on the whole corpus
	$(BENCH) -data ../shared/data

bench-quick: $(BENCH) ## The same in minutes, on part of the corpus
	$(BENCH) -data ../shared/data -quick

bench-rest: $(BENCH) ## Compare Quire's indexes at rest with force-merged ones, and measure during a trickle of updates (DOCS=200000)
	$(BENCH) -data ../shared/data -rest -docs $(or $(DOCS),200000)

bench-ingest: $(BENCH) ## Compare loading over HTTP with loading in process, and measure what HTTP adds to a search
	$(BENCH) -data ../shared/data -ingest -docs $(or $(DOCS),100000)

bench-service: $(BENCH) ## Compare the whole service with OpenSearch 3, fetched by Maven (DOCS=100000); needs mvn and Java 21
	$(BENCH) -data ../shared/data -opensearch -docs $(or $(DOCS),100000)

bench-service-apart: $(BENCH) ## The same with the services on one core and the load generator on another; needs taskset
	taskset -c 1 $(BENCH) -data ../shared/data -opensearch -apart -docs $(or $(DOCS),100000)

bench-knn: $(BENCH) ## Compare nearest-neighbour search with filters, as a whole service, with OpenSearch 3 and its k-NN plugin; needs mvn and Java 21
	$(BENCH) -data ../shared/data -knn

bench-load: build $(BENCH) ## Compare quire load of a CSV file with curl sending the same rows as NDJSON (DOCS=1000000)
	$(BENCH) -data ../shared/data -load -docs $(or $(DOCS),1000000)

bench-http: build $(BENCH) ## Measure what HTTP adds to a search for one term: latency, processor time, searches per second (DOCS=100000)
	$(BENCH) -data ../shared/data -http -docs $(or $(DOCS),100000)

bench-signals: build $(BENCH) ## Compare refreshing a signal with adding the documents again, and measure searches during both (DOCS=100000)
	$(BENCH) -data ../shared/data -signals -docs $(or $(DOCS),100000)

bench-small: tools $(BENCH) ## Measure many small indexes on one node, in local and object mode (INDEXES=2000)
	$(BENCH) -data ../shared/data -small $(or $(INDEXES),2000)

bench-growth: $(BENCH) ## Measure Quire alone at growing sizes, with the growth exponent of every figure (SIZES=100000,1000000,3000000,10000000; 10 GB of disk)
	$(BENCH) -data ../shared/data -warm 3s -growth $(if $(SIZES),$(SIZES),100000,1000000,3000000,10000000)

bench-writes: build $(BENCH) ## Compare durable writes of one document, over HTTP and in process, with SQLite FTS5 and OpenSearch 3, for 1 and 64 clients; needs python3, mvn, Java 21
	$(BENCH) -data ../shared/data -writes -docs 100000 -rounds 3

bench-relevance: $(BENCH) ## Compare ranking quality on judged sets with Lucene (QUICK=1: Lucene's results from the last run; SETS=cranfield,German)
	$(BENCH) -data ../shared/data -relevance $(if $(QUICK),-quick) $(if $(SETS),-classes $(SETS))

bench-typed: $(BENCH) ## Measure the requests of a search box: suggestions, facet values, interpreted text
	$(BENCH) -data ../shared/data -typed

bench-fields: $(BENCH) ## Compare text queries on a title and a body with those on one field, the first time and repeated (QUICK=1: 100,000 documents)
	$(BENCH) -data ../shared/data -fields $(if $(QUICK),-quick)

bench-first: $(BENCH) ## Compare queries that never ran before with Lucene, tantivy and bleve (QUICK=1: 100,000 documents)
	$(BENCH) -data ../shared/data -first $(if $(QUICK),-quick)

bench-vectors: $(BENCH) ## Compare nearest-neighbour search with hnswlib, usearch, faiss, Qdrant Edge and Milvus Lite
	$(BENCH) -data ../shared/data -vectors

bench-cores: $(BENCH) ## Compare one slow search on idle cores with one core, both also under load (DOCS=1000000)
	$(BENCH) -data ../shared/data -cores -docs $(or $(DOCS),1000000)

bench-nested: ## Compare searches of products with five nested variants with searches of flat ones that give the same hits
	$(GO) test -run '^$$' -bench '^BenchmarkNested$$' -benchtime 600x ./internal/search

bench-micro: ## Measure the throughput of components: decoding, look-ups, counting, distances, the log, merges (ALL=1: every Go benchmark)
ifdef ALL
	$(GO) test -run '^$$' -bench . -benchmem ./...
else
	@scripts/figures
endif

profile: $(BENCH) ## Write CPU and allocation profiles of one query class (CLASS=or_high)
	$(BENCH) -data ../shared/data -profile $(CLASS)

locale-data: build ## Prepare the locale data of the compounding languages
	scripts/locale-data.sh locale-data

release: ## Build the archives, SBOMs, images and checksums of a release into dist (ONLY=linux/amd64)
	@scripts/release dist $(ONLY)

release-check: ## Build a release twice, from clones in different directories with separate caches, and compare the bytes (ONLY=linux/amd64)
	@scripts/release-check $(ONLY)

# The test suite runs on Linux; for the other systems and processors of a release the
# program must compile. No file is specific to one system on one processor, so naming each
# system and processor once is enough. make release compiles all platforms and so catches
# system types that differ by processor.
OTHER_PLATFORMS := darwin/arm64 windows/amd64

platforms: ## Compile the program for the other systems and processors of a release
	@for platform in $(OTHER_PLATFORMS); do GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -trimpath -o /dev/null ./cmd/quire || exit 1; done

vet-platforms: ## Vet everything, tests included, for the other systems and processors of a release
	@for platform in $(OTHER_PLATFORMS); do echo $$platform; GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) vet ./... || exit 1; done

clean: ## Remove build output
	rm -rf bin dist .tools

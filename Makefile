# Interfaces that others rely on: bench, bench-resources, bench-resources-render,
# check-bench-resources, compare, test, lint. `make help` lists all targets.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

GOLANGCI_VERSION := v2.15.0
# HOST names the folder under results/ that this machine's record is kept in.
HOST   ?= $(shell go env GOOS)-$(shell go env GOARCH)-$(shell nproc)cpu
# ROUNDS and SERIES_ROUNDS are how often each scenario, and each step of a series, is measured for the
# published record. RESUME=1 goes on with a measurement that was interrupted.
ROUNDS        ?= 6
SERIES_ROUNDS ?= 3
# SIZING is what -bench calls the kinds of sizing, measured SIZING_ROUNDS times each.
SIZING        := Image|Endpoint|Ladder|Held|Session|Configs|Sweep
SIZING_ROUNDS ?= 3
RESUME        ?=
# BENCH chooses what `make bench` and `make compare` measure, as -bench does.
BENCH  ?= Point

# LOAD_TOOLS are what the suite's driver is compared with, besides wrk.
LOAD_TOOLS := github.com/codesenberg/bombardier@v1.2.6 github.com/tsenart/vegeta/v12@v12.13.0

# OLD and NEW are what `make compare` compares: each the path of a binary, or a revision that is built.
OLD ?=
NEW ?=

OUT    := $(CURDIR)/out
RECORD := results/$(HOST)

.PHONY: abandoned noise overload soak
.PHONY: image sizing
.PHONY: help bench bench-resources bench-resources-render check-bench-resources compare truth faults bench-driver test lint generate \
	peers inspector conformance suite clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 26

bench: suite ## measure every point scenario once, in two minutes, and draw a page into out/bench
	@rm -rf $(OUT)/bench.new && mkdir -p $(OUT)/bench.new
	@cd bench_test && $(OUT)/suite.test -test.run='^$$' -test.bench='$(BENCH)' -test.benchtime=1x \
		-record=$(OUT)/bench.new/record.txt > $(OUT)/bench.stdout || { cat $(OUT)/bench.stdout; exit 1; }
	@rm -rf $(OUT)/bench && mv $(OUT)/bench.new $(OUT)/bench
	@go run ./cmd/page -record $(OUT)/bench -out $(OUT)/bench/page
	@echo "The page: $(OUT)/bench/page/README.md, and for a browser $(OUT)/bench/page/index.html"

# measure PATTERN, ROUNDS, FILE: whole passes over what the pattern selects, into out/resources. Nothing in the
# checkout may change until all is measured: the build would be another.
define measure
	@$(if $(RESUME),,rm -f $(OUT)/resources/$(3))
	@cd bench_test && $(OUT)/suite.test -test.run='^$$' -test.bench='$(1)' -test.benchtime=1x -rounds=$(2) \
		-record=$(OUT)/resources/$(3) $(if $(RESUME),-resume) -profiles=$(OUT)/resources/profiles \
		> $(OUT)/resources.stdout || { cat $(OUT)/resources.stdout; exit 1; }
endef

# publish FILES: new files of the published record, which the page judges before they are moved: what may not replace what is
# there, such as a part of it, stays where it was written. FORCE=1 publishes it all the same.
FORCE ?=
publishing = go run ./cmd/page -record $(RECORD) $(if $(FORCE),-force)
define publish
	@$(publishing) $(addprefix -publish ,$(1))
endef

bench-resources: suite ## measure all for the published record of this host, then draw
	@mkdir -p $(OUT)/resources
	$(call measure,Point,$(ROUNDS),points.txt)
	$(call measure,Series,$(SERIES_ROUNDS),series.txt)
	$(call measure,$(SIZING),$(SIZING_ROUNDS),sizing.txt)
	$(call publish,$(addprefix $(OUT)/resources/,points.txt series.txt sizing.txt))

# gate NAME, TEST, FLAGS, UNPUBLISHED: a gate in full. One that came to verdicts is published whichever they are: exit codes
# 0, 1 and 3. What else there is of it stays where it was written.
define gate
	@mkdir -p $(OUT)/resources && rm -f $(OUT)/resources/$(1).txt
	@status=0; (cd bench_test && $(OUT)/suite.test -test.run='^$(2)$$' -test.timeout=0 -gate $(3) \
		-record=$(OUT)/resources/$(1).txt) || status=$$?; \
	case "$$status:$(4)" in \
		0:|1:|3:) $(publishing) -publish $(OUT)/resources/$(1).txt || status=2;; \
		*) echo '$(1): not published; what there is of it is in $(OUT)/resources/$(1).txt' >&2;; \
	esac; exit $$status
endef

overload: suite ## ask the server for more than it admits, in four ways, in eight minutes, then draw
	$(call gate,overload,TestOverload)

abandoned: suite ## hold the server to what clients that go away may leave behind, in some minutes, then draw
	$(call gate,abandoned,TestAbandoned)

# SOAK is how long the soak loads the server at first. A shorter one is for trying, and published nowhere.
SOAK ?= 30m
soak: suite ## load every path of the server for half an hour, say whether it keeps anything, then draw
	$(call gate,soak,TestSoak,-soak-duration=$(SOAK),$(filter-out 30m,$(SOAK)))

# Six rounds a side take about 20 minutes; RESUME=1 goes on here as well.
noise: suite ## measure a build against itself, and what looking at it costs, then draw
	@mkdir -p $(OUT)/resources
	$(call measure,Noise,$(ROUNDS),noise.txt)
	$(call publish,$(OUT)/resources/noise.txt)

sizing: suite ## measure what sizing rests on: the third file of the published record, then draw
	@mkdir -p $(OUT)/resources
	$(call measure,$(SIZING),$(SIZING_ROUNDS),sizing.txt)
	$(call publish,$(OUT)/resources/sizing.txt)

# AUTHORITIES is a file of certificates that goes into the image, without which the server trusts no GitLab over TLS.
AUTHORITIES ?= $(wildcard /etc/ssl/certs/ca-certificates.crt)

image: ## make a container image of the server as a tarball, out/image.tar, without an engine
	@CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o $(OUT)/bin/gitlab-mcp-server ./cmd/gitlab-mcp-server
	@go run ./cmd/image -binary $(OUT)/bin/gitlab-mcp-server -out $(OUT)/image.tar $(if $(AUTHORITIES),-ca $(AUTHORITIES))

bench-resources-render: ## draw the page from the committed record, measuring nothing
	@go run ./cmd/page -record $(RECORD)

check-bench-resources: ## fail, with a diff, if a page does not match its record
	@shopt -s nullglob; for record in results/*/; do go run ./cmd/page -check -record "$$record"; done

# side NAME, WHAT: the binary of one side of a comparison. A revision is built as the suite builds (goBuild in
# bench_test/build_test.go), in a clone: in a work tree, whose .git is a file, Go would not see the revision and
# stamp that of this checkout.
define side
	@if [ -f '$(2)' ]; then cp '$(2)' $(COMPARE)/$(1).bin; else \
		commit=$$(git rev-parse --verify --quiet '$(2)^{commit}') || \
			{ echo 'compare: $(2) is neither a file nor a revision' >&2; exit 1; }; \
		rm -rf $(COMPARE)/$(1).tree; trap 'rm -rf $(COMPARE)/$(1).tree' EXIT; \
		git clone --quiet --shared --no-checkout $(CURDIR) $(COMPARE)/$(1).tree; \
		git -C $(COMPARE)/$(1).tree checkout --quiet --detach $$commit; \
		CGO_ENABLED=0 go build -C $(COMPARE)/$(1).tree -trimpath -buildvcs=auto -o $(COMPARE)/$(1).bin \
			./cmd/gitlab-mcp-server; \
	fi
endef
COMPARE := $(OUT)/compare

# Round by round and each first in turn, so that slow changes of the host fall on both alike.
compare: suite ## measure OLD and NEW, binaries or revisions, in turn, ROUNDS times each, and compare them
	@[ -n '$(OLD)' ] && [ -n '$(NEW)' ] || { echo 'usage: make compare OLD=REVISION-OR-BINARY NEW=REVISION-OR-BINARY' >&2; exit 2; }
	@$(if $(RESUME),,rm -rf $(COMPARE) &&) mkdir -p $(COMPARE)
	$(call side,old,$(OLD))
	$(call side,new,$(NEW))
	@cd bench_test && for round in $$(seq $(ROUNDS)); do \
		for side in $$( ((round % 2)) && echo old new || echo new old); do \
			echo "compare: round $$round of $(ROUNDS), $$side" >&2; \
			$(OUT)/suite.test -test.run='^$$' -test.bench='$(BENCH)' -test.benchtime=1x -binary=$(COMPARE)/$$side.bin \
				-record=$(COMPARE)/$$side.txt -resume -rounds=$$round > $(COMPARE)/$$side.stdout \
				|| { cat $(COMPARE)/$$side.stdout; exit 1; }; \
		done; \
	done
	@go run ./cmd/page -old $(COMPARE)/old.txt -new $(COMPARE)/new.txt \
		$(if $(wildcard $(RECORD)/noise.txt),-noise $(RECORD)/noise.txt) -out $(COMPARE)/comparison.md
	@cat $(COMPARE)/comparison.md

truth: suite ## measure a server whose costs are known, and write what is found of them into docs/method.md, in about half an hour
	@cd bench_test && $(OUT)/suite.test -test.run='^TestTruth(OfASweep)?$$' -test.v -truth -update -test.timeout=0

# SIGNALS is how often the suite is ended at a random moment by either signal.
SIGNALS ?= 20
faults: suite ## have the suite measure while one thing after the other fails, and end it with signals, in five minutes
	@cd bench_test && $(OUT)/suite.test -test.run='^TestFaults' -test.v -fault-signals=$(SIGNALS)

# PROOFS are the loads whose limits `make prove-sizing` puts to the test: surface, credentials held, calls in flight.
PROOFS ?= dynamic:300:40 meta:300:40 individual:100:20

.PHONY: prove-sizing
prove-sizing: suite ## put limits that the model gives to the test, look for the least that is enough, and draw, whichever the verdict
	@rm -rf $(OUT)/proof && mkdir -p $(OUT)/proof
	@for proof in $(PROOFS); do IFS=: read -r surface credentials calling <<< "$$proof"; \
		go run ./cmd/size -record $(RECORD) -surface $$surface -credentials $$credentials -calling $$calling -json; \
	done > $(OUT)/proof/needs.json
	$(call gate,proof,TestProof,-need=$(OUT)/proof/needs.json)

bench-driver: suite ## compare the suite's driver with other load tools, into docs/method.md
	@mkdir -p $(OUT)/bin
	@for module in $(LOAD_TOOLS); do \
		GOBIN=$(OUT)/bin go install $$module || echo "bench-driver: goes on without $$module" >&2; \
	done
	@cd bench_test && $(OUT)/suite.test -test.run='^TestDriver$$' -test.v -driver -driver-tools=$(OUT)/bin \
		-rounds=$(ROUNDS) -update

# The race detector needs a C compiler; without one the tests run without it.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

test: ## run all tests, with the race detector where there is a C compiler
	@go test $(RACE) -timeout 15m ./...

inspector: peers ## try the server with the MCP Inspector's command line, from npm
	@go test -count=1 -timeout 10m -run TestInspector ./bench_test -peers=$(OUT)/peers

conformance: peers ## try the server with the protocol's conformance suite, from npm
	@go test -count=1 -timeout 10m -run TestConformance ./bench_test -peers=$(OUT)/peers

peers: $(OUT)/peers/installed ## install into out/ the clients that docs/peers names

lint: bin/golangci-lint ## run the linters
	@bin/golangci-lint run ./...

generate: ## make the generated files anew
	@go generate ./...

clean: ## remove what was built and measured here
	@rm -rf $(OUT) bin

bin/golangci-lint: Makefile
	@GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@touch $@

# A client is used only if all of them were installed.
PEERS := $(addprefix docs/peers/,package.json package-lock.json .npmrc)
$(OUT)/peers/installed: $(PEERS)
	@mkdir -p $(@D)
	@cp $(PEERS) $(@D)
	@cd $(@D) && npm ci --loglevel=error > npm.txt 2>&1 || { cat npm.txt; exit 1; }
	@touch $@

# Always asked of go, which knows best whether anything changed.
suite: ## build the suite as one program, out/suite.test, that runs on another host with -binary
	@mkdir -p $(OUT)
	@go test -c -buildvcs=$(if $(wildcard .git),true,auto) -o $(OUT)/suite.test ./bench_test

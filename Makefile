# make help lists the targets, from the comments behind their names; a line that begins with `##@` is a heading.

.DEFAULT_GOAL = run
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -ec

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SKIP ?= ^$$
ARGS ?=
BENCH ?=
MESSAGES ?= 1000000
BASE ?= HEAD
ROUNDS ?= 5
SEED ?= 1
COUNT ?= 150
# Where what belongs to others is looked for: suites/cache-tests and traces. Tests look there, too.
export SHARED ?= ../shared

# Debug builds check exclusive access while they run. Release builds do not: a stored miss takes a quarter fewer instructions.
PLAIN_RELEASE = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked
BRANCHES = Benchmarks/profile/branches.profdata
RELEASE = $(PLAIN_RELEASE) $(shell tools/profile-flags use $(BRANCHES) .build/branches)
BINARY = .build/release/respite
# Targets that look at a program build it, unless BINARY names another.
BUILT = $(if $(filter .build/release/respite,$(BINARY)),build)
FUZZERS = $(notdir $(wildcard Tests/Fuzz/*))
MANUAL = respite.1 respite.toml.5
LINTED = Package.swift Sources Tests Examples/Package.swift Examples/Sources
MODULES = .build/debug/Modules
TEST_EVENTS = .build/test-events
CLIENTS_LOG = .build/clients.log
CASES = docs/specification/resources.md
RULES = docs/specification/http-caching.md
# No backtrace: the backtracer looks at hundreds of threads of the tests for more than ten minutes.
RUN_TESTS = SWIFT_BACKTRACE=enable=no swift test --skip-build --disable-xctest --skip '$(SKIP)' --event-stream-output-path $(TEST_EVENTS) --event-stream-version 6.3 \
	|| { Tests/Tools/failed-tests $(TEST_EVENTS); exit 1; }

PACKAGES = pkg-config ca-certificates libevent-dev libc-ares-dev libssl-dev libsqlite3-dev libxxhash-dev libjansson-dev libtomlplusplus-dev \
	libre2-dev zlib1g-dev libbrotli-dev libzstd-dev libhiredis-dev libcrypt-dev
TEST_PACKAGES = $(PACKAGES) python3 curl openssl sqlite3 groff-base zsh fish redis-server
CLIENT_PACKAGES = wget aria2 axel git iproute2 util-linux openssl sslscan python3-requests python3-httpx python3-aiohttp python3-websockets python3-pip nodejs dpkg-dev chromium libnss3-tools netcat-openbsd openssh-client openssh-server
# npm comes with nodejs where that is not Debian's.
DEB_PACKAGES = debhelper dpkg-dev binutils python3
APT_PACKAGES = apt-utils gpg gpg-agent
REGISTRY_PACKAGES = golang-go cargo skopeo ruby gpg $(shell command -v npm >/dev/null || echo npm)

.PHONY: help test-library picture run build check test test-suites test-clients coverage-of-cases coverage-of-rules library guide docs examples lines structure clients registries language-models deps test-deps lint format differential faults mutants fuzz $(FUZZERS) faults-run test-package sanitize soak cluster-demo bench conformance hostile micro eviction instructions budget profile path record install uninstall deb apt-repository clean

##@ Every day

help: ## this list
	@awk -F ' ## ' '/^##@ / { print substr($$0, 5) } \
		NF > 1 && /^[a-z-]+:/ { sub(/:.*/, "", $$1); printf "  %-18s %s\n", $$1, $$2 }' Makefile

run: build ## installs missing Debian packages, builds, starts the daemon with its defaults; ARGS=… for `respite serve`
	exec $(BINARY) serve $(ARGS)

build: deps ## the release build, .build/release/respite
	swift build $(RELEASE) --product respite

# Builds with what is there: `make test-deps` has installed it once.
check: ## after an edit: lint, build, the tests of what changed since BASE (HEAD)
	@tools/check-changes --skip '$(SKIP)' $(BASE)

test: test-deps lint ## lint, build, guide and examples, all tests, clients; SKIP='A|B' leaves out suites whose names match
	swift build --build-tests
	tools/check-guide $(MODULES)
	tools/check-names $(MODULES)
	tools/check-examples $(MODULES)
	@$(MAKE) --no-print-directory -j2 test-suites test-clients

# Of what `make test` has built. On two cores they take 630 s side by side, and 874 s one after the other.
test-suites:
	$(RUN_TESTS)
	Tests/Tools/coverage-of-cases --cases $(CASES) $(TEST_EVENTS)
	Tests/Tools/coverage-of-rules --rules $(RULES) $(TEST_EVENTS)

test-clients:
	@echo "clients: see $(CLIENTS_LOG)"
	@RESPITE=.build/debug/respite python3 Tests/Clients/run.py > $(CLIENTS_LOG) 2>&1 || { cat $(CLIENTS_LOG); exit 1; }
	@grep -E '^(==|skipped|all)' $(CLIENTS_LOG)

coverage-of-cases: test-deps ## which cases of docs/specification (T-001 …) the tests show; fails if one is missing
	swift build --build-tests
	$(RUN_TESTS)
	Tests/Tools/coverage-of-cases --cases $(CASES) $(TEST_EVENTS)

coverage-of-rules: test-deps ## the same for the rules of caching (C-0.1 …)
	swift build --build-tests
	$(RUN_TESTS)
	Tests/Tools/coverage-of-rules --rules $(RULES) $(TEST_EVENTS)

lines: ## how much code there is
	@tools/count-lines

structure: ## sizes, cycles of folders, large types, words per sentence, words to replace; ARGS=--check for what is too large
	@tools/measure-structure $(ARGS)

##@ The library

library: deps ## the two libraries, without the daemon
	swift build --product Respite
	swift build --product RespiteFoundation

guide: library ## compiles the code in docs/guide, and the steps of the tutorial
	tools/check-guide $(MODULES)
	tools/check-names $(MODULES)

docs: library ## the library's reference and a tutorial, to .build/docs
	tools/make-docs $(MODULES) .build/docs

# In the folder of the package's own build, so that nothing is compiled twice. SwiftPM keeps one plan there and would
# take that of the other package: this build makes its own, and the next one has to make its own again.
examples: deps ## builds and runs the programs in Examples
	swift build --package-path Examples --scratch-path .build --disable-build-manifest-caching
	rm -f .build/debug.yaml
	Examples/run .build/debug

##@ With other programs

clients: test-deps ## real clients (curl, wget, aria2, Python, Node, git, ssh, apt, pip, WebSocket, Chromium) through the debug build; ARGS=… for some
	swift build --product respite
	RESPITE=.build/debug/respite python3 Tests/Clients/run.py $(ARGS)

registries: test-deps ## package managers (pip, npm, Go, cargo, apt, skopeo) by the gateway, and `respite run` with these and every runtime
	@tools/install-packages $(REGISTRY_PACKAGES)
	swift build --product respite
	RESPITE=.build/debug/respite python3 Tests/Clients/run.py registries running

language-models: test-deps ## the Python packages openai, anthropic, gql and elasticsearch by the rules of etc/rules, and with a cassette; pip fetches them
	@tools/install-packages python3-venv
	@tools/make-environment .build/language-models openai anthropic 'gql[requests,aiohttp]' elasticsearch
	swift build --product respite
	RESPITE=.build/debug/respite python3 Tests/Clients/run.py language_models

##@ Packages and formatting

deps: ## installs the Debian packages that the build needs
	@tools/install-packages $(PACKAGES)

test-deps: ## installs those that the tests need
	@tools/install-packages $(TEST_PACKAGES)
	@tools/install-packages $(CLIENT_PACKAGES)

lint: ## formatting, imports against Package.swift, places and hosts of tests, threats, cited rules, what the documents name and show, the tools that measure
	swift format lint --strict --recursive --parallel $(LINTED)
	swift package dump-package | python3 tools/check-imports
	swift package dump-package | tools/make-picture --check
	tools/check-tests-mirror
	tools/check-hosts
	tools/check-threats
	tools/check-rules
	tools/check-profile
	tools/make-rules --check
	tools/check-documents
	tools/check-examples
	tools/measure-structure --check
	Tests/Tools/seeded-faults --list >/dev/null
	PYTHONPATH=tools python3 -m unittest --quiet measuring.test_measuring

picture: ## draws the targets of Package.swift: docs/targets.svg
	swift package dump-package | tools/make-picture

format: ## formats the sources in place
	swift format --in-place --recursive --parallel $(LINTED)

##@ Slow tests

fuzz: deps $(FUZZERS) ## every fuzz target for FUZZ_SECONDS (60); findings stay in .build-fuzz

$(FUZZERS):
	swift build --sanitize=fuzzer --product $@ --scratch-path .build-fuzz
	mkdir -p .build-fuzz/corpus/$@
	SWIFT_BACKTRACE=enable=no .build-fuzz/debug/$@ -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=10 \
		-artifact_prefix=.build-fuzz/$@- .build-fuzz/corpus/$@

# With ARGS=SEED the same messages as in an earlier run.
differential: ## reads MESSAGES (1000000) generated and mutated messages with the parsers and with a plain reference
	swift build $(RELEASE) --product Differential
	SWIFT_BACKTRACE=enable=no .build/release/Differential $(MESSAGES) $(ARGS)

faults: ## puts faults into the sources, one at a time: tests must notice each; ARGS="--only PATTERN" for some
	Tests/Tools/seeded-faults $(ARGS)

# Takes about an hour on a busy machine, goes on where it was interrupted. ARGS=--list for the changes, ARGS=--again for survivors once more.
mutants: test-deps ## COUNT (150) small changes at random places of the sources, drawn by SEED (1): tests must notice 95 %
	nice python3 Tests/Tools/mutants --count $(COUNT) $(ARGS) $(SEED)

# Takes two or three minutes. RESPITE=FILE runs another build.
faults-run: test-deps build ## fault scenarios (networks, disks, databases, clocks, signals, slow clients) against the release build; ARGS=disk for some
	@tools/install-packages gcc libc6-dev
	python3 Tests/Faults/run.py $(ARGS)

# Needs root, and a mirror of Debian (MIRROR=http://…).
test-package: deb ## installs, upgrades and purges the Debian package in a chroot, also from a repository of `make apt-repository`, and boots it with systemd
	@tools/install-packages lintian debootstrap curl systemd-container $(APT_PACKAGES)
	python3 Tests/Package/run.py $(BINARY) $$(ls -t respite_*.deb | head -n 1)
	python3 Tests/Package/service.py $$(ls -t respite_*.deb | head -n 1)

test-library: ## builds a program with RespiteFoundation in a chroot that has no header of a C library of ours
	@tools/install-packages debootstrap
	python3 Tests/Package/library.py $$(dirname $$(dirname $$(dirname $$(readlink -f $$(command -v swift)))))

# Scratch paths of their own, so that they do not throw away each other's builds. XCTest's runner leaks: without it.
# Leaks are looked for in the daemons that the tests start. In the tests' own process, stubs keep requests that they never answer.
sanitize: test-deps ## all tests under the thread, then the address sanitizer
	SWIFT_BACKTRACE=enable=no swift test --disable-xctest --sanitize=thread --scratch-path .build-thread --skip '$(SKIP)'
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 \
		swift test --disable-xctest --sanitize=address --scratch-path .build-address --skip '$(SKIP)'

cluster-demo: test-deps build ## three daemons on a Redis Cluster of six servers: one load for 1,500 clients, a purge that reaches all; ARGS=killed for faults
	python3 Tests/Soak/cluster.py $(if $(ARGS),$(ARGS),cold purge)

soak: test-deps build ## slow programs against the release build; ARGS="kill cap" for some
	python3 Tests/Soak/run.py $(ARGS)

##@ Beside others

# Takes an hour and more, on a machine that does nothing else; ROUNDS=1 ARGS="--targets respite,nginx" a few minutes.
bench: $(BUILT) ## Respite beside other proxies, and its bars and goals; ROUNDS (5) rounds
	Tests/Tools/side-by-side --rounds $(ROUNDS) $(ARGS) $(BINARY)

# Needs node. MODES=gateway for one of its two modes.
conformance: $(BUILT) ## the public suite for HTTP caches, as reverse and as forward proxy; needs $(SHARED)/suites/cache-tests
	SUITE=$(SHARED)/suites/cache-tests Benchmarks/conformance/respite.sh $(BINARY)

# Needs root, or unprivileged user namespaces. Takes four minutes and more; MODES="forward prefix gateway".
hostile: $(BUILT) ## byte-level cases for docs/specification/hostile-input.md; ONLY='frame-*' for some
	Benchmarks/hostile/run.sh $(BINARY)

eviction: deps ## hit ratios on real traces beside the reference simulation's; needs $(SHARED)/traces
	swift build $(RELEASE) --product EvictionReplay
	Tests/Tools/eviction .build/release/EvictionReplay $(SHARED)/traces

##@ Speed

micro: deps ## the micro benchmarks; BENCH=name for one
	swift run $(RELEASE) Benchmarks $(BENCH)

# Needs valgrind.
instructions: deps ## instructions per turn of BENCH="'name' …", counted by valgrind
	swift build $(RELEASE) --product Benchmarks
	Tests/Tools/instructions .build/release/Benchmarks $(BENCH)

# Makes the release build: run it before a release, and after a change of what a hit or a miss does.
budget: deps ## the same, and those of a whole hit, beside what they may be (Tests/Benchmarks/budget.txt); ARGS=--record writes them
	@tools/install-packages valgrind binutils
	swift build $(RELEASE) --product respite
	swift build $(RELEASE) --product Benchmarks
	Tests/Tools/instructions --budget Tests/Benchmarks/budget.txt $(ARGS) .build/release/Benchmarks $(BINARY)

# Needs valgrind.
profile: build ## where the instructions of a hit go, by function; ARGS="--top 50" for more
	Tests/Tools/hit-instructions --profile $(ARGS) $(BINARY)

# A debug build, which counts its functions.
path: deps ## files, objects and stations of a hit and of a miss; ARGS="--kind miss" for one
	swift build --product respite --scratch-path .build-path -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
	tools/measure-path $(ARGS) .build-path/debug/respite

# Then record the budget, too (Benchmarks/profile/README.md).
record: deps ## counts the branches that the daemon takes under load, for the compiler of release builds
	swift build $(PLAIN_RELEASE) --scratch-path .build-record --product respite $$(tools/profile-flags record)
	Tests/Tools/record-profile .build-record/release/respite $$(tools/profile-flags tool) $(BRANCHES)

UNITS = system/respite.service system/respite.socket user/respite.service user/respite.socket
DOCUMENTS = README.md SECURITY.md CHANGELOG.md LICENSE etc/respite.toml
PAGES = $(addprefix docs/,operation.md scaling.md admin-api.md rules.md traffic.md recipes.md clients.md login.md patterns.md package-managers.md language-models.md cassettes.md interception.md dashboard.md overview.svg dashboard.png)
SAMPLES = respite.toml conf.d/README
# zsh has one place for what packages install, and another one for the rest.
COMPLETIONS = bash:share/bash-completion/completions/respite fish:share/fish/vendor_completions.d/respite.fish \
	zsh:share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)/_respite
REPOSITORY ?= .build/apt-repository
KEY ?=

##@ Installing

deb: deps build ## the Debian package, ./respite_VERSION_ARCHITECTURE.deb
	@tools/install-packages $(DEB_PACKAGES)
	tools/make-deb $(BINARY)

# Packages that REPOSITORY has stay in it.
apt-repository: deb ## a repository for apt with the package, REPOSITORY (.build/apt-repository); KEY=ID signs it by a key of gpg's
	@tools/install-packages $(APT_PACKAGES)
	tools/make-apt-repository $(REPOSITORY) '$(KEY)' respite_*.deb

install: ## to PREFIX (/usr/local) below DESTDIR
	test -x $(BINARY) || $(MAKE) build
	install -D -s -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/respite
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/respite $(DOCUMENTS)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/respite/docs $(PAGES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/respite/grafana etc/grafana/respite.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/respite/rules etc/rules/*.toml
	for page in $(MANUAL); do \
		$(BINARY) man $$page | \
		install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$$page; \
	done
	for pair in $(COMPLETIONS); do \
		$(BINARY) completion $${pair%%:*} | install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/$${pair#*:}; \
	done
	install -d -m 755 $(DESTDIR)/etc/respite
	install -d -m 700 $(DESTDIR)/etc/respite/secrets
	for sample in $(SAMPLES); do \
		test -e $(DESTDIR)/etc/respite/$$sample || \
		sed 's|@PREFIX@|$(PREFIX)|' packaging/etc/$$sample | \
		install -D -m 644 /dev/stdin $(DESTDIR)/etc/respite/$$sample; \
	done
	for unit in $(UNITS); do \
		sed 's|@PREFIX@|$(PREFIX)|' systemd/$$unit | \
		install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/lib/systemd/$$unit; \
	done

uninstall: ## takes away what install has put there; changed settings and secrets stay
	rm -f $(DESTDIR)$(PREFIX)/bin/respite $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/,$(UNITS))
	rm -f $(foreach page,$(MANUAL),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(page)))/$(page))
	rm -f $(foreach pair,$(COMPLETIONS),$(DESTDIR)$(PREFIX)/$(lastword $(subst :, ,$(pair))))
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/respite $(DESTDIR)$(PREFIX)/share/respite
	for sample in $(SAMPLES); do \
		if sed 's|@PREFIX@|$(PREFIX)|' packaging/etc/$$sample | cmp -s - $(DESTDIR)/etc/respite/$$sample; \
		then rm $(DESTDIR)/etc/respite/$$sample; fi; \
	done
	rmdir --ignore-fail-on-non-empty $(addprefix $(DESTDIR)/etc/respite,/secrets /conf.d /)

clean: ## removes everything built
	rm -rf respite_*.deb .build Examples/.build .build-record .build-path .build-fuzz .build-thread .build-package .build-address .build-faults .build-mutants

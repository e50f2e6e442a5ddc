# SPDX-License-Identifier: MIT
#
# The two commands that matter: `make demo` and `make test`. Both install what is missing first.

SWIFT ?= swift

# Every target builds with the same flags, because a change of flags rebuilds everything. With a
# newer toolchain that has new warnings, build with `make test SWIFT_BUILD_FLAGS=`.
SWIFT_BUILD_FLAGS ?= --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors

# Where `make demo` keeps its cache; never the user's own.
DEMO_DIRECTORY ?= $(CURDIR)/.demo

# The suites that `make test-tsan` runs.
TSAN_FILTER ?= ^CacheStore

.PHONY: help setup build layering demo test test-tsan bench bench-instructions \
	bench-check bench-accept torture lint format clean

help:
	@echo 'make demo       build and run the example, from an empty cache to a healed one'
	@echo 'make test       build and run all tests'
	@echo 'make test-tsan  run the tests of the library under ThreadSanitizer'
	@echo 'make bench      time the library against the C interface of SQLite'
	@echo 'make bench-check  count instructions, and fail if they are 5 % more than before'
	@echo 'make torture    damage stores, and kill processes, let calls fail (SEED, ROUNDS, STORM)'
	@echo 'make lint       check the format of the sources;  make format  corrects it'
	@echo 'make layering   build, and check that no target imports what it does not declare'
	@echo 'make setup      install what the build needs (the others do it, too)'

setup:
	@Scripts/setup

build: setup
	$(SWIFT) build $(SWIFT_BUILD_FLAGS)

layering: setup
	$(SWIFT) build --build-tests $(SWIFT_BUILD_FLAGS)

demo: setup
	$(SWIFT) build $(SWIFT_BUILD_FLAGS) --product PackageCatalog
	DEMO_DIRECTORY='$(DEMO_DIRECTORY)' Scripts/demo \
		"$$($(SWIFT) build $(SWIFT_BUILD_FLAGS) --show-bin-path)/PackageCatalog"

test: setup
	$(SWIFT) test $(SWIFT_BUILD_FLAGS) $(TEST_FLAGS)

# A build of its own beside the usual one, which stays as it is.
test-tsan: setup
	$(SWIFT) test --scratch-path .build/tsan --sanitize thread $(SWIFT_BUILD_FLAGS) \
		--filter '$(TSAN_FILTER)'

BENCH_BUILD = $(SWIFT) build -c release $(SWIFT_BUILD_FLAGS)
BENCH_PROGRAM = "$$($(BENCH_BUILD) --show-bin-path)/CacheStoreBenchmarks"

# Where the drawing of the results goes; `make bench CHART=` makes none.
CHART ?= Documentation/benchmarks.svg

bench: setup
	@$(BENCH_BUILD) --product CacheStoreBenchmarks >&2
	@CHART='$(CHART)' $(BENCH_PROGRAM)

# Needs valgrind. The numbers are in Benchmarks/Thresholds.
bench-instructions: setup
	@$(BENCH_BUILD) --product CacheStoreBenchmarks >&2
	@Scripts/bench-instructions $(BENCH_PROGRAM) print

bench-check: setup
	@$(BENCH_BUILD) --product CacheStoreBenchmarks >&2
	@Scripts/bench-instructions $(BENCH_PROGRAM) check

bench-accept: setup
	@$(BENCH_BUILD) --product CacheStoreBenchmarks >&2
	@Scripts/bench-instructions $(BENCH_PROGRAM) accept

# SEED repeats a run; the long one is `make torture ROUNDS=2000 STORM=600`.
torture: setup
	@$(SWIFT) build -c release $(SWIFT_BUILD_FLAGS) --product CacheStoreTorture >&2
	@SEED='$(SEED)' ROUNDS='$(ROUNDS)' STORM='$(STORM)' PARTS='$(PARTS)' \
		"$$($(SWIFT) build -c release $(SWIFT_BUILD_FLAGS) --show-bin-path)/CacheStoreTorture"

SOURCES = Package.swift Sources Tests Examples Benchmarks

lint: setup
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

format: setup
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

clean:
	rm -rf .build .demo

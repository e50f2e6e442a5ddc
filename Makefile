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

.PHONY: help setup build layering demo test test-tsan bench lint format clean

help:
	@echo 'make demo       build and run the example, from an empty cache to a healed one'
	@echo 'make test       build and run all tests'
	@echo 'make test-tsan  run the tests of the library under ThreadSanitizer'
	@echo 'make bench      time the library against the C interface of SQLite'
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

bench: setup
	@$(SWIFT) build -c release $(SWIFT_BUILD_FLAGS) --product CacheStoreBenchmarks >&2
	@"$$($(SWIFT) build -c release $(SWIFT_BUILD_FLAGS) --show-bin-path)/CacheStoreBenchmarks"

SOURCES = Package.swift Sources Tests Examples Benchmarks

lint: setup
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

format: setup
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

clean:
	rm -rf .build .demo

# The front door. Meson and ninja do the work; every target first installs what
# the machine lacks and builds.
BUILD  ?= build
PREFIX ?= /usr/local
# true: warnings are errors (.ci/run)
WERROR ?= false
export WERROR
MAKEFLAGS += --no-print-directory

# Tests follow line tables to their sources: a compiler cache shared by several
# checkouts must not give back objects that name another one's folder.
export CCACHE_HASHDIR = 1

.PHONY: all more setup configure run test unit bench pages soak coverage evidence static install uninstall dist distros deb arm64 format clean

all: configure
	@ninja -C $(BUILD)

# Packages: those for building, also those used where they are there, for testing, or for comparing with others; a
# target's choice holds for what it needs.
PACKAGES = build
more: PACKAGES = more
test unit pages soak coverage deb arm64: PACKAGES = all
dist: PACKAGES = more
bench evidence: PACKAGES = bench
more: all

setup:
	@scripts/setup $(PACKAGES)

configure: setup
	@scripts/configure $(BUILD) $(PACKAGES)

run: all
	@scripts/run $(BUILD)

test: all
	@scripts/test $(BUILD)

# One unit test, or all: make unit NAME=base-tree
unit: configure
	@meson test -C $(BUILD) --suite unit --print-errorlogs $(NAME)

bench: all
	@scripts/bench $(BUILD)

# The pictures of docs/pages.md: pages of real programs.
pages: all
	@scripts/draw-pages $(BUILD)

# For hours; make soak EXECUTIONS=20000 STRIDE=50 ROUNDS=5 for minutes.
soak: all
	@scripts/soak $(BUILD) $(EXECUTIONS) $(STRIDE) $(ROUNDS)

coverage: all
	@scripts/coverage $(BUILD)

# One page with the results of all these: $(BUILD)/evidence/index.html. With
# QUICK=1 tests and coverage are taken as they were left.
evidence: all
	@scripts/evidence $(BUILD) $(if $(QUICK),--quick)

install: all
	@scripts/install $(BUILD) $(PREFIX)

uninstall:
	@scripts/install --remove $(BUILD)

# A release: the source with the viewer's page built in, for machines without npm.
dist: all
	@scripts/dist $(BUILD)

# Builds and tests in bare roots of other releases: make distros RELEASES=trixie
distros:
	@scripts/distros $(BUILD) $(RELEASES)

# The command as one file, for a container with nothing in it.
static: all
	@ls $(BUILD)/static/assay-static || \
		{ echo "static: archives are missing: see $(BUILD)/meson-logs/meson-log.txt"; exit 1; }

deb: all
	@scripts/deb $(BUILD)

# For arm64, all but the simulated PMU, and its unit tests under qemu-user.
arm64: setup
	@mkdir -p $(BUILD)
	@scripts/arm64 $(BUILD)

format:
	@scripts/check-format --fix

clean:
	@rm -rf $(BUILD)

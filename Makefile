# The front door. Meson and ninja do the work; every target first installs what
# the machine lacks and builds.
BUILD  ?= build
PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory

.PHONY: all setup configure run test unit bench soak coverage evidence static install deb format clean

all: configure
	@ninja -C $(BUILD)

# Packages: those for building, or all; a target's choice holds for what it needs.
PACKAGES = build
test unit bench soak coverage evidence deb: PACKAGES = all
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

soak: all
	@scripts/soak $(BUILD)

coverage: all
	@scripts/coverage $(BUILD)

# One page with the results of all these: $(BUILD)/evidence/index.html.
evidence: all
	@scripts/evidence $(BUILD)

install: all
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@meson install -C $(BUILD) --quiet

# The command as one file, for a container with nothing in it.
static: all
	@ls $(BUILD)/static/assay-static || \
		{ echo "static: archives are missing: see $(BUILD)/meson-logs/meson-log.txt"; exit 1; }

deb: all
	@scripts/deb $(BUILD)

format:
	@scripts/check-format --fix

clean:
	@rm -rf $(BUILD)

# A thin front of meson: everything is built in $(BUILD).
#
#   make [BUILD=dir] [SETUP_FLAGS=...]   build
#   make binary                          build the program alone
#   make demo                            packages, build, and a measured run
#   make test                            the whole suite
#   make install [PREFIX=] [DESTDIR=]    binary, tasks, skills
#   make bundle                          dist/whet-VERSION-linux-x86_64.tar.gz
#   make deps                            only the packages for demo and test
#   make format | check-format           clang-format over the C sources
#   make fuzz [FUZZ_SECONDS=60]          each fuzz target for that long
#   make clean
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SETUP_FLAGS ?=
TEST_FLAGS ?=

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# The program alone, without its tests: what a demo needs.
binary: $(BUILD)/build.ninja
	@ninja -C $(BUILD) whet

# meson keeps the compiler and the options of the first configuration.
$(BUILD)/build.ninja:
	@command -v meson >/dev/null || { \
	    echo "make: meson is not installed; \`make deps\` installs what is" \
	        "needed (list: tools/packages.txt)" >&2; exit 3; }
	meson setup $(BUILD) --prefix=$(abspath $(PREFIX)) $(SETUP_FLAGS)

deps:
	@tools/packages.sh install run build

demo:
	@BUILD=$(BUILD) tools/demo.sh

test: $(BUILD)/build.ninja
	@tools/run_tests.py $(BUILD) $(TEST_FLAGS)

# The prefix is set again since it may differ from the first configuration's.
install: all
ifneq ($(origin PREFIX),file)
	@meson configure $(BUILD) --prefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD)
endif
	$(if $(DESTDIR),DESTDIR=$(abspath $(DESTDIR))) \
	    meson install -C $(BUILD) --no-rebuild

bundle:
	@tools/bundle.sh

format:
	@tools/check_format.sh --fix

check-format:
	@tools/check_format.sh

fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

clean:
	rm -rf $(BUILD) build-fuzz build-ci-*

.PHONY: all binary deps demo test install bundle format check-format fuzz clean

# make demo and make test need Python 3.11 or newer, and nothing else; PYTHON= picks another interpreter.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# One environment for each Python, so that changing PYTHON never mixes two.
VERSION := $(shell $(PYTHON) -c 'import sys; sys.version_info < (3, 11) or print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
VENV ?= .venv/$(VERSION)
BIN = $(VENV)/bin
# The library with pictures, as the demo runs it; then what tests need as well.
BASE = $(VENV)/base
READY = $(VENV)/ready
# The editable install compiles the native library; changed sources compile it again.
NATIVE = $(VENV)/native
# One more for benchmarks, since a peer may want other versions than tests do.
BENCH = $(VENV)-bench
# And one with zig, which compiles for other platforms.
ZIG = build/zig

comma := ,

# Bytecode is written, so that no process of the tests compiles all modules again.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help demo test check without-native sanitize native-coverage coverage mutants lint format types package wheels replay docs bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(NATIVE) ## grow, prune, read and classify with a real tree
	$(BIN)/python examples/votes.py

# In CI every test runs, and those that are not wide must cover every line and branch: measuring that doubles their time.
test: $(READY) $(NATIVE) ## run the tests and doctests, except those marked slow or consumer
	@echo "This takes some $(if $(CI),fifteen,three) minutes on two cores."
	$(if $(CI),$(everything),$(BIN)/python -m pytest -n auto -m "not slow and not consumer")

check: $(READY) $(NATIVE) ## run a fast part of the tests, for the inner loop; all laws of the C library are in it
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n auto -q -m "not ($(WIDE))" tests $(SUITES:%=--ignore=tests/%)

without-native: $(READY) $(NATIVE) ## run tests where NumPy does what the native library would
	FTREE_NATIVE=off HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -n auto -q -m "not ($(WIDE))" $(USE_NATIVE)

# Tests that call the native library; a library that is built for them stands apart from the one beside its sources.
USE_NATIVE = tests/native $(wildcard tests/*/test_native_*.py) $(addprefix tests/,$(addsuffix .py,criteria/test_impurity_in_c \
	exact/test_items exact/test_lower_bounds exact/test_row_set exact/test_all_cuts exact/test_shallow_trees \
	growth/test_compiled_impurity growth/test_depth_first growth/test_drawn_trees growth/test_regression \
	growth/test_regression_depth_first growth/test_table_growth growth/test_what_c_knows \
	routing/test_reach routing/test_one_way_down responses/test_several))
CHECKED = build/checked
build_checked = rm -rf $(CHECKED) && mkdir -p $(CHECKED) && \
	CC=gcc CFLAGS="-g -Werror $(1)" FTREE_LIBRARY=$(CHECKED)/library.so $(BIN)/python ftree/native/build.py
test_checked = FTREE_LIBRARY=$(CHECKED)/library.so HYPOTHESIS_PROFILE=quick $(1) \
	$(BIN)/python -m pytest -n auto -q -m "not ($(WIDE))" $(USE_NATIVE)

# Python and its C++ extensions were built without the sanitizer, which must be loaded first, and reports to files: a process that
# dies takes along what pytest has captured. Leaks would be those of Python.
sanitize: $(READY) $(NATIVE) ## run the native library's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call build_checked,-O1 -fno-omit-frame-pointer -fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined)
	$(call test_checked,LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so.6)" \
		ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$(CURDIR)/$(CHECKED)/report) || \
		{ cat $(CHECKED)/report.* 2>/dev/null; exit 1; }

native-coverage: $(READY) $(NATIVE) ## run them on a library that counts its lines, and show those that none reaches
	$(call build_checked,-O0 --coverage -fprofile-update=atomic -dumpdir $(CURDIR)/$(CHECKED)/)
	$(call test_checked,)
	$(BIN)/python .ci/native/lines.py $(CHECKED)

coverage: $(READY) $(NATIVE) ## run every test, and show lines and branches that none reaches
	$(everything)

# In a copy, since mutmut has its settings from there, and changes only functions that tests of the package call.
PACKAGE ?= prune
TESTS ?= $(firstword $(wildcard tests/$(PACKAGE) tests/test_$(PACKAGE).py))
MUTANTS = build/mutants/$(PACKAGE)

mutants: $(READY) $(NATIVE) ## change the code of PACKAGE in every way, and list the changes that TESTS do not notice
	rm -rf $(MUTANTS) && git checkout-index --all --prefix=$(MUTANTS)/ && cp ftree/native/ftree.library.* $(MUTANTS)/ftree/native/
	sed 's|PACKAGE|$(PACKAGE)|; s|TESTS|$(TESTS)|' .ci/mutmut.toml >> $(MUTANTS)/pyproject.toml
	cd $(MUTANTS) && FTREE_SHARED=$(abspath ../shared) HYPOTHESIS_PROFILE=mutants $(abspath $(BIN))/mutmut run
	cd $(MUTANTS) && $(abspath $(BIN))/mutmut results

WIDE = slow or consumer or wide
# The batteries of laws, which must catch many wrong parts.
SUITES = testing
define everything
$(BIN)/python -m pytest -n auto -m "not ($(WIDE))" --cov --cov-report=term-missing:skip-covered --cov-fail-under=100
	$(BIN)/python -m pytest -n auto -m "$(WIDE)"
endef

lint: $(READY) ## check style, formatting and that imports only point down
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLC2701 ftree  # no private names of other libraries: a rule in preview
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY) ## check types with mypy and pyright
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

# The archive is installed second and without dependencies, which are installed already; nothing of the checkout is.
package: $(READY) ## build the wheel and the source archive, and try both in an empty environment
	rm -rf dist
	$(BIN)/python -m build
	$(PYTHON) -m venv --clear build/installed
	for each in dist/*.whl "--no-deps --force-reinstall dist/*.tar.gz"; do \
		build/installed/bin/python -m pip install --quiet --disable-pip-version-check $$each && \
		build/installed/bin/python -I .ci/installed.py || exit 1; \
	done
	$(BIN)/python .ci/tutorials.py build/installed/bin/python teachers

wheels: $(ZIG)/ready ## make the source archive, and from it a wheel for each platform, into dist
	$(ZIG)/bin/python .ci/native/wheels.py

# The recorder takes one process, and the library that is here.
replay: $(READY) $(NATIVE) wheels ## repeat calls that tests made by the libraries of the wheels, bit for bit, on each machine that is here
	mkdir -p build/replay
	FTREE_CALLS=build/replay/calls HYPOTHESIS_PROFILE=quick PYTHONPATH=.ci/native$(if $(PYTHONPATH),:$(PYTHONPATH)) \
		$(BIN)/python -m pytest -n 0 -q -p record -m "not ($(WIDE))" $(USE_NATIVE)
	PYTHONPATH=.$(if $(PYTHONPATH),:$(PYTHONPATH)) $(BIN)/python .ci/native/replay.py

# In CI the examples run as tests, so that the gallery has no pictures there. A page of an example that is gone would be an orphan.
docs: $(READY) $(NATIVE) ## build the site, with a gallery of the examples, into build/docs
	rm -rf build/docs docs/gallery
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -d build/doctrees $(if $(CI),-D plot_gallery=0) docs build/docs

bench: $(BENCH)/ready ## measure speed; no test depends on the results
	@for each in benchmarks/*.py; do $(BENCH)/bin/python $$each || exit 1; done

clean: ## remove environments and everything made
	rm -rf .venv build dist docs/gallery ftree/native/ftree.library.* .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# uv if it is present, since it is faster; otherwise Python's own venv and pip.
define environment
	@test -n "$(VERSION)" || { echo "ftree needs Python 3.11 or newer; install one, or say where it is: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; exit 1; }
	@echo "Making an environment for Python $(VERSION) in $(1); this takes $(3)."
	@if command -v uv >/dev/null; then uv venv --quiet --clear --python "$(PYTHON)" $(1); else $(PYTHON) -m venv --clear $(1); fi
	$(call install,$(1),$(2))
endef

define install
	@if command -v uv >/dev/null; then \
		uv pip install --quiet --python $(1)/bin/python --editable '.$(2)'; \
	else \
		$(1)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.$(2)'; \
	fi
	@touch $@
endef

$(BASE): pyproject.toml
	$(call environment,$(VENV),[plot],half a minute)

$(READY): $(BASE)
	@echo "Adding what the tests need; this takes about a minute."
	$(call install,$(VENV),[$(if $(CI),dev$(comma)peers,dev)])

$(NATIVE): $(BASE) $(wildcard ftree/native/*.[ch]) ftree/native/build.py
	@$(if $(CI),CFLAGS=-Werror) $(BIN)/python ftree/native/build.py
	@touch $@

$(ZIG)/ready:
	@$(PYTHON) -m venv --clear $(ZIG)
	@$(ZIG)/bin/python -m pip install --quiet --disable-pip-version-check build hatchling "ziglang>=0.13"
	@touch $@

$(BENCH)/ready: pyproject.toml
	$(call environment,$(BENCH),[bench],some minutes and 1.3 GB)

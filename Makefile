# Two commands for a newcomer: `make demo` and `make test`. The environment is rebuilt only when its inputs change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native CMakeLists.txt pyproject.toml -type f 2>/dev/null)
# A folder is newer than the installation when a file was added to it; the editable installation lists its files.
FOLDERS := $(shell find src benchmarks/src -type d -not -name __pycache__)

.PHONY: demo test quick coverage lint native portable stub docs wheel faults clean

demo: $(VENV)/.installed
	$(BIN)/exactree demo

# Everything, in as many processes as there are processors.
test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto

# For the edit loop: what is not marked slow; the end of the report lists what was left out.
quick: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto -m "not slow"

# Which lines and branches of the Python and C++ code the tests reach, by folder.
coverage: $(VENV)/.lint
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tests/coverage/run.py

lint: $(VENV)/.lint native
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m nanobind.stubgen -q -m exactree.kernel._native -o build/_native.pyi
	diff src/exactree/kernel/_native.pyi build/_native.pyi  # `make stub` writes it anew
	$(BIN)/lint-imports
	$(BIN)/codespell src native tests benchmarks docs *.md
	$(BIN)/clang-format --dry-run --Werror $(shell find native -name '*.[ch]pp' -o -name '*.inl' 2>/dev/null)

# Native tests under the address and undefined-behaviour sanitizers, warnings as errors.
native: $(VENV)/.lint
	$(BIN)/cmake -S . -B build/native -DEXACTREE_DEVELOPER=ON
	$(BIN)/cmake --build build/native --parallel 2
	$(BIN)/ctest --test-dir build/native --output-on-failure

# The kernel, its bindings and its tests for macOS, Windows and aarch64 Linux; tests run where an emulator is installed.
portable: $(BIN)/python
	$(BIN)/python -m pip install --quiet cmake nanobind ziglang
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python cmake/portable.py

stub: $(VENV)/.lint
	$(BIN)/python -m nanobind.stubgen -q -m exactree.kernel._native -o src/exactree/kernel/_native.pyi

# The documentation site in build/site; a warning is an error. Examples and help texts are run for it.
docs: $(VENV)/.docs
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/sphinx-build -W --keep-going -q -b html docs build/site
	@echo "open build/site/index.html"

# Build the wheel, check it, install it where there is no compiler, and run the tests against it.
wheel: $(VENV)/.lint
	.ci/wheel $(BIN)/python

# Plant each known fault in a copy and see the suite turn red; goes on where a former run ended, FAULTS=--fresh does not.
faults: $(VENV)/.lint
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tests/faults/run.py $(FAULTS)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# Editable for the Python files; the kernel is compiled again when a native file changes.
$(VENV)/.installed: $(BIN)/python $(NATIVE) $(FOLDERS)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# By name, what is installed above stays, and only what tests need beside it comes: the kernel is compiled once.
$(VENV)/.test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet 'exactree[test]' --editable benchmarks
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet 'exactree[test,lint,coverage]'
	@touch $@

$(VENV)/.docs: $(VENV)/.test
	$(BIN)/python -m pip install --quiet 'exactree[docs]'
	@touch $@

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache

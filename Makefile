# Two commands: `make demo` plays the main job, `make test` runs everything. Both set up what they need.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# MCP servers of others, for the tests of the client.
MCP_SERVERS := @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-everything

.PHONY: demo test lint types contracts setup clean bench

demo: $(VENV)/.run
	@$(BIN)/signoff demo

test: $(VENV)/.dev
	@$(BIN)/pytest -n auto --dist loadgroup

lint: $(VENV)/.dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy -p signoff

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports

bench: $(VENV)/.dev
	@$(BIN)/python benchmarks/rounds.py
	@$(BIN)/python benchmarks/checkpoint_growth.py

setup: $(VENV)/.dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Signoff needs Python 3.11 or newer: set PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made: on Debian, apt install python3-venv."; exit 1; }

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Signoff into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Signoff with its development tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix $(VENV)/node $(MCP_SERVERS); fi
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) .signoff .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The commands of the project; `make` alone lists them.
PYTHON ?= python3
# An active virtual environment is used; without one, .venv is made.
VENV ?= $(or $(VIRTUAL_ENV),$(CURDIR)/.venv)
export PATH := $(VENV)/bin:$(PATH)
STAMP := $(VENV)/.coral-batch
PEERS := benchmarks/peers
PROSE := README.md CONTRIBUTING.md CHANGELOG.md docs coral_batch stages schemas params.yaml
PYTEST := python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

.PHONY: help setup repro check test test-all lint bench house docs clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

setup: $(STAMP)  ## install the pinned dependencies and coral-batch itself

# An environment whose making was killed may have a Python and no pip.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("coral-batch needs Python 3.11 or newer, found %d.%d; set PYTHON=..." % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(VENV)/bin/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

repro: setup  ## run the whole evolution (dvc repro)
	coral doctor --time
	dvc repro

check: setup lint  ## check style and types, then run the quick tests
	$(PYTEST) -m 'not slow and not long'

test: setup lint  ## check style and types, then run the tests
	$(PYTEST) -m 'not long'

test-all: test  ## run the long tests as well
	$(PYTEST) -m long

lint: setup  ## check style, types, spelling and the length of docs and sentences
	ruff check .
	ruff format --check .
	mypy
	codespell $(PROSE)
	python -m tests.prose

bench: setup $(PEERS)/.installed  ## measure against the peers, side by side
	dvc repro base
	python -m benchmarks

# Published harnesses that verdicts are measured against: apart from the environment, and without
# their dependencies, of which the functions that are called need none but numpy and psutil.
$(PEERS)/.installed: benchmarks/peers.txt $(STAMP)
	rm -rf $(PEERS)
	$(VENV)/bin/python -m pip install --disable-pip-version-check --no-deps --target $(PEERS) -r $<
	touch $@

house: setup  ## print which package imports which, floor by floor
	@python -m tests.house

docs: setup  ## write the generated docs, check links and commands
	python -m tests.reference
	python -m tests.picture
	python -m pytest tests/test_docs.py

clean:  ## remove caches, not the lake nor the store
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

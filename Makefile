# Two commands do everything on a fresh machine with Python 3.11 or newer:
#   make run     environment, install, a real tournament, its ladder
#   make test    environment, install, every check that CI makes
# and one more, which takes its time:
#   make soak    the tests that repeat what others do for as long as it takes to meet what is rare
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test soak check clean

run: .venv/arena
	$(BIN)/arena run configs/quickstart.yaml

test: check
	$(BIN)/pytest -n auto --dist loadgroup

soak: .venv/dev
	$(BIN)/pytest -n auto --dist loadgroup -m soak

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# what is installed is noted in files, so that a second call starts at once
.venv/python:
	$(PYTHON) -c 'import sys; sys.exit("arena needs Python 3.11 or newer; choose one: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv .venv
	touch $@

.venv/arena: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/dev: .venv/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ .venv/arena

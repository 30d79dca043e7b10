# Short names for what anyone can also run by hand; nothing needs make.
# Each target sets up all that it needs: a virtual environment in .venv with the pinned packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
USERS := $(VENV)/.for-users
STAMP := $(VENV)/.for-developers
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo docs test check mutants bench architectures clean
.DEFAULT_GOAL := demo

$(USERS): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[all]'
	touch $(USERS)

$(STAMP): $(USERS)
	$(PIP) --editable '.[dev]'
	touch $(STAMP)

demo: $(USERS)
	$(BIN)/clockhands demo --out demo

docs: $(STAMP)
	$(BIN)/python -m docs.site

test: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

mutants: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m mutation

architectures: $(STAMP)
	$(BIN)/python -m benchmarks.architectures

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo docs/_build out dist build

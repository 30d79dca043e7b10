# Short names for what anyone can also run by hand; nothing needs make.
# Each target sets up all that it needs: a virtual environment in .venv with the pinned packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
USERS := $(VENV)/.for-users
STAMP := $(VENV)/.for-developers
LAB := $(VENV)/.for-notebooks
BENCH := $(VENV)/.for-benchmarks
NODE := web/node_modules/.package-lock.json
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo docs test check web test-web mutants bench architectures recipes clean
.DEFAULT_GOAL := demo

$(USERS): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[all]'
	touch $(USERS)

$(STAMP): $(USERS)
	$(PIP) --editable '.[dev]'
	touch $(STAMP)

$(LAB): $(STAMP)
	$(PIP) --editable '.[lab]'
	touch $(LAB)

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

# Who changes the page needs Node 20 or later; who uses it, and all targets above, do not.
$(NODE): web/package.json web/package-lock.json
	@command -v npm > /dev/null || { echo "the page is built with Node 20 or later and npm: install them, see https://nodejs.org"; exit 1; }
	npm ci --prefix web
	touch $(NODE)

web: $(NODE)
	npm run --silent --prefix web build

test-web: $(LAB) $(NODE)
	npm run --silent --prefix web types
	npm run --silent --prefix web lint
	npm run --silent --prefix web build -- --check
	npm run --silent --prefix web test
	CLOCKHANDS_PYTHON=$(abspath $(BIN)/python) npm run --silent --prefix web test:browser

mutants: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m mutation

architectures: $(STAMP)
	$(BIN)/python -m benchmarks.architectures

# The page is measured beside two others, which are installed without what their pages don't use. torchtune
# has folders called as ours are, and stays aside.
$(BENCH): $(STAMP)
	$(PIP) --editable '.[bench]'
	$(PIP) --no-deps bertviz==1.4.1 circuitsvis==1.43.3 importlib-metadata==8.7.0 zipp==4.1.2
	rm -rf benchmarks/peers
	$(PIP) --no-deps --target benchmarks/peers torchtune==0.6.1
	touch $(BENCH)

bench: $(BENCH)
	npm ci --loglevel error --prefix benchmarks/browser
	$(BIN)/python -m benchmarks $(NAMES)

recipes: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m recipes --workers 2

clean:
	rm -rf $(VENV) web/node_modules demo docs/_build out dist build

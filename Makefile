# gpubot: everything a developer or a first visitor types. `make` alone lists it.
#
# One environment, .venv, filled in two steps: what the program needs (enough for
# `make demo`), then what tests and checks need. Both from hash-pinned locks.

SHELL := /bin/bash
VENV  := .venv
PY    := $(VENV)/bin/python
PIP   := $(PY) -m pip --disable-pip-version-check install --quiet --quiet --no-input
RUN   := $(VENV)/.ready-run
READY := $(VENV)/.ready
PORT  ?=
T     ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench messages lock venv clean

help:            ## this list
	@sed -n 's/^\([a-z]*\): .*## /  make \1 \t/p' $(MAKEFILE_LIST) | expand -t 18

demo: $(RUN)     ## the whole product against simulated clouds and Slack; PORT=8080 chooses the port
	@trap 'exit 0' INT TERM; $(VENV)/bin/gpubot demo $(if $(PORT),--port $(PORT))

test: $(READY)   ## every test; T="-k words" narrows it
	@$(PY) -m pytest $(T)

check: $(READY)  ## format, lint, types, architecture; silent when all is well
	@status=0; PATH="$(CURDIR)/$(VENV)/bin:$$PATH"; \
	ruff format --quiet --check bot tests || { status=1; echo 'make format writes the house format'; }; \
	ruff check --quiet bot tests || status=1; \
	mypy --no-error-summary || status=1; \
	report=$$(lint-imports --no-logo 2>&1) || { status=1; echo "$$report"; }; \
	exit $$status

format: $(READY) ## rewrite the code in the house format
	@$(VENV)/bin/ruff format --quiet bot tests
	@$(VENV)/bin/ruff check --quiet --fix bot tests

bench: $(READY)  ## measure the hot paths (tests/bench)
	@$(PY) -m pytest tests/bench -o python_files='bench_*.py' --capture=no -q $(T)

messages: $(READY) ## collect the sentences that the code says, and compile the catalogues
	@mkdir -p build
	@$(VENV)/bin/pybabel --quiet extract --no-default-keywords -k say -k t -k n:1,2 --no-wrap \
		--no-location --project gpubot -o build/gpubot.pot bot/app bot/domain bot/relay bot/slack
	@set -e; for po in $$(find bot/messages -name '*.po' | sort); do \
		language=$$(basename $$(dirname $$(dirname "$$po"))); \
		$(VENV)/bin/pybabel --quiet update -i build/gpubot.pot -o "$$po" -l $$language \
			--no-fuzzy-matching --ignore-obsolete --no-wrap --ignore-pot-creation-date; \
		$(VENV)/bin/pybabel --quiet compile -i "$$po" -o "$${po%.po}.mo"; done

lock:            ## resolve the locks again from pyproject.toml (needs uv)
	@.ci/lock

venv: $(READY)   ## make or refresh .venv

clean:           ## remove the environment and every by-product
	@rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache test-results
	@find bot tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------

$(PY):
	@for p in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if $$p -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then \
			echo "Making $(VENV) with $$($$p --version)"; exec $$p -m venv --clear $(VENV); fi; done; \
	echo 'gpubot needs Python 3.11 to 3.14 with the venv module (on Debian: python3-venv); PYTHON=/path/to/python chooses one' >&2; exit 1

$(RUN): .ci/requirements-run.txt pyproject.toml | $(PY)
	@echo 'Installing what gpubot runs on (about a minute the first time)'
	@$(PIP) --require-hashes -r .ci/requirements-run.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(READY): .ci/requirements.txt $(RUN)
	@echo 'Installing what tests and checks need (about a minute the first time)'
	@$(PIP) --require-hashes -r .ci/requirements.txt
	@touch $@

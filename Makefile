# make run    the main job, in its own virtual environment
# make test   all tests but the slow ones;  make test-all: those too
# make check  lint, format, types
# make build  wheel and sdist, each installed elsewhere and tried
# make bench  the benchmarks
#
# PYTHON=python3.12 make run    another interpreter (default: the first fit one on the path)
# make test ARGS="-k spec"      further arguments (run, test, test-all, bench)

PYTHON ?=
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: run dev test test-all check format build bench clean

run: $(RUN_READY)
	$(BIN)/python -m mjscene.demo $(ARGS)

dev: $(DEV_READY)

test: $(DEV_READY)
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

test-all: $(DEV_READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "" $(ARGS)

check: $(DEV_READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

format: $(DEV_READY)
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

build: $(DEV_READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python tools/try_dist.py dist

bench: $(DEV_READY)
	@set -e; for script in benchmarks/[!_]*.py; do \
		echo "== $$script"; $(BIN)/python "$$script" $(ARGS); done

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make an install happen once, and again when what it installs is declared anew.
$(RUN_READY): pyproject.toml tools/make_venv.sh
	@PYTHON="$(PYTHON)" sh tools/make_venv.sh $(VENV) .
	@touch $@

$(DEV_READY): pyproject.toml tools/make_venv.sh
	@PYTHON="$(PYTHON)" sh tools/make_venv.sh $(VENV) ".[test,dev]"
	@touch $(RUN_READY) $@

# make run      a table with no hardware: a simulated camera over a simulated game of Gridlock
# make test     the tests; make test-slow: the sweeps that take minutes
# make lint     ruff, mypy --strict
# make bench    how long a picture takes on this machine
# make bench-rules  positions a second in random play of each game, beside python-chess's
# make evenings whole simulated evenings as video: found, invented, asked, and how soon; ARGS="--seeds 1-200" for all
# make figures  the accuracy report on ../shared/scenes/dev, where that is
#
# Everything is set up in .venv at the first call. PYTHON=python3.12 chooses the Python, ARGS="--port 8081" goes to
# the command. On a Raspberry Pi numpy, OpenCV and picamera2 come from the system (README.md says which packages).

VENV ?= .venv
BIN := $(VENV)/bin
SCENES ?= ../shared/scenes/dev
ARGS ?=

.PHONY: run test test-slow lint bench bench-rules evenings figures clean

run: $(VENV)/.ready
	@exec $(BIN)/overboard run --game gridlock --source sim $(ARGS)

test: $(VENV)/.ready-dev
	@$(BIN)/python -m pytest -q -m "not slow" $(ARGS)

test-slow: $(VENV)/.ready-dev
	@$(BIN)/python -m pytest -q -m slow $(ARGS)

lint: $(VENV)/.ready-dev
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: $(VENV)/.ready
	@$(BIN)/python -m table.bench $(ARGS)

# python-chess goes into an environment of its own: it is measured against, never used.
bench-rules: $(VENV)/.ready
	@[ -x $(VENV)-bench/bin/python ] || $(BIN)/python -m venv $(VENV)-bench
	@$(VENV)-bench/bin/python -m pip install -qq --disable-pip-version-check "chess>=1.10"
	@$(VENV)-bench/bin/python -m table.bench_rules $(ARGS)

evenings: $(VENV)/.ready
	@$(BIN)/python -m table.evenings $(ARGS)

figures: $(VENV)/.ready
	@ls -d $(SCENES)/gridlock-* >/dev/null 2>&1 || \
	  { echo "wanted folders of pictures with their truth, found none at $(SCENES): name them with SCENES=DIR" >&2; exit 1; }
	@$(BIN)/overboard evaluate $(SCENES)/gridlock-* $(ARGS)

clean:
	rm -rf $(VENV) $(VENV)-bench

# What the product needs; made anew when pyproject.toml changes.
$(VENV)/.ready: pyproject.toml .ci/venv
	@sh .ci/venv $(VENV) $(PYTHON)
	@touch $@

# What the tests need besides.
$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e ".[dev]"
	@touch $@

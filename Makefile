# Two commands matter: `make run` and `make test`. Each installs what it needs first.
.PHONY: check-blender help run test verify bench lint pictures setup wheel clean
PYTHON := .venv/bin/python
unexport PYTHONDONTWRITEBYTECODE  # each of the many processes of the tests would translate all sources anew
# One thread each for linear algebra: several wait for each other in loops, which takes time from the other process.
ONE_THREAD := OPENBLAS_NUM_THREADS=1
# Two processes, each with its own virtual display; a file's tests stay together. One that crashes ends the run:
# another in its place would leave the tests waiting for each other for ever.
TWO := -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart=0

help:
	@echo "make run      open the editor with a sample sequence (without a display: play it and write screenshot.png)"
	@echo "make test     run the tests (five to six minutes on two idle cores, with the set-up)"
	@echo "make verify   run the tests with their full counts, then the benchmarks"
	@echo "make bench    print the measurements; draw time against accuracy into the folder bench"
	@echo "make lint     ruff, mypy, import contracts"
	@echo "make check-blender  compare our files with what Blender makes of them, try its add-on (fetches Blender, 400 MB)"
	@echo "make wheel    build a wheel into the folder dist, install it alone elsewhere, and try it there"
	@echo "make pictures pictures of the window in many states and of every figure, into the folder pictures"

setup:
	@.ci/setup

run:
	@.ci/setup export
	@$(PYTHON) -m app --demo

test:
	@.ci/setup kernels
	@$(PYTHON) -m core.warm & kernels=$$!; .ci/setup test && { wait $$kernels || \
		echo "Kernels did not all compile beside the installation (exit code $$?); once more, alone."; }
	@# Once more where that brought another numpy, or failed.
	@$(PYTHON) -c 'import sys; from core import kernels; sys.exit(not kernels.is_warm())' || $(PYTHON) -m core.warm || \
		{ echo "Compiling the kernels failed; what went wrong stands above."; exit 1; }
	@# Once, by two: else each of the two processes would translate all of the sources for itself at the same time.
	@$(PYTHON) -m compileall -q -j 2 app core tests
	@$(ONE_THREAD) $(PYTHON) -m pytest $(TWO) --assert=plain || { $(ONE_THREAD) $(PYTHON) -m pytest --last-failed; exit 1; }  # again, with values

verify:
	@.ci/setup test,bench
	@$(PYTHON) -m core.warm
	@$(ONE_THREAD) $(PYTHON) -m pytest --verify $(TWO)
	@$(PYTHON) -m tests.benchmarks

bench:
	@.ci/setup test,bench
	@$(PYTHON) -m core.warm
	@$(PYTHON) -m tests.benchmarks

lint:
	@.ci/setup lint
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports

check-blender:
	@.ci/setup test
	@.ci/blender

pictures:
	@.ci/setup test
	@$(PYTHON) -m tests.pictures pictures
	@$(PYTHON) -m tests.figure_sheets pictures

wheel:
	@.ci/wheel dist

clean:
	rm -rf .venv .blender-env build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find app core tests -name __pycache__ -prune -exec rm -rf {} +

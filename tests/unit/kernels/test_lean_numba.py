"""What is left out of numba is not missed: cached functions run, link into others, and bring no scipy with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

FUNCTIONS = """
import numba as nb
@nb.njit("float64(float64)", cache=True)
def half(x):
    return 0.5 * x
@nb.njit("float64(float64)", cache=True)
def quarter(x):
    return half(half(x))
"""
FIRST = """
from core.kernels.lean_numba import apply
apply()
import functions
print(functions.quarter(8.0), functions.half(8.0))
"""
AGAIN = """
import sys
from core.kernels.lean_numba import apply
apply()
from numba.core import codegen
parsed = []
parse = codegen.ll.parse_bitcode
codegen.ll.parse_bitcode = lambda data: parsed.append(1) or parse(data)
import functions
print(functions.quarter(8.0), functions.half(8.0), len(parsed))
import numba as nb
@nb.njit("float64(float64)")
def one_more(x):
    return functions_half(x) + 1.0
"""
# A function compiled now, which calls one from the cache: it needs the form that was not parsed.
LINKED = AGAIN.replace("functions_half", "half")
LINKED = LINKED.replace("import functions\n", "import functions\nhalf = functions.half\n")
LINKED += """
print(one_more(8.0), len(parsed) > 0)
print(sum(functions.quarter.stats.cache_hits.values()), sum(functions.half.stats.cache_hits.values()))
print([name for name in ("scipy.linalg", "numpy.f2py", "numpy.testing") if name in sys.modules])
"""


def child(code: str, folder: Path) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


@pytest.mark.verify
def test_cached_functions_run_without_what_compiling_needs_and_link_with_it(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    assert child(FIRST, tmp_path)[0] == "2.0 4.0"
    run, linked, hits, imported, *_ = child(LINKED, tmp_path)
    assert run == "2.0 4.0 0", "nothing is parsed to run what the cache holds"
    assert linked == "5.0 True"
    assert hits == "1 1"
    assert imported == "[]"


def test_a_cache_that_numba_wrote_by_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    by_itself = FIRST.replace("apply()\n", "", 1)
    assert child(by_itself, tmp_path)[0] == "2.0 4.0"
    run, linked, hits, *_ = child(LINKED, tmp_path)
    assert run.startswith("2.0 4.0") and linked == "5.0 True" and hits == "1 1"

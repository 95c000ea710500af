"""Kernels: the algorithms that must be fast, each written once, in Python that a compiler understands.

A kernel stands in a file ``x_kernel.py`` and bears ``@kernel``. Its text runs as it stands, slowly, without numba; and
compiled by numba, from a cache on the disk, as soon as that is there. Callers ask for whichever serves now:

    from core.ik import ccd_kernel
    from core.kernels import serving

    serving(ccd_kernel).run(...)

- ``declaring``: ``@kernel`` and ``view``, what kernels are written with;
- ``types``: annotations of their arguments, which are the signatures they are compiled for;
- ``block``, ``block_type``: named memory in one block, numbers, arrays and records, for Python and for kernels;
- ``layout``: named arrays in two blocks of memory, from one table;
- ``functions``: functions that kernels call by their addresses, in any language;
- ``text``: the text of kernels with other functions behind some names, for what cannot be compiled;
- ``domains``: which kernels serve, compiled ones or their text, one file (a *domain*) at a time;
- ``cache``, ``warm_up``: the cache on the disk, and filling it in several processes (``python -m core.warm``);
- ``compiling``, ``intrinsics``, ``lean_numba``: all that imports numba.
"""

from core.kernels.declaring import CONTRACT, EXACT, SUMS, behind, call_slot, kernel, local, view
from core.kernels.domains import (
    LATE,
    compile_on_demand,
    is_loaded,
    is_ready,
    is_warm,
    load,
    load_all,
    load_late,
    names,
    serving,
    uncompiled,
)
from core.kernels.layout import At, Layout
from core.kernels.types import B1, F1, F2, F3, F4, FOUR, I1, I2, I8, P1, PAIR, SIX, THREE, RecordsOf

__all__ = [
    "B1", "CONTRACT", "EXACT", "F1", "F2", "F3", "F4", "FOUR", "I1", "I2", "I8", "LATE", "P1", "PAIR", "SIX", "SUMS",
    "THREE", "At", "Layout", "RecordsOf", "behind", "call_slot", "compile_on_demand", "is_loaded", "is_ready",
    "is_warm", "kernel", "load", "load_all", "load_late", "local", "names", "serving", "uncompiled", "view",
]  # fmt: skip

"""Bundles: functions that are always needed together, in one piece of machine code on the disk.

Reading one piece takes as long as reading a single function. A bundle is made on the thread that optimizes, from the
same text as its functions: it gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.codegen import llvm_text, machine
from core.codegen.generated import CACHE, GeneratedFunction, do_later, is_over
from core.codegen.lowering import lower
from core.codegen.program import Program

_Bundle = tuple[list[GeneratedFunction], NDArray[np.int64]]

_known: dict[str, _Bundle] = {}


def bundle_key(description: Sequence[str | bytes]) -> str | None:
    """Return the name of a bundle; None without llvmlite.

    Args:
        description: All that decides its functions.
    """
    if not machine.is_there():
        return None
    return CACHE.key([*description, machine.machine().identity, "bundle"])


def load_bundle(key: str) -> _Bundle | None:
    """Return the functions of a bundle, optimized, and the numbers kept with it; None if it has not been made yet."""
    if key not in _known:
        kept = CACHE.load(key)
        if kept is None or "object" not in kept:
            return None
        count = int(kept["count"][0])
        addresses = machine.machine().load([kept["object"].tobytes()], *_names(key, count))
        functions = []
        for address in addresses:
            # What calls it goes by its address alone.
            function = GeneratedFunction([("memory", 0)], [1], [(0, 0)])
            function.serve(address)
            functions.append(function)
        _known[key] = functions, kept["numbers"].astype(np.int64)
    return _known[key]


def keep_bundle(key: str, programs: Callable[[], list[Program]], numbers: NDArray[np.int64]) -> None:
    """Make a bundle and keep it, when nothing else is being compiled.

    Args:
        key: See ``bundle_key``.
        programs: Makes the programs; all of them write to their groups.
        numbers: Kept with it.
    """

    def make() -> None:
        if is_over() or CACHE.load(key) is not None:
            return
        llvm = machine.machine()
        made = programs()
        lowered = [lower(program, llvm.dialect.fused) for program in made]
        groups = [len(program.groups) for program in made]
        text = llvm_text.together(lowered, groups, _names(key, len(made)), llvm.dialect)
        if text is None:  # its functions are kept one by one, and nobody tries again
            CACHE.save(key, {"numbers": numbers})
            return
        if is_over():
            return
        code = np.frombuffer(llvm.object_of(text, True), dtype=np.uint8)
        CACHE.save(key, {"object": code, "count": np.array([len(made)]), "numbers": numbers})

    do_later(make)


def _names(key: str, count: int) -> list[str]:
    return [f"bundle_{key}_{k}" for k in range(count)]

"""Kernels for a while: compiled ones, or their text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core import kernels

MODES = ("compiled", "uncompiled")


@contextmanager
def kernels_in_use(mode: str) -> Iterator[None]:
    """Use kernels of a mode, ``"compiled"`` or ``"uncompiled"``, in a ``with`` block."""
    assert mode in MODES
    if mode == "compiled":
        yield
    else:
        with kernels.uncompiled():
            yield

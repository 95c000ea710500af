"""Kernels for a while: the plain or the compiled ones, and afterwards those that were in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core import compiled


@contextmanager
def kernels_in_use(mode: str) -> Iterator[None]:
    """Use the kernels of a mode, ``"plain"`` or ``"compiled"``, in a ``with`` block; inside it others may be chosen."""
    before = compiled.mode()
    compiled.use(mode)
    try:
        yield
    finally:
        compiled.use(before)

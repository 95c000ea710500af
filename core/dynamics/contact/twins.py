"""Compiling the very text of a plain function.

Finding contacts is a long analysis of cases in numbers and loops. Written a second time for the compiler it would be
tested against nothing but itself; so its text is compiled as it stands, without any freedom to round otherwise, and
gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numba as nb

from core.kinematics import inlining

EXACT = {"fastmath": False}
KERNEL: dict[str, Any] = inlining.OPTIONS | EXACT
"""For what Python calls."""
INTERNAL: dict[str, Any] = inlining.INTERNAL | EXACT
"""For what only other kernels call."""
INLINE: dict[str, Any] = inlining.INLINE | EXACT
"""For what is so short that calling it would cost more."""


def constants(module: ModuleType) -> dict[str, Any]:
    """Return the numbers and modules that the text of a plain module means by their names."""
    return {name: value for name, value in vars(module).items() if isinstance(value, int | float | ModuleType)}


def compiled(function: Callable[..., Any], signature: Any, options: dict[str, Any], names: dict[str, Any]) -> Any:
    """Return a function compiled.

    Args:
        function: The plain one.
        signature: Its types.
        options: Those of ``numba.njit``.
        names: What its text means by the names that it calls: those of the module that keeps the compiled functions.
    """
    assert isinstance(function, FunctionType)
    twin = FunctionType(function.__code__, names, function.__name__)
    twin.__module__, twin.__qualname__ = names["__name__"], function.__qualname__
    return nb.njit(signature, **options)(twin)

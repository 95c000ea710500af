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


class Twins:
    """Compiles the functions of one plain module.

    Args:
        plain: The module.
        module: Name of the module that keeps the compiled functions.
        callees: Compiled functions of other modules that the text calls, by their names there.
    """

    def __init__(self, plain: ModuleType, module: str, **callees: Any):
        known = {name: value for name, value in vars(plain).items() if isinstance(value, int | float | ModuleType)}
        self._names = known | callees | {"__name__": module}

    def __call__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
        """Return a function compiled; those that come later may call it.

        Args:
            function: The plain one.
            signature: Its types.
            options: Those of ``numba.njit``.
        """
        assert isinstance(function, FunctionType)
        copy = FunctionType(function.__code__, self._names, function.__name__)
        copy.__module__, copy.__qualname__ = self._names["__name__"], function.__qualname__
        made = self._names[function.__name__] = nb.njit(signature, **options)(copy)
        return made

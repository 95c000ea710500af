"""The text of kernels with other functions behind some of their names, for what cannot be compiled."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from core.kernels.declaring import options_of


def text_with(module: ModuleType, others: Mapping[Any, Any]) -> SimpleNamespace:
    """Return the functions of a file of kernels, uncompiled, that call others in place of some kernels.

    Args:
        module: The file.
        others: By kernel what is called in its place, by functions of the file and of files whose kernels it calls.
    """
    made: dict[str, SimpleNamespace] = {}

    def text_of(file: ModuleType) -> SimpleNamespace:
        if file.__name__ in made:
            return made[file.__name__]
        names = dict(vars(file))
        for key, value in vars(file).items():
            if not isinstance(value, FunctionType):
                continue
            if value in others:
                names[key] = others[value]
            elif value.__module__ == file.__name__:
                names[key] = FunctionType(value.__code__, names, value.__name__, value.__defaults__, value.__closure__)
            elif options_of(value) is not None:
                names[key] = vars(text_of(sys.modules[value.__module__]))[value.__name__]
        made[file.__name__] = SimpleNamespace(**names)
        return made[file.__name__]

    return text_of(module)

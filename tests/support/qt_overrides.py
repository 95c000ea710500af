"""What the program overrides of Qt's, found by walking its classes."""

from __future__ import annotations

import importlib
import pkgutil
from types import FunctionType

from shiboken6 import Shiboken

import app

_OURS = "app."


def qt_classes() -> set[type]:
    """Import the whole editor, and return every class of it that Qt knows."""
    for module in pkgutil.walk_packages(app.__path__, _OURS):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting: list[type] = [Shiboken.Object]
    seen: set[type] = set()
    while waiting:
        cls = waiting.pop()
        if cls not in seen:
            seen.add(cls)
            waiting.extend(cls.__subclasses__())
    return {cls for cls in seen if cls.__module__.startswith(_OURS)}


def overrides(cls: type) -> list[tuple[type, str]]:
    """Return what the program overrides of Qt's in a class: each class that holds a method, and the method's name."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith(_OURS)]
    qts = [vars(base) for base in cls.__mro__ if issubclass(base, Shiboken.Object) and base not in ours]
    return [
        (base, name)
        for base in ours
        for name, value in vars(base).items()
        if isinstance(value, FunctionType) and not name.startswith("__") and any(name in names for names in qts)
    ]

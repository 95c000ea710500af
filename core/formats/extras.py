"""Packages that only some formats need; whoever lacks one is told what to install."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from core.errors import FormatError, Problem
from core.extras import how_to_install

PACKAGES = {"pygltflib": "pygltflib", "pxr": "usd-core"}
"""What to install for a module."""


def missing(module: str) -> str:
    """Return the package that has to be installed for a module, "" if it is there; the module is not loaded."""
    return PACKAGES[module] if importlib.util.find_spec(module) is None else ""


def check_installed(module: str, what: str, file: str) -> None:
    """Check that a module is there; it is not loaded.

    Args:
        module: Its name.
        what: The format that needs it.
        file: Name of the file, for messages.

    Raises:
        FormatError: If it is not installed.
    """
    if package := missing(module):
        message = f"{what} needs the package {package}; install it with: {how_to_install('export')}"
        raise FormatError(Problem(file, 0, 0, message))


def needed(module: str, what: str, file: str) -> Any:
    """Return a module of the extra ``export``; arguments and errors as for :func:`check_installed`."""
    check_installed(module.partition(".")[0], what, file)
    return importlib.import_module(module)

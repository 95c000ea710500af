"""Packages that only some formats need; whoever lacks one is told what to install."""

from __future__ import annotations

import importlib
from typing import Any

from core.errors import FormatError, Problem


def needed(module: str, what: str, file: str) -> Any:
    """Return a module of the extra ``export``.

    Args:
        module: Its name.
        what: The format that needs it.
        file: Name of the file, for messages.

    Raises:
        FormatError: If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = {"pygltflib": "pygltflib", "pxr": "usd-core"}.get(module.partition(".")[0], module)
        message = f'{what} needs the package {package}; install it with: pip install "sequence-editor[export]"'
        raise FormatError(Problem(file, 0, 0, message)) from None

"""How packages are installed that only some things need: the extras of this program."""

from __future__ import annotations


def how_to_install(extra: str) -> str:
    """Return what somebody runs to install an extra, ``audio``, ``cluster``, ``export`` or ``sweep``."""
    return f'python -m pip install "sequence-editor[{extra}]"'

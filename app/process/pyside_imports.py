"""Keeps PySide from reading the source of every module that is imported, and from keeping it in memory.

It looks there for its own name, to know where its optional ways of spelling (``from __feature__ import snake_case``)
may apply. Nobody here uses them. For two thousand modules that took a tenth of the time to start and 60 MB.
"""

from __future__ import annotations

from types import ModuleType


def _may_use_pyside(_module: ModuleType) -> bool:
    """Whether PySide's ways of spelling could be asked for in a module; those who do ask get them in any case."""
    return False


def spare_sources() -> None:
    """Tell PySide, as far as this version of it has that question; call before ``PySide6`` is imported."""
    try:
        import shiboken6  # noqa: F401  (which has the other one built in)
        from shibokensupport import feature
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = _may_use_pyside

"""Which kernels serve: compiled ones, or their text. Each file of kernels, a *domain*, has its own answer.

Who works in scripts waits for compiled kernels: they are loaded, and compiled if the cache has none, when they are
first asked for. The editor does not wait (``compile_on_demand(False)``): the text serves until ``load`` has put the
compiled ones in its place. It loads all but those of physics, which take 20 MB and which it may never need
(``LATE``). Nothing here imports numba until then.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as cached
from pathlib import Path
from types import ModuleType
from typing import Any

from core.errors import KernelError
from core.kernels import cache

FIRST: tuple[str, ...] = ("core.constraints.hold.solver_kernel", "core.animation.locks.soft_reach_kernel")
"""Those that are slowest uncompiled: they, and what they call, are compiled and loaded before all others."""
LATE = "core.dynamics."
"""How the names of those begin that only physics asks for: an editor loads them when somebody does."""

Domain = ModuleType | str
Asked = Callable[[str], None]

_lock = threading.RLock()
_loaded: dict[str, Any] = {}
_serving: dict[str, Any] = _loaded
_on_demand = True
_asked: Asked | None = None


def serving(domain: Domain) -> Any:
    """Return what serves a domain now: a namespace with the functions of its file, compiled, or the file itself.

    Args:
        domain: The imported file, ``x_kernel``, or its full name.
    """
    name = domain if isinstance(domain, str) else domain.__name__
    found = _serving.get(name)
    if found is not None:
        return found
    if _on_demand:
        return load(domain)
    if _asked is not None:
        _asked(name)
    return _text(name) if isinstance(domain, str) else domain


def _text(name: str) -> Any:
    return importlib.import_module(name)


def load(domain: Domain) -> Any:
    """Compile a domain, or load it from the cache, and have it serve from now on; return it. Safe on any thread."""
    name = domain if isinstance(domain, str) else domain.__name__
    with _lock:
        if name not in _loaded:
            from core.kernels import compiling

            _loaded[name] = compiling.compile_module(importlib.import_module(name))
        return _loaded[name]


def load_all() -> None:
    """Load every domain, compiling those that the cache does not hold."""
    for name in names():
        load(name)


def load_late() -> None:
    """Load those that only physics asks for, as far as the cache holds them, unless an ``uncompiled`` block runs."""
    if not is_uncompiled():
        for name in names():
            if name.startswith(LATE) and name not in _loaded and is_warm(name):
                load(name)


def is_loaded(domain: Domain | None = None) -> bool:
    """Return whether the compiled kernels of a domain, or of all, are in memory."""
    wanted = names() if domain is None else (domain if isinstance(domain, str) else domain.__name__,)
    return all(name in _loaded for name in wanted)


def is_ready(domain: Domain) -> bool:
    """Return whether compiled kernels serve a domain when it is next asked for."""
    name = domain if isinstance(domain, str) else domain.__name__
    if _on_demand or name in _serving:
        return True
    if _asked is not None:
        _asked(name)
    return False


def is_warm(domain: str | None = None) -> bool:
    """Return whether the cache holds the compiled kernels of a domain, or of all; does not import numba."""
    return all(cache.is_complete(name) for name in (names() if domain is None else (domain,)))


def compile_on_demand(wanted: bool, asked: Asked | None = None) -> bool:
    """Choose whether a domain is loaded when it is first asked for; return what was chosen before.

    Args:
        wanted: Whether who asks waits for it; the text serves otherwise.
        asked: Called with the name of a domain, on any thread, whenever somebody needs it who has its text instead.
    """
    global _on_demand, _asked
    before, _on_demand, _asked = _on_demand, wanted, asked
    return before


@contextmanager
def uncompiled() -> Iterator[None]:
    """Have the text of all kernels serve in a ``with`` block, on all threads."""
    global _serving, _on_demand, _asked
    before = _serving, _on_demand, _asked
    _serving, _on_demand, _asked = {}, False, None
    try:
        yield
    finally:
        _serving, _on_demand, _asked = before


def is_uncompiled() -> bool:
    """Return whether the text of all kernels serves, whatever is loaded, as in an ``uncompiled`` block."""
    return _serving is not _loaded


@cached
def names() -> tuple[str, ...]:
    """Return all domains: the files ``x_kernel.py`` of ``core``, callees before callers, first what is needed first."""
    root = Path(__file__).parent.parent
    files = sorted(root.glob("**/*_kernel.py"))
    found = [".".join((cache.PACKAGE, *path.relative_to(root).with_suffix("").parts)) for path in files]
    callees = {name: callees_of(name, found) for name in found}
    urgent = {name for first in FIRST if first in callees for name in (first, *callees[first])}
    ordered: list[str] = []
    while len(ordered) < len(found):
        ready = [name for name in found if name not in ordered and callees[name] <= set(ordered)]
        if not ready:
            raise KernelError(f"these files of kernels call each other in a circle: {set(found) - set(ordered)}")
        wanted = [name for name in ready if name in urgent] or ready
        ordered += sorted(wanted, key=lambda name: -sum(name in own for own in callees.values()))
    return tuple(ordered)


def callees_of(domain: str, domains: list[str] | tuple[str, ...]) -> set[str]:
    """Return those of ``domains`` whose kernels a domain calls, itself or through others."""
    found: set[str] = set()
    ahead = [domain]
    while ahead:
        for module in cache.imported(ahead.pop()):
            if module in domains and module not in found:
                found.add(module)
                ahead.append(module)
    return found

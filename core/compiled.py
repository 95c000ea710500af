"""Which kernels serve: compiled ones from numba's disk cache, or their plain twins.

A *domain* is a module name such as ``core.kinematics.forward``; its kernels are ``..._kernels`` (numba) and
``..._plain`` (numpy), with the same functions and signatures. Nothing here imports numba until compiled kernels are
wanted.

numba does not notice when a function called from another file has changed, so the cache folder is named by a hash of
all sources that kernels are made of, of the numba, llvmlite and numpy versions and of the processor.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

DOMAINS: tuple[str, ...] = (
    "core.dynamics.contact.qp",
    "core.dynamics.contact.closest",
    "core.dynamics.contact.overlap",
    "core.dynamics.contact.manifold",
    "core.dynamics.contact.pairs",
    "core.kinematics.splines",
    "core.kinematics.forward",
    "core.kinematics.jacobian",
    "core.kinematics.svd",
    "core.kinematics.nodes",
    "core.constraints.hold.rows",
    "core.constraints.hold.box_qp",
    "core.constraints.hold.steps",
    "core.constraints.hold.solver",
    "core.animation.locks.soft_reach",
    "core.ik.nodes",
    "core.ik.ball",
    "core.ik.along",
    "core.ik.ccd",
    "core.ik.jacobian_transpose",
    "core.ik.damped_least_squares",
    "core.ik.pseudoinverse",
    "core.ik.optimization",
)
"""Everything that has kernels, callees before callers; first what others wait for longest."""

INGREDIENTS: tuple[str, ...] = (
    "**/*_kernels.py",
    "**/*_plain.py",
    "lean_numba.py",
    "skeleton/tree.py",
    "joints/splines.py",
    "ik/packed.py",
    "ik/unpacking.py",
    "kinematics/inlining.py",
    "kinematics/linking.py",
    "kinematics/cones.py",
    "constraints/hold/packed.py",
    "constraints/hold/rows.py",
    "constraints/hold/row_values.py",
    "constraints/hold/unpacking.py",
    "dynamics/articulated.py",
    "dynamics/contact/packing.py",
    "dynamics/contact/qp_factors.py",
    "dynamics/contact/qp_layout.py",
    "dynamics/contact/qp_memory.py",
    "dynamics/contact/twins.py",
    "dynamics/node_motion.py",
    "dynamics/packed.py",
    "dynamics/rigid.py",
    "dynamics/slots.py",
    "dynamics/step/by_address.py",
    "dynamics/step/slots.py",
)
"""Sources that end up in machine code: kernels, and the constants and array layouts they import."""

PLAIN, COMPILED = "plain", "compiled"
CACHE_VARIABLE = "SEQUENCE_EDITOR_CACHE"
_MARKER = "complete"  # and a number for the folder of the sources
_STALE_AFTER = 30 * 24 * 3600.0

_mode = COMPILED
_loaded: dict[str, Any] = {}
_lock = threading.RLock()


def mode() -> str:
    """Return ``"compiled"`` or ``"plain"``: which kernels the next call uses."""
    return _mode


def is_loaded() -> bool:
    """Return whether the compiled kernels are in memory, so that using them costs nothing more."""
    return all(f"{domain}_kernels" in sys.modules for domain in DOMAINS)


def use(wanted: str) -> None:
    """Choose the kernels for all later calls.

    ``"compiled"`` loads every compiled kernel before it returns, from the cache if ``is_warm()``; calls made
    meanwhile on other threads go on with the kernels they had. Plain ones are loaded when each is first called. Safe
    on any thread.

    Raises:
        ValueError: If ``wanted`` is neither ``"plain"`` nor ``"compiled"``.
    """
    global _mode, _loaded
    if wanted not in (PLAIN, COMPILED):
        raise ValueError(f'no kernels "{wanted}"; valid are "{PLAIN}", "{COMPILED}"')
    modules = {domain: _import(domain, wanted) for domain in DOMAINS} if wanted == COMPILED else {}
    with _lock:
        _mode, _loaded = wanted, modules


def kernels(domain: str) -> Any:
    """Return the module that serves ``domain`` now, loading it at the first call."""
    loaded = _loaded  # another thread may put another in its place meanwhile
    module = loaded.get(domain)
    if module is None:
        module = loaded[domain] = _import(domain, _mode)
    return module


def _import(domain: str, wanted: str) -> Any:
    if wanted == PLAIN:
        return importlib.import_module(f"{domain}_plain")
    name = f"{domain}_kernels"
    module = sys.modules.get(name)
    if module is not None and getattr(module.__spec__, "_initializing", False) is False:
        return module
    with _lock, _numba_cache():
        from core.lean_numba import apply

        apply()
        return importlib.import_module(name)


@contextmanager
def _numba_cache() -> Iterator[None]:
    """Point numba's disk cache at our folder while kernels load, and back afterwards."""
    folder = str(_writable(cache_folder()))
    before = os.environ.get("NUMBA_CACHE_DIR")
    os.environ["NUMBA_CACHE_DIR"] = folder
    try:
        config: Any = importlib.import_module("numba.core.config")
        config_before = config.CACHE_DIR if config.CACHE_DIR != folder else (before or "")
        config.CACHE_DIR = folder
        try:
            yield
        finally:
            config.CACHE_DIR = config_before
    finally:
        if before is None:
            os.environ.pop("NUMBA_CACHE_DIR", None)
        else:
            os.environ["NUMBA_CACHE_DIR"] = before


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.gettempdir()) / f"sequence-editor-{folder.name}"


# -- the cache folder ------------------------------------------------------------------------------------------------


def cache_root() -> Path:
    """Return the folder that holds one kernel cache a hash: ``$SEQUENCE_EDITOR_CACHE`` or the platform's place."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "sequence-editor"


def cache_folder() -> Path:
    """Return the folder of the kernels as they are now; it need not exist."""
    return cache_root() / f"kernels-{_fingerprint()}"


def is_warm() -> bool:
    """Return whether every compiled kernel can be loaded from the cache; does not import numba."""
    return _marker().is_file()


def _marker() -> Path:
    """Return the file that tells that the cache is complete for the sources in this folder.

    numba keeps kernels by the path of their sources: what was compiled for a copy elsewhere serves nobody here, and
    would be compiled again in the middle of everything.
    """
    place = hashlib.sha256(str(Path(__file__).absolute().parent).encode()).hexdigest()
    return cache_folder() / f"{_MARKER}-{place[:16]}"


@cache
def _fingerprint() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes long, and is not needed to show a window

    digest = hashlib.sha256()
    root = Path(__file__).parent
    for source in sorted({path for pattern in INGREDIENTS for path in root.glob(pattern)}):
        digest.update(source.relative_to(root).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    for package in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{package} {version(package)}\0".encode())
        except PackageNotFoundError:
            digest.update(f"{package} none\0".encode())
    digest.update(f"{sys.implementation.cache_tag} {_processor()}".encode())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """Name and features of the processor, cheaply; numba checks them once more when it loads a kernel."""
    names = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return " ".join(names)
    for key in ("model name", "flags", "Features"):
        names += [line.partition(":")[2].strip() for line in lines if line.split(":")[0].strip() == key][:1]
    return " ".join(names)


def load_compiled(domain: str) -> Any:
    """Load the compiled kernels of one domain, compiling into the cache what it does not hold."""
    return _import(domain, COMPILED)


def warm(progress: Callable[[int, int, str], None] = lambda done, total, name: None) -> None:
    """Compile every kernel into the cache, then mark the cache complete and remove stale ones.

    Several processes work at once, see ``core.warming``.

    Args:
        progress: Called after each domain, in order of completion, with (how many are done, of how many, its name).

    Raises:
        KernelError: If a domain does not compile.
    """
    from core.warming import compile_all  # what starts processes is not needed at every start

    compile_all(DOMAINS, progress)
    marker = _writable(cache_folder()) / _marker().name
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text("\n".join(DOMAINS) + "\n", encoding="utf-8")
    remove_stale(cache_root(), time.time())


def remove_stale(root: Path, now: float) -> list[Path]:
    """Remove kernel caches of other hashes that were completed more than 30 days before ``now``; return them."""
    removed = []
    keep = cache_folder().name
    for folder in sorted(root.glob("kernels-*")):
        stamp = max(path.stat().st_mtime for path in [*folder.glob(f"{_MARKER}*")] or [folder])
        if folder.is_dir() and folder.name != keep and now - stamp > _STALE_AFTER:
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed

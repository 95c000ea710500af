"""The cache of compiled kernels on the disk: a folder for each file of kernels, named by all that goes into it.

The name holds a hash of the file, of every file of ``core`` that it imports, itself or through others, and of this
runtime; of the versions of numba, llvmlite, numpy and Python; and of the processor. What is imported is found by
reading the sources, so that nothing can be forgotten, and an edit elsewhere leaves the cache as it is.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

PACKAGE = "core"
CACHE_VARIABLE = "SEQUENCE_EDITOR_CACHE"
_ROOT = Path(__file__).parent.parent
_RUNTIME = f"{PACKAGE}.kernels"
_COMPLETE = "complete"
_STARTED = time.time()
_STALE_AFTER = 30 * 24 * 3600.0
_FROM = re.compile(rf"^from[ \t]+({PACKAGE}[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n(]*)", re.MULTILINE)
_IMPORT = re.compile(rf"^import[ \t]+({PACKAGE}\.[\w.]+)", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|\)|#|$)", re.MULTILINE)


def root() -> Path:
    """Return the folder that holds the caches: ``$SEQUENCE_EDITOR_CACHE`` or the platform's place."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "sequence-editor"


@cache
def _path(module: str) -> Path | None:
    """Return the file of a module of ``core``, None if there is no such module."""
    inside = _ROOT.joinpath(*module.split(".")[1:])
    for path in (inside.with_suffix(".py"), inside / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def imported(module: str) -> tuple[str, ...]:
    """Return the modules of ``core`` that a module imports when it is loaded: those it has its constants from."""
    path = _path(module)
    source = path.read_text(encoding="utf-8") if path is not None else ""
    found = set(_IMPORT.findall(source))
    for package, names in _FROM.findall(source):
        inner = [f"{package}.{name}" for name in _NAME.findall(names.strip("() \n\t"))]
        modules = [name for name in inner if _path(name) is not None]
        found.update(modules)
        if len(modules) < len(inner):
            found.add(package)
    return tuple(sorted(name for name in found if _path(name) is not None))


@cache
def ingredients(module: str) -> tuple[str, ...]:
    """Return a module and all those of ``core`` that it imports, itself or through others, in order of names.

    The runtime is left out of what kernels import: ``fingerprint`` holds what of it makes machine code.
    """
    found, ahead = {module}, [module]
    inside = module.startswith(_RUNTIME)
    while ahead:
        for name in imported(ahead.pop()):
            if name not in found and (inside or not name.startswith(_RUNTIME)):
                found.add(name)
                ahead.append(name)
    return tuple(sorted(found))


@cache
def _digest(module: str) -> bytes:
    path = _path(module)
    if path is None:
        return b""
    # What was edited since this process began may not be what it has in memory: that must not get into the cache.
    edited = f"{os.getpid()}" if path.stat().st_mtime > _STARTED else ""
    return hashlib.sha256(path.read_bytes() + edited.encode()).digest()


@cache
def _machine() -> bytes:
    """Return a hash of what of the runtime makes machine code, of versions and of the processor."""
    from importlib.metadata import PackageNotFoundError, version  # takes long, and is not needed to show a window

    digest = hashlib.sha256()
    for name in ingredients(f"{_RUNTIME}.compiling"):
        digest.update(name.encode() + b"\0" + _digest(name))
    for package in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{package} {version(package)}\0".encode())
        except PackageNotFoundError:
            digest.update(f"{package} none\0".encode())
    # Builds of one version of Python differ in how objects lie in memory.
    digest.update(f"{sys.implementation.cache_tag} {getattr(sys, 'abiflags', '')} {_processor()}".encode())
    return digest.digest()


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


@cache
def fingerprint(module: str) -> str:
    """Return the hash of all that goes into the machine code of a file of kernels."""
    digest = hashlib.sha256(_machine())
    for name in ingredients(module):
        digest.update(name.encode() + b"\0" + _digest(name))
    return digest.hexdigest()[:16]


def folder(module: str) -> Path:
    """Return the folder of a file's compiled kernels as they are now; it need not exist."""
    return root() / f"kernels-{module.removeprefix(PACKAGE + '.')}-{fingerprint(module)}"


def writable(place: Path) -> Path:
    """Return a folder, made if it was not there, or one in the place for temporary files if nothing may be written."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        if os.access(place, os.W_OK):
            return place
    except OSError:
        pass
    return Path(tempfile.gettempdir()) / f"sequence-editor-{place.name}"


def is_complete(module: str) -> bool:
    """Return whether the cache holds all kernels of a file; does not import numba."""
    return (folder(module) / _COMPLETE).is_file()


def mark(module: str) -> None:
    """Note that the cache holds all kernels of a file, and that they were used now."""
    place = writable(folder(module))
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / _COMPLETE).touch()
    except OSError:
        pass  # it will be asked for again


def remove_stale(keep: set[str], now: float | None = None) -> list[Path]:
    """Remove kernels that were last used more than 30 days ago; return their folders.

    Args:
        keep: Modules whose kernels as they are now stay in any case.
        now: Seconds since the epoch; by default as it is.
    """
    now = time.time() if now is None else now
    kept = {folder(module).name for module in keep}
    removed = []
    for place in sorted(root().glob("kernels-*")):
        stamp = max(path.stat().st_mtime for path in [*place.glob(f"{_COMPLETE}*")] or [place])
        if place.is_dir() and place.name not in kept and now - stamp > _STALE_AFTER:
            shutil.rmtree(place, ignore_errors=True)
            removed.append(place)
    return removed

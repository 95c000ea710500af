"""Arrays that take long to work out, kept on the disk beside the compiled kernels from one start to the next.

An entry is named by a digest of everything that decides it: what it is made from, the sources that make it, and the
versions of the libraries they use. So an entry is right or it is not found; nothing is ever the only copy of anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.kernels.cache import root

AnyArray = NDArray[Any]

_FORM = b"arrays 1\n"
_DIGEST = 20  # bytes
_HEAD = len(_FORM) + _DIGEST
_ALIGN = 16  # bytes
_SUFFIX = ".arrays"
_PRUNED = ".pruned"  # its age is how long ago that was
_PRUNED_FOR = 3600.0  # [s]
_PARTS = 32  # of all that may be kept: who has written one of them looks whether it is too much
_ABANDONED = 3600.0  # [s]: what somebody has been writing for so long nobody finishes


class ArrayCache:
    """Named groups of arrays in a folder of their own; any thread and any number of processes may use it.

    Args:
        name: Of the folder.
        makers: The source files that decide what is kept.
        packages: Modules whose version decides it, too.
        most_bytes: Of all entries together; those used longest ago go first.
    """

    def __init__(
        self, name: str, makers: Sequence[Path], packages: Sequence[str] = ("numpy",), most_bytes: int = 1 << 27
    ):
        self.name = name
        self.most_bytes = most_bytes
        self._makers, self._packages = tuple(makers), tuple(packages)
        self._unpruned = 0

    @property
    def folder(self) -> Path:
        """Where the entries are; it need not exist."""
        return root() / self.name

    @cached_property
    def _made_by(self) -> bytes:
        made = hashlib.blake2b(_FORM, digest_size=_DIGEST)
        for source in self._makers:
            made.update(source.name.encode() + b"\0" + hashlib.blake2b(source.read_bytes()).digest())
        for package in self._packages:
            made.update(f"{package} {_version(package)}\0".encode())
        return made.digest()

    def key(self, parts: Iterable[AnyArray | str | bytes]) -> str:
        """Return the name of what is made from these parts, in their order."""
        made = hashlib.blake2b(self._made_by, digest_size=_DIGEST)
        for part in parts:
            if isinstance(part, np.ndarray):
                made.update(f"{part.dtype.str}{part.shape}\0".encode())
                made.update(np.ascontiguousarray(part).tobytes())
            else:
                data = part.encode() if isinstance(part, str) else part
                made.update(f"{type(part).__name__}{len(data)}\0".encode() + data)
        return made.hexdigest()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def load(self, key: str) -> dict[str, AnyArray] | None:
        """Return the arrays of an entry, read-only, or None if there is none that is whole."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        found = _unpacked(data)
        with suppress(OSError):
            if found is None:
                path.unlink()  # it would be read in vain at each start
            else:
                os.utime(path)  # the ones used last are those that stay
        return found

    def save(self, key: str, arrays: Mapping[str, AnyArray]) -> None:
        """Keep an entry; a disk that is full or forbidden costs nothing but time.

        Args:
            key: See :meth:`key`.
            arrays: Of numbers or truth values, by name.
        """
        path = self._path(key)
        part = path.with_name(f".{key}.{os.getpid()}.{secrets.token_hex(4)}.part")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(_packed(arrays))
                os.replace(part, path)
            finally:
                part.unlink(missing_ok=True)
            self._unpruned += path.stat().st_size
            if self._is_to_be_pruned():
                self._unpruned = 0
                self._prune()

    def _is_to_be_pruned(self) -> bool:
        """Return whether it is time to look at all entries, of which there may be ten thousand."""
        if self._unpruned > self.most_bytes / _PARTS:
            return True
        try:
            return time.time() - (self.folder / _PRUNED).stat().st_mtime > _PRUNED_FOR
        except OSError:
            return True

    def _prune(self) -> None:
        """Remove what was used longest ago until the rest fits, and what was never finished."""
        (self.folder / _PRUNED).touch()
        entries, now = [], time.time()
        with os.scandir(self.folder) as found:
            for each in found:
                about = each.stat()
                if each.name.endswith(_SUFFIX):
                    entries.append((about.st_mtime, about.st_size, each.path))
                elif each.name.endswith(".part") and now - about.st_mtime > _ABANDONED:
                    os.unlink(each.path)
        total = 0
        for _, size, path in sorted(entries, reverse=True):
            total += size
            if total > self.most_bytes:
                os.unlink(path)


def _version(package: str) -> str:
    """Return the version of a package, without importing it where its file ``version.py`` states it."""
    if package not in sys.modules:
        spec = find_spec(package)
        with suppress(OSError):
            text = Path(spec.origin).with_name("version.py").read_text() if spec is not None and spec.origin else ""
            found = re.search(r"""^version\s*=\s*["'](\S+)["']""", text, re.MULTILINE)
            if found:
                return found[1]
    version: str = import_module(package).__version__
    return version


def _packed(arrays: Mapping[str, AnyArray]) -> bytes:
    """Return arrays as the bytes of an entry: a digest of all that follows it, a line of JSON, the numbers."""
    table, blocks, at = [], [], 0
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise TypeError(f'array "{name}" is of type {array.dtype}; numbers and truth values can be kept')
        block = np.ascontiguousarray(array).tobytes()
        table.append([name, array.dtype.str, list(array.shape), at])
        padding = -len(block) % _ALIGN
        blocks += [block, b"\0" * padding]
        at += len(block) + padding
    line = json.dumps(table).encode()
    line += b" " * (-(_HEAD + len(line) + 1) % _ALIGN) + b"\n"
    body = b"".join([line, *blocks])
    return _FORM + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body


def _unpacked(data: bytes) -> dict[str, AnyArray] | None:
    """Return the arrays in the bytes of an entry, as views of them, or None if a byte is not as it was written."""
    if data[: len(_FORM)] != _FORM:
        return None
    body = memoryview(data)[_HEAD:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != data[len(_FORM) : _HEAD]:
        return None
    end = data.index(b"\n", _HEAD)  # all that follows is as :func:`_packed` has written it
    found = {}
    for name, kind, shape, at in json.loads(data[_HEAD:end]):
        count = int(np.prod(shape, dtype=np.int64))
        found[name] = np.frombuffer(data, dtype=kind, count=count, offset=end + 1 + at).reshape(shape)
    return found

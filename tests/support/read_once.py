"""Bundled figures read from their files once in a process: hundreds of tests open the same walk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import cycle
from pathlib import Path

import pytest

from core.skeleton import Skeleton, read_pol, read_scr
from core.skeleton.mesh import Mesh

_BUNDLED = Path(__file__).resolve().parents[2] / "skeletons"
_read_pol_once = lru_cache(maxsize=256)(read_pol)  # a mesh is read-only
_read: dict[tuple[str, str, Path | None, Path], Iterator[Skeleton]] = {}


def read_scr_once(
    text: str,
    file: str = "skeleton.scr",
    folder: Path | None = None,
    source: Path | None = None,
    objects: Mapping[str, Mesh] | None = None,
) -> Skeleton:
    """Read a bundled figure as ``read_scr`` does; figures never change, and what is worked out for one stays with it.

    There are two of each, by turns: a document that is opened has another figure than the one before.
    """
    if objects or source is None or not source.is_relative_to(_BUNDLED):
        return read_scr(text, file, folder, source, objects)
    key = (text, file, folder, source)
    if key not in _read:
        _read[key] = cycle([read_scr(text, file, folder, source) for _ in range(2)])
    return next(_read[key])


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let documents read bundled figures once, for the time of a test."""
    monkeypatch.setattr("core.skeleton.objects.cache.read_pol", _read_pol_once)
    monkeypatch.setattr("core.skeleton.scr.reader.read_scr", read_scr_once)  # for load_skeleton
    for user in ("core.skeleton", "core.formats.project_reader"):
        monkeypatch.setattr(f"{user}.read_scr", read_scr_once)

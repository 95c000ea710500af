"""Objects that are found on the disk are those that their text gives, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.formats.bundled import bundled_folder
from core.skeleton import mesh
from core.skeleton.objects import cache, pol


@pytest.fixture
def folder(kept_arrays: Path) -> Iterator[Path]:
    """Keep objects in a folder of the test's own, and none in memory; return the folder."""
    cache._found_and_kept.cache_clear()
    yield kept_arrays / "objects"
    cache._found_and_kept.cache_clear()


def _same(one: mesh.Mesh, other: mesh.Mesh) -> bool:
    assert [name for name, _ in one.weights] == [name for name, _ in other.weights]
    assert one.polygons == other.polygons
    assert one.triangles.dtype == other.triangles.dtype
    pairs = [(one.vertices, other.vertices), (one.triangles, other.triangles)]
    pairs += [(a, b) for (_, a), (_, b) in zip(one.weights, other.weights, strict=True)]
    return all(np.array_equal(a, b) and a.tobytes() == b.tobytes() for a, b in pairs)


@pytest.mark.verify
def test_found_objects_are_the_same(folder: Path) -> None:
    texts = [path.read_text() for path in sorted(bundled_folder().rglob("*.pol"))]
    texts = [text for text in dict.fromkeys(texts) if len(text) >= cache._LEAST]
    assert any("\nweights" in text for text in texts)
    assert any("\nweights" not in text for text in texts)
    for text in texts:
        made = cache._found(text, "a.pol")
        assert _same(made, pol._read(text, "a.pol"))
    assert len(list(folder.glob("*.arrays"))) == len(texts)


def test_the_second_reading_needs_no_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [path.read_text() for path in sorted(bundled_folder().rglob("*.pol"))]
    text = max((text for text in texts if len(text) <= cache._SMALL), key=len)
    assert "\nweights" in text
    made = cache.kept_pol(text, "a.pol")
    cache._found_and_kept.cache_clear()

    def refused(_text: str, _file: str) -> mesh.Mesh:
        raise AssertionError("read anew")

    monkeypatch.setattr(cache, "read_pol", refused)
    assert _same(cache.kept_pol(text, "b.pol"), made)
    assert cache.kept_pol(text, "b.pol") is cache.kept_pol(text, "b.pol")


def test_what_is_wrong_is_said_each_time_and_never_kept(folder: Path) -> None:
    text = "vertices 1\n 0 0 zero\n" + "#" * cache._LEAST
    for name in ("a.pol", "b.pol"):
        with pytest.raises(FormatError, match=name):
            cache.kept_pol(text, name)
    assert not folder.exists()

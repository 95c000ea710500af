"""Arrays kept on the disk come back as they were, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from core.array_cache import ArrayCache

ARRAYS = {
    "points": np.random.default_rng(1).standard_normal((7, 3)),
    "small": np.arange(5, dtype=np.uint16),
    "flags": np.array([True, False, True]),
    "none": np.zeros((0, 3, 3), dtype=np.float32),
}


@pytest.fixture
def cache(kept_arrays: Path) -> ArrayCache:
    return ArrayCache("things", [Path(__file__)])


def _entry(cache: ArrayCache) -> Path:
    (found,) = cache.folder.glob("*.arrays")
    return found


def test_what_was_kept_comes_back(cache: ArrayCache) -> None:
    key = cache.key(["a", ARRAYS["points"]])
    assert cache.load(key) is None
    cache.save(key, ARRAYS)
    found = cache.load(key)
    assert found is not None and list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)
        assert not found[name].flags.writeable
    assert {path.name for path in cache.folder.iterdir()} == {f"{key}.arrays", ".pruned"}  # no part is left


def test_the_key_distinguishes_everything(cache: ArrayCache, tmp_path: Path) -> None:
    points = ARRAYS["points"]
    changed = points.copy()
    changed[3, 1] = np.nextafter(changed[3, 1], 9.0)
    parts = [
        [points],
        [changed],
        [points.reshape(3, 7)],
        [points.view(np.int64)],
        ["ab", "c"],
        ["a", "bc"],
        [b"ab", "c"],
    ]
    assert len({cache.key(part) for part in parts}) == len(parts)
    maker = tmp_path / "maker.py"
    maker.write_text("one")
    before = ArrayCache("things", [maker]).key([points])
    maker.write_text("two")
    assert ArrayCache("things", [maker]).key([points]) != before
    assert ArrayCache("things", [maker], ["numpy", "scipy"]).key([points]) != ArrayCache("things", [maker]).key(
        [points]
    )


@pytest.mark.parametrize("where", [0, 12, 40, 200, -1])
def test_a_byte_that_changed_is_noticed(cache: ArrayCache, where: int) -> None:
    key = cache.key(["a"])
    cache.save(key, ARRAYS)
    data = bytearray(_entry(cache).read_bytes())
    data[where] ^= 1
    _entry(cache).write_bytes(data)
    assert cache.load(key) is None
    assert not list(cache.folder.glob("*.arrays"))
    cache.save(key, ARRAYS)
    assert cache.load(key) is not None


@pytest.mark.parametrize("length", [0, 3, 20, 100])
def test_a_file_that_was_cut_off_is_ignored(cache: ArrayCache, length: int) -> None:
    key = cache.key(["a"])
    cache.save(key, ARRAYS)
    _entry(cache).write_bytes(_entry(cache).read_bytes()[:length])
    assert cache.load(key) is None


def test_what_was_used_longest_ago_goes_first(kept_arrays: Path) -> None:
    cache = ArrayCache("things", [], most_bytes=3 * 8500)
    array = {"numbers": np.zeros(1000)}
    keys = [cache.key([str(k)]) for k in range(4)]
    for k, key in enumerate(keys[:3]):
        cache.save(key, array)
        os.utime(cache.folder / f"{key}.arrays", (1000.0 + k, 1000.0 + k))
    assert cache.load(keys[0]) is not None  # used now
    abandoned = cache.folder / ".x.part"
    abandoned.write_bytes(b"")
    os.utime(abandoned, (1000.0, 1000.0))
    cache.save(keys[3], array)
    assert [cache.load(key) is not None for key in keys] == [True, False, True, True]
    assert not abandoned.exists()


def test_all_entries_are_looked_at_now_and_then_only(kept_arrays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be ten thousand: a joint that is drawn for the first time has been seen to wait for seconds."""
    looks: list[int] = []
    prune = ArrayCache._prune
    monkeypatch.setattr(ArrayCache, "_prune", lambda self: (looks.append(1), prune(self)))
    caches = [ArrayCache("things", [], most_bytes=32 * 20_000) for _ in range(2)]  # as of two processes
    for k in range(20):
        caches[k % 2].save(f"{k}", {"few": np.zeros(4)})
    assert len(looks) == 1
    for k in range(3):
        caches[0].save(f"large {k}", {"many": np.zeros(1000)})
    assert len(looks) == 2
    os.utime(caches[0].folder / ".pruned", (1000.0, 1000.0))
    caches[1].save("late", {"few": np.zeros(4)})
    assert len(looks) == 3


def test_a_folder_that_cannot_be_written_is_lived_with(kept_arrays: Path) -> None:
    kept_arrays.write_text("not a folder")
    cache = ArrayCache("things", [])
    cache.save(cache.key(["a"]), ARRAYS)
    assert cache.load(cache.key(["a"])) is None


def test_objects_are_refused(cache: ArrayCache) -> None:
    with pytest.raises(TypeError, match='"odd" is of type object'):
        cache.save("0", {"odd": np.array([None])})

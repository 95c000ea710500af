"""A disk that is full costs nothing: the file stays whole, work goes on, and the journal goes on once there is room."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.document import Document
from app.document.files import files as files_of_a_document
from app.document.files.journal import journals_left


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Leave no room on a disk; return the file to remove for some."""
    path = disk / "filling"
    with open(path, "wb", buffering=0) as stream, pytest.raises(OSError, match="No space left"):
        while stream.write(b"x" * 512):
            pass
    return path


def opened(disk: Path, clip: Path) -> tuple[Document, Path, list[str]]:
    path = Path(shutil.copy(clip, disk / "clip.seq"))
    document, said = Document(), []
    document.message.connect(lambda _level, text, _details: said.append(text))
    assert document.files.open(path) and document.files.start_journal(disk / "journals")
    return document, path, said


def edit(document: Document, times: int) -> None:
    for number in range(times):
        assert document.sequences.set_fps(20 + (int(document.sequence.fps) + number) % 30)


@pytest.fixture
def clip(skeletons_folder: Path) -> Path:
    return skeletons_folder / "library" / "Walks and runs" / "walk.seq"


def test_a_full_disk_harms_neither_file_nor_work(qapp, small_disk, clip):
    document, path, said = opened(small_disk, clip)
    before, room = path.read_bytes(), fill(small_disk)
    edit(document, 40)
    assert said == ["The journal cannot be written: No space left on device; save often"]
    assert not document.files.save() and document.modified
    assert said[-1] == "clip.seq: cannot be written: No space left on device"
    assert path.read_bytes() == before
    assert {each.name for each in small_disk.iterdir()} == {"clip.seq", "filling", "journals"}
    steps = document.stack.count()
    room.unlink()
    assert document.files.save() and said[-1] == "clip.seq saved"
    edit(document, 1)
    (left,) = copies_left(small_disk)
    assert left.steps == steps + 1 and left.unsaved == 1
    document.files.close()
    assert list((small_disk / "journals").glob("*.journal*")) == []


def test_a_journal_goes_on_by_itself_once_there_is_room(qapp, qtbot, small_disk, clip, monkeypatch):
    monkeypatch.setattr(files_of_a_document, "RETRY_JOURNAL", 0.0)
    document, _, said = opened(small_disk, clip)
    room = fill(small_disk)
    edit(document, 40)
    document.history.undo()
    state = document.state_json()
    room.unlink()
    said.clear()
    edit(document, 1)
    qtbot.waitUntil(lambda: bool(said))
    document.history.undo()
    assert said == ["The journal is written again: a crash costs nothing"]
    (left,) = copies_left(small_disk)
    other = Document()
    assert other.files.recover(left.path)
    assert other.state_json() == state and other.stack.count() == document.stack.count()


def copies_left(disk: Path) -> list:
    """Return what would be left if the editor ended now: its journals without their locks."""
    shutil.rmtree(disk / "copies", ignore_errors=True)
    (disk / "copies").mkdir()
    for path in (disk / "journals").glob("*.journal"):
        shutil.copy(path, disk / "copies")
    return journals_left(disk / "copies")

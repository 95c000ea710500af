"""Pipes, sockets, devices and folders are refused at once wherever a file is opened, instead of being waited for."""

from __future__ import annotations

import os
import re
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main
from app.document import Document
from app.export.errors import ExportError
from app.export.whole_file import whole_file
from core.audio import read_sound
from core.errors import CoreError, FormatError
from core.formats import load, save
from core.regular_file import check_target, is_read_only, open_regular, other_kind

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS: dict[str, Callable[[Path], None]] = {
    "a named pipe": _pipe,
    "a socket": _socket,
    "a device": _device,
    "a folder": Path.mkdir,
}


def state(path: Path) -> tuple[int, ...]:
    """Return what a save would change of a file; not when a link was last followed, which looking at it changes."""
    seen = os.lstat(path)
    return seen.st_mode, seen.st_dev, seen.st_ino, seen.st_nlink, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def soon(work: Callable[[], object]) -> object:
    """Return what work returns or raises, if it does so within some seconds."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20.0)
    assert found, "it waits"
    return found[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".seq", ".scr", ".bvh", ".amc", ".asf"])
def test_no_format_waits_for_what_is_no_file(tmp_path: Path, kind: str, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    KINDS[kind](path)
    error = soon(lambda: load(path))
    assert isinstance(error, FormatError) and str(error) == f"x{suffix}: is {kind}; expected a file"


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_and_a_mesh_that_are_no_files_are_refused(tmp_path: Path, kind: str, skeletons_folder: Path) -> None:
    sound = tmp_path / "x.wav"
    KINDS[kind](sound)
    error = soon(lambda: read_sound(sound))
    assert isinstance(error, CoreError) and kind in str(error) and "\n" not in str(error)
    figure = tmp_path / "one.scr"
    text = (skeletons_folder / "stickman.scr").read_text()
    figure.write_text(re.sub(r'object "[^"]*"', 'object "part.pol"', text))
    KINDS[kind](tmp_path / "part.pol")
    refused = soon(lambda: load(figure))
    # A link to a device leads out of the figure's folder, which is refused before.
    assert isinstance(refused, FormatError) and (kind in str(refused) or kind == "a device")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["check", "info", "convert", "render", "simulate", "screenshot"])
def test_every_command_refuses_in_one_line(tmp_path: Path, kind: str, command: str, capsys) -> None:
    path = tmp_path / "x.seq"
    KINDS[kind](path)
    output = {"check": [], "info": [], "convert": ["o.bvh"], "simulate": ["-o", "o.seq"]}.get(command, ["o.png"])
    words = [str(tmp_path / word) if word.startswith("o.") else word for word in output]
    assert soon(lambda: main([command, str(path), *words])) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and f"x.seq: is {kind}" in lines[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".seq", ".scr", ".bvh", ".asf"])
def test_nothing_is_saved_onto_what_is_no_file(tmp_path: Path, kind: str, suffix: str, skeletons_folder: Path) -> None:
    path = tmp_path / f"x{suffix}"
    KINDS[kind](path)
    before = state(path)
    project = load(skeletons_folder / "stickman.scr")
    error = soon(lambda: save(project, path))
    assert isinstance(error, FormatError) and kind in str(error)
    document = Document()
    assert document.files.open(skeletons_folder / "stickman.scr")
    assert not document.files.save(path)
    assert state(path) == before and [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", KINDS)
def test_no_picture_or_movie_is_written_onto_what_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.png"
    KINDS[kind](path)
    with pytest.raises(ExportError, match=kind), whole_file(path):
        pytest.fail("it began to write")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_command_would_write_is_checked_first(tmp_path: Path, kind: str, skeletons_folder: Path, capsys) -> None:
    target = tmp_path / "x.bvh"
    KINDS[kind](target)
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(skeletons_folder / "stickman.scr"), str(target)])
    assert ended.value.code == 2 and kind in capsys.readouterr().err


def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path, skeletons_folder: Path) -> None:
    path = tmp_path / "x.bvh"
    path.write_text("kept")
    path.chmod(0o444)
    assert is_read_only(path) and not is_read_only(tmp_path / "none")
    with pytest.raises(FormatError, match="read-only"):
        save(load(skeletons_folder / "stickman.scr"), path)
    assert path.read_text() == "kept"


def test_plain_files_and_links_to_them_are_opened(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"data")
    link.symlink_to(path)
    for each in (path, link):
        with open_regular(each) as stream:
            assert stream.read() == b"data"
        check_target(each)
        assert other_kind(each) == ""
    check_target(tmp_path / "new")
    shutil.rmtree(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(path)

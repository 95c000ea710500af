"""FBX through Blender: what is said without it, and what is refused before it is asked.

``make check-blender`` writes and reads real files.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import Cancelled, FormatError
from core.formats import Project, load, save
from core.formats.fbx import find_blender, through_blender
from core.formats.fbx.through_blender import VARIABLE
from tests.unit.formats.test_gltf_writer import arm


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let a script of a few lines stand for what Blender runs."""
    script = folder / "stand_in.py"
    script.write_text(text)
    monkeypatch.setattr(through_blender, "_SCRIPT", script)
    monkeypatch.setenv(VARIABLE, sys.executable)


def test_without_blender_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(through_blender.importlib.util, "find_spec", lambda name: None)
    assert find_blender() is None
    with pytest.raises(FormatError, match=r"arm\.fbx.*install Blender"):
        save(Project([arm()], []), tmp_path / "arm.fbx")
    assert not (tmp_path / "arm.fbx").exists()


def test_what_is_no_fbx_is_refused_before_blender_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere/blender")
    (tmp_path / "text.fbx").write_text("This is none.")
    with pytest.raises(FormatError, match=r"text\.fbx.*not an FBX file"):
        load(tmp_path / "text.fbx")


def test_what_blender_says_last_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "print('x')\nraise SystemExit('no such thing')\n")
    with pytest.raises(FormatError, match="no such thing"):
        save(Project([arm()], []), tmp_path / "arm.fbx")


def test_cancelling_ends_blender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "import threading\nthreading.Event().wait()\n")

    def stop(done: float) -> None:
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        save(Project([arm()], []), tmp_path / "arm.fbx", progress=stop)
    assert not (tmp_path / "arm.fbx").exists()

"""The window writes a web page of what is open, in the background."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from app.look.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from core.formats.web_page import web_folder


def test_export_of_a_web_page(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    window.document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_words: (str(tmp_path / "shown"), ""))
    window.action_table["export_page"].trigger()
    target = tmp_path / "shown.html"
    qtbot.waitUntil(lambda: not window.background.busy)
    text = target.read_text("utf-8")
    assert "<title>shown</title>" in text and '"fps": 30.0, "count": 33' in text


def test_a_page_that_is_cancelled_leaves_no_file(window: MainWindow, tmp_path: Path, skeletons_folder: Path) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    window.document.files.open(skeletons_folder / "library" / "Walks and runs" / "march.seq")
    exports, target = window.files._exports, tmp_path / "shown.html"
    assert exports.begin_page(window.document.sequence, target)
    window.background.stop(60.0)
    assert not window.background.busy
    assert list(tmp_path.iterdir()) == []


def test_the_page_has_the_colours_of_the_window() -> None:
    style = (web_folder() / "page.html").read_text("utf-8")
    called = {"accbg": "acc_bg", "accline": "acc_line", "sky": "sky_top", "horizon": "sky_horizon"}
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    for block, theme in zip(blocks, (DARK, LIGHT), strict=True):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
        assert len(colours) > 12
        for name, colour in colours.items():
            if name != "ground":  # of the window's two the page has a mean
                assert getattr(theme, called.get(name, name)) == colour, (theme.name, name)

"""The window writes a web page of what is open, in the background."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from app.window.main_window import MainWindow


def test_export_of_a_web_page(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    window.document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_words: (str(tmp_path / "shown"), ""))
    window.action_table["export_page"].trigger()
    target = tmp_path / "shown.html"
    qtbot.waitUntil(target.exists, timeout=20000)
    text = target.read_text("utf-8")
    assert "<title>shown</title>" in text and '"fps": 30.0, "count": 33' in text

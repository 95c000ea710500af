"""The toolbar: the tool in use is lit, whatever mode the window comes from."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from core.formats import bundled_folder


def test_the_tool_in_use_stays_lit_after_skeleton_mode(window):
    window.document.open(bundled_folder() / "stickman.scr")
    session = window.document.session

    def lit():
        QApplication.processEvents()
        return [name for name in ("select", "drag", "rotate") if window.actions[f"tool_{name}"].isChecked()]

    session.tool = "drag"
    assert lit() == ["drag"]
    session.mode = "skeleton"
    session.mode = "pose"
    assert lit() == ["drag"]
    window.actions["tool_rotate"].trigger()
    assert session.tool == "rotate" and lit() == ["rotate"]
    window.actions["tool_rotate"].trigger()  # a second time changes nothing
    assert session.tool == "rotate" and lit() == ["rotate"]

"""What is cut off in a window: texts without room, and parts that stick out of what they stand in.

As a program, ``python -m tests.support.clipping [--scale 2]``, it opens everything in both themes and two sizes and
prints one line of JSON: what is cut off, by surface. Qt takes a scale at its start only, hence the process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QToolButton,
    QWidget,
)

SIZES = ((1024, 680), (1600, 1000))
THEMES = ("dark", "light")
_SPARE = 1
"""Rounding at a scale that is no whole number, [px]."""


def cut_off(root: QWidget) -> list[str]:
    """Return what has less room than it needs, or stands beyond the edge of what it is in."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.width() == 0 or widget.height() == 0:
            continue
        if _lacks_room(widget):
            needs, has = widget.sizeHint(), widget.size()
            text = f"“{_text(widget)}” needs {needs.width()}x{needs.height()}, has {has.width()}x{has.height()}"
            found.append(f"{_place(widget)}: {text}")
        inside = widget.parentWidget()
        if inside is None or widget.isWindow() or _scrolls(widget):
            continue
        if not inside.rect().adjusted(-_SPARE, -_SPARE, _SPARE, _SPARE).contains(widget.geometry()):
            found.append(f"{_place(widget)}: beyond the edge of {type(inside).__name__}")
    return found


def _text(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, (QLabel, QAbstractButton)) else ""


def _lacks_room(widget: QWidget) -> bool:
    if isinstance(widget, QLabel):
        if not widget.text() or not widget.pixmap().isNull():
            return False
        if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height() + _SPARE
        return widget.sizeHint().width() > widget.width() + _SPARE
    if isinstance(widget, (QPushButton, QToolButton, QCheckBox, QRadioButton)) and widget.text():
        return widget.minimumSizeHint().width() > widget.width() + _SPARE
    return False


def _scrolls(widget: QWidget) -> bool:
    """Return whether a widget lies in something that scrolls, where it may well be larger than what shows it."""
    at = widget.parentWidget()
    while at is not None and not at.isWindow():
        if isinstance(at, QAbstractScrollArea):
            return True
        at = at.parentWidget()
    return False


def _place(widget: QWidget) -> str:
    names: list[str] = []
    at: QWidget | None = widget
    while at is not None and len(names) < 4:
        names.append(type(at).__name__)
        at = at.parentWidget()
    return " < ".join(names)


def look_at_everything(pictures: Path | None = None) -> dict[str, list[str]]:
    """Open everything in both themes and both sizes, and return what is cut off where; with pictures of all of it."""
    from app.widgets.frames.tool_button import ToolButton
    from app.words.tool_words import TOOL_WORDS
    from tests.support.shown_window import shown_window
    from tests.support.surfaces import MODES, SURFACES, prepare

    root = Path(__file__).resolve().parents[2]
    application, window = shown_window(SIZES[-1])
    assert window.document.files.open(root / "skeletons" / "library" / "Walks and runs" / "walk.seq")
    found: dict[str, list[str]] = {}

    def note(name: str, shown: QWidget) -> None:
        application.processEvents()
        for _ in range(50):  # a dialog is laid out when its window system says how large it is, which may take a while
            if not cut_off(shown):
                break
            time.sleep(0.01)
            application.processEvents()
        if pictures is not None:
            shown.grab().save(str(pictures / f"{name.replace(' ', '-')}.png"))
        if cut := cut_off(shown):
            found[name] = cut

    for theme in THEMES:
        window.document.session.view.theme = theme
        for width, height in SIZES:
            window.resize(width, height)
            for mode in MODES:
                window.document.session.mode = mode
                note(f"{mode} {theme} {width}", window)
            window.document.session.mode = "pose"
            for number, hint in enumerate(window.first_steps.hints):
                window.first_steps.go_to(number)
                application.processEvents()
                if not window.rect().contains(window.first_steps.callout.geometry()):
                    found[f"hint {hint.title} {theme} {width}: place"] = ["is beyond the window"]
                note(f"hint {number} {theme} {width}", window)
            window.first_steps.end()
            for button in (each for each in window.toolbar.findChildren(ToolButton) if each.isVisible()):
                action = button.defaultAction()
                if action is not None and action.objectName() in TOOL_WORDS:
                    window.toolbar.tips.show(button)
                    tip = window.toolbar.tips.tip
                    assert tip is not None
                    note(f"tip {action.objectName()} {theme} {width}", tip)
                    tip.hide()
            prepare(window)
            for name, opened in SURFACES.items():
                shown = opened(window)
                application.processEvents()
                if not window.screen().availableGeometry().contains(shown.geometry()):
                    found[f"{name} {theme} {width}: place"] = [f"{shown.geometry()} is beyond the screen"]
                note(f"{name} {theme} {width}", shown)
                shown.close()
                application.processEvents()
    window.stop()
    window.close()
    return found


def main() -> int:
    """Print what is cut off; return how the process ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--pictures", type=Path)
    words = parser.parse_args()
    os.environ["QT_SCALE_FACTOR"] = str(words.scale)
    from app.process import virtual_display

    virtual_display.ensure(round(SIZES[-1][0] * words.scale), round(SIZES[-1][1] * words.scale))
    if words.pictures is not None:
        words.pictures.mkdir(parents=True, exist_ok=True)
    print(json.dumps(look_at_everything(words.pictures), ensure_ascii=False))
    QApplication.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Nothing is cut off, texts stand out from their ground, and what is clicked is large enough to be hit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton, QWidget

from app.look.theme import THEMES
from app.widgets.frames.tool_button import ToolButton
from tests.support.clipping import THEMES as BOTH
from tests.support.clipping import cut_off
from tests.support.surfaces import MODES, SURFACES, prepare

ROOT = Path(__file__).resolve().parents[2]
_FEW = ("command palette", "key map", "walk", "export movie")
_TEXTS = ("text", "text2", "text3", "accent", "ok", "warn", "conflict")
_GROUNDS = ("panel", "head")
_LEAST_HIT = 24
"""WCAG 2.2, 2.5.8: target size at least, [px]; a smaller one needs as much room around its middle."""


def test_nothing_is_cut_off_in_a_small_window(window):
    window.resize(1024, 680)
    for mode in MODES:
        window.document.session.mode = mode
        QApplication.processEvents()
        assert cut_off(window) == [], mode
    prepare(window)
    for name in _FEW:
        shown = SURFACES[name](window)
        QApplication.processEvents()
        assert window.screen().availableGeometry().contains(shown.geometry()), name
        assert cut_off(shown) == [], name
        shown.close()
        QApplication.processEvents()


@pytest.mark.verify
@pytest.mark.parametrize("scale", [0.9, 1.0, 1.25, 1.5, 2.0])
def test_nothing_is_cut_off_anywhere(scale: float, tmp_path: Path):
    """All panels, dialogs and popovers, both themes, 1024x680 and 1600x1000, in a process that has the scale."""
    display = {"DISPLAY": "", "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tests.support.clipping", "--scale", str(scale)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | display, capture_output=True, text=True, check=True, timeout=1800
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {}


def test_the_check_sees_what_is_cut_off(qtbot):
    ground = QWidget()
    qtbot.addWidget(ground)
    ground.resize(100, 60)
    narrow, out, button = (
        QLabel("A text that is far too long", ground),
        QLabel("x", ground),
        QPushButton("Press", ground),
    )
    narrow.setGeometry(0, 0, 40, 20)
    out.setGeometry(90, 30, 40, 20)
    button.setGeometry(0, 30, 12, 24)
    wrapped = QLabel("A text that is far too long", ground)
    wrapped.setWordWrap(True)
    wrapped.setGeometry(50, 0, 40, 12)
    ground.show()
    found = " ".join(cut_off(ground))
    assert len(cut_off(ground)) == 4
    assert "far too long” needs" in found and "beyond the edge of QWidget" in found and "Press” needs" in found
    narrow.setText("A")
    out.move(50, 30)
    button.resize(90, 28)
    wrapped.hide()
    assert cut_off(ground) == []


def _luminance(rgb: tuple[float, float, float]) -> float:
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _contrast(theme: str, ink: str, ground: str) -> float:
    bright, dark = sorted((_luminance(THEMES[theme].rgb(name)) for name in (ink, ground)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", BOTH)
def test_texts_stand_out_from_every_ground_they_are_put_on(theme):
    pairs = [(ink, ground) for ink in _TEXTS for ground in _GROUNDS]
    pairs += [(ink, ground) for ink in ("text", "text2") for ground in ("raised", "hover", "input", "acc_bg")]
    pairs += [("acc_ink", "accent"), ("text", "dyn_bg"), ("dyn", "panel"), ("accent", "acc_bg")]
    weak = {pair: round(_contrast(theme, *pair), 2) for pair in pairs if _contrast(theme, *pair) < 4.5}
    assert weak == {}
    assert _contrast(theme, "accent", "panel") >= 3.0, "the ring around what has the keyboard"


@pytest.mark.verify
def test_what_is_clicked_is_large_enough_or_alone(window):
    for mode in MODES:
        window.document.session.mode = mode
        QApplication.processEvents()
        buttons = [each for each in window.findChildren(QAbstractButton) if each.isVisible()]
        buttons = [each for each in buttons if isinstance(each, (ToolButton, QPushButton))]
        assert len(buttons) > 20
        small = [each for each in buttons if min(each.width(), each.height()) < _LEAST_HIT]
        for each in small:
            middle = each.mapTo(window, each.rect().center())
            for other in buttons:
                if other is not each:
                    far = other.mapTo(window, other.rect().center()) - middle
                    reach = _LEAST_HIT / 2
                    apart = abs(far.x()) >= reach + min(other.width(), _LEAST_HIT) / 2 - 1
                    apart = apart or abs(far.y()) >= reach + min(other.height(), _LEAST_HIT) / 2 - 1
                    assert apart, (mode, each.accessibleName(), other.accessibleName())
    window.document.session.mode = "pose"

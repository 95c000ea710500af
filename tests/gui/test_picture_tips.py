"""Tips of tools: name, key, a sentence, and a moving picture that stands still where motion is reduced."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QMovie
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.look import tip_pictures
from app.look.theme import THEMES
from app.widgets.frames.picture_tip import PictureTip
from app.widgets.frames.tool_button import ToolButton
from app.words.keys_now import key_of
from app.words.tool_words import TOOL_WORDS
from tests.support.clipping import cut_off

LARGEST = 60_000
"""Of a picture, [bytes]: all of them come with the program."""


def button(window, action: str) -> ToolButton:
    wanted = window.action_table[action]
    return next(each for each in window.toolbar.findChildren(ToolButton) if each.defaultAction() is wanted)


def hover(window, action: str) -> PictureTip:
    """Rest the pointer on a button until its tip comes."""
    over = button(window, action)
    middle = over.rect().center()
    QApplication.sendEvent(over, QHelpEvent(QEvent.Type.ToolTip, middle, over.mapToGlobal(middle)))
    QApplication.processEvents()
    tip = window.toolbar.tips.tip
    assert tip is not None
    return tip


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("action", TOOL_WORDS)
def test_every_tip_has_a_small_moving_picture_in_each_theme(action, theme, qapp):
    path = tip_pictures.picture_of(action, theme)
    assert path is not None and path.stat().st_size < LARGEST
    movie = QMovie(str(path))
    assert movie.isValid() and movie.frameCount() >= 10
    movie.jumpToFrame(0)
    assert movie.frameRect().size().toTuple() == tip_pictures.PIXELS
    assert movie.loopCount() == -1, "it goes on for as long as somebody looks"


def test_no_picture_is_left_over():
    used = {tip_pictures.file_of(action, theme) for action in TOOL_WORDS for theme in THEMES}
    assert {path.name for path in tip_pictures.FOLDER.glob("*")} == used


@pytest.mark.parametrize("action", ["tool_select", "tool_drag", "tool_rotate", "tool_lock", "mirror_editing"])
def test_a_tool_says_its_name_key_and_use(window, action):
    tip = hover(window, action)
    assert tip.title.text() == window.action_table[action].text().rstrip("…")
    assert tip.key.text() == key_of(action, "") and tip.text.text() == TOOL_WORDS[action]
    assert tip.movie is not None and tip.movie.state() == QMovie.MovieState.Running
    assert tip.picture.isVisible() and cut_off(tip) == []
    assert window.screen().availableGeometry().contains(tip.geometry())
    assert button(window, action).accessibleDescription() == TOOL_WORDS[action]


def test_nothing_moves_where_motion_is_reduced(window):
    window.document.session.view.reduced_motion = True
    tip = hover(window, "tool_drag")
    assert tip.movie is not None and tip.movie.state() == QMovie.MovieState.NotRunning
    assert tip.movie.currentFrameNumber() > 3 and not tip.movie.currentPixmap().isNull()
    window.document.session.view.reduced_motion = False


@pytest.mark.verify
def test_the_picture_is_that_of_the_theme_and_ends_with_the_tip(window):
    tip = hover(window, "tool_rotate")
    assert tip.movie.fileName().endswith("tool-rotate-dark.webp")
    QTest.keyClick(button(window, "tool_rotate"), Qt.Key.Key_Shift)
    assert window.toolbar.tips.tip is None and tip.movie is None, "a key takes it away, and nothing moves unseen"
    window.document.session.view.theme = "light"
    QApplication.processEvents()
    assert hover(window, "tool_rotate").movie.fileName().endswith("tool-rotate-light.webp")
    window.document.session.view.theme = "dark"
    QApplication.sendEvent(button(window, "tool_rotate"), QEvent(QEvent.Type.Leave))
    assert window.toolbar.tips.tip is None


def test_a_tip_is_seen_whole_in_a_small_window_and_takes_no_keyboard(window):
    window.resize(1024, 680)
    window.area.work_view.setFocus()
    tip = hover(window, "show_trail")
    assert window.screen().availableGeometry().contains(tip.geometry()) and window.area.work_view.hasFocus()
    tip.hide()

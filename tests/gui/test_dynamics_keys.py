"""The keyboard in the Dynamics tab: each key of the key map does there, in the real window, what its action is for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.timeline.dynamics.track import DynamicsTracks
from core.animation.hybrid_strips import DYNAMIC, MOTOR, HybridStrip
from core.animation.torque_curves import TorqueCurve

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def tracks(window) -> DynamicsTracks:
    """Return the rows of the Dynamics tab, with the keyboard in the row of the left leg."""
    window.timeline.show_tab("dynamics")
    made = window.timeline.dynamics
    made.setFocus()
    made.board.put_cursor(next(row for row in made.board.rows if row.name == "Left leg"))
    QApplication.processEvents()
    return made


def press(widget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifiers)
    QApplication.processEvents()


def test_strips_are_made_switched_copied_and_removed(window, tracks):
    document = window.document
    strips = lambda: document.sequence.hybrid_strips  # noqa: E731  # read anew each time
    document.set_frame(4)
    press(tracks, Qt.Key.Key_Insert)  # add_strip
    (made,) = strips()
    assert made.start == 4 and made.mode == DYNAMIC and made.parts == tuple(tracks.board.row().joints)
    press(tracks, Qt.Key.Key_M)  # toggle_motor
    assert [strip.mode for strip in strips()] == [MOTOR]
    press(tracks, Qt.Key.Key_M)
    assert [strip.mode for strip in strips()] == [DYNAMIC]

    length = made.end - made.start
    press(tracks, Qt.Key.Key_C, CONTROL)  # copy_strip
    document.set_frame(made.end + 3)
    press(tracks, Qt.Key.Key_V, CONTROL)  # paste_strip
    assert [(strip.start, strip.end - strip.start) for strip in strips()] == [(4, length), (made.end + 3, length)]
    press(tracks, Qt.Key.Key_Delete)  # remove_strip
    assert [strip.start for strip in strips()] == [4]
    for _ in range(5):
        document.history.undo()
    assert strips() == ()


@pytest.mark.verify
def test_a_torque_gets_a_key_at_the_playhead_and_gives_it_back(window, tracks):
    document, torques = window.document, window.timeline.torques
    first = TorqueCurve("left shank", 0, ((0.0, 3.0),))
    assert document.hybrid.set([HybridStrip(("left shank",), 4, 20, torques=(first,))])
    (strip,) = document.sequence.hybrid_strips
    tracks.keys.select(strip)
    QApplication.processEvents()
    assert torques.isVisible()
    torques.setFocus()
    document.set_frame(0)
    press(torques, Qt.Key.Key_Insert)  # add_curve_point
    assert "outside the strip" in window.status.state.text and document.sequence.hybrid_strips == (strip,)
    document.set_frame(6)
    press(torques, Qt.Key.Key_Insert)
    (curve,) = document.sequence.hybrid_strips[0].torques
    assert [frame for frame, _ in curve.keys] == [0.0, 2.0]
    press(torques, Qt.Key.Key_Delete)
    assert document.sequence.hybrid_strips[0].torques == (first,)

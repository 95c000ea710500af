"""The key strip shows what stood at a key while its picture is drawn anew, but nothing of keys that are gone."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from core.formats import bundled_folder


class Slow:
    """Pictures in a color for each pose; none while drawing is held up."""

    def __init__(self):
        self.held = False

    def image(self, q, width, height, ratio):
        if self.held:
            return None
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.magenta)
        return image


def painted(strip):
    """Return how many pixels of the strip come from pictures."""
    image = strip.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.asarray(image.constBits()).reshape(image.height(), -1, 4)[..., :3]
    return int(np.all(pixels == (255, 0, 255), axis=-1).sum())


def posed(document, angle):
    q = np.array(document.pose)
    q[8] += angle
    document.posing.set(q)


def test_a_key_that_was_undone_leaves_no_picture_for_the_next_at_its_frame(window):
    document, strip = window.document, window.timeline.strip
    assert document.files.open(bundled_folder() / "stickman.scr")
    strip.thumbnails = slow = Slow()
    posed(document, 0.3)
    assert painted(strip) > 500
    slow.held = True
    posed(document, 0.1)
    assert painted(strip) > 500  # the same key in another pose: the old picture is better than none
    document.stack.undo()
    document.stack.undo()
    posed(document, 0.5)
    assert len(document.sequence.keys) == 1 and painted(strip) == 0


@pytest.mark.verify
def test_another_figure_leaves_no_picture_of_the_one_before(window):
    document, strip = window.document, window.timeline.strip
    assert document.files.open(bundled_folder() / "stickman.scr")
    strip.thumbnails = slow = Slow()
    posed(document, 0.3)
    assert painted(strip) > 500
    slow.held = True
    assert document.files.load_figure(bundled_folder() / "arm7.scr")
    posed(document, 0.3)
    assert len(document.sequence.keys) == 1 and painted(strip) == 0
    slow.held = False
    assert painted(strip) > 500
    slow.held = True
    document.stack.undo()
    document.stack.undo()
    assert document.skeleton.name == "stickman" and painted(strip) == 0


def test_pictures_are_still_painted_after_the_mouse_was_on_the_strip(window):
    strip = window.timeline.strip
    strip.thumbnails = Slow()
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(round(strip.track_x(0)), strip.height() // 2))
    assert painted(strip) > 500

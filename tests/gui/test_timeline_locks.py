"""Locks under many tracks are brought into sight; the scale of the frames stays when tabs are switched."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace

import pytest
from PySide6.QtGui import QAction

from app.document.document import Document
from app.timeline.key_strip import HEIGHT, LOW_HEIGHT
from app.timeline.model import TimelineModel
from app.timeline.panel import LOW_BELOW, TimelinePanel


@pytest.fixture
def spider(qtbot, skeletons_folder) -> Document:
    document = Document()
    assert document.files.load_figure(skeletons_folder / "spider.scr")
    document.keys.set()
    return document


def test_a_new_lock_scrolls_its_rows_into_sight(qtbot, spider):
    panel = TimelinePanel(spider, defaultdict(QAction), SimpleNamespace(image=lambda *_: None))
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    with qtbot.waitExposed(panel):
        panel.show()
    bar = panel.scroll_area.verticalScrollBar()
    assert bar.value() == 0
    spider.locks.cycle(["left tarsus 1", "right tarsus 1"])
    # It scrolls once the rows are there, and again where they got taller.
    qtbot.waitUntil(lambda: bar.value() > 0 and panel.locks.visibleRegion().boundingRect().height() > 20)
    panel.stop()


@pytest.mark.verify
def test_rows_that_get_their_height_late_are_scrolled_to_all_the_same(qtbot, spider, monkeypatch):
    panel = TimelinePanel(spider, defaultdict(QAction), SimpleNamespace(image=lambda *_: None))
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    with qtbot.waitExposed(panel):
        panel.show()
    calls, show = [], panel.show_locks
    # The first call comes before the rows have a height, as on a busy machine: it finds nothing to scroll to.
    monkeypatch.setattr(panel, "show_locks", lambda: show() if calls else calls.append(True))
    spider.locks.cycle(["left tarsus 1", "right tarsus 1"])
    qtbot.waitUntil(lambda: panel.scroll_area.verticalScrollBar().value() > 0)
    panel.stop()


def test_another_width_shows_the_same_frames(qtbot, spider):
    model = TimelineModel(spider)
    model.set_width(900.0)
    model.fit()
    spider.set_frame(24)
    spider.keys.set()
    first, last = model.visible()
    model.set_width(888.0)
    assert abs(model.visible()[0] - first) < 0.5
    assert abs(model.visible()[1] - last) < 0.5


def test_bands_are_low_for_what_is_opened_without_a_change_of_size(qtbot, skeletons_folder):
    document = Document()
    panel = TimelinePanel(document, defaultdict(QAction), SimpleNamespace(image=lambda *_: None))
    qtbot.addWidget(panel)
    panel.resize(1000, LOW_BELOW - 20)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.resize(1000, min(LOW_BELOW - 20, panel.whole_height))
    assert panel.strip.height() == HEIGHT  # it has few rows: all is seen
    assert document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    qtbot.waitUntil(lambda: panel.strip.height() == LOW_HEIGHT)
    panel.stop()

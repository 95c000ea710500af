"""Keys: the dope sheet, and what a key holds."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.edits.edits import key_changes
from app.window.main_window import MainWindow
from core.animation.key import Key
from tests.pictures.driving import LEFT, State, settle_here


def key_what(window: MainWindow) -> None:
    """What a key holds, chosen beside Auto key."""
    window.action_table["key_changed"].trigger()
    window.toolbar.key_what.click()


def reduce_keys(window: MainWindow) -> None:
    """The board that says how few keys a recording can do with."""
    document = window.document
    document.selection.set(())
    document.locks.set((), "Locks")
    poses = document.sequence.base_at_frames(np.arange(33))  # type: ignore[union-attr]
    document.do("Record", lambda: key_changes(document.model, [Key(frame, q) for frame, q in enumerate(poses)]))
    window.reduce_keys.open()
    popover = window.reduce_keys.popover
    assert popover is not None
    for _ in range(300):
        settle_here(window, 0.1)
        if popover.found is not None:
            return


def sheet(window: MainWindow) -> None:
    """Rows open to their joints; keys that hold only some of them, and go on in different ways."""
    from app.document.content.key_selection import KeySelection

    document = window.document
    document.selection.set(())
    names = document.sequence.channels.names  # type: ignore[union-attr]
    frames = [int(frame) for frame in window.timeline.model.frames]
    arm = [name for name in names if "right" in name and ("arm" in name or "hand" in name)]
    document.keys.delete(KeySelection({frames[3]: arm, frames[5]: arm, frames[7]: [""]}))
    kinds = ("linear", "stepped", "catmull_rom", "centripetal", "kochanek_bartels", "free")
    for frame, kind in zip(frames[4:], kinds, strict=False):
        document.keys.set_shape(KeySelection.of_frames([frame]), interp=kind)
    document.keys.set_shape(KeySelection({frames[2]: arm}), interp="linear")
    document.session.keys.open_rows = {"summary", "root", *_group(window, "right arm")}
    document.set_frame(frames[2])
    window.workbench.fit_timeline()


def _group(window: MainWindow, name: str) -> set[str]:
    return {row.id for row in window.timeline.model.rows if row.name.lower() == name}


def sheet_selection(window: MainWindow) -> None:
    """Some keys of an arm selected, and their numbers being typed."""
    sheet(window)
    model = window.timeline.model
    row = next(row for row in model.rows if row.name.lower() == "right arm")
    model.select_range(int(model.frames[1]), int(model.frames[5]), row, add=False)
    settle_here(window, 0.2)
    window.action_table["key_numbers"].trigger()


def sheet_ripple(window: MainWindow) -> None:
    """The edge of the selected keys on its way, the rest rippling along, snapped to the playhead."""
    document, timeline = window.document, window.timeline
    frames = [int(frame) for frame in timeline.model.frames]
    timeline.model.select(frames[2:5])
    document.set_frame(frames[4] + 5)
    settle_here(window, 0.3)
    start = timeline.sheet._handles()[1].center()
    QTest.mousePress(timeline.sheet, LEFT, pos=start.toPoint())
    alt = Qt.KeyboardModifier.AltModifier
    for by in (1.0, 3.0, 5.1):
        at = start + QPointF(by * timeline.model.pixels, 4.0)
        move = QMouseEvent(QEvent.Type.MouseMove, at, timeline.sheet.mapToGlobal(at), LEFT, LEFT, alt)
        QApplication.sendEvent(timeline.sheet, move)
        settle_here(window, 0.05)


def sheet_crowded(window: MainWindow) -> None:
    """A recording: a key at every frame; some keys of it selected, part of it holding still."""
    from core.animation.key import Key

    document = window.document
    poses = [np.array(document.sequence.pose_at(i / 120.0)) for i in range(96)]  # type: ignore[union-attr]
    poses[40:60] = [poses[40]] * 20
    with document.keys.begin_gesture("Record") as gesture:
        gesture.set_keys([Key(2 * i if i > 80 else i, q, "linear") for i, q in enumerate(poses)])
    window.timeline.model.fit()
    window.timeline.model.select(range(66, 75))
    settle_here(window, 0.3)


def sheet_overview(window: MainWindow) -> None:
    """A part of many keys in sight."""
    sheet_crowded(window)
    timeline = window.timeline
    timeline.model.show_span(30.0, 72.0)
    settle_here(window, 0.3)


STATES: tuple[State, ...] = (
    ("sheet", sheet, "dark", (1600, 1000)),
    ("sheet-light", sheet, "light", (1600, 1000)),
    ("sheet-small", sheet, "dark", (1024, 680)),
    ("sheet-selection", sheet_selection, "dark", (1600, 1000)),
    ("sheet-ripple", sheet_ripple, "light", (1600, 1000)),
    ("sheet-crowded", sheet_crowded, "dark", (1440, 900)),
    ("sheet-overview", sheet_overview, "dark", (1440, 900)),
    ("sheet-overview-light", sheet_overview, "light", (1024, 680)),
    ("key-what", key_what, "dark", (1440, 900)),
    ("key-what-light", key_what, "light", (1440, 900)),
)

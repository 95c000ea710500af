"""What the tests of lock strips in the window share."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.timeline.locks.track import LockTracks
from app.window.main_window import MainWindow
from core.animation.locks.strip import LockStrip
from core.constraints.bind import bind
from core.constraints.lock import Lock
from core.skeleton.segment import end_effector


def lock(document: Document, kind: str, joint: str, frame: int = 0, **values: Any) -> Lock:
    """Return a lock of a part's end-effector where that is at a frame."""
    skeleton, sequence = document.skeleton, document.sequence
    point = tuple(end_effector(skeleton, skeleton.joint_index(joint)))
    return bind(Lock(joint, kind, point=point, **values), skeleton, sequence.interpolated(frame / sequence.fps))


def put(window: MainWindow, *strips: LockStrip) -> LockTracks:
    """Give the document these strips alone; return where they are shown."""
    assert window.document.locks.set(strips)
    window.workbench.fit_timeline()
    QApplication.processEvents()
    return window.timeline.locks


def foot_strip(window: MainWindow) -> LockStrip:
    """Make a strip of the right foot at frames 8 to 24, eases of 3 and 4 frames; the only one."""
    strip = LockStrip(lock(window.document, "position", "right foot", 12), 8, 24, 3, 4, id="foot")
    put(window, strip)
    return strip


def now(window: MainWindow, strip: LockStrip) -> LockStrip:
    """Return a strip as it is now."""
    found = window.document.locks.strip(strip.id)
    assert found is not None
    return found

"""What the tests of the locks panel and of its editor share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest

from app.document.document import Document
from app.panels import LocksPanel
from core.constraints import Lock
from tests.support.dock_frame import DockFrame


def opened(folder: Path, name: str) -> Document:
    """Return a document with a file of a folder, in which posing holds no locks."""
    made = Document()
    assert made.files.open(folder / name)
    made.locks.set_holds(False)  # the pose on screen is what is looked at here
    return made


def shown(qtbot: Any, document: Document) -> LocksPanel:
    """Return the locks panel of a document in a dock of its own, shown."""
    made = LocksPanel(document)
    frame = DockFrame([made])
    qtbot.addWidget(frame)
    frame.resize(296, 900)
    frame.show()
    frame.activateWindow()
    assert QTest.qWaitForWindowActive(frame)
    made.frame = frame  # type: ignore[attr-defined]
    return made


def put(document: Document, part: str, kind: str = "position", **values: Any) -> str:
    """Lock a part; return the lock's key."""
    strip = {name: values.pop(name) for name in ("start", "end", "ease_in", "ease_out") if name in values}
    key = document.locks.add(Lock(part, kind, **values), **strip)
    assert key is not None
    return key


def steps(document: Document) -> int:
    """Return how many steps are done."""
    return document.stack.index()

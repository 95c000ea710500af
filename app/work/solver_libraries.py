"""Brings in what a solver imports at its first use as soon as it is chosen: its first drag does not wait."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from app.document.changes import Change, SessionChanged
from app.process.log import logger
from core.ik.optimization import load_libraries

if TYPE_CHECKING:
    from app.document.document import Document

NEEDS = {"optimization": load_libraries}


class SolverLibraries:
    """Follows which solver is chosen.

    Attributes:
        thread: What loads them, or did; None before.
    """

    def __init__(self, document: Document):
        self._session = document.session
        self.thread: threading.Thread | None = None
        document.changed.connect(self._take)
        self._load()

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name == "solver":
            self._load()

    def _load(self) -> None:
        if self.thread is None and self._session.solver.name in NEEDS:
            self.thread = threading.Thread(
                target=_quietly, args=(self._session.solver.name,), name="solver libraries", daemon=True
            )
            self.thread.start()


def _quietly(solver: str) -> None:
    try:
        NEEDS[solver]()
    except Exception:  # the first solve tries again, and reports what is wrong
        logger.exception("loading the libraries of %s failed", solver)

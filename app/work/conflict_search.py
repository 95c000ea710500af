"""Looks, beside the window, for why locks cannot be held together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    LocksChanged,
    PoseChanged,
    SequenceChanged,
)
from app.document.edits.lock_states import HELD, HELD_TURN, is_off
from app.process.log import logger
from app.words.lock_words import angle_text, length_text
from core.constraints.conflicts import Conflict, find_conflict
from core.errors import Cancelled

if TYPE_CHECKING:
    from app.document.document import Document
    from core.constraints.lock import Lock
    from core.skeleton import Skeleton

DELAY = 150
"""How long a pose must stay before it is looked at, [ms]."""
PATIENCE = 300
"""After how long without an answer it is said that one is looked for, [ms]."""


@dataclass(frozen=True, eq=False)
class LockConflict:
    """What is known about locks that cannot be held together, as the session has it.

    Attributes:
        ids: Id of the strip of each lock that was looked at, None for one that holds at all times.
        looked_at: The locks that were looked at, in the order of ``ids``.
        now: How far off the lock is on screen that the text is about, in words as the list has them, or "".
        conflict: The answer; its ``locks`` and the keys of its fixes' ``changes`` count in ``ids``.
    """

    ids: tuple[str | None, ...]
    looked_at: tuple[Lock, ...]
    conflict: Conflict
    now: str = ""

    @property
    def locks(self) -> tuple[int, ...]:
        """The smallest set found, by place in ``ids``."""
        return self.conflict.locks

    @property
    def keys(self) -> tuple[str, ...]:
        """Ids of the strips of that set; locks that hold at all times are left out."""
        return tuple(key for i in self.locks if (key := self.ids[i]) is not None)

    @property
    def residuals(self) -> Any:
        """How far each of that set is off, as the conflict says."""
        return self.conflict.residuals

    @property
    def arrows(self) -> Any:
        """From where parts are to where they should be, in the world, [m]."""
        return self.conflict.arrows

    @property
    def limits(self) -> tuple[int, ...]:
        """Degrees of freedom whose limits are in the way."""
        return tuple(self.conflict.limits)

    @property
    def text(self) -> str:
        """What is wrong, one sentence; with what is on screen, where all locks yield, if that differs."""
        text = self.conflict.text
        return text if not self.now or self.now in text else f"{text}; now {self.now} while all of them yield"

    @property
    def fixes(self) -> Any:
        """What would help."""
        return self.conflict.fixes


@dataclass(frozen=True, eq=False)
class _Question:
    skeleton: Skeleton
    pose: Any
    ids: tuple[str | None, ...]
    locks: tuple[Lock, ...]
    figures: Mapping[str, Any] | None

    def same(self, other: _Question | None) -> bool:
        """Return whether another question has the same answer."""
        return (
            other is not None
            and self.skeleton is other.skeleton
            and self.ids == other.ids
            and len(self.locks) == len(other.locks)
            and all(a is b or a == b for a, b in zip(self.locks, other.locks, strict=True))
            and np.array_equal(self.pose, other.pose)
        )


class ConflictWorker(QObject):
    """Watches a document, and keeps ``session.conflict`` up to date.

    While a pose changes nothing is looked for: an answer to an older pose is withdrawn, and so is a search for it.
    """

    _answered = Signal(object, object)

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent)
        self.document = document
        self._search: _Search | None = None
        self._shown: _Question | None = None
        self._late = QTimer(self, singleShot=True, interval=DELAY)
        self._late.timeout.connect(self._look)
        self._slow = QTimer(self, singleShot=True, interval=PATIENCE)
        self._slow.timeout.connect(self._say)
        self._answered.connect(self._take, Qt.ConnectionType.QueuedConnection)
        document.changed.connect(self._on_change)

    @property
    def busy(self) -> bool:
        """Whether it waits or searches."""
        return self._late.isActive() or self._search is not None

    def stop(self, longest: float = 5.0) -> None:
        """Give up what is under way and wait for the thread; call before the application ends."""
        self._late.stop()
        self._slow.stop()
        search = self._search
        self._drop()
        if search is not None:
            search.thread.join(longest)

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        if isinstance(change, (PoseChanged, LocksChanged, FigureChanged, FileChanged, SequenceChanged, FrameChanged)):
            self._again()

    def _again(self) -> None:
        question = self._question()
        if question is None:
            self._late.stop()
            self._drop()
            self._show(None, None)
            return
        if question.same(self._shown) or (self._search is not None and question.same(self._search.question)):
            return
        self._drop()
        self._show(None, None)
        self._late.start()
        self._slow.start()

    def _say(self) -> None:
        self.document.session.locks.looking = self.busy

    def _question(self) -> _Question | None:
        document = self.document
        if document.skeleton is None or document.session.mode != "pose":
            return None
        if all(state.word != "conflict" for state in document.locks.states()):
            return None
        rows = [(strip, lock) for strip, lock, factor in document.locks.now() if not is_off(lock, factor)]
        locks = tuple(lock for _, lock in rows)
        ids = tuple(None if strip is None else strip.id for strip, _ in rows)
        return _Question(document.skeleton, document.pose, ids, locks, document.model.other_figures(list(locks)))

    def _drop(self) -> None:
        if self._search is not None:
            self._search.cancelled.set()
            self._search = None

    def _look(self) -> None:
        question = self._question()
        if question is None:
            return
        search = self._search = _Search(question, self._notify)
        search.thread.start()

    # -- answers -------------------------------------------------------------------------------------------------

    def _notify(self, search: _Search, answer: object) -> None:
        try:
            self._answered.emit(search, answer)
        except RuntimeError:
            pass  # the window closed meanwhile

    def _take(self, search: _Search, answer: Conflict | None) -> None:
        if search is not self._search:
            return
        self._search = None
        question = search.question
        found = None
        if answer is not None:
            found = LockConflict(question.ids, question.locks, answer, self._now(question, answer))
        self._show(question, found)

    def _now(self, question: _Question, answer: Conflict) -> str:
        key = None if answer.missed is None else question.ids[answer.missed]
        for state in self.document.locks.states():
            if key is not None and state.strip is not None and state.strip.id == key:
                far, turned = state.position_residual, state.angle_residual
                return length_text(far) if far > HELD else angle_text(turned) if turned > HELD_TURN else ""
        return ""

    def _show(self, question: _Question | None, found: LockConflict | None) -> None:
        self._shown = question
        self._slow.stop()
        self.document.session.locks.looking = False
        self.document.session.locks.conflict = found


class _Search:
    """One search, in a thread of its own."""

    def __init__(self, question: _Question, notify: Callable[[_Search, object], None]):
        self.question = question
        self.cancelled = threading.Event()
        self._answer = notify
        self.thread = threading.Thread(target=self._run, name="lock conflicts", daemon=True)

    def _run(self) -> None:
        asked = self.question
        try:
            found = find_conflict(
                asked.skeleton, asked.pose, asked.locks, figures=asked.figures, cancelled=self.cancelled.is_set
            )
        except Cancelled:
            return
        except Exception as error:
            logger.info("looking for a lock conflict failed", exc_info=error)
            found = None
        if not self.cancelled.is_set():
            self._answer(self, found)

"""Somebody who does anything at all in the real window: ``python -m tests.support.monkey --actions 5000 --minutes 15``.

Runs in a process of its own, since it fills the window and watches the memory of the whole process. Prints one line of
JSON; what went wrong stands in it with the actions that came before. The same seed does the same things as long as
the window has the same parts.
"""

from __future__ import annotations

import argparse
import collections
import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtWidgets import QWidget

    from app.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = frozenset({"quit", "open_log", "add_to_applications"})
"""Actions that end the program, start another one, or write into the person's own folders."""

_LONG = 500
"""Actions from which on memory is also looked at with the same file opened anew."""
BEAT = 0.02
"""Seconds between two beats of the window's clock; a longer gap is a stall."""


class Pulse:
    """Notes how long the window's thread answers nothing, and what it was doing then.

    A watcher in a thread of its own takes the stack of the window's thread once it has been silent for ``limit``.
    """

    def __init__(self, limit: float):
        from PySide6.QtCore import QTimer

        self.limit, self.longest, self.stalls = limit, 0.0, []  # type: ignore[var-annotated]
        self.now_doing = ""
        self._window_thread = threading.get_ident()
        self._last = time.monotonic()
        self._seen: tuple[float, str] = (0.0, "")
        self._timer = QTimer()
        self._timer.setInterval(int(1000 * BEAT))
        self._timer.timeout.connect(self.beat)
        self._timer.start()
        threading.Thread(target=self._watch, name="pulse", daemon=True).start()

    def beat(self) -> None:
        """Note that the window answers."""
        now = time.monotonic()
        gap, self._last = now - self._last, now
        self.longest = max(self.longest, gap)
        if gap > self.limit:
            began, stack = self._seen
            self.stalls.append([round(gap, 2), self.now_doing, stack if now - began < gap else ""])

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            if time.monotonic() - self._last > 0.8 * self.limit and time.monotonic() - self._seen[0] > self.limit:
                frame = sys._current_frames().get(self._window_thread)
                lines = traceback.extract_stack(frame)[-9:] if frame is not None else []
                places = [f"{Path(line.filename).name}:{line.lineno} {line.name}" for line in lines]
                self._seen = (time.monotonic(), " > ".join(places))


class Monkey:
    """Does one random thing after the other.

    Args:
        window: The editor's window, shown.
        seed: Of what it does.
        samples: Files it may open.
    """

    def __init__(self, window: MainWindow, seed: int, samples: list[Path]):
        self._window, self._samples = window, samples
        self._random = random.Random(seed)
        self._actions: tuple[tuple[float, Callable[[], str]], ...] = (
            (30, self.drag_in_view),
            (14, self.drag_in_timeline),
            (18, self.run_action),
            (8, self.click_anything),
            (8, self.undo_or_redo),
            (6, self.scrub),
            (4, self.type_a_number),
            (4, self.turn_wheel),
            (3, self.press_keys),
            (2, self.play),
            (2, self.resize),
            (1, self.open_sample),
        )

    def act(self) -> str:
        """Do one thing; return what it was."""
        weights, actions = zip(*self._actions, strict=True)
        return self._random.choices(actions, weights)[0]()

    # -- ways to do things ----------------------------------------------------------------------------------------

    def drag_in_view(self) -> str:
        view = self._random.choice([view for view in self._window.area.views() if view.isVisible()])
        return self._drag(view, "view")

    def drag_in_timeline(self) -> str:
        from PySide6.QtWidgets import QWidget

        timeline = self._window.timeline
        parts = [part for part in timeline.findChildren(QWidget) if part.isVisible() and part.width() > 60]
        return self._drag(self._random.choice(parts or [timeline]), "timeline")

    def run_action(self) -> str:
        names = [name for name in self._window.action_table.names() if self._window.action_table[name].isEnabled()]
        name = self._random.choice([name for name in names if name not in LEFT_OUT])
        self._window.action_table[name].trigger()
        return f"action {name}"

    def click_anything(self) -> str:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QWidget

        parts = [part for part in self._window.findChildren(QWidget) if part.isVisible() and part.isEnabled()]
        parts = [part for part in parts if part.window() is self._window and not self._ends(part)]
        if not parts:
            return "nothing to click"
        part = self._random.choice(parts)
        button = self._random.choices((Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton), (8, 1))[0]
        point = self._point_in(part)
        QTest.mouseClick(part, button, Qt.KeyboardModifier.NoModifier, point)
        return f"click {self._name(part)} at {point.x()}, {point.y()}"

    def undo_or_redo(self) -> str:
        name = self._random.choice(("undo", "undo", "redo"))
        for _ in range(self._random.randint(1, 6)):
            self._window.action_table[name].trigger()
        return name

    def scrub(self) -> str:
        frame = self._random.randint(-10, 130)
        if self._window.document.sequence is not None:
            self._window.document.set_frame(frame)
        return f"scrub to {frame}"

    def type_a_number(self) -> str:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        from app.widgets.fields.number_field import NumberField

        fields = [field for field in self._window.findChildren(NumberField) if field.isVisible() and field.isEnabled()]
        if not fields:
            return "no number to type"
        field = self._random.choice(fields)
        text = self._random.choice(("0", "-12.5", "90/2", "+5", "1e9", "nan", "", "abc", "-0", "1/0", "9" * 30))
        QTest.mouseClick(field, Qt.MouseButton.LeftButton)
        QTest.keyClicks(self._focus() or field, text)
        QTest.keyClick(
            self._focus() or field, self._random.choice((Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape))
        )
        return f"type {text!r} into {self._name(field)}"

    def turn_wheel(self) -> str:
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent
        from PySide6.QtWidgets import QApplication, QWidget

        parts = [part for part in self._window.findChildren(QWidget) if part.isVisible()]
        part = self._random.choice(parts)
        at = self._point_in(part)
        turn = QPoint(0, self._random.choice((-480, -120, 120, 480)))
        event = QWheelEvent(
            QPointF(at), QPointF(part.mapToGlobal(at)), QPoint(), turn, Qt.MouseButton.NoButton,
            self._modifiers(), Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(part, event)
        return f"wheel over {self._name(part)}"

    def press_keys(self) -> str:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        keys = [Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up]
        keys += [Qt.Key.Key_Down, Qt.Key.Key_Delete, Qt.Key.Key_Return, Qt.Key.Key_L, Qt.Key.Key_S, Qt.Key.Key_F2]
        key = self._random.choice(keys)
        QTest.keyClick(self._focus() or self._window, key)
        return f"key {key.name}"

    def play(self) -> str:
        self._window.action_table["play"].trigger()
        _wait(self._random.uniform(0.05, 0.4))
        self._window.player.pause()
        return "play"

    def resize(self) -> str:
        size = self._random.randint(1024, 1600), self._random.randint(680, 1000)
        self._window.resize(*size)
        return f"resize to {size}"

    def open_sample(self) -> str:
        path = self._random.choice(self._samples)
        self._window.document.files.open(path)
        return f"open {path.name}"

    # -- parts of them --------------------------------------------------------------------------------------------

    def _drag(self, part: QWidget, what: str) -> str:
        from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
        from PySide6.QtGui import QMouseEvent
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication

        button = self._random.choices((Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton), (9, 1))[0]
        start, modifiers = self._point_in(part), self._modifiers()
        QTest.mouseMove(part, start)
        QTest.mousePress(part, button, modifiers, start)
        at = start
        moves = self._random.randint(0, 25)
        for _ in range(moves):
            at = at + QPoint(self._random.randint(-14, 14), self._random.randint(-14, 14))
            event = QMouseEvent(
                QEvent.Type.MouseMove, QPointF(at), QPointF(part.mapToGlobal(at)), button, button, modifiers
            )
            QApplication.sendEvent(part, event)
            QApplication.processEvents()
        if self._random.random() < 0.1:
            QTest.keyClick(self._focus() or part, Qt.Key.Key_Escape)
        QTest.mouseRelease(part, button, modifiers, at)
        return f"drag in {what} {self._name(part)} from {start.x()}, {start.y()} by {moves} moves, {modifiers.name}"

    def _modifiers(self):  # type: ignore[no-untyped-def]
        from PySide6.QtCore import Qt

        held = Qt.KeyboardModifier
        return self._random.choices(
            (held.NoModifier, held.ShiftModifier, held.ControlModifier, held.AltModifier), (6, 1, 1, 1)
        )[0]

    def _point_in(self, part: QWidget) -> QPoint:
        from PySide6.QtCore import QPoint

        return QPoint(self._random.randrange(max(part.width(), 1)), self._random.randrange(max(part.height(), 1)))

    def _focus(self) -> QWidget | None:
        from PySide6.QtWidgets import QApplication

        return QApplication.focusWidget()

    @staticmethod
    def _name(part: QWidget) -> str:
        return part.objectName() or part.accessibleName() or type(part).__name__

    def _ends(self, part: QWidget) -> bool:
        """Whether a click on a part may end the program or start another one."""
        from PySide6.QtWidgets import QMenu, QMenuBar

        return isinstance(part, QMenu | QMenuBar)


class Dismissal:
    """Answers what asks while it waits for an answer: dialogs, boxes, menus."""

    def __init__(self, seed: int):
        from PySide6.QtCore import QTimer

        self._random = random.Random(seed)
        self._timer = QTimer()
        self._timer.setInterval(120)
        # Not within the timer's own event: what an answer opens may wait for the next one, and no timer fires twice.
        self._timer.timeout.connect(lambda: QTimer.singleShot(0, self.answer))
        self._timer.start()

    def answer(self) -> None:
        """Press a key or a button in whatever is in front of the window, most often one that ends it."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog

        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if front is None:
            return
        if isinstance(front, QFileDialog) or self._random.random() < 0.6:
            QTest.keyClick(front, Qt.Key.Key_Escape)
            return
        buttons = [
            button for button in front.findChildren(QAbstractButton) if button.isVisible() and button.isEnabled()
        ]
        if buttons:
            QTest.mouseClick(self._random.choice(buttons), Qt.MouseButton.LeftButton)
        else:
            QTest.keyClick(front, self._random.choice((Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Escape)))


def resident() -> float:
    """Return the memory that this process holds, [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _wait(seconds: float) -> None:
    from PySide6.QtTest import QTest

    QTest.qWait(int(1000 * seconds))


def run(seed: int, actions: int, minutes: float, stall: float, tell: bool = False) -> dict[str, object]:
    """Let it loose in a window of its own.

    Args:
        seed: Of what it does.
        actions: How many things it does.
        minutes: Over how long they are spread at least; 0 does one after the other.
        stall: Seconds without an answer that count as a stall.
        tell: Whether each action is printed.

    Returns:
        ``"done"`` actions, ``"seconds"``, ``"errors"`` (what the program caught or Python printed, each with the
        actions before), ``"stalls"`` and ``"longest"`` [s], ``"memory"`` [MB] over the run, and ``"settled"``: in a
        long run, what it is 24 times on the way with the same file opened anew and what was freed given back.
    """
    from app.process import crash_guard
    from app.process.freed_memory import give_back
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    window.start()
    samples = sorted((ROOT / "skeletons").rglob("*.seq")) + sorted((ROOT / "skeletons").glob("*.scr"))
    recent: collections.deque[str] = collections.deque(maxlen=5)
    errors: list[list[object]] = []

    def take(self: object, error: BaseException) -> None:
        text = "".join(traceback.format_exception(error)).strip()
        errors.append([text[-1500:], list(recent)])

    crash_guard._Reporter.take = take  # type: ignore[method-assign]
    window.files.open_path(ROOT / "skeletons" / "library" / "Walks and runs" / "walk.seq")
    _wait(1.5)
    monkey, pulse, dismissal = Monkey(window, seed, samples), Pulse(stall), Dismissal(seed)
    memory, settled, begin = [], [], time.monotonic()
    pulse.longest = 0.0
    for done in range(actions):
        pulse.now_doing = f"after {recent[-1]}" if recent else ""
        recent.append(monkey.act())
        if tell:
            print(done, recent[-1], file=sys.stderr, flush=True)
        application.processEvents()
        behind = begin + 60.0 * minutes * (done + 1) / actions - time.monotonic()
        _wait(max(0.02, min(behind, 0.5)))
        if done % max(actions // 60, 1) == 0:
            memory.append(round(resident(), 1))
        if actions >= _LONG and done % (actions // 24) == 0:
            window.document.files.open(ROOT / "skeletons" / "library" / "Walks and runs" / "walk.seq")
            _wait(1.0)
            gc.collect()
            give_back()
            settled.append(round(resident(), 1))
    seconds = time.monotonic() - begin
    dismissal._timer.stop()
    window.stop()
    return {
        "done": actions, "seconds": round(seconds, 1), "errors": errors, "stalls": pulse.stalls,
        "longest": round(pulse.longest, 3), "memory": memory, "settled": settled,
    }  # fmt: skip


def main(words: list[str]) -> int:
    """Run with the words of the command line and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--stall", type=float, default=1.0)
    parser.add_argument("--tell", action="store_true", help="print each action")
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        from core.kernels import cache

        os.environ.setdefault(cache.CACHE_VARIABLE, str(cache.root()))  # compiling all kernels anew takes minutes
        os.chdir(folder)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[name] = folder
        result = run(chosen.seed, chosen.actions, chosen.minutes, chosen.stall, chosen.tell)
        print(json.dumps(result), flush=True)
        os._exit(0)  # what still runs in other threads is not what is looked at


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))

"""Brings compiled kernels in without ever stalling the window: a child process compiles, a thread loads."""

from __future__ import annotations

import gc
import queue
import re
import sys
import threading
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.process.log import logger
from core import kernels

SETTLED = 400  # [ms] after the first events: what the person sees first is drawn by then
_PROGRESS = re.compile(r"^(\d+)/(\d+) (\S+)")


class KernelWarmUp(QObject):
    """Has the text of kernels serve until the compiled ones are there, which come in one domain at a time, locks first.

    Those of physics stay on the disk until somebody turns to physics, simulates, or asks for one; their text serves who
    asks for a moment longer.

    Signals:
        progressed(int, int): Kernels compiled so far, of how many; only when they were not in the cache.
        finished(bool): Whether compiled kernels serve now; on False the text of those that are missing goes on.

    Attributes:
        problem: Why they do not, as the compiler said it, many lines; "" if they do or that is not known.
    """

    progressed = Signal(int, int)
    finished = Signal(bool)
    _loaded = Signal(bool)
    _missing = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.problem = ""
        self._child: QProcess | None = None
        self._stopped = False
        self._asked: set[str] = set()  # those of physics that somebody needs, or will soon
        self._complete = False  # whether the cache holds them, and all others are loaded
        self._ready: queue.SimpleQueue[str | None] = queue.SimpleQueue()  # None: all are; "": no more will be
        self._loaded.connect(self._all_loaded)
        self._missing.connect(self._compile)
        kernels.compile_on_demand(False, self._take_asked)

    def start(self) -> None:
        """Load the kernels if the cache holds them; otherwise compile them in a child process first."""
        if kernels.is_loaded():
            self.finished.emit(True)
        else:
            # At the first turn of the event loop, not now: what opens a window may take its time before that.
            QTimer.singleShot(0, self, lambda: QTimer.singleShot(SETTLED, self, self._begin))

    def _begin(self) -> None:
        if self._stopped:
            return
        # Loading takes a second or two, most of it in the interpreter, which switches threads meanwhile.
        threading.Thread(target=self._load, name="kernels", daemon=True).start()

    def _compile(self) -> None:
        if self._stopped:
            return
        child = self._child = QProcess(self)
        child.setWorkingDirectory(str(Path(kernels.__file__).resolve().parents[2]))
        child.setProcessChannelMode(QProcess.ProcessChannelMode.SeparateChannels)
        child.readyReadStandardOutput.connect(self._read)
        child.finished.connect(self._compiled)
        child.errorOccurred.connect(self._failed)
        child.start(sys.executable, ["-m", "core.warm"])

    def _read(self) -> None:
        assert self._child is not None
        while self._child.canReadLine():
            found = _PROGRESS.match(bytes(self._child.readLine().data()).decode("utf-8", "replace"))
            if found:
                self._ready.put(found[3])
                self.progressed.emit(int(found[1]), int(found[2]))

    def _compiled(self, code: int, status: QProcess.ExitStatus) -> None:
        child = self._child
        self._child = None
        if code == 0 and status == QProcess.ExitStatus.NormalExit:
            if child is not None:
                self._child = child
                self._read()
                self._child = None
            self._ready.put(None)
            return
        if child is not None:
            self.problem = bytes(child.readAllStandardError().data()).decode("utf-8", "replace").strip()
            if status == QProcess.ExitStatus.CrashExit and not self.problem:
                self.problem = "the kernel compiler was ended from outside"
            logger.error("compiling kernels failed: %s", self.problem)
        self._ready.put("")
        self.finished.emit(False)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._child = None
            self.problem = f"the kernel compiler did not start: {sys.executable}"
            logger.error(self.problem)
            self._ready.put("")
            self.finished.emit(False)

    def _load(self) -> None:
        """Load what the cache holds, then what the compiler finishes, until it has ended."""
        good = True
        try:
            for name in kernels.names():
                if not name.startswith(kernels.LATE) and kernels.is_warm(name):
                    kernels.load(name)
            if not kernels.is_warm():
                self._missing.emit()
                while built := self._ready.get():
                    if not built.startswith(kernels.LATE):
                        kernels.load(built)
                if built is not None:
                    return  # the compiler failed, which has been reported
            self._complete = True
            for name in sorted(self._asked):
                kernels.load(name)
            gc.freeze()  # numba stays, and searching its hundred thousand objects for garbage would stall what plays
        except Exception as error:  # whatever the compiler's libraries raise, the text of the kernels still serves
            self.problem = f"loading the kernels failed: {error}"
            logger.exception("loading kernels failed")
            good = False
        try:
            self._loaded.emit(good)
        except RuntimeError:
            pass  # the window closed while the kernels were loading

    def expect_physics(self) -> None:
        """Load the kernels of physics in a moment: somebody has turned to it."""
        self._take_asked(*(name for name in kernels.names() if name.startswith(kernels.LATE)))

    def _take_asked(self, *names: str) -> None:
        """Note, on any thread, that the text of kernels serves somebody; load those of physics then."""
        new = [name for name in names if name.startswith(kernels.LATE) and name not in self._asked]
        self._asked.update(new)
        if new and self._complete:
            threading.Thread(target=self._load_asked, args=(new,), name="kernels", daemon=True).start()

    def _load_asked(self, names: list[str]) -> None:
        try:
            for name in names:
                kernels.load(name)
            gc.freeze()
        except Exception:  # as above
            logger.exception("loading kernels failed")

    def _all_loaded(self, good: bool) -> None:
        if not self._stopped:
            self.finished.emit(good)

    def stop(self) -> None:
        """End the child process, if one runs; call before the application ends."""
        self._stopped = True
        kernels.compile_on_demand(True)  # whoever works in this process after the window has time again
        self._ready.put("")
        child = self._child
        self._child = None
        if child is not None:
            child.finished.disconnect()
            child.errorOccurred.disconnect()
            child.kill()
            child.waitForFinished(2000)

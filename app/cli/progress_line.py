"""How far a command has come, on one line of the terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

_EVERY = 0.1  # [s]


class ProgressLine:
    """One line on standard error that counts up to 100 % and is wiped out at the end.

    Use it as ``with ProgressLine("walk.mp4", always) as progress: save(..., progress=progress)``.

    Args:
        what: What is being done, before the number.
        always: Whether it is written even if standard error is no terminal; then each step is a line of its own.
        stream: Where to; None for standard error.
    """

    def __init__(self, what: str, always: bool = False, stream: TextIO | None = None):
        self._stream = stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._shown = always or self._terminal
        self._what = what
        self._percent = -1
        self._when = 0.0

    def __call__(self, done: float) -> None:
        """Show how much is done, 0 to 1."""
        percent = int(100.0 * min(max(done, 0.0), 1.0))
        now = time.monotonic()
        if not self._shown or percent == self._percent or (now - self._when < _EVERY and percent < 100):
            return
        self._percent, self._when = percent, now
        self._stream.write(f"\r{self._what}: {percent} %" if self._terminal else f"{self._what}: {percent} %\n")
        self._stream.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._terminal and self._percent >= 0:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

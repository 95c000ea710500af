"""The MOTION part of a BVH file: how many frames there should be, how long each is, and the rows of values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.bvh.scanner import FARTHEST, Scanner, finite_number, not_a_number, shown
from core.progress import Progress, report

RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480, 500, 600, 960, 1000)
"""Rates that cameras, films and games have."""

NTSC = tuple(rate * 1000 / 1001 for rate in (24, 30, 60, 120))
"""23.976 and its like."""

SLOWEST, FASTEST = 1e-3, 1e6  # [frames/s]
_EXACT = 1e-9
_NOISE = 1e-5  # of the frame time: what single precision and unit changes leave behind


def frame_rate(text: str) -> float | None:
    """Return the frames a second that a frame time, as the file writes it, stands for; None if it makes no sense.

    A whole rate that the number states exactly comes first, then the usual rates, then 23.976 and its like, all
    within half of the last digit that is written; then those within a whole one (the number was cut off); then any
    whole rate; and last what the number says.

    Args:
        text: A finite decimal number, [s].
    """
    written = Decimal(text)
    seconds = float(written)
    if not 1.0 / FASTEST <= seconds <= 1.0 / SLOWEST:
        return None
    rate = 1.0 / seconds
    nearest = float(round(rate))
    if nearest and abs(rate - nearest) <= _EXACT * rate:
        return nearest
    exponent = written.as_tuple().exponent
    digit = 10.0**exponent if isinstance(exponent, int) else 0.0
    half, whole = max(0.5 * digit, _NOISE * seconds), max(digit, _NOISE * seconds)
    for rates, tolerance in ((RATES, half), (NTSC, half), (RATES, whole), (NTSC, whole), ((nearest,), half)):
        found = _nearest(rates, seconds, tolerance)
        if found is not None:
            return found
    return rate


def _nearest(rates: Iterable[float], seconds: float, tolerance: float) -> float | None:
    """Return the rate whose frame time is nearest to ``seconds``, None if it is farther than ``tolerance``."""
    near = min((rate for rate in rates if rate > 0.0), key=lambda rate: abs(1.0 / rate - seconds), default=None)
    # The last bit of the decimal must not decide.
    if near is None or abs(1.0 / near - seconds) > tolerance * (1.0 + 1e-9):
        return None
    return float(near)


USUAL_RATE = 30.0
MOST_FRAMES = 300_000
CHUNK = 1 << 18  # bytes that are looked at in one go

_FRAMES = re.compile(rb"\s*Frames\s*:?\s*([^\s:]+)[^\S\n]*", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame\s*Time\s*:?\s*([^\s:]+)[^\S\n]*", re.IGNORECASE)
_WHOLE = re.compile(rb"\+?(\d{1,40})(\.0*)?")
_NUMERIC = b"0123456789+-.eE \t\n\x0b\x0c"
_WORD = re.compile(rb"\S+")


@dataclass
class Motion:
    """What the MOTION part holds.

    Attributes:
        rate: Frames a second.
        rows: One row a frame, one column a channel, shape (m, channels).
        warnings: What could be lived with.
    """

    rate: float
    rows: Array
    warnings: list[Problem]


def read_motion(scanner: Scanner, channels: int, progress: Progress | None = None) -> Motion:
    """Return the motion, read from where the scanner is: past the word MOTION, or at the end of a file without.

    A row may go over several lines, or a line hold several rows. Fewer or more rows than announced are read as they
    are, with a warning; so is a last row that was cut off, which is left out.

    Args:
        scanner: Past MOTION.
        channels: How many values make a row.
        progress: Told what is done.

    Raises:
        FormatError: At a number that is none, or at the first line that breaks a file of one row a line.
    """
    warnings: list[Problem] = []
    announced: int | None = None
    rate: float | None = None
    for _ in range(2):  # in either order
        if announced is None and (match := _FRAMES.match(scanner.data, scanner.at)):
            announced = _count(scanner, match)
        elif rate is None and (match := _FRAME_TIME.match(scanner.data, scanner.at)):
            rate = _rate(scanner, match, warnings)
    place = scanner.at
    if place < len(scanner.data):
        if announced is None:
            warnings.append(scanner.problem('"Frames:" is missing; all rows are read', place))
        if rate is None:
            message = f'"Frame Time:" is missing; taken as {USUAL_RATE:g} frames a second'
            warnings.append(scanner.problem(message, place))
    rows = _rows(scanner, channels, warnings, progress)
    if announced is not None and announced != len(rows):
        message = f'"Frames:" says {announced}, the file has {len(rows)}; those are read'
        warnings.append(scanner.problem(message, place))
    return Motion(rate if rate is not None else USUAL_RATE, rows, warnings)


def _count(scanner: Scanner, match: re.Match[bytes]) -> int:
    scanner.at = match.end()
    # Some files write it with a point. However large it is, nothing is sized by it.
    whole = _WHOLE.fullmatch(match.group(1))
    if whole is None:
        message = f"{shown(match.group(1))} is not a number of frames; expected a whole number, 0 or more"
        raise scanner.fail(message, match.start(1))
    return int(whole.group(1))


def _rate(scanner: Scanner, match: re.Match[bytes], warnings: list[Problem]) -> float:
    word = match.group(1)
    scanner.at = match.end()
    if finite_number(word) is None:
        raise scanner.fail(f"{not_a_number(word)}; expected the seconds of a frame", match.start(1))
    rate = frame_rate(word.decode("ascii"))
    if rate is None:
        message = f"a frame time of {shown(word)} s makes no sense; taken as {USUAL_RATE:g} frames a second"
        warnings.append(scanner.problem(message, match.start(1)))
        return USUAL_RATE
    return rate


class _Lines:
    """Watches how many numbers stand on each line: whether a file of one row a line has a line that is none.

    Args:
        channels: How many values make a row, at least 1.

    Attributes:
        last: The last line with numbers and how many it has; lines are counted from 0.
    """

    def __init__(self, channels: int):
        self.channels = channels
        self._total = 0
        self.last = (0, 0)
        self._line = 0  # the one that is not complete yet
        self._open = 0  # numbers on it so far
        self._filled = self._whole = 0
        self._odd = (0, 0)  # the last line at which a row was begun but not ended
        self._culprit: tuple[int, int] | None = None

    def add(self, counts: list[int]) -> None:
        """Take in the numbers on each line of a chunk; the last line may go on in the next."""
        counts[0] += self._open
        self._open = counts.pop()
        on_line = np.array(counts, dtype=np.int64)
        before = self._total + np.cumsum(on_line) - on_line
        inside = before % self.channels != 0
        whole = on_line == self.channels
        odd = np.flatnonzero(~inside & (on_line % self.channels != 0))
        astray = np.flatnonzero(whole & inside)
        if len(astray) and self._culprit is None:
            earlier = odd[odd < astray[0]]
            self._culprit = self._numbered(earlier[-1], on_line) if len(earlier) else self._odd
        if len(odd):
            self._odd = self._numbered(odd[-1], on_line)
        filled = np.flatnonzero(on_line)
        if len(filled):
            self.last = self._numbered(filled[-1], on_line)
        self._filled += len(filled)
        self._whole += int(np.count_nonzero(whole))
        self._total += int(on_line.sum())
        self._line += len(counts)

    def _numbered(self, at: np.intp, on_line: NDArray[np.int64]) -> tuple[int, int]:
        return self._line + int(at), int(on_line[at])

    def damaged(self) -> tuple[int, int] | None:
        """Return the line that breaks the rows and how many numbers it has, after the last chunk; None if none does.

        Where at least half of the lines are a row, one of them that begins in the middle of a row shows that an
        earlier line was damaged; in a file that breaks its rows in other ways nothing does.
        """
        self.add([0, 0])
        return self._culprit if 2 * self._whole >= self._filled else None


def _rows(scanner: Scanner, channels: int, warnings: list[Problem], progress: Progress | None) -> Array:
    """Return all numbers from the scanner on as rows of ``channels``.

    Works through the bytes in chunks: a word takes ten times the room of its digits while it is converted.
    """
    data, at = scanner.data, scanner.at
    end = _end(data, at)
    if not channels:
        if at < end:
            warnings.append(scanner.problem("no joint has channels; the values are left out", at))
        return np.empty((0, 0))
    parts: list[Array] = []
    lines = _Lines(channels)
    begin, count = at, 0
    while at < end:
        report(progress, (at - begin) / (end - begin))
        stop = min(at + CHUNK, end)
        if stop < end:
            blank = max(data.rfind(space, at, stop) for space in (b" ", b"\t", b"\n"))
            if blank < at:
                raise _bad_word(scanner, at, stop)
            stop = blank + 1
        chunk = data[at:stop]
        try:
            if chunk.translate(None, _NUMERIC):
                raise ValueError
            numbers = np.fromiter(map(float, chunk.split()), dtype=np.float64)
        except ValueError:
            raise _bad_word(scanner, at, stop) from None
        if len(numbers) and not np.abs(numbers).max() <= FARTHEST:
            raise _bad_word(scanner, at, stop)
        parts.append(numbers)
        lines.add([len(line.split()) for line in chunk.split(b"\n")])
        count += len(numbers)
        if count > MOST_FRAMES * channels:
            message = f"the motion has more than {MOST_FRAMES} frames, which is too long to read; save it in parts"
            raise scanner.fail(message, begin)
        at = stop
    report(progress, 1.0)
    damaged = lines.damaged()
    first_line = scanner.place(begin)[0]
    if damaged is not None:
        line, found = damaged
        message = f"{found} values stand on this line; a row has {channels}, one for each channel"
        raise FormatError(Problem(scanner.file, first_line + line, 0, message))
    frames, over = divmod(count, channels)
    if over:
        message = f"the last row has {over} values instead of {channels}; it is left out"
        warnings.append(Problem(scanner.file, first_line + lines.last[0], 0, message))
    values = np.concatenate(parts) if parts else np.empty(0)
    return values[: frames * channels].reshape(frames, channels)


def _end(data: bytes, at: int) -> int:
    """Return where the bytes from ``at`` on end, blanks and what some systems put after a text not counted."""
    end = len(data)
    while end > at:
        tail = data[max(at, end - CHUNK) : end]
        kept = len(tail.rstrip(b" \t\n\x0b\x0c\x00\x1a"))
        end -= len(tail) - kept
        if kept:
            break
    return end


def _bad_word(scanner: Scanner, start: int, stop: int) -> FormatError:
    """Return the error for the first word of a chunk that is no number."""
    for match in _WORD.finditer(scanner.data, start, stop):
        if finite_number(match.group()) is None:
            return scanner.fail(f"{not_a_number(match.group())}; expected the value of a channel", match.start())
    return scanner.fail("the values of this part cannot be read; expected numbers", start)

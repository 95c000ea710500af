"""Reading an AMC file: frame by frame, the values of every bone."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.animation.key import MAX_FRAME
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.asf_amc.asf_file import FARTHEST, shown
from core.progress import Progress, report

MOST_FRAMES = 300_000
_RATE = re.compile(r"#.*?(\d+(?:\.\d+)?) frames a second")
_STEP = 1 << 12  # lines between two reports
_LISTED = 8
_FASTEST = 1e5  # [frames/s]


@dataclass
class Motion:
    """What stands in an AMC file.

    Attributes:
        frames: Numbers of the frames, ascending.
        rows: A row a frame, the values of all bones in the order they were asked for, shape (m, values).
        degrees: Whether its angles are in degrees; None if it does not say.
        rate: Frames a second, where a comment says so; None otherwise.
        warnings: What could be lived with.
    """

    frames: list[int]
    rows: Array
    degrees: bool | None
    rate: float | None
    warnings: list[Problem]


def read_amc(text: str, file: str, bones: Mapping[str, int], progress: Progress | None = None) -> Motion:
    """Return the motion in an AMC file.

    A bone that a frame leaves out keeps the values of the frame before, in the first frame zero.

    Args:
        text: The whole file, line endings as newlines.
        file: Its name for messages.
        bones: How many values each bone has, by its name in small letters, the root's under ``root``.
        progress: Told what is done.

    Raises:
        FormatError: If it is no such file, or names bones or has values that do not fit.
    """
    return _Reader(text, file, bones, progress).read()


class _Reader:
    def __init__(self, text: str, file: str, bones: Mapping[str, int], progress: Progress | None):
        self.text, self.file, self.progress = text, file, progress
        self.counts = bones
        starts = np.cumsum([0, *bones.values()]).tolist()
        self.places = {name: (start, start + size) for (name, size), start in zip(bones.items(), starts, strict=False)}
        self.width = starts[-1]
        self.moving = {name for name, size in bones.items() if size}
        self.spelled: dict[str, str] = {}  # names as the file spells them, to the names asked for
        self.degrees: bool | None = None
        self.rate: float | None = None
        self.frames: list[int] = []
        self.data = array("d")
        self.strangers: dict[str, int] = {}
        self.left_out: dict[str, int] = {}
        self.incomplete = 0
        self.warnings: list[Problem] = []
        self.unknown: list[tuple[str, int]] = []
        self.line = 0

    def fail(self, message: str, raw: str = "", word: str = "") -> FormatError:
        return FormatError(Problem(self.file, self.line, raw.find(word) + 1 if word else 0, message))

    def read(self) -> Motion:
        row = [0.0] * self.width
        seen: set[str] = set()
        text, done, length = self.text, 0, len(self.text)
        while done < length:
            end = text.find("\n", done)
            end = length if end < 0 else end
            raw, done = text[done:end], end + 1
            self.line += 1
            if self.line % _STEP == 0:
                report(self.progress, done / length)
            words = raw.split()
            if not words:
                continue
            if "#" in raw:
                self.comment(raw)
                words = raw.partition("#")[0].split()
                if not words:
                    continue
            first = words[0]
            if first.isdecimal() and len(words) == 1:
                self.close_frame(row, seen)
                self.open_frame(first, raw)
                continue
            if not self.frames:
                self.keyword(words, raw)
                continue
            name = self.spelled.get(first)
            if name is None:
                name = first.lower()
                if name not in self.counts:
                    self.strange(first)
                    continue
                self.spelled[first] = name
            start, stop = self.places[name]
            if len(words) - 1 != stop - start:
                if len(words) - 1 < stop - start and done >= length:
                    self.cut_off(first)
                    return self.made()
                raise self.fail(
                    f'"{shown(first)}" has {len(words) - 1} values; the skeleton has {stop - start} degrees of '
                    "freedom for it",
                    raw,
                    first,
                )
            try:
                row[start:stop] = map(float, words[1:])
            except ValueError:
                raise self.not_a_number(words, raw) from None
            if "_" in raw and any("_" in word for word in words[1:]):
                raise self.not_a_number(words, raw)
            if name in seen:
                raise self.fail(f'"{shown(first)}" appears twice in frame {self.frames[-1]}', raw, first)
            seen.add(name)
        if len(self.frames) > 1 and not (self.incomplete or seen >= self.moving or text.endswith("\n")):
            self.cut_off("")
        else:
            self.close_frame(row, seen)
        report(self.progress, 1.0)
        return self.made()

    # -- lines ---------------------------------------------------------------------------------------------------

    def comment(self, raw: str) -> None:
        match = _RATE.search(raw)
        if match and not self.frames and 0.0 < float(match[1]) <= _FASTEST:
            self.rate = float(match[1])

    def keyword(self, words: list[str], raw: str) -> None:
        """Read a line before the first frame."""
        word = words[0].upper()
        if not word.startswith(":"):
            message = f'"{shown(words[0])}" stands before the first frame; expected a keyword or a frame number'
            raise self.fail(message, raw, words[0])
        if word in (":DEGREES", ":RADIANS"):
            self.degrees = word == ":DEGREES"
        elif word != ":FULLY-SPECIFIED":
            self.unknown.append((words[0], self.line))

    def open_frame(self, word: str, raw: str) -> None:
        number = int(word) if len(word) <= 12 else 10**12
        if self.frames and number <= self.frames[-1]:
            raise self.fail(f"frame {number} after frame {self.frames[-1]}; frames must ascend", raw, word)
        if number - (self.frames[0] if self.frames else number) > MAX_FRAME or number > 10 * MAX_FRAME:
            raise self.fail(f"frame {shown(word)} is beyond the last there can be, {MAX_FRAME}", raw, word)
        if len(self.frames) >= MOST_FRAMES:
            message = f"more than {MOST_FRAMES} frames; motion of that length is not read, save it in parts"
            raise self.fail(message, raw, word)
        self.frames.append(number)

    def close_frame(self, row: list[float], seen: set[str]) -> None:
        """Take the frame that is complete now; ``row`` goes on as the next one's."""
        if not self.frames:
            return
        if self.strangers:
            raise self.strangers_found()
        if not seen >= self.moving:
            self.incomplete += 1
            for name in self.counts:
                if name in self.moving and name not in seen:
                    self.left_out[name] = self.left_out.get(name, 0) + 1
        self.data.extend(row)
        seen.clear()

    def cut_off(self, name: str) -> None:
        """Drop the last frame, in the middle of which the file ends."""
        number = self.frames.pop()
        if not self.frames:
            raise self.fail(f'the file ends in the middle of "{shown(name)}" in its only frame; expected a whole one')
        message = f"the file ends in the middle of frame {number}; it is left out"
        self.warnings.append(Problem(self.file, self.line, 0, message))

    def strange(self, name: str) -> None:
        """Remember a bone that the skeleton lacks: all of a frame are reported together."""
        self.strangers.setdefault(shown(name), self.line)

    def strangers_found(self) -> FormatError:
        names = list(self.strangers)
        text = ", ".join(f'"{name}"' for name in names[:_LISTED])
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        has = ", ".join(map(shown, list(self.counts)[:_LISTED])) + (" ..." if len(self.counts) > _LISTED else "")
        message = f"the skeleton has no bone {text}{more}; it has {has}. Is it the right one?"
        return FormatError(Problem(self.file, self.strangers[names[0]], 1, message))

    def not_a_number(self, words: list[str], raw: str) -> FormatError:
        for word in words[1:]:
            try:
                float(word.replace("_", "?"))
            except ValueError:
                return self.fail(f'"{shown(word)}" is not a number; expected a value of "{shown(words[0])}"', raw, word)
        return self.fail("the values on this line cannot be read; expected numbers", raw)

    # -- the whole -----------------------------------------------------------------------------------------------

    def made(self) -> Motion:
        if not self.frames:
            raise FormatError(Problem(self.file, 0, 0, "has no frames; expected an AMC file with frame numbers"))
        rows = np.array(self.data, dtype=np.float64).reshape(len(self.frames), self.width)
        if rows.size and not np.abs(rows).max() <= FARTHEST:
            self.out_of_range(rows)
        self.report()
        return Motion(self.frames, rows, self.degrees, self.rate, self.warnings)

    def out_of_range(self, rows: Array) -> None:
        frame, column = np.argwhere(~(np.abs(rows) <= FARTHEST))[0]
        bone = next(name for name, (start, end) in self.places.items() if start <= column < end)
        value = rows[frame, column]
        message = f'"{shown(bone)}" has {value:g} in frame {self.frames[frame]}; expected a number within {FARTHEST:g}'
        raise FormatError(Problem(self.file, 0, 0, message))

    def report(self) -> None:
        """Say what was left out or made up, each kind once."""
        if self.unknown:
            words = ", ".join(f'"{shown(word)}"' for word, _ in self.unknown[:_LISTED])
            self.warnings.append(Problem(self.file, self.unknown[0][1], 0, f"left out what is unknown: {words}"))
        if self.left_out:
            names = list(self.left_out)
            text = ", ".join(f'"{shown(name)}"' for name in names[:_LISTED])
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            message = (
                f"{self.incomplete} of {len(self.frames)} frames leave out bones, which keep the values from before: "
                f"{text}{more}"
            )
            self.warnings.append(Problem(self.file, 0, 0, message))
        missing = self.frames[-1] - self.frames[0] + 1 - len(self.frames)
        if missing:
            message = (
                f"{missing} frames between {self.frames[0]} and {self.frames[-1]} are not there; the motion continues"
            )
            self.warnings.append(Problem(self.file, 0, 0, f"{message} evenly between those that are"))

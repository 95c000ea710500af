"""Targets of a lock that are functions of the time: each number of the target is an expression, nothing is ever run.

Expressions may name ``t``, the seconds since the strip begins, ``time``, those since frame 0, and ``frame``. Places are
in metres, rotations are the angles about x, y and z in degrees, as the fields of the window have them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.equations import UNITS
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import ANGLE, PLACE, ROTATION, TargetPart, put_together
from core.errors import CoreError, ExpressionError, SequenceError
from core.spatial import so3
from core.symbolic import Evaluator, parse, symbol

TIMES = ("t", "time", "frame")
"""What expressions may name."""
LONGEST = 2000
MOST_CHECKED = 600
"""Frames of a strip at which its target is tried, at most."""
_OUTSIDE_QUOTES = re.compile(r'"[^"]*"|\b(?:t|time|frame)\b')


@dataclass(frozen=True)
class TargetFormula:
    """The numbers of a target as texts, in the order of the parts of its kind; of an equation its text.

    Attributes:
        numbers: The texts.
        fps: Frames a second that its seconds count.
        since: How many frames before the strip's start ``t`` is 0, which a strip that was cut has.

    Raises:
        SequenceError: If a text is no expression.
    """

    numbers: tuple[str, ...]
    fps: float
    since: float = 0.0

    def __post_init__(self) -> None:
        if not self.numbers or not all(isinstance(text, str) for text in self.numbers):
            raise SequenceError(f"formula has numbers {self.numbers!r:.80}; they must be texts")
        if not (isinstance(self.fps, (int, float)) and math.isfinite(self.fps) and self.fps > 0.0):
            raise SequenceError(f"formula has fps {self.fps!r}; it must be a number above 0")
        if not (isinstance(self.since, (int, float)) and math.isfinite(self.since)):
            raise SequenceError(f"formula has since {self.since!r}; it must be a number of frames")

    def times(self, frame: float, start: float) -> tuple[float, float, float]:
        """Return ``t``, ``time`` and ``frame`` at a frame of a strip that begins at ``start``."""
        return (frame - start + self.since) / self.fps, frame / self.fps, frame

    @cached_property
    def _evaluator(self) -> Evaluator:
        try:
            expressions = [parse(text, TIMES, UNITS, longest=LONGEST) for text in self.numbers]
        except ExpressionError as error:
            raise SequenceError(f"formula: {error}") from None
        return Evaluator(expressions, [symbol(name) for name in TIMES])

    def values(self, frame: float, start: float) -> list[float]:
        """Return the numbers at a frame."""
        return self._evaluator.floats(self.times(frame, start))

    def target(self, kind: Kind, like: Any, frame: float, start: float) -> Any:
        """Return the target at a frame of a strip.

        Args:
            kind: Kind of the lock.
            like: Another target of it.
            frame: Frame number, whole or not.
            start: Where the strip begins.

        Raises:
            CoreError: If the numbers make no target there.
        """
        if kind.by_equation:
            return kind.checked_target(self._with_times(frame, start), "target")
        return kind.checked_target(target_of_numbers(kind, self.values(frame, start), like), "target")

    def _with_times(self, frame: float, start: float) -> str:
        """Return the text of equations with the time in it as numbers."""
        now = dict(zip(TIMES, self.times(frame, start), strict=True))

        def put(match: re.Match[str]) -> str:
            word = match.group(0)
            return word if word.startswith('"') else f"({now[word]:.17g})"

        return _OUTSIDE_QUOTES.sub(put, self.numbers[0])

    def check(self, kind: Kind, like: Any, start: int, end: int | None) -> None:
        """Try it at the frames of a strip.

        Raises:
            SequenceError: If it makes no target at one of them; says at which.
        """
        if not kind.by_equation and len(self.numbers) != numbers_of(kind):
            raise SequenceError(f"formula has {len(self.numbers)} numbers; {kind.name} has {numbers_of(kind)}")
        last = start + MOST_CHECKED if end is None else end
        step = max((last - start) // MOST_CHECKED, 1)
        for frame in range(start, last + 1, step):
            if not kind.by_equation:
                values = self.values(frame, start)
                bad = next((k for k, value in enumerate(values) if not math.isfinite(value)), None)
                if bad is not None:
                    raise SequenceError(f'"{self.numbers[bad][:60]}" is not a finite number at frame {frame}')
            try:
                self.target(kind, like, frame, start)
            except SequenceError:
                raise
            except CoreError as error:
                raise SequenceError(f"at frame {frame} {error}") from None


def part_size(part: TargetPart) -> int:
    """Return how many numbers a part of a target has."""
    return 1 if part.is_number else 3


def numbers_of(kind: Kind) -> int:
    """Return how many numbers a kind's target has."""
    return sum(part_size(part) for part in kind.parts)


def numbers_in(kind: Kind, target: Any) -> list[float]:
    """Return a target as numbers: metres, degrees about x, y and z, unit vectors."""
    found: list[float] = []
    for part in kind.parts:
        value = part.of(target)
        if part.form == ROTATION:
            found += np.degrees(so3.to_euler("zyx", value))[::-1].tolist()
        elif part.form == ANGLE:
            found.append(math.degrees(float(value)))
        else:
            found += np.asarray(value, dtype=np.float64).reshape(-1).tolist()
    return found


def target_of_numbers(kind: Kind, numbers: Sequence[float], like: Any) -> Any:
    """Return the target that numbers say."""
    values: list[Any] = []
    at = 0
    for part in kind.parts:
        own: Array = np.array(numbers[at : at + part_size(part)])
        at += part_size(part)
        if part.form == ROTATION:
            values.append(so3.from_euler("zyx", np.radians(own[::-1])))
        elif part.form == ANGLE:
            values.append(math.radians(own[0]))
        elif part.is_number:
            values.append(float(own[0]))
        elif part.form == PLACE:
            values.append(own)
        else:
            length = float(np.linalg.norm(own))
            values.append(own / length if length > 0.0 else own)
    return put_together(kind.parts, values, like)


def formula_to_json(formula: TargetFormula) -> dict[str, Any]:
    """Return a formula as a JSON value."""
    record: dict[str, Any] = {"numbers": list(formula.numbers), "fps": formula.fps}
    return {**record, "since": formula.since} if formula.since else record


def formula_from_json(record: Any) -> TargetFormula:
    """Return the formula of a record.

    Raises:
        SequenceError: If it is none.
    """
    if not isinstance(record, dict) or not isinstance(record.get("numbers"), (list, tuple)) or "fps" not in record:
        raise SequenceError("formula must be an object with numbers and fps")
    return TargetFormula(tuple(record["numbers"]), record["fps"], record.get("since", 0.0))

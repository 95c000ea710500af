"""Every error the toolkit raises on purpose. A message names the bad value, where it is, and what would be valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LISTED = 20


class CoreError(Exception):
    """Base of all errors that the toolkit raises on purpose."""


class SkeletonError(CoreError):
    """A skeleton that cannot be: joints without a parent, two of one name, limits the wrong way round."""


class JointError(CoreError):
    """A joint, by name or index, that the skeleton does not have; or one of a type with numbers it cannot have."""


class PoseError(CoreError):
    """A pose of the wrong length, or one that holds NaN or infinity."""


class GoalError(CoreError):
    """An inverse-kinematics goal that makes no sense: NaN, infinity, an unknown solver or base."""


class LockError(CoreError):
    """A lock that makes no sense: an unknown kind or joint, a target of the wrong shape, a second part that lacks."""


class DynamicsError(CoreError):
    """A dynamics model that cannot be, or numbers given to one that make no sense: wrong length, NaN, no such body."""


class RunawayError(DynamicsError):
    """A motion has got so fast that it makes no sense."""


class ExpressionError(CoreError):
    """An expression that cannot be, or typed text that is none; the message says where and what would be right.

    Attributes:
        position: Index of the character in the text, counted from 0; None if it did not come from a text.
        reason: The message without the place.
    """

    def __init__(self, reason: str, position: int | None = None):
        super().__init__(reason if position is None else f"character {position + 1}: {reason}")
        self.reason = reason
        self.position = position


class KernelError(CoreError):
    """Kernels that do not compile on this machine."""


class KeyCollision(CoreError):  # noqa: N818 - a public name
    """An edit that would put two keys on one frame."""


class SequenceError(CoreError):
    """A sequence edit that makes no sense: a negative frame, a key that is not there."""


class Cancelled(Exception):  # noqa: N818 - a public name
    """Raised by a ``progress`` callback to stop a long read or write; nothing is wrong, so it is no ``CoreError``."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file, and where.

    Attributes:
        file: Name of the file as the person knows it.
        line: Line, counted from 1; 0 if the problem has no line.
        column: Column, counted from 1; 0 if it has none.
        message: What is wrong; what was expected.
    """

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        return f"{place}: {self.message}"


class FormatError(CoreError):
    """A file that cannot be read; lists every problem that was found.

    Attributes:
        problems: All problems, in file order.
    """

    def __init__(self, problems: Sequence[Problem] | Problem):
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(self.summary())

    def summary(self) -> str:
        """Return the problems one a line, at most 20, then how many more there are."""
        lines = [str(problem) for problem in self.problems[:_LISTED]]
        if len(self.problems) > _LISTED:
            lines.append(f"and {len(self.problems) - _LISTED} more")
        return "\n".join(lines)

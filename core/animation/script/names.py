"""What a script may name of a figure: its parts, named points on them, and the coordinates of its joints.

A part is called by the name of its joint. Points besides are the control points that a person takes hold of, and of a
foot its heel, its ball and its toes. A part of another figure has the figure's name and a point before it:
``"partner.left hand"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.animation.contacts.feet import HEEL, figure_feet
from core.animation.script.text import ScriptError, Token, nearest, one_of, quoted
from core.arrays import Array
from core.constraints.equations import coordinate_words
from core.constraints.soles import sole_outline
from core.constraints.standing import standing_point
from core.skeleton.control_points import control_points
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import end_effector
from core.skeleton.skeleton import Skeleton

HEEL_WORD, BALL, TOES = "heel", "ball", "toes"
_MOST_GUESSES = 60


@dataclass(frozen=True, eq=False)
class NamedPoint:
    """A point of a figure that has a name.

    Attributes:
        joint: Name of the part that it is on.
        point: Where, in the joint's frame, shape (3,), [m].
        standing: Where a lock of the part's own place holds it, which differs for what stands on a tip.
        whole: Whether it stands for the part: its name is the joint's.
    """

    joint: str
    point: Array
    standing: Array
    whole: bool


@per_skeleton
def named_points(s: Skeleton) -> dict[str, NamedPoint]:
    """Return the points of a figure that have names, by name: parts in the figure's order, then the others."""
    found: dict[str, NamedPoint] = {}
    for i, joint in enumerate(s.joints):
        found[joint.name] = NamedPoint(joint.name, end_effector(s, i), standing_point(s, i), True)
    for foot in figure_feet(s):
        if not foot.rolls:
            continue
        name = s.joints[foot.joint].name
        stem = name[: -len("foot")] if name.lower().endswith("foot") else f"{name} "
        heel = next(region for region in foot.regions if region.name == HEEL)
        tip = next(region for region in foot.regions if region.name != HEEL)
        ball = _ball(s, foot.joint, foot.toes, heel.points)
        for word, joint_index, point in (
            (HEEL_WORD, foot.joint, heel.pivot),
            (BALL, foot.joint, ball),
            (TOES, tip.joint, tip.pivot),
        ):
            found.setdefault(f"{stem}{word}", NamedPoint(s.joints[joint_index].name, point, point, False))
    for control in control_points(s):
        on = s.joints[control.joint].name
        found.setdefault(control.name, NamedPoint(on, control.point, control.point, False))
    return found


def _ball(s: Skeleton, foot: int, toes: int | None, heel: Array) -> Array:
    """Return where the ball of a foot touches the ground: under the joint of its toes, else at its front."""
    sole = sole_outline(s, foot)
    if toes is None:
        rear = heel.mean(axis=0)
        return np.asarray(sole[int(np.argmax(((sole - rear) ** 2).sum(axis=1)))])
    at = s.joints[toes].offset
    near = sole[np.argsort(((sole - at) ** 2).sum(axis=1))[:2]]
    return np.asarray(near.mean(axis=0))


def place_name(figure: str | None, joint: str) -> str:
    """Return a joint as texts of equations name it, with its figure if it is of another one."""
    return f'"{joint}"' if figure is None else f'"{figure}"."{joint}"'


@dataclass(frozen=True)
class Place:
    """A point that a script has named.

    Attributes:
        figure: Name of another figure, or None.
        named: The point.
        name: What it is called, without the figure.
    """

    figure: str | None
    named: NamedPoint
    name: str

    @property
    def full(self) -> str:
        """Its name with the figure's."""
        return self.name if self.figure is None else f"{self.figure}.{self.name}"


class FigureNames:
    """The names of a figure, and of the others that are there.

    Args:
        skeleton: The figure whose script it is.
        others: The other figures by name.
    """

    def __init__(self, skeleton: Skeleton, others: Mapping[str, Skeleton] | None = None):
        self.skeleton = skeleton
        self.others = dict(others or {})
        self._guesses = 0

    @property
    def points(self) -> dict[str, NamedPoint]:
        """Named points of the figure itself."""
        return named_points(self.skeleton)

    def guessed(self, word: str, known: Callable[[], list[str]]) -> list[str]:
        """Return names that may be meant; after many wrong ones none, for the search takes its time."""
        self._guesses += 1
        return [] if self._guesses > _MOST_GUESSES else nearest(word, known())

    def known(self, name: str) -> Place | None:
        """Return the point of a name, None if there is none."""
        figure, rest = self.figure_of(name)
        found = named_points(self.skeleton if figure is None else self.others[figure]).get(rest)
        return None if found is None else Place(figure, found, rest)

    def place(self, token: Token, own: bool = False) -> Place:
        """Return the point that a token names.

        Args:
            token: The token.
            own: Whether it must be of the figure itself.

        Raises:
            ScriptError: If there is none of that name.
        """
        name = token.text
        if name in self.points:
            return Place(None, self.points[name], name)
        figure, rest = self.figure_of(name)
        if figure is not None:
            there = named_points(self.others[figure])
            if own:
                raise ScriptError(
                    f"{quoted(name)} is a part of another figure; expected one of the figure itself",
                    token.start,
                    token.end,
                )
            if rest in there:
                return Place(figure, there[rest], rest)
            self._missing(token, rest, f'figure "{figure}"', lambda: list(there), f"{figure}.")
        if "." in name and not own:
            self._no_figure(token)
        self._missing(token, name, "the figure", lambda: list(self.points), "")
        raise AssertionError

    def _no_figure(self, token: Token) -> None:
        first = token.text.split(".")[0]
        known = f", or of {one_of([quoted(f) for f in self.others])}" if self.others else ""
        raise ScriptError(
            f"there is no part {quoted(token.text)} here, and no figure {quoted(first)}; expected a part of the "
            f"figure{known}",
            token.start,
            token.end,
        )

    def _missing(self, token: Token, name: str, whose: str, known: Callable[[], list[str]], before: str) -> None:
        found = self.guessed(name, known)
        wanted = one_of([f'"{before}{each}"' for each in found or known()])
        raise ScriptError(f"{whose} has no part {quoted(name)}; expected {wanted}", token.start, token.end)

    def figure_of(self, name: str) -> tuple[str | None, str]:
        """Return which other figure a name begins with, None if it is of the figure itself, and the rest of it."""
        if name in self.points:
            return None, name
        figure = max((f for f in self.others if name.startswith(f"{f}.")), key=len, default=None)
        return figure, name if figure is None else name[len(figure) + 1 :]

    def coordinate(self, part: Token, word: Token) -> str:
        """Return the canonical name of a joint's coordinate, ``'"left shank".x'``, perhaps of another figure.

        Raises:
            ScriptError: If the figure has no such joint, or the joint no such coordinate.
        """
        figure, name = self.figure_of(part.text)
        s = self.skeleton if figure is None else self.others[figure]
        place = named_points(s).get(name)
        if place is None:
            if figure is None and "." in name and self.others:
                self._no_figure(part)
            if name in self.others:
                moving = next((joint.name for joint in self.others[name].joints if joint.dofs), "head")
                wanted = f'a part of it and then a coordinate, as in "{name}.{moving}".x'
                raise ScriptError(f"{quoted(name)} is a figure; expected {wanted}", part.start, part.end)
            joints = list(s.joint_names)
            found = self.guessed(name, lambda: joints)
            before, whose = ("", "the figure") if figure is None else (f"{figure}.", f'figure "{figure}"')
            wanted = one_of([quoted(before + each) for each in found or joints])
            raise ScriptError(f"{whose} has no joint {quoted(name)}; expected {wanted}", part.start, part.end)
        joint = place.joint
        known = coordinate_words(s, s.joint_index(joint))
        if word.text not in known:
            wanted = one_of(list(known)) if known else "another joint, for this one does not move"
            raise ScriptError(
                f"joint {quoted(joint)} has no coordinate {quoted(word.text)}; expected {wanted}", word.start, word.end
            )
        return f"{place_name(figure, joint)}.{known[word.text]}"

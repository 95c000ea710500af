"""Names of parts where there are several figures: the figure's name, then the joint's, as ``"Woman: left hand"``."""

from __future__ import annotations

from collections.abc import Iterable

_BETWEEN = ": "


def figure_names(given: Iterable[str]) -> tuple[str, ...]:
    """Return a name for each figure that no other has: its own, with a number behind it where another came first."""
    names = tuple(given)
    found: list[str] = []
    for name in names:
        own, number = name, 2
        while own in found or (own != name and own in names):
            own, number = f"{name} {number}", number + 1
        found.append(own)
    return tuple(found)


def full_name(figure: str, joint: str) -> str:
    """Return the name of a joint of a figure among others."""
    return f"{figure}{_BETWEEN}{joint}"


def split_name(part: str) -> tuple[str, str]:
    """Return figure and joint of a name; ``""`` for the figure where it has none."""
    figure, _, joint = part.rpartition(_BETWEEN)
    return figure, joint

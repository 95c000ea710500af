"""Rows of the Dynamics tab: one for each group of joints, which opens to its joints."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.timeline.sheet.rows import spoken

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.skeleton import Skeleton

OPEN = "dynamics "
"""How the session remembers that a row stands open, besides its id."""
_ICONS = {"hinge": "hinge", "slide": "slide"}


@dataclass(frozen=True)
class Placed:
    """A strip in a row.

    Attributes:
        strip: The strip.
        joints: How many of the row's joints it moves.
        whole: Whether it moves all of them.
        lane: Which part of the height is its, from the top; ``lanes`` how many there are.
    """

    strip: HybridStrip
    joints: int
    whole: bool
    lane: int = 0
    lanes: int = 1


@dataclass(frozen=True)
class DynamicsRow:
    """One row.

    Attributes:
        id: What the session remembers it by.
        name: What stands at its left.
        icon: Icon of its joints.
        joints: Names of its joints; the root's stands for the figure's place as well.
        depth: 0 for a group, 1 for a joint.
        opens: Whether rows stand under it.
        is_open: Whether they are shown.
        placed: Strips that move any of its joints, by start.
    """

    id: str
    name: str
    icon: str
    joints: tuple[str, ...]
    depth: int = 0
    opens: bool = False
    is_open: bool = False
    placed: tuple[Placed, ...] = ()

    @property
    def strips(self) -> tuple[HybridStrip, ...]:
        """The strips alone."""
        return tuple(each.strip for each in self.placed)

    def place_of(self, strip_id: str) -> Placed | None:
        """Return a strip's place in the row, None if it has none."""
        return next((each for each in self.placed if each.strip.id == strip_id), None)


def joint_groups(skeleton: Skeleton) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Return id, name and joints of each group: the root first, then those of the file; each joint in one of them."""
    found: list[tuple[str, str, tuple[int, ...]]] = [("root", "Root", (0,))]
    taken = {0}
    for name, members in skeleton.groups:
        joints = tuple(joint for joint in members if joint not in taken)
        taken.update(joints)
        if joints:
            found.append((f"group {name}", spoken(name) if name else "Other joints", joints))
    rest = tuple(joint for joint in range(len(skeleton.joints)) if joint not in taken)
    if rest:
        found.append(("rest", "Other joints", rest))
    return tuple(found)


def dynamics_rows(
    skeleton: Skeleton | None, strips: Iterable[HybridStrip], opened: Collection[str]
) -> tuple[DynamicsRow, ...]:
    """Return the rows that stand on the screen.

    Args:
        skeleton: The figure, or None.
        strips: Its hybrid strips.
        opened: What the session remembers of rows that are open.
    """
    if skeleton is None:
        return ()
    strips = sorted(strips, key=lambda each: (each.start, each.id))
    rows: list[DynamicsRow] = []
    for key, title, numbers in joint_groups(skeleton):
        names = tuple(skeleton.joints[number].name for number in numbers)
        opens, is_open = len(names) > 1, len(names) > 1 and OPEN + key in opened
        icon = _icon(skeleton, numbers) if key != "root" else "slide"
        rows.append(DynamicsRow(key, title, icon, names, 0, opens, is_open, _placed(names, strips)))
        if is_open:
            for number, name in zip(numbers, names, strict=True):
                own = _placed((name,), strips)
                rows.append(
                    DynamicsRow(f"joint {name}", spoken(name), _icon(skeleton, [number]), (name,), 1, placed=own)
                )
    return tuple(rows)


def _icon(skeleton: Skeleton, numbers: Iterable[int]) -> str:
    """Return the icon of what most of a group's joints are: a ball, a hinge or a slide."""
    kinds = []
    for number in numbers:
        dofs = skeleton.joints[number].dofs
        kinds.append(_ICONS.get(dofs[0].kind, "ball") if len(dofs) == 1 else "ball" if dofs else "fixed")
    free = [kind for kind in kinds if kind != "fixed"]
    return max(dict.fromkeys(free), key=free.count) if free else "fixed"


def _placed(names: tuple[str, ...], strips: Iterable[HybridStrip]) -> tuple[Placed, ...]:
    """Return the strips of some joints; those that move some of them at the same time share the height."""
    found: list[tuple[HybridStrip, int]] = []
    for strip in strips:
        count = len(names) if strip.whole else len(set(names) & set(strip.parts))
        if count:
            found.append((strip, count))
    ends: list[float] = []  # of each lane
    lanes = []
    for strip, _ in found:
        lane = next((i for i, end in enumerate(ends) if end <= strip.start), len(ends))
        end = float("inf") if strip.end is None else float(strip.end)
        if lane == len(ends):
            ends.append(end)
        else:
            ends[lane] = end
        lanes.append(lane)
    placed = []
    for (strip, count), lane in zip(found, lanes, strict=True):
        whole = count == len(names)
        placed.append(Placed(strip, count, whole, 0 if whole else lane, 1 if whole else len(ends)))
    return tuple(placed)

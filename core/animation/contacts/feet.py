"""The feet of a figure: which parts they are, and by which points they touch the ground."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.soles import height, part_vertices, sole_outline
from core.constraints.standing import standing_point, stands_flat
from core.constraints.support import lowest_parts
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import end_effector, rest_frames, segment_tip
from core.skeleton.skeleton import Skeleton

HEEL, TOES, WHOLE = "heel", "toes", "whole"
"""Regions of a foot that touch the ground for themselves: its heel, its toes; or the part as a whole."""

_FOOT_WORDS = ("foot", "feet", "hoof", "paw", "tarsus", "ankle")  # the first that fits is the foot of a leg
_TOE_WORD = "toe"
_REAR = 0.25  # of a sole's length: how far heel and toes reach
_EDGE = 0.1  # of a sole's length: what the foot rolls over
_SHORT = 0.03  # of the figure's height: a sole that is shorter has no heel to roll from
_PROBES = 8
_POINTS = 0.25  # of how far the middle of its sole is away: a tip that is nearer does not say where a part points


@dataclass(frozen=True, eq=False)
class Region:
    """What of a foot touches the ground together.

    Attributes:
        name: ``HEEL``, ``TOES`` or ``WHOLE``.
        joint: The part it belongs to.
        points: In the part's joint frame, shape (k, 3), [m].
        pivot: The point the foot rolls over while nothing else of it touches, in the frame of the foot's joint, or,
            of toes that are a part of their own, of theirs, shape (3,), [m].
    """

    name: str
    joint: int
    points: Array
    pivot: Array


@dataclass(frozen=True, eq=False)
class Foot:
    """A part that stands, or is held, at one place for some time, then moves to another.

    Attributes:
        joint: Index of its joint.
        toes: Index of the toes that bend on it, None if there are none.
        toe_axes: How many axes these turn about.
        point: Where locks hold it, in its joint's frame, shape (3,), [m].
        turns: Whether locks hold its orientation, too; a hoof or the tip of an insect's leg may tilt where it stands.
        regions: A heel and toes, or the whole part.
        probes: Points of it that say how far one pose of it is from another, in its joint's frame, shape (k, 3), [m].
        grounded: Whether it stands on the ground; what does not, as a hand, rests wherever it stays.
    """

    joint: int
    toes: int | None
    toe_axes: int
    point: Array
    turns: bool
    regions: tuple[Region, ...]
    probes: Array
    grounded: bool

    @property
    def rolls(self) -> bool:
        """Whether it has a heel and toes."""
        return len(self.regions) > 1


@per_skeleton
def figure_feet(s: Skeleton) -> tuple[Foot, ...]:
    """Return the feet of a figure, in the order of its joints; () if it has none.

    Those that are called so, one for each leg; else the ends of limbs that the figure stands on in its rest pose.
    """
    named = _named(s)
    if named:
        return tuple(foot_of(s, i) for i in named)
    low = [i for i in lowest_parts(s, rest_frames(s)) if s.joints[i].parent >= 0]
    standing = [i for i in low if not set(_above(s, i)) & set(low)]
    # What carries the rest of the figure, as a table does, takes no steps.
    ends = [i for i in standing if len(_below(s, i)) <= max(len(s.joints) // 4, 1)]
    return tuple(foot_of(s, standing_part(s, i)) for i in ends) if len(ends) > 1 else ()


def foot_of(s: Skeleton, joint: int | str, grounded: bool = True) -> Foot:
    """Return any part as what stands at places and moves between them.

    Args:
        s: The figure.
        joint: Index or name.
        grounded: Whether it stands on the ground; a hand that holds still in the air does not.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    probes = _probes(s, i)
    if not grounded:
        point = end_effector(s, i)
        return Foot(i, None, 0, point, True, (Region(WHOLE, i, probes, point),), probes, False)
    point = standing_point(s, i)
    toes = _toes(s, i)
    flat = stands_flat(s, rest_frames(s), i) or _lies(s, i)
    regions = _rolling(s, i, toes) if flat else ()
    if not regions:
        tip = not flat
        own = point if tip else end_effector(s, i)
        points = own[None] if tip else sole_outline(s, i)
        return Foot(i, None, 0, own, not tip, (Region(WHOLE, i, points, own),), probes, True)
    axes = 0 if toes is None else len(s.joints[toes].dofs)
    return Foot(i, toes, axes, point, True, regions, probes, True)


def _above(s: Skeleton, i: int) -> list[int]:
    found = []
    while s.joints[i].parent >= 0:
        i = s.joints[i].parent
        found.append(i)
    return found


def _below(s: Skeleton, i: int) -> list[int]:
    found, waiting = [], list(s.children[i])
    while waiting:
        i = waiting.pop()
        found.append(i)
        waiting += s.children[i]
    return found


def _named(s: Skeleton) -> list[int]:
    """Return the parts that are called feet: of each limb one, its toes not counted."""
    words: dict[int, int] = {}
    for i, name in enumerate(s.joint_names):
        low = name.lower()
        found = [k for k, word in enumerate(_FOOT_WORDS) if word in low]
        if found and _TOE_WORD not in low and s.joints[i].parent >= 0:
            words[i] = found[0]
    chosen = []
    for i, rank in words.items():
        line = [k for k in (*_above(s, i), *_below(s, i)) if k in words]
        if all((rank, i) < (words[k], k) for k in line):
            chosen.append(i)
    # A name alone is not enough: a "footplate" in the middle of a machine carries half of it.
    return sorted(standing_part(s, i) for i in chosen if len(_below(s, i)) <= max(len(s.joints) // 4, 2))


def standing_part(s: Skeleton, joint: int | str) -> int:
    """Return the part of a leg that lies on the ground, for any part of it: its foot, or the toes of who walks on toes.

    Args:
        s: The figure.
        joint: Index or name of a part of the leg.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    X = rest_frames(s)
    if stands_flat(s, X, i) or _lies(s, i):
        return i
    low = set(lowest_parts(s, X))
    flat = [k for k in _below(s, i) if k in low and s.joints[k].dofs and stands_flat(s, X, k)]
    # What hangs on one that lies there is a part of it.
    first = [k for k in flat if not set(_above(s, k)) & set(flat)]
    return first[0] if len(first) == 1 else i


def forward_of(s: Skeleton, i: int) -> Array:
    """Return where a part that lies on the ground points at rest, level, shape (3,): to its tip, or along its sole.

    What hangs on toes may point backward, as a bird's hind toe does: then the tip says nothing.
    """
    X = rest_frames(s)[i]
    tip, middle = X[:3, :3] @ segment_tip(s, i), X[:3, :3] @ sole_outline(s, i).mean(axis=0)
    tip[1] = middle[1] = 0.0
    return tip if float(tip @ middle) > _POINTS * float(middle @ middle) else middle


def _toes(s: Skeleton, i: int) -> int | None:
    """Return the part of a foot that bends in front: of several the one that reaches farthest."""
    X, ahead = rest_frames(s), forward_of(s, i)
    found: tuple[float, int] | None = None
    for child in s.children[i]:
        if not s.joints[child].has_body or not s.joints[child].dofs:
            continue
        if any(dof.kind != "hinge" for dof in s.joints[child].dofs):
            continue
        tip = X[child, :3, :3] @ segment_tip(s, child) + X[child, :3, 3] - X[i, :3, 3]
        reach = float(np.hypot(tip[0], tip[2]))
        if float(tip @ ahead) <= 0.0:
            continue
        if found is None or reach > found[0]:
            found = reach, child
    return None if found is None else found[1]


def _lies(s: Skeleton, i: int) -> bool:
    """Return whether a part lies along the ground at rest: a foot of which only the toes reach down to it."""
    X = rest_frames(s)[i]
    along = X[:3, :3] @ (segment_tip(s, i) - np.zeros(3))
    length = float(np.linalg.norm(along))
    return length > 0.0 and abs(float(along[1])) < 0.75 * length


def _rolling(s: Skeleton, i: int, toes: int | None) -> tuple[Region, ...]:
    """Return heel and toes of a part that lies on the ground; () if it is too short to have both."""
    X = rest_frames(s)
    sole = sole_outline(s, i)
    front = sole_outline(s, toes) if toes is not None else sole
    own = sole @ X[i, :3, :3].T + X[i, :3, 3]
    ahead = own if toes is None else front @ X[toes, :3, :3].T + X[toes, :3, 3]
    both = np.concatenate((own, ahead))
    forward = forward_of(s, i)
    if toes is not None:
        forward = X[toes, :3, :3] @ segment_tip(s, toes) + X[toes, :3, 3] - X[i, :3, 3]
    forward[1] = 0.0
    if float(np.linalg.norm(forward)) < 1e-9:
        return ()
    forward /= np.linalg.norm(forward)
    along, far = own @ forward, ahead @ forward
    rear, length = float(along.min()), float(np.ptp(both @ forward))
    if length < _SHORT * height(s):
        return ()
    heel = sole[along <= rear + _REAR * length]
    edge = sole[along <= rear + _EDGE * length].mean(axis=0)
    if toes is None:
        tips = sole[along >= along.max() - _REAR * length]
        return (
            Region(HEEL, i, heel, edge),
            Region(TOES, i, tips, sole[along >= along.max() - _EDGE * length].mean(axis=0)),
        )
    return Region(HEEL, i, heel, edge), Region(TOES, toes, front, front[np.argmin(far)])


def _probes(s: Skeleton, i: int) -> Array:
    """Return a few points around a part, in its joint's frame, shape (k, 3), [m]."""
    X = rest_frames(s)
    own = (part_vertices(s, i, X) - X[i, :3, 3]) @ X[i, :3, :3]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)[:_PROBES]
    return np.asarray(own[np.unique((own @ corners.T).argmax(axis=0))])


def feet_of(s: Skeleton, joints: Iterable[int | str]) -> tuple[Foot, ...]:
    """Return picked parts as what is to be locked: those of the figure's feet as feet, others as what is held.

    Toes that are picked beside their foot are the foot's.

    Raises:
        JointError: If there is no such joint.
    """
    feet = {foot.joint: foot for foot in figure_feet(s)}
    picked = [s.joint_index(joint) for joint in joints]
    toes = {foot.toes for i, foot in feet.items() if i in picked}
    return tuple(feet.get(i) or foot_of(s, i, grounded=False) for i in dict.fromkeys(picked) if i not in toes)

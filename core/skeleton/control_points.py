"""Where an animator takes hold of a figure: the middle of its body, its head, the ends and the bends of its limbs.

They are found from the tree of joints, the lengths of the parts at rest and the counterparts of the two sides; names
decide only where the shape leaves it open, and what a point is called. So a person, a horse, a spider, a bird, an arm
of a machine and an imported skeleton all have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from core.arrays import Array
from core.skeleton.named_parts import (
    CLAVICLE,
    CONNECTOR,
    FOOT,
    FOREARM,
    HAND,
    HEAD,
    HELPER,
    PELVIS,
    SHANK,
    THIGH,
    TRUNK,
    UPPER_ARM,
    name_key,
    said,
)
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import end_effector, rest_frames, segment_tip
from core.skeleton.structure import Structure

ROOT, CHEST, HEAD_POINT, END, BEND = "root", "chest", "head", "end", "bend"
"""What a control point is: the root, the upper trunk, the head, a limb's end, or where a limb bends."""

SHORT = 0.35
"""A branch is a limb if it is at least so long, of the longest one."""
REST = 0.35
"""From the joint of a limb's end on, at most so much of the limb is left."""
NAMED_REST = 0.45
"""The same where the joint's name says that it is a hand or a foot."""
_SAME_PLACE = 1e-6
"""Of the figure's size: two joints nearer than this are at one place."""
_ENDS = re.compile(r"hoof|paw|claw|talon|flipper|gripper")
_GIRDLE = re.compile(r"shoulder|scapula")
_BENDS = (
    (re.compile(r"(hind|rear|back).*(cannon|tarsus|tarsal)"), "hock"),
    (re.compile(r"cannon|patella|knee"), "knee"),
    (re.compile(r"elbow"), "elbow"),
)
_SAID_BENDS = {FOREARM: "elbow", SHANK: "knee", HAND: "wrist", FOOT: "ankle"}
_SAID_ENDS = {HAND: "hand", FOOT: "foot"}
_SIDES = {1: "left ", -1: "right ", 0: ""}


@dataclass(frozen=True, eq=False)
class ControlPoint:
    """A place at which a figure is taken hold of.

    Attributes:
        name: What it is called, no two alike: ``"left elbow"``, or the name of its joint.
        role: ``"root"``, ``"chest"``, ``"head"``, ``"end"`` or ``"bend"``.
        joint: Index of the part that it is on.
        point: Where, in that joint's frame, shape (3,), [m].
        base: Index of the joint at which its limb begins; for other roles the joint itself.
        end: For a bend the index of the joint at the end of its limb; else the joint itself.
        end_point: For a bend the control point of that end, in its joint's frame, shape (3,), [m]; else ``point``.
    """

    name: str
    role: str
    joint: int
    point: Array
    base: int
    end: int
    end_point: Array


@per_skeleton
def control_points(s: Structure) -> tuple[ControlPoint, ...]:
    """Return the control points of a figure: root, chest, head, then limb by limb its end and its bend.

    A limb is a branch of the trunk that moves and is not much shorter than the longest one. It ends where little of
    it is left, as at the hand that carries fingers, and bends at the joint nearest to half-way along it. A figure of
    one part has the root's point alone.

    Args:
        s: The figure.
    """
    return _Finder(s).find()


class _Finder:
    def __init__(self, s: Structure):
        self.s = s
        self.frames = rest_frames(s)
        self.at = self.frames[:, :3, 3]
        self.tips = np.array([self._place(i, segment_tip(s, i)) for i in range(len(s.joints))])
        self.keys, self.sides = map(list, zip(*(name_key(joint.name) for joint in s.joints), strict=True))
        self.said = [said(key) for key in self.keys]
        size = float(np.ptp(np.concatenate([self.at, self.tips]), axis=0).max())
        self.near = _SAME_PLACE * (size if size > 0.0 else 1.0)
        self.sided = {joint for pair in s.mirror_pairs for joint in pair}
        self.moves = [bool(joint.dofs) for joint in s.joints]
        self.reach = [0.0] * len(s.joints)  # the longest way from a joint on through what moves
        for i in reversed(range(len(s.joints))):
            self.reach[i] = max(self.reach[i], self._length(i))
            parent = s.joints[i].parent
            if parent >= 0 and self.moves[i]:
                self.moves[parent] = True
                self.reach[parent] = max(self.reach[parent], self._apart(parent, i) + self.reach[i])

    # -- geometry --------------------------------------------------------------------------------------------------

    def _place(self, joint: int, point: Array) -> Array:
        return np.asarray(self.frames[joint, :3, :3] @ point + self.frames[joint, :3, 3])

    def _apart(self, a: int, b: int) -> float:
        return float(np.linalg.norm(self.at[a] - self.at[b]))

    def _length(self, joint: int) -> float:
        return float(np.linalg.norm(self.tips[joint] - self.at[joint]))

    # -- the tree --------------------------------------------------------------------------------------------------

    def _up(self, joint: int) -> list[int]:
        found = [joint]
        while self.s.joints[found[-1]].parent >= 0:
            found.append(self.s.joints[found[-1]].parent)
        return found

    def _inner(self, joint: int) -> list[int]:
        """The children that move and are no helpers."""
        return [k for k in self.s.children[joint] if self.moves[k] and self.said[k] != HELPER]

    def _head(self) -> int | None:
        """The joint of the head: the first one that is called so and has no counterpart."""
        return next((i for i, what in enumerate(self.said) if what == HEAD and i not in self.sided), None)

    def _trunk(self, head: int | None) -> set[int]:
        """The root, what two sides hang on, and what carries the head; without either what branches."""
        found = {0}
        under = set() if head is None else {i for i in range(len(self.s.joints)) if head in self._up(i)}
        firsts = {
            self.s.joints[i].parent
            for i in self.sided - under
            # A root may have a counterpart, too, where a hand was made the root.
            if self.s.joints[i].parent >= 0 and self.s.joints[i].parent not in self.sided
            if self.said[i] != HELPER and len(self._limb(i)) > 1
        }
        for joint in firsts:
            found.update(self._up(joint))
        if head is not None:
            found.update(self._up(head))
        if len(found) == 1:
            for joint in range(len(self.s.joints)):
                if len(self._inner(joint)) > 1:
                    found.update(self._up(joint))
        return found - self.sided

    def _limb(self, start: int) -> list[int]:
        """The joints of a limb from its first on, by the branch that reaches farthest, never on to one of a pair."""
        found = [start]
        while inner := [k for k in self._inner(found[-1]) if (k in self.sided) == (start in self.sided)]:
            here = found[-1]
            found.append(max(inner, key=lambda k: self._apart(here, k) + self.reach[k]))
        return found

    def _moving(self, limb: list[int]) -> int:
        return sum(bool(self.s.joints[joint].dofs) for joint in limb)

    # -- everything ------------------------------------------------------------------------------------------------

    def find(self) -> tuple[ControlPoint, ...]:
        head = self._head()
        trunk = self._trunk(head)
        limbs = [
            self._limb(i)
            for i, joint in enumerate(self.s.joints)
            if i not in trunk and joint.parent in trunk and joint.parent != head and self.moves[i]
            if self.said[i] != HELPER
        ]
        limbs = [limb for limb in limbs if self._moving(limb) > 1]
        longest = max((self.reach[limb[0]] for limb in limbs), default=0.0)
        limbs = [limb for limb in limbs if self.reach[limb[0]] >= SHORT * longest]
        found = [self._trunk_point(ROOT, 0, "pelvis" if self.said[0] == PELVIS else "")]
        carriers = [self.s.joints[limb[0]].parent for limb in limbs if limb[0] in self.sided]
        carriers = [joint for joint in carriers if self.s.joints[joint].dofs]
        chest = max(carriers, key=lambda joint: (len(self._up(joint)), joint), default=0)
        if chest != 0:
            found.append(self._trunk_point(CHEST, chest, "chest" if self.said[chest] == TRUNK else ""))
        if head is not None and head != 0:
            found.append(self._trunk_point(HEAD_POINT, head, "head"))
        for limb in limbs:
            found.extend(self._limb_points(limb))
        return _named_apart(found)

    def _trunk_point(self, role: str, joint: int, name: str) -> ControlPoint:
        point = end_effector(self.s, joint)
        return ControlPoint(name or self.s.joints[joint].name, role, joint, point, joint, joint, point)

    def _limb_points(self, limb: list[int]) -> Iterable[ControlPoint]:
        """The end of a limb, and where it bends if it has a joint between."""
        limb = self._without_girdle(limb)
        base = limb[0]
        gone = [0.0]
        for joint, following in pairwise(limb):
            gone.append(gone[-1] + self._apart(joint, following))
        total = gone[-1] + self._length(limb[-1])
        left = [total - way for way in gone]
        last = self._last(limb, left, total)
        end = limb[-1] if last is None else limb[last]
        point = segment_tip(self.s, end) if last is None else end_effector(self.s, end)
        side = next((self.sides[joint] for joint in (end, *reversed(limb)) if self.sides[joint]), 0)
        what = _SAID_ENDS.get(self.said[end] or "")
        name = f"{_SIDES[side]}{what}" if what is not None else self.s.joints[end].name
        yield ControlPoint(name, END, end, point, base, end, point)
        if self.sided and limb[0] not in self.sided:
            return  # a tail
        until = total if last is None else gone[last]
        bends = [k for k in range(1, len(limb) if last is None else last) if gone[k] > self.near]
        if last is None and not (len(limb) > 2 or self.said[end] in (FOREARM, SHANK)):
            return  # of two parts the last would be taken hold of twice
        bends = [k for k in bends if until - gone[k] > self.near and self.s.joints[limb[k]].dofs]
        if bends:
            # Of joints at one place the last one has the part that bends.
            bend = limb[min(bends, key=lambda k: (round(abs(gone[k] - 0.5 * until) / self.near), -k))]
            yield ControlPoint(self._bend_name(bend, end, side), BEND, bend, np.zeros(3), base, end, point)

    def _last(self, limb: list[int], left: list[float], total: float) -> int | None:
        """Return which joint of a limb carries its end; None if the limb ends at the tip of its last joint.

        Args:
            limb: Its joints.
            left: How much of it is left from each on, [m].
            total: Its length, [m].
        """
        short = [k for k in range(1, len(limb)) if left[k] <= REST * total]
        for k in range(1, len(limb)):
            named = self.said[limb[k]] in _SAID_ENDS or _ENDS.search(self.keys[limb[k]])
            # A name far up the limb is not its end: the foot of a bird is one of the bones of its leg.
            if named and left[k] <= (NAMED_REST if self.said[limb[k]] == HAND or not short else REST) * total:
                return k
        return short[0] if short else None

    def _without_girdle(self, limb: list[int]) -> list[int]:
        """A limb from its shoulder or hip on: without collar bone or shoulder blade."""
        for k, joint in enumerate(limb[:-1]):
            if self.said[joint] in (UPPER_ARM, THIGH):
                return limb[k:]
        start = 0
        while len(limb) - start > 3 and (
            self.said[limb[start]] in (CLAVICLE, CONNECTOR) or _GIRDLE.search(self.keys[limb[start]])
        ):
            start += 1
        return limb[start:]

    def _bend_name(self, bend: int, end: int, side: int) -> str:
        key, name = self.keys[bend], self.s.joints[bend].name
        what = next((word for pattern, word in _BENDS if pattern.search(name.lower())), None)
        if what is None:
            what = _SAID_BENDS.get(self.said[bend] or "")
        if what is None:
            what = {HAND: "elbow", FOOT: "knee"}.get(self.said[end] or "")
        if what is None:
            return f"{name} joint" if key else name
        number = re.search(r"\s(\d+)$", name)
        return f"{_SIDES[side]}{what}{f' {number.group(1)}' if number else ''}"


def _named_apart(points: list[ControlPoint]) -> tuple[ControlPoint, ...]:
    """Return the points, those of one name called after their joints instead."""
    counts = Counter(point.name for point in points)
    found: list[ControlPoint] = []
    for point in points:
        if counts[point.name] > 1:
            point = replace(point, name=f"{point.name} ({point.joint})")
        found.append(point)
    return tuple(found)

"""Which part of a body every joint of a figure carries, known by its name and its place in the tree.

Names alone do not decide it: ``LeftLeg`` is a shank in one file and a whole leg in another, ``LeftShoulder`` a collar
bone or an upper arm. So hands, feet and the head are found by name, and what lies between them and the trunk by order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.skeleton.named_parts import (
    CLAVICLE,
    CONNECTOR,
    FINGER,
    FOOT,
    FOREARM,
    HAND,
    HEAD,
    HELPER,
    LIMB,
    NECK,
    PELVIS,
    SHANK,
    THIGH,
    TOE,
    TRUNK,
    UPPER_ARM,
    name_key,
    said,
)
from core.skeleton.skeleton import Skeleton

_UPRIGHT = float(np.cos(np.radians(20.0)))
_NEAR = 1e-6  # of the figure's size: two joints nearer than this are at one place


@dataclass
class Anatomy:
    """What every joint of a figure is; all places in the bind pose (every degree of freedom zero), world axes, [m].

    Attributes:
        frames: World frame of every joint, shape (n, 4, 4).
        parts: What every joint carries.
        sides: 1 left, -1 right, 0 neither, for every joint.
        chains: The joints of every limb part in order (a thigh may be cut in two), by their first joint.
        next: The joint at the far end of each one's segment, -1 if there is none.
        up: The body's own upward direction, shape (3,).
        left: To the body's left, shape (3,).
        forward: Where it looks, shape (3,).
        human: Whether two arms, two legs and a trunk were found.
    """

    frames: Array
    parts: list[str]
    sides: list[int]
    chains: dict[int, list[int]] = field(default_factory=dict)
    next: list[int] = field(default_factory=list)
    up: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    left: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    forward: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    human: bool = False

    def place(self, joint: int) -> Array:
        """Return where a joint is, shape (3,)."""
        return self.frames[joint, :3, 3]

    def having(self, *parts: str) -> list[int]:
        """Return the joints that carry one of ``parts``."""
        return [i for i, part in enumerate(self.parts) if part in parts]


class _Finder:
    def __init__(self, s: Skeleton, frames: Array):
        self.s = s
        self.at = frames[:, :3, 3]
        keys = [name_key(joint.name) for joint in s.joints]
        self.keys = [key for key, _ in keys]
        self.sides = [side for _, side in keys]
        self.said = [said(key) for key in self.keys]
        self.near = _NEAR * max(float(np.ptp(self.at, axis=0).max()), 1e-9)
        self.parts = [LIMB] * len(s.joints)
        self.next = [-1] * len(s.joints)
        self.depth = [0] * len(s.joints)
        for i, joint in enumerate(s.joints):
            if joint.parent >= 0:
                self.depth[i] = self.depth[joint.parent] + 1
                if not self.sides[i] and self.sides[joint.parent]:
                    self.sides[i] = self.sides[joint.parent]

    # -- the tree ------------------------------------------------------------------------------------------------

    def path(self, joint: int) -> list[int]:
        """The joints from the root to ``joint``, both included."""
        found = [joint]
        while self.s.joints[found[-1]].parent >= 0:
            found.append(self.s.joints[found[-1]].parent)
        return found[::-1]

    def meeting(self, joints: Iterable[int]) -> int:
        """The last joint that is above or at all of ``joints``."""
        paths = [self.path(joint) for joint in joints]
        last = 0
        for row in zip(*paths, strict=False):
            if len(set(row)) > 1:
                break
            last = row[0]
        return last

    def below(self, joint: int) -> list[int]:
        """All joints under ``joint``, itself not included, parents first."""
        inside = {joint}
        for i in range(joint + 1, len(self.s.joints)):
            if self.s.joints[i].parent in inside:
                inside.add(i)
        return sorted(inside - {joint})

    def first(self, part: str) -> list[int]:
        """Joints whose name says ``part`` while none above them does."""
        found: list[int] = []
        for i, what in enumerate(self.said):
            if what == part and not any(self.said[k] == part for k in self.path(i)[:-1]):
                found.append(i)
        return found

    def apart(self, a: int, b: int) -> bool:
        return float(np.linalg.norm(self.at[a] - self.at[b])) > self.near

    # -- limbs ---------------------------------------------------------------------------------------------------

    def ends_of_limbs(self, end: str, lower: str, upper: str) -> list[int]:
        """The hands, or the feet: by name, else the last joint below a named forearm, else below an upper arm."""
        for part in (end, lower, upper):
            found = [i for i in self.first(part) if self.sides[i]]
            if {self.sides[i] for i in found} >= {1, -1}:
                # One on either side: of several the one nearest the trunk.
                ends = [
                    min((i for i in found if self.sides[i] == side), key=lambda i: self.depth[i]) for side in (1, -1)
                ]
                return ends if part == end else [self.deepest(i) for i in ends]
        return []

    def deepest(self, joint: int) -> int:
        last = joint
        while True:
            inner = [k for k in self.s.children[last] if self.said[k] != HELPER]
            if len(inner) != 1:
                return last
            last = inner[0]

    def limb(self, base: int, end: int, names: tuple[str, str, str], is_end: bool) -> None:
        """Name the joints between ``base`` and ``end``, both excluded: connection, upper and lower part."""
        connector, upper, lower = names
        chain = self.path(end)[self.depth[base] + 1 : -1]
        if not is_end:
            chain.append(end)
        if not chain:
            return  # the hand or foot sits on the trunk
        ends = [*chain[1:], end]
        for joint, following in zip(chain, ends, strict=True):
            self.next[joint] = following if following != joint else -1
        long = [j for j in chain if self.next[j] < 0 or self.apart(j, self.next[j])]
        uppers = [j for j in long if self.said[j] == upper]
        lowers = [j for j in long if self.said[j] == lower]
        if not uppers:
            before = [j for j in long if not lowers or self.depth[j] < self.depth[lowers[0]]]
            before = [j for j in before if self.said[j] != connector]
            if not lowers and len(before) > 1:
                lowers = before[-1:]
                before = before[:-1]
            uppers = before[-1:]
        top = self.depth[uppers[0]] if uppers else 0
        low = self.depth[lowers[0]] if lowers else self.depth[uppers[-1]] + 1 if uppers else 0
        for j in chain:
            deep = self.depth[j]
            self.parts[j] = connector if deep < top else upper if deep < low else lower
            self.sides[j] = self.sides[end]  # whatever its own name says or does not
            if j not in long:
                self.parts[j] = HELPER

    def mitten(self, end: int, part: str, inner: str) -> None:
        """Name a hand and its fingers, a foot and its toes; helpers at one place with them are passed by."""
        root = end
        while True:
            inside = self.s.children[root]
            same = [k for k in inside if not self.apart(root, k) and self.said[k] in (part, inner, None)]
            far = [k for k in inside if self.apart(root, k)]
            digits = [k for k in far if "thumb" not in self.keys[k] and self.said[k] != HELPER]
            if digits or not same:
                break
            # The joint of the fingers may stand at the wrist: then it is the palm.
            onward = [k for k in same if "thumb" not in self.keys[k]]
            if not onward:
                break
            self.parts[root] = HELPER
            root = onward[0]
        self.parts[root] = part
        for k in self.below(end):
            if k != root and self.parts[k] != HELPER:
                self.parts[k] = inner if self.said[k] != HELPER else HELPER
        for k in self.path(root)[self.depth[end] :]:
            if k != root:
                self.parts[k] = HELPER
        for k in self.below(root):
            # Bones inside the palm or the foot move with it.
            if self.s.children[k] and re.search("carpal|tarsal", self.keys[k]):
                self.parts[k] = HELPER

    # -- everything ----------------------------------------------------------------------------------------------

    def find(self) -> tuple[list[int], list[int], bool]:
        hands = self.ends_of_limbs(HAND, FOREARM, UPPER_ARM)
        feet = self.ends_of_limbs(FOOT, SHANK, THIGH)
        if not hands or not feet:
            self.forget()
            return hands, feet, False
        pelvis, chest = self.meeting(feet), self.meeting(hands)
        heads = [i for i in self.first(HEAD) if self.said[i] == HEAD and not self.sides[i]]
        head = heads[0] if heads else -1
        top = head if head >= 0 else chest
        foot = self.meeting([pelvis, top])
        trunk = self.path(top)[self.depth[foot] :]
        base = self.meeting([*hands, top])
        for i in range(len(self.parts)):
            self.parts[i] = HELPER if self.said[i] == HELPER else LIMB
        for i in self.path(foot)[:-1]:
            self.parts[i] = HELPER
        if head >= 0:
            for i in self.below(head):
                self.parts[i] = HELPER
        for k, joint in enumerate(trunk):
            self.next[joint] = trunk[k + 1] if k + 1 < len(trunk) else -1
            above = self.depth[joint] > self.depth[base]
            self.parts[joint] = NECK if above or self.said[joint] == NECK else TRUNK
        if head >= 0:
            self.parts[head] = HEAD
        for hand in hands:
            start = max((i for i in self.path(hand) if i in trunk), key=lambda i: self.depth[i], default=base)
            self.limb(start, hand, (CLAVICLE, UPPER_ARM, FOREARM), self.said[hand] == HAND)
            if self.said[hand] == HAND:
                self.mitten(hand, HAND, FINGER)
        for end in feet:
            self.limb(pelvis, end, (CONNECTOR, THIGH, SHANK), self.said[end] == FOOT)
            if self.said[end] == FOOT:
                self.mitten(end, FOOT, TOE)
        self.parts[pelvis] = PELVIS
        return hands, feet, True

    def forget(self) -> None:
        """Take the figure for anything but a person."""
        self.parts = [HELPER if what == HELPER else LIMB for what in self.said]
        self.next = [-1] * len(self.parts)


def find_anatomy(s: Skeleton, frames: Array) -> Anatomy:
    """Return what every joint of a figure is.

    Args:
        s: The figure.
        frames: World frames of its joints in the bind pose, shape (n, 4, 4), [m].
    """
    finder = _Finder(s, frames)
    _, feet, human = finder.find()
    found = Anatomy(frames, finder.parts, finder.sides, next=finder.next, human=human)
    for part in (UPPER_ARM, FOREARM, THIGH, SHANK):
        for joint in found.having(part):
            parent = s.joints[joint].parent
            if parent >= 0 and found.parts[parent] == part:
                continue
            chain = [joint]
            while found.next[chain[-1]] >= 0 and found.parts[found.next[chain[-1]]] == part:
                chain.append(found.next[chain[-1]])
            found.chains[joint] = chain
    if human:
        hips, shoulders = _where_limbs_begin(found, THIGH), _where_limbs_begin(found, UPPER_ARM)
        if hips is not None and shoulders is not None:
            _orient(found, s, feet)
            if float((shoulders - hips) @ found.up) > 0.0:
                return found
        # Odd names make odd trees of people.
        finder.forget()
        return Anatomy(frames, finder.parts, finder.sides, next=finder.next)
    return found


def _where_limbs_begin(found: Anatomy, part: str) -> Array | None:
    """Return the middle between the left limb's beginning and the right one's, None if there is one side only."""
    first = {found.sides[i]: found.place(i) for i in reversed(found.chains) if found.parts[i] == part}
    return 0.5 * (first[1] + first[-1]) if {1, -1} <= set(first) else None


def _orient(found: Anatomy, s: Skeleton, feet: Sequence[int]) -> None:
    """Find the body's own axes: trunk upwards, right to left, and what is at right angles to both."""
    thighs, arms = found.having(THIGH), found.having(UPPER_ARM)
    top = found.having(NECK, HEAD) or arms
    if not top:
        return
    middle = np.mean([found.place(i) for i in thighs or feet], axis=0)
    up = found.place(top[-1]) - middle
    across = np.zeros(3)
    for group in (thighs, arms):
        sides = [
            np.mean([found.place(i) for i in group if found.sides[i] == side] or [middle], axis=0) for side in (1, -1)
        ]
        across += sides[0] - sides[1]
    length = float(np.linalg.norm(up))
    if length == 0.0:
        return
    up = _straight(up / length)
    across = across - up * float(up @ across)
    if float(np.linalg.norm(across)) < 1e-3 * length:
        return
    found.up, found.left = up, _straight(across / float(np.linalg.norm(across)))
    found.forward = np.cross(found.left, up)


def _straight(direction: Array) -> Array:
    """The axis of the world that a direction is near to, else the direction: bind poses stand straight in the world."""
    axis = int(np.argmax(np.abs(direction)))
    if abs(float(direction[axis])) < _UPRIGHT:
        return direction
    return np.asarray(np.sign(direction[axis]) * np.eye(3)[axis])

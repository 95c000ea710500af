"""What of a figure walks: its pelvis and legs, the trunk over them, its arms; found from its joints and feet."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet, foot_of, standing_part
from core.arrays import Array
from core.constraints.soles import part_vertices
from core.gait.error import GaitError
from core.gait.leg import (
    Leg,
    leg_of,
    parts_of,
)
from core.gait.turns import LEFT, RIGHT, Turns, axes_of, facing_of, hinges_of, line_to, turns_of
from core.kinematics.forward import forward_kinematics
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames, segment_tip
from core.skeleton.skeleton import Skeleton

_HANGS = 0.5  # cosine: an arm that cannot be brought as near to hanging is a wing, or a horn
OUTWARD = np.radians(6.0)


class Arm(NamedTuple):
    """One arm.

    Attributes:
        side: ``LEFT`` or ``RIGHT``.
        shoulder: Degrees of freedom that swing it.
        elbow: Degrees of freedom that bend it; None if it has none.
    """

    side: int
    shoulder: Turns
    elbow: Turns | None


class Biped(NamedTuple):
    """A figure that walks on two legs.

    Attributes:
        skeleton: The figure.
        pelvis: Joint that both legs hang from.
        pelvis_in_root: The pelvis at rest in the root's frame, shape (4, 4).
        facing: Rotation from the axes left, up and forward to the world's at rest, shape (3, 3).
        pelvis_rest: Orientation of the pelvis at rest in the axes left, up, forward, shape (3, 3).
        stand: The pose it stands in before it walks: at rest, the arms hanging, shape (nq,).
        height: How high the pelvis is over the ground at rest, [m].
        legs: The left and the right one.
        spine: Joints from the pelvis to the arms, one ``Turns`` each.
        neck: Joints from there to the head.
        arms: Its arms, if it has any.
    """

    skeleton: Skeleton
    pelvis: int
    pelvis_in_root: Array
    facing: Array
    pelvis_rest: Array
    stand: Array
    height: float
    legs: tuple[Leg, Leg]
    spine: tuple[Turns, ...]
    neck: tuple[Turns, ...]
    arms: tuple[Arm, ...]

    @property
    def leans(self) -> bool:
        """Whether hips and feet turn about the way forward; else the body goes straight over the feet."""
        return all(
            float(np.abs(turns.share[:, 2]).max(initial=0.0)) > 0.5
            for leg in self.legs
            for turns in (leg.hip_turns, leg.ankle_turns)
        )

    @property
    def outward(self) -> float:
        """How far feet are turned outward in a walk, [rad]."""
        return OUTWARD if self.leans else 0.0

    @property
    def is_stiff(self) -> bool:
        """Whether a leg has no knee."""
        return any(leg.is_stiff for leg in self.legs)

    @property
    def leg_length(self) -> float:
        """From the hips to the ground at rest, [m]: what speeds and steps are measured by."""
        return self.height + float(np.mean([leg.hip_place[1] for leg in self.legs]))


@per_skeleton
def biped_of(s: Skeleton) -> Biped:
    """Return what of a figure walks; kept as long as the skeleton lives.

    Raises:
        GaitError: If it does not stand on two feet, or a leg cannot take a step.
    """
    return _biped(s, [foot for foot in figure_feet(s) if foot.grounded])


def biped_on(s: Skeleton, feet: tuple[str, ...]) -> Biped:
    """Return what of a figure walks on feet that are picked by name; on those it has if none is named.

    Any part of a leg stands for its foot, where the figure stands on one.

    Raises:
        JointError: If there is no such part.
        GaitError: If there are not two, or a leg cannot take a step.
    """
    if not feet:
        return biped_of(s)
    picked = _picked(s)
    if feet not in picked:
        picked[feet] = _biped(s, [foot_of(s, standing_part(s, name)) for name in feet])
    return picked[feet]


@per_skeleton
def _picked(s: Skeleton) -> dict[tuple[str, ...], Biped]:
    """Return what was found of a figure on feet that were picked by name: the same object each time."""
    return {}


def _biped(s: Skeleton, feet: list[Foot]) -> Biped:
    if len(feet) != 2:
        raise GaitError(f'figure "{s.name}" stands on {len(feet)} feet; this gait is for figures with two')
    X = rest_frames(s)
    facing = facing_of(s, X, feet)
    B = facing.T
    lines = [line_to(s, foot.joint) for foot in feet]
    pelvis = max(set(lines[0]) & set(lines[1]), key=lines[0].index)
    feet.sort(key=lambda foot: -float((B @ X[foot.joint, :3, 3])[0]))
    ground = min(float((part_vertices(s, joint, X))[:, 1].min()) for foot in feet for joint in parts_of(foot))
    legs = [leg_of(s, X, B, pelvis, foot, side, ground) for foot, side in zip(feet, (LEFT, RIGHT), strict=True)]
    trunk = _Trunk(s, X, B, pelvis, {joint for line in lines for joint in line[line.index(pelvis) + 1 :]})
    return Biped(
        s, pelvis, np.linalg.inv(X[0]) @ X[pelvis], facing, B @ X[pelvis, :3, :3] @ facing, trunk.stand,
        float(X[pelvis, 1, 3]) - ground, (legs[0], legs[1]), trunk.spine, trunk.neck, trunk.arms,
    )  # fmt: skip


class _Trunk:
    """Finds spine, neck and arms, and lets the arms hang."""

    def __init__(self, s: Skeleton, X: Array, B: Array, pelvis: int, legs: set[int]):
        self._s, self._X, self._B = s, X, B
        self.stand = s.rest_pose()
        self.spine: tuple[Turns, ...] = ()
        self.neck: tuple[Turns, ...] = ()
        self.arms: tuple[Arm, ...] = ()
        pairs = [pair for pair in s.mirror_pairs if not set(pair) & legs]
        ends = [line for pair in pairs for line in (line_to(s, pair[0]), line_to(s, pair[1])) if pelvis in line]
        chains = self._arm_chains(ends, pelvis)
        above = [i for i in range(len(s.joints)) if i not in legs and pelvis in line_to(s, i)[:-1]]
        if not chains:
            top = max(above, key=lambda i: float(X[i, 1, 3]), default=pelvis)
            self.spine = self._turning(line_to(s, top)[len(line_to(s, pelvis)) :])
            return
        chest = self._s.joints[chains[0][0]].parent
        from_pelvis = line_to(s, chest)
        self.spine = self._turning(from_pelvis[from_pelvis.index(pelvis) + 1 :])
        taken = {joint for chain in chains for joint in chain}
        heads = [i for i in above if i not in taken and chest in line_to(s, i)[:-1]]
        if heads:
            head = max(heads, key=lambda i: float(X[i, 1, 3]))
            line = line_to(s, head)
            self.neck = self._turning(line[line.index(chest) + 1 :])
        for chain in chains:
            self.arms += self._arm(chain)

    def _turning(self, joints: list[int]) -> tuple[Turns, ...]:
        found = [turns_of(self._s, self.stand, joint, self._B) for joint in joints]
        return tuple(turns for turns in found if len(turns.columns))

    def _arm_chains(self, ends: list[list[int]], pelvis: int) -> list[list[int]]:
        """Return the chains of the two longest limbs that are no legs, one for each side."""
        s, X = self._s, self._X
        best: dict[int, tuple[float, list[int]]] = {}
        for line in ends:
            paired = {joint for pair in s.mirror_pairs for joint in pair}
            chain = [joint for joint in line[line.index(pelvis) + 1 :] if joint in paired]
            if not chain or float(X[chain[0], 1, 3]) <= float(X[pelvis, 1, 3]):
                continue
            side = LEFT if float((self._B @ X[chain[-1], :3, 3])[0]) > 0.0 else RIGHT
            length = sum(float(np.linalg.norm(X[b, :3, 3] - X[a, :3, 3])) for a, b in itertools.pairwise(chain))
            length += float(np.linalg.norm(segment_tip(s, chain[-1])))
            if side not in best or length > best[side][0]:
                best[side] = length, chain
        if len(best) != 2 or s.joints[best[LEFT][1][0]].parent != s.joints[best[RIGHT][1][0]].parent:
            return []
        return [best[LEFT][1], best[RIGHT][1]]

    def _arm(self, chain: list[int]) -> tuple[Arm, ...]:
        """Return an arm; its two longest links are the upper arm and the forearm."""
        s, X, B = self._s, self._X, self._B
        places = [X[joint, :3, 3] for joint in chain]
        places.append(X[chain[-1], :3, :3] @ segment_tip(s, chain[-1]) + places[-1])
        links = [float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(places)]
        order = sorted(range(len(chain)), key=lambda k: -links[k])
        first = min(order[:2])
        second = max(order[:2]) if len(order) > 1 else None
        shoulder = chain[first]
        if not hinges_of(s, shoulder):
            return ()
        if not self._let_hang(shoulder, places[first + 1] - places[first]):
            return ()  # a wing that is raised does not swing
        side = LEFT if float((B @ places[first])[0]) > 0.0 else RIGHT
        elbow = None
        if second is not None and hinges_of(s, chain[second]):
            elbow = turns_of(s, self.stand, chain[second], B, keep=np.array([1.0, 0.0, 0.0]))
        return (Arm(side, turns_of(s, self.stand, shoulder, B), elbow),)

    def _let_hang(self, shoulder: int, way: Array) -> bool:
        """Turn a shoulder so that the arm hangs, if it does not at rest, by small turns that its hinges can make.

        Returns:
            Whether it hangs at all; else it stays as at rest.
        """
        s, B = self._s, self._B
        columns = hinges_of(s, shoulder)
        side = np.sign(float((B @ way)[0])) or 1.0
        goal = np.array([0.12 * side, -1.0, 0.0])
        goal /= np.linalg.norm(goal)
        local = self._X[shoulder, :3, :3].T @ (way / np.linalg.norm(way))
        if float((B @ way / np.linalg.norm(way)) @ goal) > 0.9:
            return True
        before = self.stand[columns].copy()
        for _ in range(60):
            now = B @ forward_kinematics(s, self.stand)[shoulder, :3, :3] @ local
            error = np.cross(now, goal)
            if float(np.linalg.norm(error)) < 1e-3 and float(now @ goal) > 0.0:
                break
            _, axes = axes_of(s, self.stand, shoulder, B)
            J = axes.T
            step = J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(3), 0.5 * error)
            value = self.stand[columns] + step
            rows = np.array(columns) - 3
            self.stand[columns] = np.clip(value, s.limits[rows, 0], s.limits[rows, 1])
        hangs = float((B @ forward_kinematics(s, self.stand)[shoulder, :3, :3] @ local) @ goal) > _HANGS
        if not hangs:
            self.stand[columns] = before
        return hangs
